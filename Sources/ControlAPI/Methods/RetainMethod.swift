/// The method `retain`.
package enum RetainMethod: ControlMethod {
    package static let description = MethodDescription(
        "retain", "Show or say for how long, or how much, of a conversation is kept on this disk.",
        result: "conversation", errors: [.notFound, .ambiguous, .notMember, .storageFailed],
        isChange: true)

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
                "For how many days; left out: as it is.")
            visitor.field(
                "bytes", &self.bytes, .range(0...Int64.max),
                "The most bytes that its texts may take, of which strangers' go first; left out: as it is."
            )
            visitor.field(
                "off", &self.off, .any,
                "True so that all is kept for ever. Without it, days and bytes nothing changes.")
            visitor.field(
                "dryRun", &self.dryRun, .any,
                "True to learn what would go by days and bytes: nothing goes, and nothing changes.")
        }
    }

    package typealias Result = ConversationResult
}
