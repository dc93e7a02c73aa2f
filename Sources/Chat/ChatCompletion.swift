import ControlAPI
internal import Letters

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

    /// Some of the choices around the chosen one, each of them whole, in so many cells.
    func shown(columns: Int) -> String {
        func label(_ place: Int) -> String {
            place == self.chosen ? "[\(self.labels[place])]" : self.labels[place]
        }
        var first = self.chosen
        var (last, used) = (first, CellWidth.of(label(first)) + 4)
        while true {
            if last + 1 < self.labels.count, used + CellWidth.of(label(last + 1)) < columns {
                last += 1
                used += CellWidth.of(label(last)) + 1
            } else if first > 0, used + CellWidth.of(label(first - 1)) < columns {
                first -= 1
                used += CellWidth.of(label(first)) + 1
            } else {
                break
            }
        }
        return (first > 0 ? "… " : "") + (first...last).map(label).joined(separator: " ")
            + (last + 1 < self.labels.count ? " …" : "")
    }
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
            let before = self.shown.input.beforeCursor
            if before.hasPrefix("/file ") { return self.offerFiles(String(before.dropFirst(6))) }
            self.offer()
            guard self.completion.isActive else { return self.notice = "nothing to complete" }
        }
        self.place()
    }

    /// Puts the chosen one into the line.
    private mutating func place() {
        let choice = self.completion.choices[self.completion.chosen]
        self.shown.input.replace(from: self.completion.start, with: choice)
        if self.completion.choices.count > 1 {
            self.notice = self.completion.shown(columns: self.size.columns - 2)
        } else {
            self.notice = nil
            self.completion.end()
        }
    }

    /// Asks for the names in the folder that the beginning of a path is in.
    private mutating func offerFiles(_ path: String) {
        let end = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        self.perform(.names(folder: end == path.startIndex ? "." : String(path[..<end])))
    }

    /// Offers the names in a folder that begin as what was typed.
    mutating func offer(_ names: [String], in folder: String) {
        let before = Array(self.shown.input.beforeCursor)
        guard String(before.prefix(6)) == "/file " else { return }
        let start = before.lastIndex(of: "/").map { $0 + 1 } ?? 0
        let first = start > 6 ? start : 6
        let word = String(before[first...])
        // What a terminal would obey, or nobody could see, is no name to type.
        let found = names.filter { $0.hasPrefix(word) && TerminalText.line($0) == $0 }
        guard !found.isEmpty else { return self.notice = "nothing to complete" }
        self.completion.start = first
        self.completion.choices = Array(found.prefix(Self.choicesShown))
        self.completion.labels = self.completion.choices
        self.completion.chosen = 0
        self.place()
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
        } else if !isFirst, let operands = self.operands(of: command, beginning: word) {
            found = operands
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

    /// What a command takes; nil where that is people, rooms and words as anywhere.
    private mutating func operands(
        of command: String, beginning word: String
    ) -> [(choice: String, label: String)]? {
        let rooms = self.conversations.filter { !$0.isDirect }.map(\.name)
        var names: [String]
        switch command {
        case "/join":
            self.askAround()
            let around = self.around.rooms.filter { $0.reachable && !$0.joined }
                .map { ShownPerson.safe($0.name) }
            names = around + rooms
        case "/invite" where self.shown.kind == .group:
            self.askAround()
            let typed = String(word.drop { $0 == "@" })
            let people = self.around.people.filter { Self.begins($0.name, with: typed) }
            guard !people.isEmpty else { return nil }
            return people.map { ($0.id.shortKey, "\($0.shown.quoted) \($0.id.shortKey)") }
        case "/leave", "/invite": names = rooms
        case "/accept", "/decline":
            self.askAround()
            let typed = word.drop { $0 == "@" }
            let found = self.around.requests.filter {
                if let group = $0.groupName { return Self.begins(group, with: word) }
                return Self.begins($0.name, with: String(typed))
                    || $0.person.hasPrefix(typed.lowercased())
            }
            // Someone in the room may be meant as well.
            guard !found.isEmpty else { return nil }
            return found.map {
                if let group = $0.groupName.map(ShownPerson.safe) {
                    return (group, "\(group) from \($0.shown.quoted)")
                }
                return ($0.person.shortKey, "\($0.shown.quoted) \($0.person.shortKey)")
            }
        case "/help":
            names = SlashCommand.Name.allCases.map(\.rawValue) + ["keys"]
        case "/profile": names = ["name", "status"]
        case "/realm": names = ["new", "join", "invite", "leave", "list"]
        case "/fetch":
            names = self.shown.scrollback.messages.reversed().compactMap(\.fileName)
        default: return nil
        }
        var offered: Set<String> = []
        names = names.filter { Self.begins($0, with: word) && offered.insert($0).inserted }
        return names.map { ($0, $0) }
    }

    private static func begins(_ name: String, with word: String) -> Bool {
        name.sought.completes(word.sought)
    }

    /// Who is called by what is typed: those first who wrote last.
    ///
    /// Whose name could be taken for another's is
    /// called by the key.
    private func names(beginning typed: String) -> [(choice: String, label: String)] {
        let columns = self.size.columns - 8
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
            // Also a name that is not shown as it is written is called by the key.
            let isPlain = !$0.person.hasKey && $0.person.name == $0.name
            return (
                "@" + (isPlain ? $0.name : String($0.id.prefix(12))) + " ",
                $0.person.fitted(max(ShownPerson.leastColumns, min(32, columns)))
            )
        }
    }
}
