/// Somebody of whom the user has said something, in `people` and what changes it.
package struct PersonResult: ControlValue {
    package var id = ""
    package var name = ""
    package var ambiguous: Bool?
    package var tier = TierWord.stranger
    package var state = PeersMethod.State.away
    package var presence: PresenceWord?
    package var lastSeen: Timestamp?

    package init() {}

    /// Others refer to it as `Person`.
    package static var schemaName: String? { "Person" }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("id", &self.id, .id, "The person's device.")
        visitor.field("name", &self.name, .any, "The person's name here; empty if they gave none.")
        visitor.ambiguous(&self.ambiguous)
        visitor.field("tier", &self.tier, .any, "How far the person is trusted, as in peers.")
        visitor.field("state", &self.state, .any, "As in peers.")
        visitor.field("presence", &self.presence, .any, "As in peers.")
        visitor.field("lastSeen", &self.lastSeen, .orNull, "When last linked; null if never.")
    }
}
