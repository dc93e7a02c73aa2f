import ControlAPI

/// The line that a person types into a terminal that passes on each key at once.
///
/// So a pasted line may be as long as a message, what is typed survives the loss of the daemon, and
/// the newlines of a paste do not send its parts.
struct LineEditor {
    /// What a key does beyond changing the line.
    enum Outcome: Equatable {
        /// The line is complete.
        case line(String)
        /// Nothing more will be typed.
        case end
    }

    /// What was typed so far.
    var text = ""
    private var pending: [UInt8] = []
    private var isPasting = false

    private static let pasteStart = Array("\u{1B}[200~".utf8)
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    /// Takes bytes as they are read; a character or key that is cut waits for its rest.
    mutating func type(_ bytes: [UInt8]) -> [Outcome] {
        self.pending += bytes
        var outcomes: [Outcome] = []
        while let length = Self.keyLength(self.pending[...]) {
            let key = Array(self.pending[..<length])
            self.pending.removeFirst(length)
            if let outcome = self.press(key) { outcomes.append(outcome) }
        }
        return outcomes
    }

    /// What is shown of the line in so many columns: its end, with newlines and the like visible.
    func shown(columns: Int) -> String {
        let prompt = "> "
        var shown = ""
        var width = prompt.utf8.count + 1
        for character in TypedInvitation.hidden(self.text).reversed() {
            let piece = character == "\n" ? "⏎" : TerminalText.line(String(character))
            width += TextTable.width(piece)
            if width > columns { break }
            shown = piece + shown
        }
        return prompt + shown
    }

    private mutating func press(_ key: [UInt8]) -> Outcome? {
        switch key[0] {
        case _ where key == Self.pasteStart: self.isPasting = true
        case _ where key == Self.pasteEnd: self.isPasting = false
        case 0x0A, 0x0D:
            if self.isPasting {
                self.text += "\n"
            } else {
                defer { self.text = "" }
                return .line(self.text)
            }
        case 0x04 where self.text.isEmpty && !self.isPasting: return .end
        case 0x08, 0x7F: if !self.text.isEmpty { self.text.removeLast() }
        case 0x15: self.text = ""
        case 0x17:
            while self.text.last == " " { self.text.removeLast() }
            while let last = self.text.last, last != " " { self.text.removeLast() }
        case 0x09: self.text += "\t"
        // Arrows and the like do nothing yet.
        case 0x00..<0x20: break
        default: self.text += String(decoding: key, as: UTF8.self)
        }
        return nil
    }

    /// How many bytes the first key has; nil while it is not complete.
    private static func keyLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.first else { return nil }
        switch first {
        case 0x1B:
            guard bytes.count > 1 else { return nil }
            guard bytes.dropFirst().first == UInt8(ascii: "[") else { return 2 }
            let end = bytes.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) }
            return end.map { $0 - bytes.startIndex + 1 }
        case 0xC2...0xF4:
            let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            return bytes.count < length ? nil : length
        default: return 1
        }
    }
}
