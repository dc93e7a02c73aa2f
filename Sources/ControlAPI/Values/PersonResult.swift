/// Somebody of whom the user has said something, in `people` and what changes it.
package struct PersonResult: ControlValue {
    package var id = ""
    /// The name it goes by here; empty where it has told none.
    package var name = ""
    /// True where the name could be taken for that of somebody else; nil otherwise.
    package var ambiguous: Bool?
    /// How far it is trusted here.
    package var tier = TierWord.stranger
    /// How this node stands with it.
    package var state = PeersMethod.State.away
    /// How reachable its user is, by their own word; nil for who is linked and does not tell.
    package var presence: PresenceWord?
    /// When it was last linked; nil, written as null, when never.
    package var lastSeen: Timestamp?

    package init() {}

    /// Others refer to it as `Person`.
    package static var schemaName: String? { "Person" }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("id", &self.id, .id)
        visitor.field("name", &self.name)
        visitor.field("ambiguous", &self.ambiguous)
        visitor.field("tier", &self.tier)
        visitor.field("state", &self.state)
        visitor.field("presence", &self.presence)
        visitor.field("lastSeen", &self.lastSeen, .orNull)
    }
}
