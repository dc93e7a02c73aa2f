/// The method `connect`.
package enum ConnectMethod: ControlMethod {
    package static let description = MethodDescription(
        "connect", "Dial a peer that discovery does not find, and remember its address.",
        result: "dialling", errors: [.notFound, .refused], isChange: true,
        details:
            "Without waitMilliseconds it answers at once, and peers and dials show the "
            + "outcome. If it fails, the daemon keeps dialling.",
        reasons: [
            "refused": "nobody listens there",
            "noRoute": "no route leads there",
            "timedOut": "no answer",
            "wrongKey": "another identity answered",
            "wrongRealm": "it shares no realm with this node",
            "ownAddress": "it is this node",
            "rejected": "no Stoa that can be linked to",
            "failed": "another error",
            "unknownHost": "the name cannot be resolved",
        ],
        example: ["address": "192.0.2.7:4100", "waitMilliseconds": 5000])

    package struct Params: ControlValue {
        /// `HOST:PORT`, or `KEY@HOST:PORT` to demand that identity there.
        package var address = ""
        /// How long to wait for a link, in milliseconds; nil to be answered at once.
        package var waitMilliseconds: Int64?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "address", &self.address, .word,
                "HOST:PORT or [IPv6]:PORT; with KEY@ in front, only that identity is accepted.")
            visitor.field(
                "waitMilliseconds", &self.waitMilliseconds,
                .range(1...ControlLimits.waitMilliseconds),
                "How long to wait until linked or failed; left out: answer at once."
            )
        }
    }

    /// What is dialled, or was reached.
    package struct Result: ControlValue {
        package var address = ""
        package var peer: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("address", &self.address, .any, "The numeric address.")
            visitor.field(
                "peer", &self.peer, .id,
                "The peer that is now linked there; left out without waitMilliseconds.")
        }
    }
}
