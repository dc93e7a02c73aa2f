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

    /// Who waits, by key.
    public typealias Result = Page<Request>
}
