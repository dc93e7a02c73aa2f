import ControlAPI

/// What `/help` says: all of it fits one screen, and a word asks for more.
extension ChatState {
    mutating func help(_ rest: String) {
        let word = rest.lowercased().drop { $0 == "/" }
        if word == "keys" || word == "key" {
            return self.note(ChatKeys.lines.joined(separator: "\n"))
        }
        if word.isEmpty { return self.helpAll() }
        let all = SlashCommand.Name.allCases
        // A command by its name, or all that a word is about.
        let found =
            all.first { $0.rawValue == word }.map { [$0] }
            ?? all.filter {
                $0.rawValue.hasPrefix(word) || $0.summary.lowercased().contains(word)
            }
        let keys = ChatKeys.lines.filter { $0.lowercased().contains(word) }
        guard !found.isEmpty || !keys.isEmpty else {
            let shown = TerminalText.line(String(word.prefix(32)))
            return self.note("nothing here is about \"\(shown)\"; see /help", isFault: true)
        }
        let lines = found.map { name in
            let usage = "/\(name) \(name.operands)"
            return usage + String(repeating: " ", count: max(1, 24 - usage.count)) + name.summary
        }
        self.note((lines + (found.count == 1 ? [] : keys)).joined(separator: "\n"))
    }

    private mutating func helpAll() {
        var lines = SlashCommand.Name.Group.allCases.map { group in
            group.rawValue + String(repeating: " ", count: max(1, 10 - group.rawValue.count))
                + group.names.map { "/\($0)" }.joined(separator: " ")
        }
        lines.append("/help WORD says more, as in: /help topic; /help keys lists the keys")
        lines.append("a line that begins with / is never sent as text; //x sends /x")
        self.note(lines.joined(separator: "\n"))
    }
}
