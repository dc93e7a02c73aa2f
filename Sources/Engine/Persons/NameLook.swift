private import CConfusables
internal import Formats
private import Letters

/// How a name looks to people, who cannot tell some characters from others and do not see some at all.
///
/// Unicode Technical Standard 39, section 4: each character is taken for its prototype. Beyond it
/// spaces, characters that nothing shows, and upper or lower case make no difference.
struct NameLook: Hashable, Sendable {
    /// What names that look alike have at least one of in common: `Ian` is seen as `lan`, and found
    /// as `ian`.
    let keys: Set<String>
    /// Whether nothing is to be seen of the name.
    let isBlank: Bool
    /// Whether a part of the name could be read as a key, or as the mark that tells people of one name
    /// apart.
    let isLikeKey: Bool
    /// Whether a part of the name could be read as what programs say of people behind their names.
    let isLikeMark: Bool

    /// Whether a stranger's name is marked with it: it has characters that Unicode does not allow in
    /// identifiers, of which some are all but invisible, or marks on letters that do not have them.
    let isUnusual: Bool

    /// Whether a part of the name is as long as what is shown of a key, and of its letters.
    private let hasLongWord: Bool

    /// Whether the name is marked whoever has it.
    var isMisleading: Bool { self.isBlank || self.isLikeKey || self.isLikeMark }

    /// As many characters of a key as Stoa shows.
    private static let keyCharacters = 12
    /// As many as may stand for a key behind an `@`.
    private static let prefixCharacters = 8
    /// What stands before a key, and two that Unicode's table does not take for it.
    private static let marks: Set<Character> = ["@", "\u{FF20}", "\u{FE6B}"]
    /// That somebody is verified, and what looks like it.
    private static let checks: Set<Unicode.Scalar> = [
        "\u{2713}", "\u{2714}", "\u{2611}", "\u{2705}", "\u{1F5F8}", "\u{1F5F9}", "\u{221A}",
    ]
    private static let remarks = ["(verified)", "(you)", "(away)"].map { Self.key(of: $0) }

    init(_ name: String) {
        self.keys = Self.keys(of: name)
        self.isBlank = self.keys.contains("")
        self.isLikeKey = self.keys.contains(where: Self.isLikeKey)
        self.hasLongWord = self.keys.contains { key in
            key.split { !Self.isOfKeys($0) }.contains { $0.count >= Self.keyCharacters }
        }
        self.isUnusual = Self.isUnusual(name)
        self.isLikeMark =
            name.unicodeScalars.contains(where: Self.checks.contains)
            || self.keys.map(Self.bracketed).contains { key in
                Self.remarks.contains { key.contains($0) }
            }
    }

    /// Whether characters are not allowed by UTS 39, section 3.1, or marks are foreign to their letters.
    ///
    /// Blanks stand between words. A mark forms one character with its letter, or is of the same script.
    private static func isUnusual(_ name: String) -> Bool {
        var letter: UInt32 = 0
        return name.composed.unicodeScalars.contains { scalar in
            if scalar == " " {
                letter = 0
                return false
            }
            let script = cconfusables_script(scalar.value)
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .spacingMark, .enclosingMark:
                return script == 0 || script != letter
            default:
                letter = script
                return script == 0
            }
        }
    }

    /// How what is shown of somebody's key looks.
    static func key(of peer: PeerID) -> String {
        String(Self.key(of: peer.description).prefix(Self.keyCharacters))
    }

    /// Whether one of these keys is in the name: not all have a digit by which they are noticed.
    func contains(anyOf beginnings: Set<String>) -> Bool {
        guard self.hasLongWord, !beginnings.isEmpty else { return false }
        return self.keys.contains { key in
            var rest = key[...]
            while rest.count >= Self.keyCharacters {
                if beginnings.contains(String(rest.prefix(Self.keyCharacters))) { return true }
                rest.removeFirst()
            }
            return false
        }
    }

    /// With each bracket as a round one.
    private static func bracketed(_ key: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in key.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .openPunctuation: text.append("(")
            case .closePunctuation: text.append(")")
            default: text.append(scalar)
            }
        }
        return String(text)
    }

    /// The keys alone, of which most names have one.
    static func keys(of name: String) -> Set<String> {
        let lowercased = name.lowercased()
        return name == lowercased
            ? [Self.key(of: name)] : [Self.key(of: name), Self.key(of: lowercased)]
    }

    private static func key(of text: String) -> String {
        var key = String.UnicodeScalarView()
        // Equality of `String` does the canonical equivalence that the standard asks for.
        for scalar in text.unicodeScalars where !Self.isUnseen(scalar) {
            if let prototype = cconfusables_prototype(scalar.value) {
                let seen = String(cString: prototype).unicodeScalars
                key.append(contentsOf: seen.filter { !Self.isUnseen($0) })
            } else {
                key.append(scalar)
            }
        }
        return String(key).lowercased()
    }

    /// Whether nothing is to be seen of a character, or only a gap.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value <= 0x20 || scalar.value == 0x7F }
        // The braille pattern without dots is as blank as a space, and a check mark says nothing of who it is.
        if scalar.value == 0x2800 || Self.checks.contains(scalar) { return true }
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint || properties.isWhitespace { return true }
        return switch properties.generalCategory {
        case .control, .format, .unassigned, .privateUse, .surrogate: true
        default: false
        }
    }

    // Keys are written in `a` to `z` and `2` to `7`. A long word without a digit is one of a language.
    private static func isLikeKey(_ text: String) -> Bool {
        text.split { !Self.isOfKeys($0) && !Self.marks.contains($0) }.contains { word in
            if let mark = word.lastIndex(where: { Self.marks.contains($0) }) {
                return word[mark...].count > Self.prefixCharacters
            }
            return word.count >= Self.keyCharacters
                && word.contains { ("2"..."7").contains($0) }
        }
    }

    private static func isOfKeys(_ character: Character) -> Bool {
        ("a"..."z").contains(character) || ("2"..."7").contains(character)
    }
}
