/// The description of the control API in the OpenRPC format, version 1.2.6.
package enum OpenRPC {
    /// The document that `rpc.discover` returns; the same on every call and every machine.
    package static let document: JSON = [
        "openrpc": "1.2.6",
        "info": [
            "title": "Stoa control API", "version": "1.0.0",
            "description":
                .string(
                    "JSON-RPC 2.0 over a Unix socket, one object or batch per line. See "
                        + "Docs/ControlAPI.md."),
            "license": ["name": "Apache-2.0"],
        ],
        "methods": .array(ControlMethods.all.map { Self.method($0) }),
        "components": [
            "schemas": .object(
                Self.named.map { .init($0.schemaName ?? "", $0.objectSchema) }),
            "errors": .object(RPCError.Code.allCases.map { .init($0.name, Self.error($0)) }),
        ],
        "x-notifications": .array(
            ControlEvents.all.map {
                [
                    "name": .string($0.name), "summary": .string($0.summary),
                    "params": $0.schema,
                ]
            }),
    ]

    /// The codes that every method may answer.
    private static let sharedErrors: [RPCError.Code] = [
        .parse, .invalidRequest, .invalidParams, .internalError, .busy, .shuttingDown, .overflow,
        .locked,
    ]

    /// How many errors every method begins with.
    package static let sharedErrorCount = Self.sharedErrors.count

    /// The schemas that others refer to by name.
    private static let named: [any ControlValue.Type] = [
        MessageResult.self, ChangeResult.self, ConversationResult.self, PersonResult.self,
        MissingResult.self, SettingResult.self,
    ]

    private static func method<Method: ControlMethod>(_ method: Method.Type) -> JSON {
        let description = Method.description
        return .members([
            "name": .string(description.name), "summary": .string(description.summary),
            "description": description.details.isEmpty ? nil : .string(description.details),
            "paramStructure": "either", "x-access": .string(description.access.rawValue),
            "params": .array(
                Method.Params.descriptions.map {
                    [
                        "name": .string($0.name), "summary": .string($0.summary),
                        "required": .bool($0.isRequired), "schema": $0.schema,
                    ]
                }),
            "result": ["name": .string(description.resultName), "schema": Method.Result.schema],
            "errors": .array(
                (Self.sharedErrors + description.errors).map {
                    ["$ref": .string("#/components/errors/\($0.name)")]
                }),
            "x-reasons": description.reasons.isEmpty
                ? nil
                : .object(description.reasons.map { .init($0.word, .string($0.meaning)) }),
            "examples": description.example.map { .array([Self.example($0)]) },
        ])
    }

    /// Parameters as an example pairing.
    private static func example(_ params: JSON) -> JSON {
        [
            "name": "usual",
            "params": .array(
                (params.objectValue ?? []).map {
                    ["name": .string($0.name), "value": $0.value]
                }),
        ]
    }

    private static func error(_ code: RPCError.Code) -> JSON {
        ["code": .integer(code.rawValue), "message": .string(Self.text(of: code))]
    }

    private static func text(of code: RPCError.Code) -> String {
        switch code {
        case .parse: "Parse error: the line is not JSON."
        case .invalidRequest: "Invalid request."
        case .methodNotFound: "Method not found."
        case .invalidParams: "Invalid params."
        case .internalError: "This version does not have the method."
        case .notFound: "The named thing does not exist here."
        case .ambiguous: "A name matches several; data.candidates lists them."
        case .storageFailed: "The disk failed or is full; nothing was stored."
        case .notMember: "The room must be joined first."
        case .deliveryTimeout: "Stored but not delivered in time; data has the result of send."
        case .held: "Stored, but others hold it until its time; data has the result of send."
        case .refused: "Understood but not allowed."
        case .tooLarge: "A text exceeds its limit."
        case .keyReused: "The idempotency key belongs to another text."
        case .busy: "The daemon is too busy; try again."
        case .shuttingDown: "The daemon is shutting down."
        case .locked: "The node is locked by a passphrase."
        case .overflow: "The client did not read; the connection is closed."
        }
    }
}
