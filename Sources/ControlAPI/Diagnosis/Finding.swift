/// Something that `stoa doctor` has found, and what to do about it.
public struct Finding: ControlValue, Equatable {
    /// How bad it is.
    public enum Severity: String, WordValue {
        /// It may be meant to be so, or will become a problem.
        case warning
        /// Something does not work.
        case problem
    }

    /// Which check found it: a stable word for programs.
    public var check = ""
    /// How bad it is.
    public var severity = Severity.problem
    /// What is wrong, in a sentence.
    public var text = ""
    /// What to do, as an order.
    public var remedy = ""

    /// An empty value.
    public init() {}

    /// Makes one from its parts.
    public init(_ check: String, _ severity: Severity, _ text: String, remedy: String) {
        self.check = check
        self.severity = severity
        self.text = text
        self.remedy = remedy
    }

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("check", &self.check)
        visitor.field("severity", &self.severity)
        visitor.field("text", &self.text)
        visitor.field("remedy", &self.remedy)
    }
}
