/// The description of the control API in the OpenRPC format, version 1.2.6.
public enum OpenRPC {
    /// The document that `rpc.discover` returns; the same on every call and every machine.
    public static let document: JSON = [
        "openrpc": "1.2.6",
        "info": [
            "title": "Stoa control API", "version": "1.0.0",
            "description":
                .string(
                    "JSON-RPC 2.0 over a Unix socket, one object or batch per line. See "
                        + "Docs/ControlAPI.md."),
            "license": ["name": "Apache-2.0"],
        ],
        "methods": .array(Methods.all.map(Self.method)),
        "components": [
            "schemas": Schemas.components,
            "errors": .object(RPCError.Code.allCases.map { .init($0.name, Self.error($0)) }),
        ],
        "x-notifications": [
            [
                "name": "message", "summary": "A message arrived or was sent.",
                "params": Schemas.object([
                    "subscription": Schemas.integer, "message": Schemas.reference("Message"),
                ]),
            ],
            [
                "name": "gap",
                "summary": "The events after from up to and including to cannot be given.",
                "params": Schemas.object([
                    "subscription": Schemas.integer, "from": Schemas.integer,
                    "to": Schemas.integer, "reason": Schemas.string,
                ]),
            ],
        ],
    ]

    /// The codes that every method may answer.
    private static let sharedErrors: [RPCError.Code] = [
        .parse, .invalidRequest, .invalidParams, .internalError, .busy, .shuttingDown, .overflow,
    ]

    private static func method(_ method: MethodDescription) -> JSON {
        [
            "name": .string(method.name), "summary": .string(method.summary),
            "paramStructure": "either",
            "params": .array(
                method.params.map {
                    [
                        "name": .string($0.name), "summary": .string($0.summary),
                        "required": .bool($0.isRequired), "schema": Self.schema($0.type),
                    ]
                }),
            "result": ["name": .string(method.resultName), "schema": method.resultSchema],
            "errors": .array(
                (Self.sharedErrors + method.errors).map {
                    ["$ref": .string("#/components/errors/\($0.name)")]
                }),
        ]
    }

    private static func schema(_ type: ParamType) -> JSON {
        switch type {
        case .string(let limit):
            ["type": "string", "minLength": 1, "maxLength": .integer(Int64(limit))]
        case .text: Schemas.string
        case .integer(let range):
            .members([
                "type": "integer", "minimum": .integer(range.lowerBound),
                "maximum": range.upperBound == .max ? nil : .integer(range.upperBound),
            ])
        case .word(let words): Schemas.word(words)
        case .time: Schemas.time
        case .identifier: Schemas.identifier
        }
    }

    private static func error(_ code: RPCError.Code) -> JSON {
        ["code": .integer(code.rawValue), "message": .string(Self.text(code))]
    }

    private static func text(_ code: RPCError.Code) -> String {
        switch code {
        case .parse: "Parse error: the line is not JSON."
        case .invalidRequest: "Invalid request."
        case .methodNotFound: "Method not found."
        case .invalidParams: "Invalid params."
        case .internalError: "Internal error."
        case .notFound: "What was named does not exist here."
        case .ambiguous: "A name fits several; data.candidates lists them."
        case .storageFailed: "The disk refused; nothing was stored."
        case .notMember: "The room must be joined first."
        case .deliveryTimeout: "Stored but not delivered in time; data has the result of send."
        case .refused: "Understood and not allowed."
        case .tooLarge: "A text exceeds its limit."
        case .busy: "The daemon has too much in hand; try again."
        case .shuttingDown: "The daemon is about to end."
        case .overflow: "The client did not read; the connection is closed."
        }
    }
}
