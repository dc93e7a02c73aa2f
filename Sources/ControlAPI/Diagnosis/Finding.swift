/// Something that `stoa doctor` has found, and what to do about it.
package struct Finding: ControlValue, Equatable {
    /// How bad it is.
    package enum Severity: String, WordValue {
        /// It may be meant to be so, or will become a problem.
        case warning
        /// Something does not work.
        case problem
    }

    /// Which check found it: a stable word for programs.
    package var check = ""
    /// How bad it is.
    package var severity = Severity.problem
    /// What is wrong, in a sentence.
    package var text = ""
    /// What to do, as an order.
    package var remedy = ""

    package init() {}

    package init(_ check: String, _ severity: Severity, _ text: String, remedy: String) {
        self.check = check
        self.severity = severity
        self.text = text
        self.remedy = remedy
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("check", &self.check)
        visitor.field("severity", &self.severity)
        visitor.field("text", &self.text)
        visitor.field("remedy", &self.remedy)
    }
}
