/// A file as a message tells of it.
public struct FileResult: ControlValue {
    /// What its author calls it; only a name, which says neither where to save it nor what it holds.
    public var name = ""
    /// Of what type its author says that it is, as `image/png`.
    public var type = ""
    /// Its bytes.
    public var size: Int64 = 0

    /// An empty value.
    public init() {}

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("name", &self.name)
        visitor.field("type", &self.type)
        visitor.field("size", &self.size)
    }
}

/// A file that is sent: its content comes as a descriptor that is passed with the request.
public struct OutgoingFile: ControlValue {
    /// What it is called; no path.
    public var name = ""
    /// Of what type it is; nil for `application/octet-stream`.
    public var type: String?

    /// An empty value.
    public init() {}

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field(
            "name", &self.name, .bytes(ControlLimits.fileNameBytes),
            "What the file is called: a name without a slash.")
        visitor.field(
            "type", &self.type, .bytes(ControlLimits.mediaTypeBytes),
            "Of what type it is, as image/png; application/octet-stream by default.")
    }
}

/// How far a file is that is fetched.
public struct TransferResult: ControlValue {
    /// Where it stands.
    public enum State: String, WordValue {
        /// Others are fetched before it.
        case waiting
        /// Nobody who has it is linked: it goes on when somebody is.
        case seeking
        /// It comes.
        case fetching
        /// It is here.
        case done
        /// It has ended; `reason` says why.
        case failed
    }

    /// The message that tells of it.
    public var id = ""
    /// The conversation's id.
    public var conversation = ""
    /// The conversation's name.
    public var conversationName = ""
    /// What its author calls it.
    public var name = ""
    /// Its bytes.
    public var size: Int64 = 0
    /// How many of them are here.
    public var stored: Int64 = 0
    /// How many linked peers have some of it.
    public var sources: Int64 = 0
    /// Where it stands.
    public var state = State.waiting
    /// Why it has ended, as a stable word; nil where it has not failed.
    public var reason: String?
    /// Bytes a second of late; nil where nothing has come.
    public var rate: Int64?
    /// How long it still takes at that rate, in seconds; nil where that is not known.
    public var secondsLeft: Int64?

    /// An empty value.
    public init() {}

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("id", &self.id, .id)
        visitor.field("conversation", &self.conversation, .id)
        visitor.field("conversationName", &self.conversationName)
        visitor.field("name", &self.name)
        visitor.field("size", &self.size)
        visitor.field("stored", &self.stored)
        visitor.field("sources", &self.sources)
        visitor.field("state", &self.state)
        visitor.field("reason", &self.reason)
        visitor.field("rate", &self.rate)
        visitor.field("secondsLeft", &self.secondsLeft)
    }
}
