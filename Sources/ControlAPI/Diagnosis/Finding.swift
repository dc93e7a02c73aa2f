/// Something that `stoa doctor` has found, and what to do about it.
package struct Finding: ControlValue, Equatable {
    /// How bad it is.
    package enum Severity: String, WordValue {
        /// It may be meant to be so, or will become a problem.
        case warning
        /// Something does not work.
        case problem
    }

    package var check = ""
    package var severity = Severity.problem
    package var text = ""
    package var remedy = ""

    package init() {}

    package init(_ check: String, _ severity: Severity, _ text: String, remedy: String) {
        self.check = check
        self.severity = severity
        self.text = text
        self.remedy = remedy
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field(
            "check", &self.check, .any, "The check that found it: a stable word for programs.")
        visitor.field("severity", &self.severity, .any, "warning or problem.")
        visitor.field("text", &self.text, .any, "The fault, in a sentence.")
        visitor.field("remedy", &self.remedy, .any, "The way to correct it.")
    }
}
