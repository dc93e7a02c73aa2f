import ControlAPI

/// The words after a command's name, sorted into options and operands.
struct ParsedArguments: Equatable {
    let operands: [String]
    private let options: [String: [String]]
    /// The names of the options that could be given: whoever asks for another one has mistyped it.
    private let names: [String]

    init(operands: [String], options: [String: [String]], of syntaxes: [OptionSyntax]) {
        self.operands = operands
        self.options = options
        self.names = syntaxes.map(\.name)
    }

    private func given(_ name: String) -> [String]? {
        precondition(self.names.contains(name), "the command has no option \(name)")
        return self.options[name]
    }

    /// The operand at a position, or nil.
    func operand(_ index: Int) -> String? {
        index < self.operands.count ? self.operands[index] : nil
    }

    /// The operand at a position that the syntax requires, so that it is there.
    func required(_ index: Int) -> String { self.operands[index] }

    /// Whether an option without value was given.
    func has(_ name: String) -> Bool { self.given(name) != nil }

    /// The value of an option that is given once, or nil when it was not given.
    func value(_ name: String) -> String? { self.given(name)?.last }

    /// The values of an option that may be given several times, in order.
    func values(_ name: String) -> [String] { self.given(name) ?? [] }

    /// What commas separate in the value of an option, or nil when the option was not given.
    func list(_ name: String) -> [String]? {
        self.value(name)?.split(separator: ",").map { String($0) }
    }

    /// A word of 1 to 255 bytes, or nil when the option was not given.
    func word(_ name: String) throws(Failure) -> String? {
        guard let word = self.value(name) else { return nil }
        guard (1...ControlLimits.wordBytes).contains(word.utf8.count) else {
            throw .usage(
                "\(name) has \(word.utf8.count) bytes", next: "give 1 to \(ControlLimits.wordBytes)"
            )
        }
        return word
    }

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
