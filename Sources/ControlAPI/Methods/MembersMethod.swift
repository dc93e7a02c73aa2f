/// The method `members`.
package enum MembersMethod: ControlMethod {
    package static let description = MethodDescription(
        "members", "List who is in a room.", result: "members",
        errors: [.notFound, .notMember], hasLargeAnswer: true, access: .group)

    /// Of which conversation, and which part.
    package struct Params: ControlValue {
        /// A room or a conversation id.
        package var to = ""
        package var page = PageParams()

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("to", &self.to, .word, "A room (bare word) or a conversation id.")
            self.page.fields(&visitor)
        }
    }

    /// Those first who are trusted most, then by key.
    package typealias Result = Page<Member>

    /// Somebody in a conversation.
    package struct Member: ControlValue {
        package var id = ""
        /// The name it goes by here.
        package var name = ""
        /// True where the name could be taken for that of somebody else; nil otherwise.
        package var ambiguous: Bool?
        /// How far it is trusted here.
        package var tier = TierWord.stranger
        /// How this node stands with it; nil for this node itself.
        package var state: PeersMethod.State?
        /// How reachable its user is, by their own word; nil for who is linked and does not tell, and for this
        /// node itself.
        package var presence: PresenceWord?
        /// When it was linked last; nil where that was never, and for this node itself.
        package var lastSeen: Timestamp?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
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
