/// What is left of a call.
package struct CallResult: ControlValue {
    package enum Outcome: String, WordValue {
        case answered
        /// Nobody answered.
        case missed
        case declined
        /// The caller gave up before anybody answered.
        case cancelled
        /// It was answered, and no connection came about.
        case failed
    }

    package var outcome = Outcome.answered
    package var seconds: Int64 = 0

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field(
            "outcome", &self.outcome, .any,
            "answered, missed, declined, cancelled (by the caller) or failed.")
        visitor.field("seconds", &self.seconds, .range(0...31_536_000), "How long it lasted.")
    }

    /// The line that people read.
    package var text: String {
        switch self.outcome {
        case .answered: "Call, \(Self.clock(self.seconds))"
        case .missed: "Missed call"
        case .declined: "Declined call"
        case .cancelled: "Cancelled call"
        case .failed: "Failed call"
        }
    }

    /// Minutes and seconds, as in `0:45`.
    private static func clock(_ seconds: Int64) -> String {
        let left = seconds % 60
        return "\(seconds / 60):\(left < 10 ? "0" : "")\(left)"
    }
}

/// The notification `call`.
package struct CallEvent: ControlEvent {
    package var subscription: Int64 = 0
    package var conversation = ""
    package var conversationName = ""
    package var peer = ""
    package var name = ""
    package var ambiguous: Bool?
    package var verified: Bool?
    package var address: String?
    package var data = Base64()

    package init() {}

    package static var name: String { "call" }
    package static var summary: String {
        "A member sent a piece of what arranges a call; only with the kind call."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.subscription(&self.subscription)
        visitor.field("conversation", &self.conversation, .id, "The conversation's id.")
        visitor.field(
            "conversationName", &self.conversationName, .any, "The conversation's name here.")
        visitor.field("peer", &self.peer, .id, "The member's device.")
        visitor.field("name", &self.name, .any, "The member's name here.")
        visitor.ambiguous(&self.ambiguous)
        visitor.field(
            "verified", &self.verified, .any, "True if the user has compared keys with them.")
        visitor.field(
            "address", &self.address, .any, "The host at the other end of the link to that device.")
        visitor.field("data", &self.data, .any, "The bytes, in base64.")
    }
}
