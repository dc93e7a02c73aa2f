/// One conversation in the result of `conversations`, and the result of `join`.
public struct ConversationResult: Equatable, Sendable {
    /// The kinds of conversation.
    public enum Kind: String, CaseIterable, Sendable {
        /// An open room.
        case room
        /// Two people.
        case direct
    }

    /// A member.
    public struct Member: Equatable, Sendable {
        /// The identity.
        public let id: String
        /// The name it goes by here.
        public let name: String

        /// Makes a member.
        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// The conversation's id.
    public var id: String
    /// Its kind.
    public var kind: Kind
    /// The room's name, or the other person's.
    public var name: String
    /// Its members.
    public var members: [Member]
    /// How many messages were not read.
    public var unread: Int
    /// The newest message in display order; nil, written as null, when there is none.
    public var lastMessage: MessageResult?

    /// Makes a conversation.
    public init(
        id: String, kind: Kind, name: String, members: [Member], unread: Int,
        lastMessage: MessageResult?
    ) {
        self.id = id
        self.kind = kind
        self.name = name
        self.members = members
        self.unread = unread
        self.lastMessage = lastMessage
    }

    /// The conversation as JSON.
    public var json: JSON {
        [
            "id": .string(self.id), "kind": .string(self.kind.rawValue),
            "name": .string(self.name),
            "members": .array(
                self.members.map { ["id": .string($0.id), "name": .string($0.name)] }),
            "unread": .integer(Int64(self.unread)),
            "lastMessage": self.lastMessage?.json ?? .null,
        ]
    }
}
