/// The method `presence`.
package enum PresenceMethod: ControlMethod {
    package static let description = MethodDescription(
        "presence", "Show or set whether you are online or away.",
        result: "presence", isChange: true,
        details:
            "A presence holds until it is changed or the daemon restarts, which sets "
            + "online. Linked people who share a conversation are told at most every 30 s. "
            + "active is for clients, several of which may be open: it does not change an "
            + "away that the user has set.")

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
                "presence", &self.presence, .any, "online or away; left out: nothing changes.")
            visitor.field(
                "active", &self.active, .any,
                "True: the user is at this client now. False, with away: nobody has been at it for a while; ends as soon as the user is at any client."
            )
        }
    }

    /// Refuses a word that nobody says of themselves.
    package static func check(_ params: Params) throws(RPCError) {
        guard params.presence == .offline else { return }
        throw .invalidParams(
            "offline cannot be set", reason: "badParam",
            remedy: "set away, or stop the daemon", details: [JSON.Member("param", "presence")])
    }

    /// What stands.
    package struct Result: ControlValue {
        package var presence = PresenceWord.online
        package var shown = true
        package var activeMilliseconds: Int64?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("presence", &self.presence, .any, "The presence that others are shown.")
            visitor.field(
                "shown", &self.shown, .any,
                "Whether others are told at all; false with Presence=private in stoad.conf.")
            visitor.field(
                "activeMilliseconds", &self.activeMilliseconds, .any,
                "Milliseconds since a client last said that the user is there; left out if none has."
            )
        }
    }
}
