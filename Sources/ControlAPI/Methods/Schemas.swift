/// The JSON Schemas of results and notifications, for the OpenRPC document.
enum Schemas {
    static let string: JSON = ["type": "string"]
    static let integer: JSON = ["type": "integer"]
    static let boolean: JSON = ["type": "boolean"]
    static let strings: JSON = ["type": "array", "items": ["type": "string"]]
    static let identifier: JSON = ["type": "string", "pattern": "^[a-z2-7]{52}$"]
    static let identifiers: JSON = ["type": "array", "items": Self.identifier]
    static let time: JSON = ["type": "string", "format": "date-time"]
    static let timeOrNull: JSON = ["type": ["string", "null"], "format": "date-time"]

    static func reference(_ name: String) -> JSON {
        ["$ref": .string("#/components/schemas/\(name)")]
    }

    static func list(of name: String) -> JSON {
        ["type": "array", "items": Self.reference(name)]
    }

    static func word(_ words: [String]) -> JSON {
        ["type": "string", "enum": .array(words.map { .string($0) })]
    }

    /// An object that has all of `properties`, and perhaps those of `optional`.
    static func object(
        _ properties: KeyValuePairs<String, JSON>,
        optional: KeyValuePairs<String, JSON> = [:]
    ) -> JSON {
        [
            "type": "object",
            "properties": .object((Array(properties) + Array(optional)).map { .init($0.0, $0.1) }),
            "required": .array(properties.map { .string($0.key) }),
        ]
    }

    static let status = Self.object([
        "version": Self.string, "id": Self.identifier, "name": Self.string,
        "dataDirectory": Self.string, "startedAt": Self.time, "listen": Self.strings,
        "discovery": Self.object([
            "mode": Self.string, "backend": Self.string, "state": Self.string,
        ]),
        "links": Self.integer, "conversations": Self.integer, "messages": Self.integer,
        "held": Self.integer, "incarnation": Self.string,
        "clockOffsetMilliseconds": Self.integer,
        "scrub": Self.object([
            "completedAt": Self.timeOrNull, "percent": Self.integer,
            "damagedPages": Self.integer,
        ]),
        "alerts": [
            "type": "array",
            "items": Self.object([
                "code": Self.string, "text": Self.string, "since": Self.time,
            ]),
        ],
    ])

    static let peers = Self.object([
        "peers": Self.list(of: "Peer"),
        "refusals": [
            "type": "array",
            "items": Self.object(
                ["time": Self.time, "reason": Self.string, "count": Self.integer],
                optional: ["address": Self.string, "peer": Self.identifier]),
        ],
    ])

    static let sent = Self.object([
        "id": Self.identifier, "conversation": Self.identifier, "cursor": Self.integer,
        "time": Self.time, "duplicate": Self.boolean, "deliveredTo": Self.identifiers,
    ])

    static let history = Self.object([
        "messages": Self.list(of: "Message"), "more": Self.boolean,
    ])

    static let person = Self.object([
        "id": Self.identifier, "name": Self.string, "status": Self.string,
        "state": Self.word(PeerResult.State.allCases.map(\.rawValue)), "verified": Self.boolean,
        "addresses": Self.strings,
    ])

    /// The schemas that others refer to by name.
    static let components: JSON = [
        "Peer": Self.object(
            [
                "id": Self.identifier, "name": Self.string, "status": Self.string,
                "state": Self.word(PeerResult.State.allCases.map(\.rawValue)),
                "addresses": Self.strings,
                "lastSeen": Self.timeOrNull,
                "verified": Self.boolean,
                "source": Self.word(PeerResult.Source.allCases.map(\.rawValue)),
            ],
            optional: [
                "roundTripMilliseconds": ["type": "number"],
                "clockOffsetMilliseconds": Self.integer,
            ]),
        "Room": Self.object([
            "id": Self.identifier, "name": Self.string, "joined": Self.boolean,
            "members": Self.integer, "announcedBy": Self.identifiers,
        ]),
        "Conversation": Self.object([
            "id": Self.identifier,
            "kind": Self.word(ConversationResult.Kind.allCases.map(\.rawValue)),
            "name": Self.string,
            "members": [
                "type": "array",
                "items": Self.object(["id": Self.identifier, "name": Self.string]),
            ],
            "unread": Self.integer,
            "lastMessage": ["oneOf": [Self.reference("Message"), ["type": "null"]]],
        ]),
        "Message": Self.object(
            [
                "id": Self.identifier, "conversation": Self.identifier,
                "conversationName": Self.string, "author": Self.identifier,
                "authorName": Self.string,
                "kind": Self.word(MessageResult.Kind.allCases.map(\.rawValue)),
                "text": Self.string, "time": Self.time, "cursor": Self.integer,
                "late": Self.boolean,
            ], optional: ["disputed": Self.boolean]),
    ]
}
