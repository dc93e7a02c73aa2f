/// The method `presence`.
public enum PresenceMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "presence", "Say whether you are there or away, or show what others are told.",
        result: "presence", isChange: true)

    /// What to say.
    public struct Params: ControlValue {
        /// Whether the user is there; nil to ask only.
        public var presence: PresenceWord?
        /// Whether somebody is at this client right now: true ends an `away` that another client has said with
        /// false, since nobody was at it.
        public var active: Bool?

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "presence", &self.presence, .any, "online or away. Left out: nothing is said.")
            visitor.field(
                "active", &self.active, .any,
                "true: somebody is at this client now. With away and false: since nobody was at it, until somebody is at any."
            )
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
        /// How long ago a client of the user was told last that they are there, by `active` or as online, in
        /// milliseconds; nil where none was since the daemon has started.
        public var activeMilliseconds: Int64?

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("presence", &self.presence)
            visitor.field("shown", &self.shown)
            visitor.field("activeMilliseconds", &self.activeMilliseconds)
        }
    }
}
