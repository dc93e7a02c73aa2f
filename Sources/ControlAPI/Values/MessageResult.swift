/// One message, in `history`, `conversations` and the notification `message`.
public struct MessageResult: ControlValue {
    /// The kinds of message.
    public enum Kind: String, WordValue {
        /// Something that a person or a script wrote.
        case text
        /// What the author does, in words.
        case action
        /// The author entered the room.
        case join
        /// The author left the room.
        case leave
        /// Something that this version cannot read; the text is what its author's software gives
        /// for it.
        case unknown
    }

    /// The message that another one answers.
    public struct Answered: ControlValue {
        /// Its id.
        public var id = ""
        /// Its author's identity.
        public var author = ""
        /// The name that its author goes by here.
        public var authorName = ""

        /// An empty value.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("author", &self.author, .id)
            visitor.field("authorName", &self.authorName)
        }
    }

    /// The entry's id.
    public var id = ""
    /// The conversation's id.
    public var conversation = ""
    /// The conversation's name.
    public var conversationName = ""
    /// The author's identity.
    public var author = ""
    /// The name that the author goes by here.
    public var authorName = ""
    /// True where the author's name could be taken for that of somebody else, for a key or for none, so that the
    /// beginning of the key belongs to it; nil otherwise.
    public var ambiguous: Bool?
    /// True where the user has compared keys with the author; nil otherwise.
    public var verified: Bool?
    /// Its kind.
    public var kind = Kind.text
    /// The text; empty for the kinds that have none.
    public var text = ""
    /// The message that it answers; nil where it answers none.
    public var replyTo: Answered?
    /// When the author wrote it, by the author's clock.
    public var time = Timestamp(milliseconds: 0)
    /// Its position in this node's order of arrival.
    public var cursor: Int64 = 0
    /// Whether it arrived after messages that it precedes in display order.
    public var late = false
    /// True when it lies after a proven fork of its log; nil otherwise.
    public var disputed: Bool?

    /// An empty value.
    public init() {}

    /// The text, and around it three ids, names, a time and what is rarely true.
    public var expectedBytes: Int {
        self.text.utf8.count + (self.replyTo == nil ? 580 : 760)
    }

    /// Others refer to it as `Message`.
    public static var schemaName: String? { "Message" }

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("id", &self.id, .id)
        visitor.field("conversation", &self.conversation, .id)
        visitor.field("conversationName", &self.conversationName)
        visitor.field("author", &self.author, .id)
        visitor.field("authorName", &self.authorName)
        visitor.field("ambiguous", &self.ambiguous)
        visitor.field("verified", &self.verified)
        visitor.field("kind", &self.kind)
        visitor.field("text", &self.text)
        visitor.field("replyTo", &self.replyTo)
        visitor.field("time", &self.time)
        visitor.field("cursor", &self.cursor)
        visitor.field("late", &self.late)
        visitor.field("disputed", &self.disputed)
    }
}
