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
        /// A call that is over; the text says what became of it.
        case call
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
        package var latitude = 0.0
        package var longitude = 0.0
        package var accuracy: Int64?
        package var uri: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("latitude", &self.latitude, .any, "Degrees north.")
            visitor.field("longitude", &self.longitude, .any, "Degrees east.")
            visitor.field(
                "accuracy", &self.accuracy, .any,
                "How inaccurate it may be, in metres; left out if not given.")
            visitor.field("uri", &self.uri, .any, "The same as a geo: URI.")
        }
    }

    /// A sign that people have given to a message.
    package struct Sign: ControlValue {
        /// How many signs of one message are listed at most: they fit a line or two.
        package static let listed = 32
        /// How many people are listed at most.
        package static let listedPeople = 16

        package var sign = ""
        package var count: Int64 = 0
        package var own: Bool?
        package var people: [String] = []
        package var names: [String] = []

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("sign", &self.sign, .any, "An emoji or a short word.")
            visitor.field("count", &self.count, .any, "How many people gave it.")
            visitor.field("own", &self.own, .any, "True if the user is one of them.")
            visitor.field(
                "people", &self.people, .id, "The devices of up to 16 of them, contacts first.")
            visitor.field("names", &self.names, .any, "Their names here, in the same order.")
        }
    }

    /// The message that another one answers.
    package struct Answered: ControlValue {
        package var id = ""
        package var author = ""
        package var authorName = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id, "The message's id.")
            visitor.field("author", &self.author, .id, "Its author's device.")
            visitor.field(
                "authorName", &self.authorName, .any,
                "Its author's name here; Ada@ and the beginning of the key if the name is ambiguous."
            )
        }
    }

    package var id = ""
    package var conversation = ""
    package var conversationName = ""
    package var author = ""
    package var authorName = ""
    package var ambiguous: Bool?
    package var verified: Bool?
    package var own: Bool?
    package var kind = Kind.text
    package var text = ""
    package var replyTo: Answered?
    package var time = Timestamp(milliseconds: 0)
    package var cursor: Int64 = 0
    package var late = false
    package var disputed: Bool?
    /// What few messages have; none in most, so that those cost nothing for it.
    private var rare: [Rare] = []

    package init() {}

    package init?(lenient json: JSON) {
        guard case .object(let members) = json else { return nil }
        self.init(lenientFrom: members)
        let word = json["kind"]?.stringValue
        if let word, Kind(rawValue: word) == nil { self.change(true) { $0.otherKind = word } }
    }

    /// The kind as the daemon wrote it; `kind` is a text where this version does not know it.
    package var kindWord: String { self.rare.first?.otherKind ?? self.kind.rawValue }

    /// One line for a list: its text, the name of its file or place, or its kind in brackets.
    package var summary: String {
        if let file = self.file { return "(file) \(file.name)" }
        if self.kindWord == Kind.action.rawValue { return "* \(self.text)" }
        let isText = self.kindWord == Kind.text.rawValue
        let isNamedPlace = self.kind == .location && !self.text.isEmpty
        return isText || isNamedPlace ? self.text : "(\(self.kindWord))"
    }

    /// The text, and around it three ids, names, a time and what is rarely true.
    package var expectedBytes: Int {
        self.text.utf8.count + (self.replyTo == nil ? 580 : 760)
            + (self.reactions?.expectedBytes ?? 0)
    }

    /// Others refer to it as `Message`.
    package static var schemaName: String? { "Message" }

    package mutating func fields<Visitor: FieldVisitor>(_ visitor: inout Visitor) {
        visitor.field("id", &self.id, .id, "The message's id.")
        visitor.field("conversation", &self.conversation, .id, "The conversation's id.")
        visitor.field(
            "conversationName", &self.conversationName, .any, "The conversation's name here.")
        visitor.field(
            "author", &self.author, .id, "The author's device: names are labels, this is who it is."
        )
        visitor.field("authorName", &self.authorName, .any, "The author's name here.")
        visitor.field(
            "ambiguous", &self.ambiguous, .any,
            "True if the author's name could be mistaken for another person's, for a key or for no name; show the beginning of the key with it."
        )
        visitor.field(
            "verified", &self.verified, .any, "True if the user has compared keys with the author.")
        visitor.field(
            "own", &self.own, .any, "True if the user wrote it, on any device; it is never unread.")
        visitor.field(
            "kind", &self.kind, .any,
            "text; action (what the author does); location (text is its name); file (text is its caption); call (text says what became of it); join; leave; topic (text is the topic, or empty); unknown (text is what its author's software gives for readers that cannot read it)."
        )
        visitor.field("text", &self.text, .any, "The text; empty for kinds without one.")
        visitor.field(
            "replyTo", &self.replyTo, .any,
            "The message it answers, as its author says; it may not be here.")
        visitor.field("time", &self.time, .any, "When it was written, by the author's clock.")
        visitor.field("cursor", &self.cursor, .any, "Its place in this node's order of arrival.")
        visitor.field(
            "late", &self.late, .any,
            "Whether it arrived after messages that follow it in display order, or answers such a message."
        )
        visitor.field(
            "disputed", &self.disputed, .any,
            "True if its author signed two histories and it comes after the point where they part.")
        if Visitor.leavesOut, self.rare.isEmpty { return }
        visitor.field(
            "outside", &self.outside, .any,
            "True if its author was out of the group when they wrote it; it was shown before that was known here."
        )
        visitor.field(
            "ignored", &self.ignored, .any,
            "True for a topic that does not count: in a group, its author is no admin.")
        visitor.field(
            "mention", &self.mention, .any, "True if it names the user with @, or answers them.")
        visitor.field("location", &self.location, .any, "The location, for the kind location.")
        visitor.field("file", &self.file, .any, "The file, for the kind file.")
        visitor.field("call", &self.call, .any, "The call, for the kind call.")
        visitor.field(
            "edited", &self.edited, .any,
            "When it got the text it has now; left out if it was never edited.")
        visitor.field(
            "reactions", &self.reactions, .any,
            "At most 32 reactions: first those of the user and contacts, then the most frequent.")
        visitor.field(
            "moreReactions", &self.moreReactions, .any, "How many more reactions there are.")
    }
}

