/// A file as a message tells of it.
package struct FileResult: ControlValue {
    /// What its author calls it; only a name, which says neither where to save it nor what it holds.
    package var name = ""
    /// Of what type its author says that it is, as `image/png`.
    package var type = ""
    package var size: Int64 = 0

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("name", &self.name)
        visitor.field("type", &self.type)
        visitor.field("size", &self.size)
    }
}

/// A file that is sent: its content comes as a descriptor that is passed with the request.
package struct OutgoingFile: ControlValue {
    /// What it is called; no path.
    package var name = ""
    /// Of what type it is; nil for `application/octet-stream`.
    package var type: String?

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field(
            "name", &self.name, .bytes(ControlLimits.fileNameBytes),
            "What the file is called: a name without a slash.")
        visitor.field(
            "type", &self.type, .bytes(ControlLimits.mediaTypeBytes),
            "Of what type it is, as image/png; application/octet-stream by default.")
    }
}

/// How far a file is that is fetched.
package struct TransferResult: ControlValue {
    package enum State: String, WordValue {
        /// Others are fetched before it.
        case waiting
        /// Nobody who has it is linked: it goes on when somebody is.
        case seeking
        /// It comes.
        case fetching
        case done
        /// It has ended; `reason` says why.
        case failed
    }

    /// The message that tells of it.
    package var id = ""
    package var conversation = ""
    package var conversationName = ""
    /// What its author calls it.
    package var name = ""
    package var size: Int64 = 0
    /// How many of them are here.
    package var stored: Int64 = 0
    /// How many linked peers have some of it.
    package var sources: Int64 = 0
    package var state = State.waiting
    /// Why it has ended, as a stable word; nil where it has not failed.
    package var reason: String?
    /// Bytes a second of late; nil where nothing has come.
    package var rate: Int64?
    /// How long it still takes at that rate, in seconds; nil where that is not known.
    package var secondsLeft: Int64?

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
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
