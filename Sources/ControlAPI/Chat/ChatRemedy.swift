/// Remedies and alerts of the daemon with chat's own commands in them.
///
/// The daemon names commands of the shell. Those that chat cannot do stay as they are.
package enum ChatRemedy {
    /// The shell's commands, and chat's; the first that fits counts.
    ///
    /// A word in capitals is any one word, which chat's command may repeat.
    private static let rules: [(shell: [Substring], chat: [Substring])] = [
        // Chat has no such list, but completes what is in it.
        ("rooms", "what Tab offers after /join"),
        ("history TO --since DATE", "/goto DATE"),
        ("send TO --file FILE", "/file PATH"), ("send TO --reply ID TEXT", "/reply TEXT"),
        ("send TO TEXT", "/msg TO TEXT"),
        ("realm list", "/realm"), ("realm join FILE", "/realm join"),
        ("realm join", "/realm join"), ("realm leave NAME", "/realm leave NAME"),
        ("realm invite NAME", "/realm invite NAME"), ("realm invite", "/realm invite"),
        ("join ROOM", "/join ROOM"), ("join", "/join"), ("leave ROOM", "/leave ROOM"),
        ("create ROOM --secret", "/create ROOM"), ("invite ROOM", "/invite ROOM"),
        ("group create NAME", "/create NAME"), ("group members GROUP", "/who"),
        ("group invite GROUP PERSON", "/invite PERSON"),
        ("group remove GROUP PERSON", "/remove PERSON"),
        ("group admin GROUP PERSON", "/admin PERSON"),
        ("group demote GROUP PERSON", "/demote PERSON"),
        ("members ROOM", "/who"), ("topic ROOM TEXT", "/topic TEXT"),
        ("mute ROOM", "/mute"), ("unmute ROOM", "/unmute"), ("archive ROOM", "/archive"),
        ("whois PERSON", "/whois PERSON"), ("verify PERSON", "/verify PERSON"),
        ("accept PERSON", "/accept PERSON"), ("decline PERSON", "/decline PERSON"),
        ("block PERSON", "/block PERSON"), ("unblock PERSON", "/unblock PERSON"),
        ("requests", "/requests"), ("status", "/status"), ("profile", "/profile"),
        ("edit ID TEXT", "/edit TEXT"), ("delete ID", "/delete"),
        ("react ID EMOJI", "/react EMOJI"), ("fetch ID", "/fetch"), ("info ID", "/info"),
        ("search WORDS", "/search WORDS"),
        ("presence away", "/away"), ("presence online", "/back"),
    ].map { ($0.0.split(separator: " "), $0.1.split(separator: " ")) }

    private static let program = "stoa "

    /// A text of the daemon, as chat says it.
    package static func text(_ remedy: String) -> String {
        var text = ""
        var rest = remedy[...]
        while let named = rest.firstRange(of: Self.program) {
            text += rest[..<named.lowerBound]
            let isWord = text.last.map { !$0.isLetter && $0 != "-" && $0 != "/" } ?? true
            // "the line that stoa invite printed" is about another place or time.
            if isWord, !text.hasSuffix("that "), let found = Self.find(rest[named.upperBound...]) {
                text += found.chat
                rest = found.rest
            } else {
                text += rest[named]
                rest = rest[named.upperBound...]
            }
        }
        return text + rest
    }

    private static func find(_ text: Substring) -> (chat: String, rest: Substring)? {
        for rule in self.rules {
            if let found = self.match(rule.shell, text) {
                let words = rule.chat.map { found.words[$0] ?? String($0) }
                return (words.joined(separator: " "), found.rest)
            }
        }
        return nil
    }

    /// The words found in place of those in capitals, and the text behind them.
    private static func match(
        _ pattern: [Substring], _ text: Substring
    ) -> (words: [Substring: String], rest: Substring)? {
        var words: [Substring: String] = [:]
        var rest = text
        for (index, part) in pattern.enumerated() {
            if index > 0 {
                guard rest.first == " " else { return nil }
                rest = rest.dropFirst()
            }
            let (word, after) = Self.word(rest)
            if part.allSatisfy(\.isUppercase) {
                guard !word.isEmpty, !word.hasPrefix("--") else { return nil }
                words[part] = word
            } else if word != part {
                return nil
            }
            rest = after
        }
        // With more behind it, it is another one.
        return rest.first == " " ? nil : (words, rest)
    }

    /// The first word, without the quotes that only a shell needs.
    private static func word(_ text: Substring) -> (String, Substring) {
        if text.first == "'", let end = text.dropFirst().firstIndex(of: "'") {
            return (
                String(text[text.index(after: text.startIndex)..<end]), text[end...].dropFirst()
            )
        }
        var word = text.prefix { $0 != " " && $0 != ";" && $0 != "," && $0 != ")" && $0 != "\"" }
        if word.last == ":" || word.last == "." { word.removeLast() }
        return (String(word), text[word.endIndex...])
    }
}
