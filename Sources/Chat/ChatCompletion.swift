import ControlAPI

/// What Tab offers, and which of it stands in the input line.
struct ChatCompletion: Equatable, Sendable {
    var choices: [String] = []
    /// How each is shown.
    var labels: [String] = []
    var chosen = 0
    /// Where in the text it begins.
    var start = 0

    var isActive: Bool { !self.choices.isEmpty }
    mutating func end() { self = ChatCompletion() }
}

extension ChatState {
    /// How many choices are offered.
    private static let choicesShown = 20

    /// Completes the word before the cursor, or goes on to the next choice.
    mutating func complete(_ step: Int) {
        if self.completion.isActive {
            let count = self.completion.choices.count
            self.completion.chosen = (self.completion.chosen + step + count) % count
        } else {
            self.offer()
            guard self.completion.isActive else { return self.notice = "nothing to complete" }
        }
        let choice = self.completion.choices[self.completion.chosen]
        self.shown.input.replace(from: self.completion.start, with: choice)
        if self.completion.choices.count > 1 {
            self.notice = self.completion.labels.enumerated().map {
                $0.offset == self.completion.chosen ? "[\($0.element)]" : $0.element
            }.joined(separator: " ")
        } else {
            self.notice = nil
            self.completion.end()
        }
    }

    private mutating func offer() {
        let before = Array(self.shown.input.beforeCursor)
        let start = (before.lastIndex { $0.isWhitespace } ?? -1) + 1
        let word = String(before[start...])
        let isFirst = start == 0
        let command = String(before.prefix { !$0.isWhitespace })
        var found: [(choice: String, label: String)] = []
        if isFirst, word.hasPrefix("/"), !word.hasPrefix("//") {
            found = SlashCommand.Name.allCases.map(\.rawValue)
                .filter { $0.hasPrefix(word.dropFirst().lowercased()) }
                .map { ("/\($0) ", "/\($0)") }
        } else if word.hasPrefix(":"), word.count > 1 {
            found = EmojiNames.matching(word.dropFirst().lowercased())
                .map { ($0.emoji, "\($0.emoji) \($0.name)") }
        } else if command == "/join" || command == "/leave", !isFirst {
            found = self.conversations.filter { !$0.isDirect && Self.begins($0.name, with: word) }
                .map { ($0.name, $0.name) }
        } else if !word.isEmpty {
            found =
                self.names(beginning: word)
                + self.conversations.filter { !$0.isDirect && Self.begins($0.name, with: word) }
                .map { ($0.name + " ", $0.name) }
        }
        self.completion.start = start
        self.completion.choices = found.prefix(Self.choicesShown).map(\.choice)
        self.completion.labels = found.prefix(Self.choicesShown).map(\.label)
    }

    private static func begins(_ name: String, with word: String) -> Bool {
        name.lowercased().hasPrefix(word.lowercased())
    }

    /// Who is called by what is typed: those first who wrote last.
    ///
    /// Whose name could be taken for another's is
    /// called by the key.
    private func names(beginning typed: String) -> [(choice: String, label: String)] {
        let word = typed.hasPrefix("@") ? String(typed.dropFirst()) : typed
        var order: [String: Int] = [:]
        for (place, message) in self.shown.scrollback.messages.suffix(200).enumerated() {
            order[message.author] = place
        }
        let members = self.shown.members.filter {
            !$0.isSelf && !$0.name.isEmpty
                && $0.name.split(separator: " ").contains { Self.begins(String($0), with: word) }
                || Self.begins($0.name, with: word) && !$0.isSelf && !$0.name.isEmpty
        }
        return members.sorted { (order[$0.id] ?? -1, $1.name) > (order[$1.id] ?? -1, $0.name) }.map
        {
            let isPlain = $0.label == $0.name || $0.label == $0.name + " ✓"
            return ("@" + (isPlain ? $0.name : String($0.id.prefix(12))) + " ", $0.label)
        }
    }
}
