/// The method `info`.
public enum InfoMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "info",
        "Show a message with all that is known of it: who has it, and what people make of it.",
        result: "info", errors: [.notFound, .ambiguous, .storageFailed, .notMember], access: .group)

    /// Which message.
    public typealias Params = MessageParams

    /// What has become of an own message at a member.
    public enum Outcome: String, WordValue {
        /// The member's user has read it.
        case read
        /// The member says to have it.
        case delivered
        /// The member says to have it and shows it later, since it is ahead of time there.
        case held
        /// The member is linked, and does not have it yet.
        case waiting
        /// The member is not linked, and has not said to have it.
        case away
    }

    /// A member, and what has become of the message there.
    public struct Member: ControlValue {
        /// The device.
        public var id = ""
        /// The name that it goes by here.
        public var name = ""
        /// True where the name could be taken for that of somebody else; nil otherwise.
        public var ambiguous: Bool?
        /// What has become of the message there.
        public var outcome = Outcome.away

        /// An empty value.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("name", &self.name)
            visitor.field("ambiguous", &self.ambiguous)
            visitor.field("outcome", &self.outcome)
        }
    }

    /// All that is known of a message.
    public struct Result: ControlValue {
        /// How many members are listed at most: those whom the user knows come first.
        public static let listedMembers = 256

        /// The message; nil where its text is gone, or is of a kind that is not shown by itself.
        public var message: MessageResult?
        /// The message's id.
        public var id = ""
        /// Whether its text was taken back.
        public var erased = false
        /// The text that it had at first, where it was edited.
        public var firstText: String?
        /// What keeps an own message from those who do not have it; nil where nothing does.
        public var waits: SendMethod.Waits?
        /// The other members, and what has become of it there; nil where it is not your own.
        public var members: [Member]?

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("message", &self.message, .orNull)
            visitor.field("erased", &self.erased)
            visitor.field("firstText", &self.firstText)
            visitor.field("members", &self.members)
            visitor.field("waits", &self.waits)
        }
    }
}
