/// What a person has pressed, or pasted.
package enum KeyPress: Equatable, Sendable {
    /// A character, or several that came at once.
    case text(String)
    /// What the terminal says was pasted, whole.
    case paste(String)
    /// A letter with Ctrl, in lower case.
    case control(Character)
    case alt(Character)
    /// Enter, and Alt with Enter, which begins another line.
    case enter, newLine
    /// What changes the text.
    case tab, backTab, backspace, delete, wordBackspace
    /// What moves in a line.
    case left, right, wordLeft, wordRight, home, end
    /// What moves through lines.
    case up, down, altUp, altDown, pageUp, pageDown
    /// Esc alone.
    case escape
}

/// Makes keys of the bytes that a terminal sends: characters, control characters of ECMA-48, and the
/// sequences for function keys that xterm, VT and Linux's console agree on.
package struct KeyDecoder: Sendable {
    /// The longest paste, in bytes; the rest of a longer one is dropped.
    ///
    /// A message holds less.
    private static let pasteBytes = 1 << 20
    /// The longest sequence of a key; what is longer is none.
    private static let sequenceBytes = 64

    private var pending: [UInt8] = []
    private var start = 0
    private var pasted: [UInt8]?

    /// A decoder that waits for nothing.
    package init() {}

    /// Whether Esc has come, which is a key or the beginning of one; ``timeOut()`` decides.
    package var isWaiting: Bool { self.pasted == nil && self.start < self.pending.count }

    /// Takes bytes as they are read; a character or a key that is cut waits for its rest.
    package mutating func append(_ bytes: ArraySlice<UInt8>) -> [KeyPress] {
        self.pending += bytes
        var keys: [KeyPress] = []
        while self.start < self.pending.count, self.step(&keys) {}
        self.pending.removeFirst(self.start)
        self.start = 0
        return keys
    }

    /// Says that nothing more came for a while: what waits is Esc, or no key.
    package mutating func timeOut() -> [KeyPress] {
        guard self.isWaiting else { return [] }
        defer { (self.pending, self.start) = ([], 0) }
        return self.pending == [0x1B] ? [.escape] : []
    }

    /// Takes one key off the front; false where it is not complete.
    private mutating func step(_ keys: inout [KeyPress]) -> Bool {
        let rest = self.pending[self.start...]
        if self.pasted != nil { return self.paste(rest, &keys) }
        guard let first = rest.first else { return false }
        switch first {
        case 0x1B: return self.escape(rest, &keys)
        case 0x00..<0x20, 0x7F:
            self.start += 1
            if let key = Self.control(first) { keys.append(key) }
            return true
        default: return self.text(rest, &keys)
        }
    }

    private mutating func text(_ rest: ArraySlice<UInt8>, _ keys: inout [KeyPress]) -> Bool {
        var end = rest.firstIndex { $0 < 0x20 || $0 == 0x7F } ?? rest.endIndex
        if end == rest.endIndex {
            // The last character may be cut.
            let tail = rest.suffix(3)
            if let lead = tail.lastIndex(where: { $0 >= 0xC0 }) {
                let length = rest[lead] < 0xE0 ? 2 : rest[lead] < 0xF0 ? 3 : 4
                if lead + length > rest.endIndex { end = lead }
            }
        }
        guard end > rest.startIndex else { return false }
        keys.append(.text(String(decoding: rest[..<end], as: UTF8.self)))
        self.start = end
        return true
    }

    private mutating func paste(_ rest: ArraySlice<UInt8>, _ keys: inout [KeyPress]) -> Bool {
        let mark = Array("\u{1B}[201~".utf8)
        var index = rest.startIndex
        while let escape = rest[index...].firstIndex(of: 0x1B) {
            if rest[escape...].starts(with: mark) {
                self.keep(rest[..<escape])
                self.start = escape + mark.count
                keys.append(.paste(Self.pastedText(self.pasted ?? [])))
                self.pasted = nil
                return true
            }
            // The mark may be cut.
            if mark.starts(with: rest[escape...]) {
                self.keep(rest[..<escape])
                self.start = escape
                return false
            }
            index = escape + 1
        }
        self.keep(rest)
        self.start = rest.endIndex
        return false
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        let room = Self.pasteBytes - (self.pasted?.count ?? 0)
        self.pasted?.append(contentsOf: bytes.prefix(room))
    }

    /// Terminals send a carriage return where a line ends.
    private static func pastedText(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if byte == 0x0A, index > 0, bytes[index - 1] == 0x0D { continue }
            output.append(byte == 0x0D ? 0x0A : byte)
        }
        return String(decoding: output, as: UTF8.self)
    }

    private mutating func escape(_ rest: ArraySlice<UInt8>, _ keys: inout [KeyPress]) -> Bool {
        let bytes = rest.dropFirst()
        guard let next = bytes.first else { return false }
        switch next {
        case UInt8(ascii: "["), UInt8(ascii: "O"):
            let body = bytes.dropFirst()
            // Linux's console says `[[A` for F1.
            let skipped = body.first == UInt8(ascii: "[") ? 1 : 0
            guard
                let end = body.dropFirst(skipped).firstIndex(where: { (0x40...0x7E).contains($0) })
            else {
                guard body.count > Self.sequenceBytes else { return false }
                self.start = rest.endIndex
                return true
            }
            self.start = end + 1
            let sequence = String(decoding: body[...end], as: UTF8.self)
            if next == UInt8(ascii: "["), sequence == "200~" {
                self.pasted = []
            } else if let key = Self.function(sequence) {
                keys.append(key)
            }
        case 0x0A, 0x0D:
            self.start += 2
            keys.append(.newLine)
        case 0x08, 0x7F:
            self.start += 2
            keys.append(.wordBackspace)
        case 0x1B:
            self.start += 1
            keys.append(.escape)
        case 0x20..<0x7F:
            self.start += 2
            keys.append(.alt(Character(Unicode.Scalar(next))))
        default:
            // A letter beyond ASCII with Alt: as without.
            self.start += 1
        }
        return true
    }

    private static func control(_ byte: UInt8) -> KeyPress? {
        switch byte {
        case 0x09: .tab
        case 0x0A, 0x0D: .enter
        case 0x08, 0x7F: .backspace
        case 0x01...0x1A: .control(Character(Unicode.Scalar(byte + 0x60)))
        case 0x1F: .control("_")
        default: nil
        }
    }

    private static func character(_ code: Int, modifiers: Int) -> KeyPress? {
        switch code {
        case 9: modifiers & 1 != 0 ? .backTab : .tab
        case 13: modifiers == 0 ? .enter : .newLine
        case 27: .escape
        case 127: modifiers == 0 ? .backspace : .wordBackspace
        case 0x61...0x7A where modifiers & 4 != 0: self.control(UInt8(code - 0x60))
        case 0x20..<0x7F where modifiers & 2 != 0:
            .alt(Character(Unicode.Scalar(UInt8(code))))
        default: nil
        }
    }

    /// The key of a control sequence, without its introducer.
    private static func function(_ sequence: String) -> KeyPress? {
        let final = sequence.last ?? " "
        let numbers = sequence.dropLast().split(separator: ";", omittingEmptySubsequences: false)
        // `13;2u`, `27;2;13~`: keys by their characters, as some terminals send Enter with Shift.
        if final == "u" || final == "~" && numbers.first == "27" && numbers.count == 3 {
            return self.character(
                Int(numbers[final == "u" ? 0 : 2]) ?? 0,
                modifiers: numbers.count > 1 ? (Int(numbers[1]) ?? 1) - 1 : 0)
        }
        // `1;5C`: the second number is one more than Shift 1, Alt 2, Ctrl 4.
        let modifiers = numbers.count > 1 ? (Int(numbers[1]) ?? 1) - 1 : 0
        let (isAlt, isControl) = (modifiers & 2 != 0, modifiers & 4 != 0)
        switch final {
        case "A": return isAlt ? .altUp : .up
        case "B": return isAlt ? .altDown : .down
        case "C": return isAlt || isControl ? .wordRight : .right
        case "D": return isAlt || isControl ? .wordLeft : .left
        case "H": return isControl ? .alt("<") : .home
        case "F": return isControl ? .alt(">") : .end
        case "Z": return .backTab
        case "c": return .wordRight
        case "d": return .wordLeft
        case "M": return .enter
        case "~":
            switch numbers.first.flatMap({ Int($0) }) {
            case 1, 7: return .home
            case 4, 8: return .end
            case 3: return .delete
            case 5: return .pageUp
            case 6: return .pageDown
            default: return nil
            }
        default: return nil
        }
    }
}
