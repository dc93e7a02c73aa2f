/// The method `retain`.
package enum RetainMethod: ControlMethod {
    package static let description = MethodDescription(
        "retain", "Show or limit how long, or how much, of a conversation is kept on this disk.",
        result: "conversation", errors: [.notFound, .ambiguous, .notMember, .storageFailed],
        isChange: true,
        details:
            "Messages beyond the limits are deleted from this disk at once, then hourly and "
            + "after each start; others keep theirs, and they do not come back. bytes deletes "
            + "strangers' texts first, beginning with the oldest from the sources that have "
            + "most, then those of other realm members, then those of contacts, and the "
            + "user's own last. Joins, leaves and topics neither count nor go.",
        example: ["to": "ops", "days": 90])

    /// A hundred years.
    package static let daysLimit: Int64 = 36_500

    /// Which conversation, and for how long.
    package struct Params: ControlValue {
        /// A room, a person or a conversation id.
        package var to = ""
        /// For how many days; nil leaves that as it is.
        package var days: Int64?
        /// The most bytes that its payloads may take; nil leaves that as it is.
        package var bytes: Int64?
        /// True so that all is kept for ever; where none of the three is given nothing changes.
        package var off: Bool?
        /// True to learn what would go, while nothing does and nothing changes.
        package var dryRun: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("to", &self.to, .word, ConversationParams.toSummary)
            visitor.field(
                "days", &self.days, .range(1...RetainMethod.daysLimit),
                "Keep messages this many days; left out: unchanged.")
            visitor.field(
                "bytes", &self.bytes, .range(0...Int64.max),
                "Keep at most this many bytes of text, deleting strangers' messages first; left out: unchanged."
            )
            visitor.field(
                "off", &self.off, .any,
                "True: keep everything for ever. Without off, days and bytes nothing changes.")
            visitor.field(
                "dryRun", &self.dryRun, .any,
                "True: only say how many messages days and bytes would delete.")
        }
    }

    package typealias Result = ConversationResult
}
