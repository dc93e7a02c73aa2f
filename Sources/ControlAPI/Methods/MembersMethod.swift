/// The method `members`.
package enum MembersMethod: ControlMethod {
    package static let description = MethodDescription(
        "members", "List the members of a room.", result: "members",
        errors: [.notFound, .notMember], hasLargeAnswer: true, access: .group,
        details: "Somebody with several devices in it is listed once for each.")

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
        package var person: String?
        package var name = ""
        package var ambiguous: Bool?
        package var tier = TierWord.stranger
        package var state: PeersMethod.State?
        package var presence: PresenceWord?
        package var lastSeen: Timestamp?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id, "The member's device.")
            visitor.field(
                "person", &self.person, .id, "Whose device it is; left out if not known here.")
            visitor.field("name", &self.name, .any, "The member's name here.")
            visitor.ambiguous(&self.ambiguous)
            visitor.field("tier", &self.tier, .any, "How far the member is trusted.")
            visitor.field("state", &self.state, .any, "As in peers; left out for this node.")
            visitor.field("presence", &self.presence, .any, "As in peers; left out for this node.")
            visitor.field(
                "lastSeen", &self.lastSeen, .any,
                "When last linked; left out if never, and for this node.")
        }
    }
}
