/// The method `members`.
public enum MembersMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "members", "List who is in a room.", result: "members",
        errors: [.notFound, .notMember], hasLargeAnswer: true, access: .group)

    /// Of which conversation, and which part.
    public struct Params: ControlValue {
        /// A room or a conversation id.
        public var to = ""
        /// Which part.
        public var page = PageParams()

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("to", &self.to, .word, "A room (bare word) or a conversation id.")
            self.page.fields(&visitor)
        }
    }

    /// Those first who are trusted most, then by key.
    public typealias Result = Page<Member>

    /// Somebody in a conversation.
    public struct Member: ControlValue {
        /// The identity.
        public var id = ""
        /// The name it goes by here.
        public var name = ""
        /// True where the name could be taken for that of somebody else; nil otherwise.
        public var ambiguous: Bool?
        /// How far it is trusted here.
        public var tier = TierWord.stranger
        /// How this node stands with it; nil for this node itself.
        public var state: PeersMethod.State?
        /// How reachable its user is, by their own word; nil for who is linked and does not tell, and for this
        /// node itself.
        public var presence: PresenceWord?
        /// When it was linked last; nil where that was never, and for this node itself.
        public var lastSeen: Timestamp?

        /// An empty value.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("name", &self.name)
            visitor.field("ambiguous", &self.ambiguous)
            visitor.field("tier", &self.tier)
            visitor.field("state", &self.state)
            visitor.field("presence", &self.presence)
            visitor.field("lastSeen", &self.lastSeen)
        }
    }
}
