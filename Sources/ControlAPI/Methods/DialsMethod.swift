/// The method `dials`.
package enum DialsMethod: ControlMethod {
    package static let description = MethodDescription(
        "dials", "List addresses being dialled that have no link yet.", result: "dials",
        hasLargeAnswer: true,
        details:
            "Addresses the user named come first.")

    package typealias Params = PageParams

    /// Those first that the user asked for, then those that lead to somebody remembered.
    package typealias Result = Page<Dial>

    /// An address, or several of one host, that is dialled and not linked.
    package struct Dial: ControlValue {
        package var addresses: [String] = []
        package var source = PeersMethod.Source.discovery
        package var peer: String?
        package var dialling = false
        package var failure: String?
        package var detail: String?
        package var failedAt: Timestamp?
        package var failures: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("addresses", &self.addresses, .any, "Addresses with ports.")
            visitor.field("source", &self.source, .any, "How this node came to know them.")
            visitor.field(
                "peer", &self.peer, .id,
                "The peer that answered last, or the only one accepted there.")
            visitor.field("dialling", &self.dialling, .any, "Whether a dial is under way.")
            visitor.field(
                "failure", &self.failure, .any,
                "Why the last dial failed: a reason of connect, or otherNetwork if it announces itself from a network this machine is not in, so it is not dialled."
            )
            visitor.field("detail", &self.detail, .any, "The same in words.")
            visitor.field("failedAt", &self.failedAt, .any, "When it last failed.")
            visitor.field("failures", &self.failures, .any, "How many dials have failed in a row.")
        }
    }
}
