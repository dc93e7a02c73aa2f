/// The method `requests`.
package enum RequestsMethod: ControlMethod {
    package static let description = MethodDescription(
        "requests", "List who has written to you and waits to be accepted.", result: "requests",
        hasLargeAnswer: true)

    /// Somebody who waits.
    package struct Request: ControlValue {
        package var person = ""
        /// The name it goes by here; empty where it has told none.
        package var name = ""
        /// True where the name could be taken for that of somebody else; nil otherwise.
        package var ambiguous: Bool?
        /// What was written first, at most 4,096 bytes; the rest comes once it is accepted.
        package var text = ""
        /// When it came.
        package var time = Timestamp(milliseconds: 0)
        /// From where it came.
        package var address = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("person", &self.person, .id)
            visitor.field("name", &self.name)
            visitor.field("ambiguous", &self.ambiguous)
            visitor.field("text", &self.text)
            visitor.field("time", &self.time)
            visitor.field("address", &self.address)
        }
    }

    package typealias Params = PageParams

    /// A part of the list.
    package struct Result: ControlValue {
        /// Who waits, by key.
        package var items: [Request] = []
        /// Where the rest of the list begins: the `after` of the next call; nil at the end.
        package var next: String?
        /// How many others wanted to write since the daemon started, for whom there is no room; nil where nobody did.
        package var turnedAway: Int64?

        /// The elements, and a little around them.
        package var expectedBytes: Int { self.items.expectedBytes + 80 }

        /// An empty list.
        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("items", &self.items)
            visitor.field("next", &self.next)
            visitor.field("turnedAway", &self.turnedAway)
        }
    }
}
