/// What clients read of the details of an error.
extension RPCError {
    /// Somebody whom a name may mean, or a room of that name.
    package struct Candidate: ControlValue {
        package var id = ""
        package var name = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id)
            visitor.field("name", &self.name)
        }
    }

    private struct Details: ControlValue {
        var candidates: [Candidate] = []
        var name: String?
        var param: String?
        var retryMilliseconds: Int64?

        init() {}

        mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("candidates", &self.candidates)
            visitor.field("name", &self.name)
            visitor.field("param", &self.param)
            visitor.field("retryMilliseconds", &self.retryMilliseconds)
        }
    }

    private var details: Details { Details(reading: self.data ?? .null) }

    /// Some of those whom a name may mean.
    package var candidates: [Candidate] { self.details.candidates }

    /// The name that only strangers have.
    package var name: String? { self.details.name }

    /// Which parameter it is about.
    package var param: String? { self.details.param }

    /// How long to wait before the same is asked again.
    package var retryMilliseconds: Int64? { self.details.retryMilliseconds }
}
