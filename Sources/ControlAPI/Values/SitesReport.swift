/// What `stoa-sites` says of itself in a file: which servers it uses, how far it has come, what they refuse.
package struct SitesReport: ControlValue {
    /// How things stand.
    package enum State: String, WordValue {
        /// Everything works.
        case linked
        /// No server answers.
        case unlinked
        /// The servers answer, and have no such stream.
        case noStream
        /// The daemon does not answer, or says no.
        case noDaemon
    }

    /// How many items of a kind were refused.
    package struct Refused: ControlValue {
        package var verdict = ImportItemsMethod.Verdict.forged
        package var count: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("verdict", &self.verdict, .any, "Why.")
            visitor.field("count", &self.count, .any, "How many.")
        }
    }

    /// How files go by way of the servers.
    package struct Files: ControlValue {
        package var problem: String?
        package var published: Int64 = 0
        package var taken: Int64 = 0
        package var missing: Int64 = 0
        package var messages: Int64 = 0
        package var bytes: Int64 = 0
        package var limit: Int64?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "problem", &self.problem, .any,
                "Why they go over links alone, in words; left out if there is no reason.")
            visitor.field("published", &self.published, .any, "How many parts it has published.")
            visitor.field("taken", &self.taken, .any, "How many parts it has brought here.")
            visitor.field(
                "missing", &self.missing, .any, "How many wanted parts the servers do not have.")
            visitor.field("messages", &self.messages, .any, "How many parts the servers keep.")
            visitor.field("bytes", &self.bytes, .any, "The bytes they take there.")
            visitor.field(
                "limit", &self.limit, .any,
                "The size of the largest file that goes this way; left out while that is not known."
            )
        }
    }

    package var process: Int64 = 0
    package var state = State.unlinked
    package var since: Timestamp?
    package var server: String?
    package var problem: String?
    package var published: Int64 = 0
    package var taken: Int64 = 0
    package var waiting: Int64 = 0
    package var missing: Int64 = 0
    package var refused: [Refused] = []
    package var messages: Int64?
    package var bytes: Int64?
    package var files: Files?
    package var signals: String?

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("process", &self.process, .any, "The number of its process.")
        visitor.field("state", &self.state, .any, "How things stand.")
        visitor.field("since", &self.since, .any, "Since when; left out if that is unknown.")
        visitor.field("server", &self.server, .any, "The server in use; left out if none.")
        visitor.field(
            "problem", &self.problem, .any, "The problem in words; left out if there is none.")
        visitor.field("published", &self.published, .any, "How many items it has published.")
        visitor.field("taken", &self.taken, .any, "How many new items it has brought here.")
        visitor.field("waiting", &self.waiting, .any, "How many on the servers are not read yet.")
        visitor.field(
            "missing", &self.missing, .any, "How many wait for others that have not come.")
        visitor.field("refused", &self.refused, .any, "Items that were not taken, by reason.")
        visitor.field("messages", &self.messages, .any, "How many the servers keep.")
        visitor.field("bytes", &self.bytes, .any, "The bytes they take there.")
        visitor.field(
            "files", &self.files, .any, "How files go; left out where no server was reached.")
        visitor.field(
            "signals", &self.signals, .any,
            "Why presence and typing go over links alone, in words; left out if there is no reason."
        )
    }
}
