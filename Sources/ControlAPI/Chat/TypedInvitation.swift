/// A line that lets in whoever has it: `stoa:room?…`, `stoa:realm?…`, `stoa:group?…`.
///
/// It is not echoed, not remembered, not saved and not sent, wherever it is typed.
package struct TypedInvitation: Equatable, Sendable {
    private static let beginnings = ["stoa:room?", "stoa:realm?", "stoa:group?"]

    let text: String

    /// A text that is an invitation, maybe in quotes or brackets, behind a byte order mark or blanks.
    init?(alone text: Substring) {
        let text = text.unicodeScalars.drop { Self.isAround($0) }
        let lower = Substring(text).prefix(16).lowercased()
        guard Self.beginnings.contains(where: lower.hasPrefix) else { return nil }
        self.text = Substring(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func isAround(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isWhitespace || scalar == "\"" || scalar == "'" || scalar == "`" {
            return true
        }
        return switch scalar.properties.generalCategory {
        case .openPunctuation, .initialPunctuation, .finalPunctuation, .format: true
        default: scalar == "<"
        }
    }

    /// Where in a text what is secret begins; nil where nothing is.
    package static func start(in characters: [Character]) -> Int? {
        characters.indices.first { place in
            (characters[place] == "s" || characters[place] == "S")
                && self.beginnings.contains { beginning in
                    String(characters[place...].prefix(beginning.count)).lowercased() == beginning
                }
        }
    }

    /// Whether something of a text is secret.
    package static func isIn(_ text: String) -> Bool {
        text.utf8.contains(0x3F) && self.start(in: Array(text)) != nil
    }

    /// A text as it is echoed: of an invitation only how it begins.
    package static func hidden(_ text: String) -> String {
        guard let start = self.start(in: Array(text)) else { return text }
        return String(text.prefix(start)) + "stoa:… (not shown)"
    }
}
