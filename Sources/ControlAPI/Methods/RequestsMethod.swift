/// The method `requests`.
public enum RequestsMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "requests", "List who has written to you and waits to be accepted.", result: "requests",
        hasLargeAnswer: true)

    /// Somebody who waits.
    public struct Request: ControlValue {
        /// The identity.
        public var person = ""
        /// The name it goes by here; empty where it has told none.
        public var name = ""
        /// True where the name could be taken for that of somebody else; nil otherwise.
        public var ambiguous: Bool?
        /// What was written first, at most 4,096 bytes; the rest comes once it is accepted.
        public var text = ""
        /// When it came.
        public var time = Timestamp(milliseconds: 0)
        /// From where it came.
        public var address = ""

        /// An empty value.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("person", &self.person, .id)
            visitor.field("name", &self.name)
            visitor.field("ambiguous", &self.ambiguous)
            visitor.field("text", &self.text)
            visitor.field("time", &self.time)
            visitor.field("address", &self.address)
        }
    }

    /// Which part.
    public typealias Params = PageParams

    /// A part of the list.
    public struct Result: ControlValue {
        /// Who waits, by key.
        public var items: [Request] = []
        /// Where the rest of the list begins: the `after` of the next call; nil at the end.
        public var next: String?
        /// How many others wanted to write since the daemon started, for whom there is no room; nil where nobody did.
        public var turnedAway: Int64?

        /// The elements, and a little around them.
        public var expectedBytes: Int { self.items.expectedBytes + 80 }

        /// An empty list.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("items", &self.items)
            visitor.field("next", &self.next)
            visitor.field("turnedAway", &self.turnedAway)
        }
    }
}