extension MessageResult {
    /// What few messages have.
    fileprivate struct Rare: Equatable, Sendable {
        var outside: Bool?
        var ignored: Bool?
        var mention: Bool?
        var location: Place?
        var file: FileResult?
        var call: CallResult?
        var edited: Timestamp?
        var reactions: [Sign]?
        var moreReactions: Int64?
        var otherKind: String?
    }

    private mutating func change(_ isSaid: Bool, _ body: (inout Rare) -> Void) {
        if self.rare.isEmpty {
            guard isSaid else { return }
            self.rare = [Rare()]
        }
        body(&self.rare[0])
    }

    package var outside: Bool? {
        get { self.rare.first?.outside }
        set { self.change(newValue != nil) { $0.outside = newValue } }
    }

    package var ignored: Bool? {
        get { self.rare.first?.ignored }
        set { self.change(newValue != nil) { $0.ignored = newValue } }
    }

    package var mention: Bool? {
        get { self.rare.first?.mention }
        set { self.change(newValue != nil) { $0.mention = newValue } }
    }

    package var location: Place? {
        get { self.rare.first?.location }
        set { self.change(newValue != nil) { $0.location = newValue } }
    }

    package var file: FileResult? {
        get { self.rare.first?.file }
        set { self.change(newValue != nil) { $0.file = newValue } }
    }

    package var call: CallResult? {
        get { self.rare.first?.call }
        set { self.change(newValue != nil) { $0.call = newValue } }
    }

    package var edited: Timestamp? {
        get { self.rare.first?.edited }
        set { self.change(newValue != nil) { $0.edited = newValue } }
    }

    package var reactions: [Sign]? {
        get { self.rare.first?.reactions }
        set { self.change(newValue != nil) { $0.reactions = newValue } }
    }

    package var moreReactions: Int64? {
        get { self.rare.first?.moreReactions }
        set { self.change(newValue != nil) { $0.moreReactions = newValue } }
    }
}
