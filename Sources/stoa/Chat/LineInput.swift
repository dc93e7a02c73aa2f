import ControlAPI

/// Lines of a pipe or file, each of which becomes a message; the last one needs no newline.
struct LineInput {
    /// A line, or why it cannot be sent.
    enum Line: Equatable {
        case text(String)
        case tooLong
    }

    private var rest: [UInt8] = []
    private var isTooLong = false

    /// Takes bytes as they are read.
    mutating func append(_ bytes: [UInt8]) -> [Line] {
        var lines: [Line] = []
        for part in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            if part.offset > 0, let line = self.finish() { lines.append(line) }
            if self.rest.count + part.element.count > ControlLimits.textBytes + 1 {
                // Only that it is too long matters from here on.
                self.isTooLong = true
                self.rest = []
            } else {
                self.rest += part.element
            }
        }
        return lines
    }

    /// The line that ends here; nil for one without words.
    mutating func finish() -> Line? {
        defer {
            self.rest = []
            self.isTooLong = false
        }
        if self.rest.last == 0x0D { self.rest.removeLast() }
        guard !self.isTooLong else { return .tooLong }
        guard !self.rest.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { return nil }
        let text = MessageText.repaired(self.rest)
        return text.utf8.count > ControlLimits.textBytes ? .tooLong : .text(text)
    }
}
