/// The method `presence`.
public enum PresenceMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "presence", "Say whether you are there or away, or show what others are told.",
        result: "presence")

    /// What to say.
    public struct Params: ControlValue {
        /// Whether the user is there; nil to ask only.
        public var presence: PresenceWord?

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "presence", &self.presence, .any, "online or away. Left out: nothing is said.")
        }
    }

    /// Refuses a word that nobody says of themselves.
    public static func check(_ params: Params) throws(RPCError) {
        guard params.presence == .offline else { return }
        throw .invalidParams(
            "nobody can say that they are offline", reason: "badParam",
            remedy: "say away, or stop the daemon", details: [JSON.Member("param", "presence")])
    }

    /// What stands.
    public struct Result: ControlValue {
        /// Whether the user is there.
        public var presence = PresenceWord.online
        /// Whether others are told so at all.
        public var shown = true

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("presence", &self.presence)
            visitor.field("shown", &self.shown)
        }
    }
}
