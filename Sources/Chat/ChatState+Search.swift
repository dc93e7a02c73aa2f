import ControlAPI

/// What was found, and how it is looked at in its place.
extension ChatState {
    mutating func found(_ result: SearchMethod.Result, in id: String) {
        let hits = result.hits.compactMap { hit in
            ChatMessage(hit.message).map { (message: $0, excerpt: hit.excerpt) }
        }
        self.with(id) { $0.found.hits = hits.map(\.message.id) }
        self.tellUnread(result, in: id)
        guard !hits.isEmpty else {
            return self.note(
                "nothing found here; try fewer or shorter words, or \"stoa search\"", in: id)
        }
        // The newest at the bottom, where one looks.
        for (index, hit) in hits.enumerated().reversed() {
            let text = hit.excerpt.map { part in
                part.match == true ? "[\(part.text.shown)]" : part.text.shown
            }.joined()
            self.note(
                "\(index + 1)  \(self.dateText(hit.message.time)) \(hit.message.name): \(text)",
                in: id)
        }
        self.note(
            "/goto 1 shows the first in its place"
                + (result.more ? "; more: stoa search" : ""), in: id)
    }

    /// Says where not all was looked at, so that nobody takes it for not there.
    private mutating func tellUnread(_ result: SearchMethod.Result, in id: String) {
        if let unread = result.unread {
            let moment = self.dateText(unread.milliseconds)
            self.note(
                "messages before \(moment) were not searched: stoa search --until \(unread.text) goes on",
                in: id)
        } else if !result.complete {
            self.note("messages are still being indexed; some may be missing: search again", in: id)
        }
    }

    /// Looks at what was found with that number, the newest without one, or at what was said from a date on.
    mutating func goTo(_ command: SlashCommand) {
        let number = command.rest
        if let date = self.moment(number) {
            let id = self.current
            self.ask(HistoryMethod.self, .command(command, id)) {
                ($0.to, $0.since, $0.oldest, $0.limit) = (id, date, true, 1)
            }
            return
        }
        let hits = self.shown.found.hits
        guard !hits.isEmpty else {
            return self.note("no search here yet: /search WORDS", isFault: true)
        }
        guard let place = number.isEmpty ? 1 : Int(number), (1...hits.count).contains(place) else {
            return self.note("hits have numbers from 1 to \(hits.count)", isFault: true)
        }
        self.look(at: hits[place - 1], in: self.current)
    }

    /// When a date begins where the user is; nil for what is no date as `2026-11-20`.
    private func moment(_ text: String) -> Timestamp? {
        guard text.utf8.count == 10, let start = Timestamp(text + "T00:00:00Z") else { return nil }
        var moment = start.milliseconds
        // What a clock on the wall shows then, taken for universal time, tells how far off it is; once more
        // where that comes to lie before a change of the clocks.
        for _ in 0..<2 {
            let shown = self.dateText(moment).split(separator: " ").joined(separator: "T")
            guard let local = Timestamp(shown + "Z") else { return nil }
            moment += start.milliseconds - local.milliseconds
        }
        return Timestamp(milliseconds: moment)
    }

    /// Goes to the first message of a page that was asked for by a date.
    mutating func went(_ result: HistoryMethod.Result, to date: String, in id: String) {
        guard let first = result.messages.first?.id else {
            return self.note("no messages here on \(TerminalText.line(date)) or later", in: id)
        }
        self.look(at: first, in: id)
    }

    /// Chooses a message and shows it amid its neighbours; asks for them where they are not here.
    mutating func look(at message: String, in id: String) {
        guard id == self.current else { return }
        guard self.shown.scrollback[message] != nil else {
            self.shown.goal = message
            return
        }
        self.shown.aiming.selected = message
        self.shown.anchor = .init(id: message)
        self.scroll(self.areas.messages / 2)
    }
}
