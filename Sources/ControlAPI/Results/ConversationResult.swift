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

    /// The array of the ``json`` of each, written without a tree in between.
    public static func written(_ conversations: [ConversationResult]) -> JSON {
        var output: [UInt8] = [UInt8(ascii: "[")]
        for (index, conversation) in conversations.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            conversation.write(into: &output)
        }
        output.append(UInt8(ascii: "]"))
        return .written(output)
    }

    private func write(into output: inout [UInt8]) {
        output.append(contentsOf: "{\"id\":".utf8)
        JSON.write(self.id, into: &output)
        output.append(contentsOf: ",\"kind\":".utf8)
        JSON.write(self.kind.rawValue, into: &output)
        output.append(contentsOf: ",\"name\":".utf8)
        JSON.write(self.name, into: &output)
        output.append(contentsOf: ",\"members\":[".utf8)
        for (index, member) in self.members.enumerated() {
            output.append(contentsOf: (index > 0 ? ",{\"id\":" : "{\"id\":").utf8)
            JSON.write(member.id, into: &output)
            output.append(contentsOf: ",\"name\":".utf8)
            JSON.write(member.name, into: &output)
            output.append(UInt8(ascii: "}"))
        }
        output.append(contentsOf: "],\"unread\":".utf8)
        output.append(contentsOf: String(self.unread).utf8)
        output.append(contentsOf: ",\"lastMessage\":".utf8)
        if let message = self.lastMessage {
            message.write(into: &output)
        } else {
            output.append(contentsOf: "null".utf8)
        }
        output.append(UInt8(ascii: "}"))
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
