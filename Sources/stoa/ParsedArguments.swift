import ControlAPI

/// The words after a command's name, sorted into options and operands.
struct ParsedArguments: Equatable {
    let operands: [String]
    private let options: [String: [String]]

    init(operands: [String], options: [String: [String]]) {
        self.operands = operands
        self.options = options
    }

    /// The operand at a position, or nil.
    func operand(_ index: Int) -> String? {
        index < self.operands.count ? self.operands[index] : nil
    }

    /// The operand at a position that the syntax requires, so that it is there.
    func required(_ index: Int) -> String { self.operands[index] }

    /// Whether an option without value was given.
    func has(_ name: String) -> Bool { self.options[name] != nil }

    /// The value of an option that is given once, or nil when it was not given.
    func value(_ name: String) -> String? { self.options[name]?.last }

    /// The values of an option that may be given several times, in order.
    func values(_ name: String) -> [String] { self.options[name] ?? [] }

    /// A whole number within a range, or nil when the option was not given.
    func integer(_ name: String, in range: ClosedRange<Int64>) throws(Failure) -> Int64? {
        guard let text = self.value(name) else { return nil }
        guard let value = Int64(text), range.contains(value) else {
            let due =
                range.upperBound == .max
                ? "a whole number, at least \(range.lowerBound)"
                : "a whole number from \(range.lowerBound) to \(range.upperBound)"
            throw .usage(
                "\(name) cannot be \"\(TerminalText.line(text))\"", next: "give \(due)")
        }
        return value
    }

    /// Seconds, perhaps with a fraction, as milliseconds; nil when the option was not given.
    func milliseconds(_ name: String) throws(Failure) -> Int64? {
        guard let text = self.value(name) else { return nil }
        let limit = ControlLimits.waitMilliseconds
        guard let value = Double(text), value.isFinite, value > 0,
            value * 1_000 <= Double(limit)
        else {
            throw .usage(
                "\(name) cannot be \"\(TerminalText.line(text))\"",
                next: "give seconds, more than 0 and at most \(limit / 1_000)")
        }
        return max(1, Int64(value * 1_000))
    }
}
