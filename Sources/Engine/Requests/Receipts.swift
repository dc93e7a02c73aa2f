/// What others have of own messages, and who waits for that.
struct Receipts: Sendable {
    var waits = Deliveries()
    var held = HeldElsewhere()
    var refused = RefusedElsewhere()
    var marks: Marks

    init(marks: Marks) { self.marks = marks }
}
