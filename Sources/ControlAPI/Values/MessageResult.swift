/// One message, in `history`, `conversations` and the notification `message`.
package struct MessageResult: ControlValue {
    package enum Kind: String, WordValue {
        /// Something that a person or a script wrote.
        case text
        /// What the author does, in words.
        case action
        /// A place on the Earth; the text is its name, where it has one.
        case location
        /// A file; the text is what is said with it.
        case file
        /// The author entered the room.
        case join
        /// The author left the room.
        case leave
        /// The author has said what the conversation is about; the text is that, or empty.
        case topic
        /// Something that this version cannot read; the text is what its author's software gives
        /// for it.
        case unknown
    }

    /// A place on the Earth.
    package struct Place: ControlValue {
        /// Degrees north.
        package var latitude = 0.0
        /// Degrees east.
        package var longitude = 0.0
        /// How far it may be off, in metres; nil where that is not said.
        package var accuracy: Int64?
        /// The same as a `geo:` URI.
        package var uri: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("latitude", &self.latitude)
            visitor.field("longitude", &self.longitude)
            visitor.field("accuracy", &self.accuracy)
            visitor.field("uri", &self.uri)
        }
    }

    /// A sign that people have given to a message.
    package struct Sign: ControlValue {
        /// How many signs of one message are listed at most: they fit a line or two.
        package static let listed = 32
        /// How many people are listed at most.
        package static let listedPeople = 16

        /// An emoji, or a short word.
        package var sign = ""
        /// How many people have given it.
        package var count: Int64 = 0
        /// True where the own person is one of them; nil otherwise.
        package var own: Bool?
        /// The devices of the first of them.
        package var people: [String] = []
        /// The names that these go by here, in the same order.
        package var names: [String] = []

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("sign", &self.sign)
            visitor.field("count", &self.count)
            visitor.field("own", &self.own)
            visitor.field("people", &self.people, .id)
            visitor.field("names", &self.names)
        }
    }

    /// The message that another one answers.
    package struct Answered: ControlValue {
        package var id = ""
        /// Its author's identity.
        package var author = ""
        /// The name that its author goes by here, as `Ada@` and the beginning of the key where it is ambiguous.
        package var authorName = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("author", &self.author, .id)
            visitor.field("authorName", &self.authorName)
        }
    }

    /// The entry's id.
    package var id = ""
    package var conversation = ""
    package var conversationName = ""
    /// The author's identity.
    package var author = ""
    /// The name that the author goes by here.
    package var authorName = ""
    /// True where the author's name could be taken for that of somebody else, for a key or for none, so that the
    /// beginning of the key belongs to it; nil otherwise.
    package var ambiguous: Bool?
    /// True where the user has compared keys with the author; nil otherwise.
    package var verified: Bool?
    /// True where the user has written it, with this device or another one; nil otherwise.
    package var own: Bool?
    package var kind = Kind.text
    /// The text; empty for the kinds that have none.
    package var text = ""
    /// The message that it answers; nil where it answers none.
    package var replyTo: Answered?
    /// When the author wrote it, by the author's clock.
    package var time = Timestamp(milliseconds: 0)
    /// Its position in this node's order of arrival.
    package var cursor: Int64 = 0
    /// Whether it arrived after messages that it precedes in display order.
    package var late = false
    /// True when it lies after a proven fork of its log; nil otherwise.
    package var disputed: Bool?
    /// What few messages have; none in most, so that those cost nothing for it.
    private var rare: [Rare] = []

    package init() {}

    /// The text, and around it three ids, names, a time and what is rarely true.
    package var expectedBytes: Int {
        self.text.utf8.count + (self.replyTo == nil ? 580 : 760)
            + (self.reactions?.expectedBytes ?? 0)
    }

    /// Others refer to it as `Message`.
    package static var schemaName: String? { "Message" }

    package mutating func fields<Visitor: FieldVisitor>(_ visitor: inout Visitor) {
        visitor.field("id", &self.id, .id)
        visitor.field("conversation", &self.conversation, .id)
        visitor.field("conversationName", &self.conversationName)
        visitor.field("author", &self.author, .id)
        visitor.field("authorName", &self.authorName)
        visitor.field("ambiguous", &self.ambiguous)
        visitor.field("verified", &self.verified)
        visitor.field("own", &self.own)
        visitor.field("kind", &self.kind)
        visitor.field("text", &self.text)
        visitor.field("replyTo", &self.replyTo)
        visitor.field("time", &self.time)
        visitor.field("cursor", &self.cursor)
        visitor.field("late", &self.late)
        visitor.field("disputed", &self.disputed)
        if Visitor.leavesOut, self.rare.isEmpty { return }
        visitor.field("mention", &self.mention)
        visitor.field("location", &self.location)
        visitor.field("file", &self.file)
        visitor.field("edited", &self.edited)
        visitor.field("reactions", &self.reactions)
        visitor.field("moreReactions", &self.moreReactions)
    }
}

extension MessageResult {
    /// What few messages have.
    fileprivate struct Rare: Equatable, Sendable {
        var mention: Bool?
        var location: Place?
        var file: FileResult?
        var edited: Timestamp?
        var reactions: [Sign]?
        var moreReactions: Int64?
    }

    private mutating func change(_ isSaid: Bool, _ body: (inout Rare) -> Void) {
        if self.rare.isEmpty {
            guard isSaid else { return }
            self.rare = [Rare()]
        }
        body(&self.rare[0])
    }

    /// True where it calls the user by name, or answers them; nil otherwise.
    package var mention: Bool? {
        get { self.rare.first?.mention }
        set { self.change(newValue != nil) { $0.mention = newValue } }
    }

    /// Where it is about a place; nil for other kinds.
    package var location: Place? {
        get { self.rare.first?.location }
        set { self.change(newValue != nil) { $0.location = newValue } }
    }

    /// Where it is a file; nil for other kinds.
    package var file: FileResult? {
        get { self.rare.first?.file }
        set { self.change(newValue != nil) { $0.file = newValue } }
    }

    /// When the author has given it the text that it has; nil where that is the first one.
    package var edited: Timestamp? {
        get { self.rare.first?.edited }
        set { self.change(newValue != nil) { $0.edited = newValue } }
    }

    /// What people make of it, the user and those whom they know first; nil where nobody has said.
    package var reactions: [Sign]? {
        get { self.rare.first?.reactions }
        set { self.change(newValue != nil) { $0.reactions = newValue } }
    }

    /// How many signs people have made of it beside those; nil where these are all.
    package var moreReactions: Int64? {
        get { self.rare.first?.moreReactions }
        set { self.change(newValue != nil) { $0.moreReactions = newValue } }
    }
}
