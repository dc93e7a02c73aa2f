/// One message, in `history`, `conversations` and the `message` notification.
public struct MessageResult: Equatable, Sendable {
    /// The kinds of message.
    public enum Kind: String, CaseIterable, Sendable {
        /// Something that a person or a script wrote.
        case text
        /// The author entered the room.
        case join
        /// The author left the room.
        case leave
    }

    /// The entry's id.
    public var id: String
    /// The conversation's id.
    public var conversation: String
    /// The conversation's name.
    public var conversationName: String
    /// The author's identity.
    public var author: String
    /// The name that the author goes by here.
    public var authorName: String
    /// Its kind.
    public var kind: Kind
    /// The text; empty for the kinds that have none.
    public var text: String
    /// When the author wrote it, by the author's clock.
    public var time: Timestamp
    /// Its position in this node's order of arrival.
    public var cursor: Int64
    /// Whether it arrived after messages that it precedes in display order.
    public var late: Bool
    /// Whether it lies after a proven fork of its log; written only when true.
    public var disputed: Bool

    /// Makes a message.
    public init(
        id: String, conversation: String, conversationName: String, author: String,
        authorName: String, kind: Kind, text: String, time: Timestamp, cursor: Int64,
        late: Bool, disputed: Bool = false
    ) {
        self.id = id
        self.conversation = conversation
        self.conversationName = conversationName
        self.author = author
        self.authorName = authorName
        self.kind = kind
        self.text = text
        self.time = time
        self.cursor = cursor
        self.late = late
        self.disputed = disputed
    }

    /// About how many bytes the text takes, with what stands around it: three ids, names and a time.
    ///
    /// Longer names only make the buffer grow.
    var roomBytes: Int { self.text.utf8.count + 560 }

    /// Appends the compact text of ``json``.
    func write(into output: inout [UInt8]) {
        JSON.write("{\"id\":", self.id, into: &output)
        JSON.write(",\"conversation\":", self.conversation, into: &output)
        JSON.write(",\"conversationName\":", self.conversationName, into: &output)
        JSON.write(",\"author\":", self.author, into: &output)
        JSON.write(",\"authorName\":", self.authorName, into: &output)
        JSON.write(",\"kind\":", self.kind.rawValue, into: &output)
        JSON.write(",\"text\":", self.text, into: &output)
        JSON.write(",\"time\":", self.time.text, into: &output)
        output.append(contentsOf: ",\"cursor\":".utf8)
        output.append(contentsOf: String(self.cursor).utf8)
        output.append(contentsOf: (self.late ? ",\"late\":true" : ",\"late\":false").utf8)
        if self.disputed { output.append(contentsOf: ",\"disputed\":true".utf8) }
        output.append(UInt8(ascii: "}"))
    }

    /// The message as JSON.
    public var json: JSON {
        var members: [JSON.Member] = [
            .init("id", .string(self.id)), .init("conversation", .string(self.conversation)),
            .init("conversationName", .string(self.conversationName)),
            .init("author", .string(self.author)),
            .init("authorName", .string(self.authorName)),
            .init("kind", .string(self.kind.rawValue)), .init("text", .string(self.text)),
            .init("time", .string(self.time.text)), .init("cursor", .integer(self.cursor)),
            .init("late", .bool(self.late)),
        ]
        if self.disputed { members.append(.init("disputed", true)) }
        return .object(members)
    }
}
