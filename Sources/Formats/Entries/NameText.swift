internal import Letters

/// A name of a room, a realm or a stream, in its one spelling.
///
/// `Docs/Protocol/Entries.md` section 1. Letters, marks and numbers of every script, in which case and the
/// way in which accents were typed make no difference.
struct NameText: Hashable, Comparable, Sendable {
    /// How much a name may have, and what it may have besides letters, marks and numbers.
    struct Rule: Sendable {
        var characters: Int
        var bytes: Int
        var punctuation: Set<Unicode.Scalar>
    }

    /// As it is shown, and sent.
    let text: String
    /// What it is compared by: without the joiners, which shape the letters beside them.
    let key: String

    /// The newest characters are of Unicode 15.0, so that nodes of different age agree about names.
    private static let newest = (major: 15, minor: 0)

    /// Accepts a name in its one spelling, as it comes over the wire; nil for any other.
    init?(_ text: String, by rule: Rule) {
        guard (1...rule.bytes).contains(text.utf8.count) else { return nil }
        self.init(folded: text, by: rule)
        guard text.folded.utf8.elementsEqual(text.utf8) else { return nil }
    }

    /// Accepts what a person typed, without its invisible characters.
    init?(typed text: String, by rule: Rule) {
        // Folding makes no character of more than three.
        guard text.utf8.count <= 6 * rule.bytes else { return nil }
        let folded = text.folded
        // Most names are of ASCII, which has no invisible characters: each command with a name comes here.
        if folded.utf8.allSatisfy({ $0 < 0x80 }) {
            self.init(folded: folded, by: rule)
            return
        }
        var scalars = String.UnicodeScalarView()
        for scalar in folded.unicodeScalars where !scalar.isUnseen(behind: scalars.last) {
            scalars.append(scalar)
        }
        self.init(folded: String(scalars), by: rule)
    }

    /// Takes what an earlier version took for a name, as it is on the own disk.
    init?(stored text: String, by rule: Rule) {
        guard (1...rule.bytes).contains(text.utf8.count) else { return nil }
        if let name = NameText(text, by: rule) {
            self = name
        } else {
            self.text = text
            self.key = text
        }
    }

    private init?(folded text: String, by rule: Rule) {
        let scalars = text.unicodeScalars
        guard (1...rule.characters).contains(scalars.count), text.utf8.count <= rule.bytes else {
            return nil
        }
        var before: Unicode.Scalar?
        for scalar in scalars {
            guard Self.isAllowed(scalar, behind: before, by: rule) else { return nil }
            before = scalar
        }
        self.text = text
        let bare = scalars.filter { !$0.isJoiner }
        // What a joiner kept apart may form one character without it.
        self.key = bare.count == scalars.count ? text : String(bare).folded
    }

    private static func isAllowed(
        _ scalar: Unicode.Scalar, behind before: Unicode.Scalar?, by rule: Rule
    ) -> Bool {
        if ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) { return true }
        if rule.punctuation.contains(scalar) { return before != nil }
        if scalar.isJoiner { return before?.mayBeJoined == true }
        let properties = scalar.properties
        guard let age = properties.age, (age.major, age.minor) <= Self.newest,
            !properties.isDefaultIgnorableCodePoint
        else { return false }
        if scalar.isLetter || scalar.isNumber { return true }
        // A mark without a letter would be drawn on whatever a program shows before the name.
        return scalar.isMark && before.map { !rule.punctuation.contains($0) } == true
    }

    static func == (left: NameText, right: NameText) -> Bool {
        left.key.utf8.elementsEqual(right.key.utf8)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(self.key) }

    /// Orders by the UTF-8 bytes of what names are compared by.
    static func < (left: NameText, right: NameText) -> Bool {
        left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
    }
}

extension Unicode.Scalar {
    /// ZWNJ and ZWJ, with which Persian, Sinhala and others are written.
    fileprivate var isJoiner: Bool { self.value == 0x200C || self.value == 0x200D }

    /// Whether keyboards put it into names where it shapes nothing, as Khmer ones do between words.
    ///
    /// Fillers are seen as a gap, and controls of direction change the order: both are refused.
    fileprivate func isUnseen(behind before: Unicode.Scalar?) -> Bool {
        if self.isJoiner { return before?.mayBeJoined != true }
        guard self.properties.isDefaultIgnorableCodePoint else { return false }
        switch self.value {
        case 0x202A...0x202E, 0x2066...0x2069: return false
        default: return [.format, .nonspacingMark].contains(self.properties.generalCategory)
        }
    }

    /// No letter of ASCII joins, and there terminals show joiners as what they are.
    fileprivate var mayBeJoined: Bool { !self.isASCII && (self.isLetter || self.isMark) }

    fileprivate var isLetter: Bool {
        switch self.properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
            true
        default: false
        }
    }

    fileprivate var isMark: Bool {
        switch self.properties.generalCategory {
        case .nonspacingMark, .spacingMark: true
        default: false
        }
    }

    fileprivate var isNumber: Bool {
        switch self.properties.generalCategory {
        case .decimalNumber, .letterNumber, .otherNumber: true
        default: false
        }
    }
}
