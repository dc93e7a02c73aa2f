/// The method `presence`.
package enum PresenceMethod: ControlMethod {
    package static let description = MethodDescription(
        "presence", "Say whether you are there or away, or show what others are told.",
        result: "presence", isChange: true)

    /// What to say.
    package struct Params: ControlValue {
        /// Whether the user is there; nil to ask only.
        package var presence: PresenceWord?
        /// Whether somebody is at this client right now: true ends an `away` that another client has said with
        /// false, since nobody was at it.
        package var active: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "presence", &self.presence, .any, "online or away. Left out: nothing is said.")
            visitor.field(
                "active", &self.active, .any,
                "true: somebody is at this client now. With away and false: since nobody was at it, until somebody is at any."
            )
        }
    }

    /// Refuses a word that nobody says of themselves.
    package static func check(_ params: Params) throws(RPCError) {
        guard params.presence == .offline else { return }
        throw .invalidParams(
            "nobody can say that they are offline", reason: "badParam",
            remedy: "say away, or stop the daemon", details: [JSON.Member("param", "presence")])
    }

    /// What stands.
    package struct Result: ControlValue {
        /// Whether the user is there.
        package var presence = PresenceWord.online
        /// Whether others are told so at all.
        package var shown = true
        /// How long ago a client of the user was told last that they are there, by `active` or as online, in
        /// milliseconds; nil where none was since the daemon has started.
        package var activeMilliseconds: Int64?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("presence", &self.presence)
            visitor.field("shown", &self.shown)
            visitor.field("activeMilliseconds", &self.activeMilliseconds)
        }
    }
}
