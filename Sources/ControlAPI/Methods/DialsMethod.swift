/// The method `dials`.
public enum DialsMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "dials", "List what is dialled and has no link.", result: "dials", hasLargeAnswer: true)

    /// Which part.
    public typealias Params = PageParams

    /// Those first that the user asked for, then those that lead to somebody remembered.
    public typealias Result = Page<Dial>

    /// An address, or several of one host, that is dialled and not linked.
    public struct Dial: ControlValue {
        /// Addresses with ports.
        public var addresses: [String] = []
        /// How this node came to know them.
        public var source = PeersMethod.Source.discovery
        /// Who answered last, or is the only one that may answer.
        public var peer: String?
        /// Whether a dial is under way right now.
        public var dialling = false
        /// Why the last dial failed, as a stable word; nil where none has failed.
        public var failure: String?
        /// The same for people.
        public var detail: String?
        /// When it failed last.
        public var failedAt: Timestamp?
        /// How many dials have failed in a row.
        public var failures: Int64 = 0

        /// An empty value.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
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
