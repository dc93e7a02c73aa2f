/// A file as a message tells of it.
package struct FileResult: ControlValue {
    package var name = ""
    package var type = ""
    package var size: Int64 = 0

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field(
            "name", &self.name, .any, "The name its author gave it; it is not a safe path.")
        visitor.field("type", &self.type, .any, "The type its author gave it, such as image/png.")
        visitor.field("size", &self.size, .any, "Its size in bytes.")
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
            "The file's name, without a slash.")
        visitor.field(
            "type", &self.type, .bytes(ControlLimits.mediaTypeBytes),
            "Its type, such as image/png; application/octet-stream by default.")
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

    package var id = ""
    package var conversation = ""
    package var conversationName = ""
    package var name = ""
    package var size: Int64 = 0
    package var stored: Int64 = 0
    package var sources: Int64 = 0
    package var state = State.waiting
    package var reason: String?
    package var rate: Int64?
    package var secondsLeft: Int64?

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("id", &self.id, .id, "The message's id.")
        visitor.field("conversation", &self.conversation, .id, "The conversation's id.")
        visitor.field(
            "conversationName", &self.conversationName, .any, "The conversation's name here.")
        visitor.field("name", &self.name, .any, "The name its author gave it.")
        visitor.field("size", &self.size, .any, "Its size in bytes.")
        visitor.field("stored", &self.stored, .any, "How many bytes are here.")
        visitor.field("sources", &self.sources, .any, "How many linked peers have some of it.")
        visitor.field(
            "state", &self.state, .any,
            "waiting (others come first), seeking (no linked peer has it), fetching, done or failed."
        )
        visitor.field(
            "reason", &self.reason, .any,
            "Why it failed: diskFull, fileQuota, fileFailed, cancelled, gone (its message was deleted), busy."
        )
        visitor.field(
            "rate", &self.rate, .any, "Bytes a second recently; left out if nothing has arrived.")
        visitor.field(
            "secondsLeft", &self.secondsLeft, .any,
            "Seconds left at that rate; left out if unknown.")
    }
}
