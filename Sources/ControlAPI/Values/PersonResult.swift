/// Somebody of whom the user has said something, in `people` and what changes it.
public struct PersonResult: ControlValue {
    /// The identity.
    public var id = ""
    /// The name it goes by here; empty where it has told none.
    public var name = ""
    /// True where the name could be taken for that of somebody else; nil otherwise.
    public var ambiguous: Bool?
    /// How far it is trusted here.
    public var tier = TierWord.stranger
    /// How this node stands with it.
    public var state = PeersMethod.State.away
    /// How reachable its user is, by their own word; nil for who is linked and does not tell.
    public var presence: PresenceWord?
    /// When it was last linked; nil, written as null, when never.
    public var lastSeen: Timestamp?

    /// An empty value.
    public init() {}

    /// Others refer to it as `Person`.
    public static var schemaName: String? { "Person" }

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("id", &self.id, .id)
        visitor.field("name", &self.name)
        visitor.field("ambiguous", &self.ambiguous)
        visitor.field("tier", &self.tier)
        visitor.field("state", &self.state)
        visitor.field("presence", &self.presence)
        visitor.field("lastSeen", &self.lastSeen, .orNull)
    }
}
