/// The method `dials`.
package enum DialsMethod: ControlMethod {
    package static let description = MethodDescription(
        "dials", "List what is dialled and has no link.", result: "dials", hasLargeAnswer: true)

    package typealias Params = PageParams

    /// Those first that the user asked for, then those that lead to somebody remembered.
    package typealias Result = Page<Dial>

    /// An address, or several of one host, that is dialled and not linked.
    package struct Dial: ControlValue {
        /// Addresses with ports.
        package var addresses: [String] = []
        /// How this node came to know them.
        package var source = PeersMethod.Source.discovery
        /// Who answered last, or is the only one that may answer.
        package var peer: String?
        /// Whether a dial is under way right now.
        package var dialling = false
        /// Why the last dial failed, as a stable word; nil where none has failed.
        package var failure: String?
        /// The same for people.
        package var detail: String?
        /// When it failed last.
        package var failedAt: Timestamp?
        /// How many dials have failed in a row.
        package var failures: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("addresses", &self.addresses)
            visitor.field("source", &self.source)
            visitor.field("peer", &self.peer, .id)
            visitor.field("dialling", &self.dialling)
            visitor.field("failure", &self.failure)
            visitor.field("detail", &self.detail)
            visitor.field("failedAt", &self.failedAt)
            visitor.field("failures", &self.failures)
        }
    }
}
