/// How somebody is called where people read.
///
/// The name; behind it the beginning of the key where the name alone could be taken for another's; then ✓
/// where the user has compared keys. Where there is little room the name gives way, and these two never do.
///
/// What ends a name on a screen cannot occur in one as it is shown: a colon, the rule between columns, what
/// looks like them, and the stars of what is no text. So no name makes its text look like somebody else's.
package struct ShownPerson: Hashable, Sendable {
    /// The cells that any place for people must have: a sign that the name is cut, the key, and ✓.
    package static let leastColumns = 16

    private static let keyCharacters = 12
    /// As many as the daemon writes behind the name of a conversation of two.
    private static let conversationCharacters = 8
    private static let cut = "…"

    /// The name as it is shown; empty where none is known.
    package let name: String
    /// `@` and the beginning of the key; empty where it is not known.
    package let key: String
    /// Whether the key stands behind the name.
    package let hasKey: Bool
    /// Whether the user has compared keys.
    package let isVerified: Bool

    /// Somebody by what is known of them.
    ///
    /// A name that has the beginning of the key behind it already, as the daemon writes some, is taken apart.
    package init(
        name: String, id: String = "", isAmbiguous: Bool = false, isVerified: Bool = false
    ) {
        let key = id.isEmpty ? "" : "@" + TerminalText.line(id).prefix(Self.keyCharacters)
        var bare = name
        var hasKey = isAmbiguous
        for ending in [key, " (\(id.prefix(Self.conversationCharacters)))"]
        where !key.isEmpty && bare.count > ending.count && bare.hasSuffix(ending) {
            bare.removeLast(ending.count)
            hasKey = true
            break
        }
        // Who has no name is written by the key.
        let isKey = bare.count >= Self.conversationCharacters && id.hasPrefix(bare)
        self.name = isKey ? "" : Self.safe(bare)
        self.key = key
        self.hasKey = hasKey || self.name.isEmpty
        self.isVerified = isVerified
    }

    /// All of it, as it stands before a colon or in a column of its own.
    package var text: String { self.name + self.ending }

    /// All of it, as it stands among words and in lists: in quotes where the name could be read on.
    package var quoted: String { self.quoted(.max) }

    /// As ``quoted`` in at most so many cells, as ``fitted(_:)`` does it.
    package func quoted(_ columns: Int) -> String {
        let isPlain = self.name.unicodeScalars.allSatisfy(Self.isOfWord)
        guard !isPlain else { return self.fitted(columns) }
        var inner = ""
        for scalar in self.name.unicodeScalars {
            if Self.quotes.contains(scalar.value) {
                inner += TerminalText.code(scalar)
            } else {
                inner.unicodeScalars.append(scalar)
            }
        }
        return self.fitted(inner, columns, quote: "\"")
    }

    /// The key without the name.
    package var keyed: String { self.key + self.mark }

    /// As ``text`` in at most so many cells; a name that is cut has its key behind it, too.
    ///
    /// The key and ✓ stay whole also where there are fewer than ``leastColumns``.
    package func fitted(_ columns: Int) -> String { self.fitted(self.name, columns, quote: "") }

    private func fitted(_ name: String, _ columns: Int, quote: String) -> String {
        let whole = quote + name + quote + self.ending
        guard CellWidth.of(whole) > columns else { return whole }
        let behind = quote + (self.key.isEmpty ? self.mark : self.keyed)
        let room = columns - CellWidth.of(quote + Self.cut + behind)
        guard room > 0 || room == 0 && quote.isEmpty, !name.isEmpty else { return self.keyed }
        return quote + Self.beginning(of: name, room) + Self.cut + behind
    }

    /// How the conversation with them is called, in at most so many cells: `@Ada`; a key has its `@` already.
    package func conversation(_ columns: Int = .max) -> String {
        self.name.isEmpty ? self.fitted(columns) : "@" + self.fitted(columns - 1)
    }

    private var mark: String { self.isVerified ? " ✓" : "" }
    private var ending: String { (self.hasKey ? self.key : "") + self.mark }

    /// As many whole characters as have room.
    private static func beginning(of text: String, _ columns: Int) -> String {
        var (beginning, used) = ("", 0)
        for character in text {
            let width = CellWidth.of(String(character))
            guard used + width <= columns else { break }
            used += width
            beginning.append(character)
        }
        return beginning
    }

    // MARK: Names as they are shown

    /// A name with nothing in it that ends a name on a screen; of any gap one blank is left, since wider ones
    /// stand between the columns of tables.
    package static func safe(_ name: String) -> String {
        var shown = ""
        var isGap = false
        for scalar in TerminalText.line(name).unicodeScalars {
            guard !scalar.properties.isWhitespace else {
                isGap = !shown.isEmpty
                continue
            }
            if isGap { shown += " " }
            isGap = false
            if self.isSeparator(scalar.value) || shown.isEmpty && self.isBullet(scalar.value) {
                shown += TerminalText.code(scalar)
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    /// A colon, a rule between columns, a star, and what Unicode's table takes for one of them.
    private static func isSeparator(_ value: UInt32) -> Bool {
        switch value {
        case 0x3A, 0x2D0, 0x2F8, 0x589, 0x5C3, 0x703, 0x704, 0x16EC, 0x1803, 0x1809, 0x205A: true
        case 0x2236, 0xA4FD, 0xA789, 0xFE13, 0xFE30, 0xFE55, 0xFF1A: true
        case 0x7C, 0xA6, 0x1C0, 0x2223, 0x2500...0x257F, 0x2758...0x275A, 0xFF5C, 0xFFE8: true
        case 0x2A, 0x66D, 0x204E, 0x2217, 0x1031F, 0xFE61, 0xFF0A: true
        default: false
        }
    }

    /// What stands before lines that are no text: of changes, and of the program's own words.
    private static func isBullet(_ value: UInt32) -> Bool {
        switch value {
        case 0x21, 0x1C3, 0x2D51, 0xFE57, 0xFF01: true
        case 0x2D, 0x2010...0x2015, 0x2212, 0xFE58, 0xFE63, 0xFF0D: true
        default: false
        }
    }

    /// Quotation marks, which end a name in quotes.
    private static let quotes: Set<UInt32> = [
        0x22, 0x2BA, 0x2DD, 0x2EE, 0x2F6, 0x5F2, 0x5F4, 0x1CD3, 0x201C, 0x201D, 0x201E, 0x201F,
        0x2033, 0x2036, 0x3003, 0xFF02,
    ]

    /// Whether a name with such a scalar is still one word.
    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        if self.quotes.contains(scalar.value) || scalar.properties.isWhitespace { return false }
        return switch scalar.properties.generalCategory {
        case .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation: false
        case .otherPunctuation: [0x27, 0x2E, 0x40, 0xB7, 0x2019].contains(scalar.value)
        default: true
        }
    }
}
