import ControlAPI

/// What stands on the screen.
package struct ChatFrame: Equatable, Sendable {
    /// As many as the screen has, from the top; what a row does not fill is blank.
    package var rows: [ScreenRow]
    /// Where the cursor stands.
    package var cursor: (row: Int, column: Int)

    /// Whether two are the same to look at.
    package static func == (one: ChatFrame, other: ChatFrame) -> Bool {
        one.rows == other.rows && one.cursor == other.cursor
    }
}

extension ChatState {
    /// From so many cells on the conversations stand at the side.
    private static let columnsForSide = 100
    /// With room for a key in each row, and for a few digits behind it.
    private static let sideColumns = 32

    /// The parts of the screen, in cells.
    struct Areas: Equatable {
        var side = 0
        var columns = 0
        var title = 0
        var messages = 0
        var input = 1
    }

    var areas: Areas { self.areas(typed: self.inputRows(columns: self.size.columns).rows.count) }

    /// The areas where what is typed takes so many rows.
    private func areas(typed: Int) -> Areas {
        var areas = Areas()
        areas.side = self.size.columns >= Self.columnsForSide ? Self.sideColumns : 0
        areas.columns = self.size.columns - areas.side
        areas.title = self.size.rows >= 5 ? 1 : 0
        areas.input = max(1, min(typed, self.size.rows / 3))
        areas.messages = max(0, self.size.rows - areas.title - 1 - areas.input)
        return areas
    }

    /// How far a page is.
    var pageRows: Int { max(1, self.areas.messages - 2) }

    /// Draws the screen; the state changes only in what it remembers of the drawing.
    package mutating func frame() -> ChatFrame {
        if self.isLocked { return self.lockedFrame() }
        let input = self.inputRows(columns: self.size.columns)
        let areas = self.areas(typed: input.rows.count)
        var rows: [ScreenRow] = []
        if areas.title > 0 { rows.append(self.title(areas)) }
        rows += self.messageRows(areas)
        if areas.side > 0 {
            let side = self.sideRows(count: rows.count)
            rows = zip(side, rows).map { left, right in
                var row = left.fitted(areas.side - 1)
                row.append("│", .faint)
                for run in right.runs { row.append(run) }
                return row
            }
        }
        // Where there is one row alone it is the one that is typed in.
        if self.size.rows > 1 { rows.append(self.bar()) }
        let first = min(
            max(0, input.cursor.row - areas.input + 1), max(0, input.rows.count - areas.input))
        let cursor = (
            row: min(rows.count + input.cursor.row - first, self.size.rows - 1),
            column: min(input.cursor.column, self.size.columns - 1)
        )
        rows += input.rows[first..<min(input.rows.count, first + areas.input)]
        return ChatFrame(rows: Array(rows.prefix(self.size.rows)), cursor: cursor)
    }

    // MARK: Messages

    /// The rows of the conversation, the last one at the bottom.
    private mutating func messageRows(_ areas: Areas) -> [ScreenRow] {
        var rows: [ScreenRow] = []
        let shown = self.shown
        let marks = shown.marks
        var place = shown.scrollback.messages.count - 1
        var hidden = 0
        if let anchor = shown.anchor, let found = shown.scrollback.index(of: anchor.id) {
            (place, hidden) = (found, anchor.hidden)
        } else if shown.isAtEnd {
            for item in self.outbox.shown(in: shown.id).reversed() {
                rows = self.rows(ofUnsent: item, columns: areas.columns) + rows
            }
            rows = self.missingRows(areas) + rows
        }
        // Held back to front, so that nothing is moved.
        var parts: [[ScreenRow]] = [rows]
        var count = rows.count
        var seen: [ChatMessage] = []
        while place >= 0, count < areas.messages {
            var part = self.rows(place, columns: areas.columns, marks: marks)
            if hidden == 0 { seen.append(shown.scrollback.messages[place]) }
            if hidden > 0 {
                part.removeLast(min(hidden, part.count))
                hidden = 0
            }
            parts.append(part)
            count += part.count
            place -= 1
        }
        if self.isReading, !shown.reading.unseen.isEmpty { self.shown.see(seen) }
        rows = parts.reversed().flatMap(\.self)
        if count < areas.messages {
            var above = self.isWelcoming ? self.welcomeRows(columns: areas.columns) : []
            above = Array(above.prefix(areas.messages - count))
            while above.count + count < areas.messages { above.append(ScreenRow()) }
            rows = above + rows
        }
        return Array(rows.suffix(areas.messages))
    }

    /// The messages on the screen, from the top.
    func visible() -> [ChatMessage] {
        var state = self
        let areas = state.areas
        let shown = state.shown
        var place = shown.scrollback.messages.count - 1
        if let anchor = shown.anchor, let found = shown.scrollback.index(of: anchor.id) {
            place = found
        }
        let (last, marks) = (place, shown.marks)
        var count = 0
        while place >= 0, count < areas.messages {
            count += state.rows(place, columns: areas.columns, marks: marks).count
            place -= 1
        }
        return last < 0 ? [] : Array(shown.scrollback.messages[(place + 1)...last])
    }

    /// What is missing below the newest message: a line that goes once it is here.
    private func missingRows(_ areas: Areas) -> [ScreenRow] {
        guard let text = self.link.missing[self.current] else { return [] }
        let rows = CellText.wrap([.init(text: text, look: .accent)], columns: areas.columns)
        return Array(rows.prefix(max(1, areas.messages / 4)))
    }

    /// Whether few enough messages stand above the screen's upper end that older ones are to be had.
    ///
    /// Asked after every event, so by the whole screen: what of it shows messages depends on all that
    /// is typed.
    var isNearTop: Bool {
        guard let anchor = self.shown.anchor,
            let place = self.shown.scrollback.index(of: anchor.id)
        else { return self.shown.scrollback.messages.count < self.size.rows }
        return place < 2 * self.size.rows
    }

    var isNearBottom: Bool {
        guard let anchor = self.shown.anchor,
            let place = self.shown.scrollback.index(of: anchor.id)
        else { return true }
        return self.shown.scrollback.messages.count - place < 2 * self.size.rows
    }

    /// Moves what is looked at by so many rows: up with less than none.
    mutating func scroll(_ distance: Int) {
        let areas = self.areas
        let marks = self.shown.marks
        let last = self.shown.scrollback.messages.count - 1
        guard last >= 0 else { return }
        var place = self.shown.anchor.flatMap { self.shown.scrollback.index(of: $0.id) } ?? last
        var hidden = self.shown.anchor?.hidden ?? 0
        if distance < 0 {
            var left = -distance
            while left > 0 {
                let height = self.rows(place, columns: areas.columns, marks: marks).count
                let step = min(left, height - hidden)
                (hidden, left) = (hidden + step, left - step)
                guard hidden >= height else { break }
                guard place > 0 else {
                    hidden = height - 1
                    break
                }
                (place, hidden) = (place - 1, 0)
            }
            (place, hidden) = self.keptFull(place, hidden, areas, marks)
        } else {
            var left = distance
            while left > 0 {
                let step = min(left, hidden)
                (hidden, left) = (hidden - step, left - step)
                guard left > 0 else { break }
                guard place < last else {
                    if !self.shown.scrollback.hasNewer { return self.scrollToEnd() }
                    break
                }
                place += 1
                hidden = self.rows(place, columns: areas.columns, marks: marks).count
            }
        }
        if place == last, hidden == 0, !self.shown.scrollback.hasNewer { return self.scrollToEnd() }
        self.shown.anchor = .init(id: self.shown.scrollback.messages[place].id, hidden: hidden)
    }

    /// Scrolls no further up than the oldest message at the top of the screen.
    private mutating func keptFull(
        _ place: Int, _ hidden: Int, _ areas: Areas, _ marks: (delivered: Int, read: Int)
    ) -> (Int, Int) {
        var above = -hidden
        var index = place
        while index >= 0, above < areas.messages {
            above += self.rows(index, columns: areas.columns, marks: marks).count
            index -= 1
        }
        guard above < areas.messages else { return (place, hidden) }
        // From the top down until the screen is full.
        var (count, next) = (0, 0)
        while next < self.shown.scrollback.messages.count {
            count += self.rows(next, columns: areas.columns, marks: marks).count
            if count >= areas.messages { return (next, count - areas.messages) }
            next += 1
        }
        return (self.shown.scrollback.messages.count - 1, 0)
    }

    /// Scrolls so that a message is on the screen.
    mutating func reveal(_ id: String) {
        guard let place = self.shown.scrollback.index(of: id) else { return }
        let areas = self.areas
        let marks = self.shown.marks
        let last = self.shown.scrollback.messages.count - 1
        let bottom = self.shown.anchor.flatMap { self.shown.scrollback.index(of: $0.id) } ?? last
        var height = 0
        if place <= bottom {
            for index in place...bottom where height <= areas.messages {
                height += self.rows(index, columns: areas.columns, marks: marks).count
            }
        }
        guard place > bottom || height > areas.messages else { return }
        self.shown.anchor = place == last ? nil : .init(id: id)
    }

    // MARK: Around them

    private func title(_ areas: Areas) -> ScreenRow {
        var row = ScreenRow()
        if areas.side == 0 {
            row = self.tabs(columns: areas.columns)
        } else {
            row.append(
                " " + self.shown.fitted(max(ShownPerson.leastColumns, areas.columns / 2)),
                Look(isBold: true, isReversed: true))
        }
        if !self.shown.topic.isEmpty { row.append("  \(self.shown.topic)", .bar) }
        if areas.side > 0, !self.shown.isDirect, self.shown.memberCount > 0 {
            let count = self.shown.memberCount
            row.append("  \(count) \(count == 1 ? "member" : "members")", .bar)
        }
        return row.fitted(areas.columns, .bar)
    }

    /// The conversations in one line; the one that is looked at is always among them.
    private func tabs(columns: Int) -> ScreenRow {
        let listed = self.listed
        let tabs = listed.enumerated().map { index, conversation in
            var row = ScreenRow()
            let isCurrent = conversation.id == self.current
            row.append(" \(index + 1):", .bar)
            row.append(
                conversation.name.isEmpty ? "…" : conversation.fitted(max(16, columns / 2)),
                isCurrent ? Look(isBold: true) : .bar)
            self.counts(conversation, in: &row, .bar)
            return row
        }
        let current = listed.firstIndex { $0.id == self.current } ?? 0
        let calling = listed.indices.filter { listed[$0].isCalling }
        // The one that is looked at, those that call, then the ones that are near; each is shown whole or not
        // at all, since what is behind a name tells people apart.
        let near = tabs.indices.sorted { (abs($0 - current), $0) < (abs($1 - current), $1) }
        var shown: Set<Int> = []
        var used = 2
        for index in near.prefix(1) + calling + near where !shown.contains(index) {
            guard shown.isEmpty || used + tabs[index].columns + 2 <= columns else {
                if calling.contains(index) { continue }
                break
            }
            shown.insert(index)
            used += tabs[index].columns + (shown.contains(index - 1) || index == 0 ? 0 : 2)
        }
        var all = ScreenRow()
        var last = -1
        for index in shown.sorted() {
            if index > last + 1 { all.append(" …", .bar) }
            for run in tabs[index].runs { all.append(run) }
            last = index
        }
        if last + 1 < tabs.count { all.append(" …", .bar) }
        return all
    }

    private func counts(_ conversation: ChatConversation, in row: inout ScreenRow, _ look: Look) {
        guard conversation.unread > 0, !conversation.isMuted else { return }
        var called = look
        (called.colour, called.isBold) = (.mention, true)
        row.append("(\(conversation.unread)", conversation.isCalling ? called : look)
        if conversation.mentions > 0 { row.append(" @\(conversation.mentions)", called) }
        row.append(")", conversation.isCalling ? called : look)
    }

    private func sideRows(count: Int) -> [ScreenRow] {
        var rows: [ScreenRow] = []
        for (index, conversation) in self.listed.enumerated() {
            var row = ScreenRow()
            let isCurrent = conversation.id == self.current
            let look =
                isCurrent
                ? Look(isBold: true, isReversed: true) : Look(isFaint: conversation.isMuted)
            row.append(" \(index + 1) ", isCurrent ? look : .faint)
            if conversation.isDirect {
                let isHere = conversation.person.map { self.linked[$0] == true } ?? false
                let isAway = conversation.person.map { self.presence[$0] == .away } ?? false
                row.append(isHere ? isAway ? "◐ " : "● " : "○ ", look)
            }
            let room = Self.sideColumns - 1 - row.columns
            var counts = ScreenRow()
            counts.append(" ", look)
            self.counts(conversation, in: &counts, look)
            for run in self.sideName(conversation, room - counts.columns, look).runs {
                row.append(run)
            }
            for run in counts.runs { row.append(run) }
            rows.append(isCurrent ? row.fitted(Self.sideColumns - 1, look) : row)
        }
        let current = self.listed.firstIndex { $0.id == self.current } ?? 0
        let first = max(0, min(current - count / 2, rows.count - count))
        var part = Array(rows.dropFirst(first).prefix(count))
        while part.count < count { part.append(ScreenRow()) }
        return part
    }

    /// The name of a conversation in so many cells; the digits behind it give way to the key of a person.
    private func sideName(
        _ conversation: ChatConversation, _ columns: Int, _ look: Look
    ) -> ScreenRow {
        if let other = conversation.other {
            let room = max(ShownPerson.leastColumns, columns - 1)
            var row = ScreenRow()
            if !other.name.isEmpty { row.append("@", look) }
            for run in CellText.row(other, columns: room, look).runs { row.append(run) }
            return row
        }
        let name = ScreenRow([TextRun(conversation.name, look)])
        return name.columns > columns ? name.fitted(columns, look) : name
    }

    /// The line above the input: what a person must know now, the most urgent first.
    private func bar() -> ScreenRow {
        var row = ScreenRow()
        self.addState(to: &row)
        if let notice = self.notice { row.append(" \(TerminalText.line(notice))", .bar) }
        if case .lost(let why) = self.link.state { row.append(" (\(why))", .bar) }
        if self.ownPresence.standing == .said { row.append(" you are away: /back", .bar) }
        if let place = self.placeText { row.append(" " + place, .bar) }
        if !self.shown.typing.isEmpty, self.notice == nil {
            let people = self.shown.typing.sorted { $0.key < $1.key }.map(\.value)
            row.append(" " + Self.typists(people, columns: self.size.columns - row.columns), .bar)
        }
        if let transfer = self.transfers.text { row.append(" ⇣ \(transfer)", .bar) }
        if !self.shown.isReachable {
            row.append(" not in this realm: you can only read its history", .bar)
        }
        return row.fitted(self.size.columns, .bar)
    }

    /// What a person must know before they press Enter: that there is no daemon, and what they answer.
    private func addState(to row: inout ScreenRow) {
        switch self.link.state {
        case .begun, .connecting:
            if !self.link.hasList { row.append(" connecting…", .bar) }
        case .lost:
            var look = Look.bar
            (look.colour, look.isBold) = (.alert, true)
            row.append(" no daemon: your text is kept", look)
        case .connected, .locked: break
        }
        if let mode = self.modeText { row.append(" \(TerminalText.line(mode))", .bar) }
        let room = self.size.columns - row.columns - (self.notice == nil ? 2 : 30)
        guard let aim = self.aimText(columns: room) else { return }
        let text = ScreenRow([TextRun(" " + aim, .bar)])
        for run in (text.columns > room ? text.fitted(max(24, room), .bar) : text).runs {
            row.append(run)
        }
    }

    /// Where one is among what is unread; nil where all of it is on the screen.
    private var placeText: String? {
        let shown = self.shown
        let isBack = shown.anchor != nil || shown.scrollback.hasNewer
        var below = 0
        if let id = shown.anchor?.id, let place = shown.scrollback.index(of: id) {
            let rest = shown.scrollback.messages[(place + 1)...]
            below = rest.count { shown.reading.unseen[$0.id] != nil }
        }
        var parts: [String] = []
        let above = shown.reading.unseen.count - below
        if above > 0 { parts.append("↑ \(above) new: Alt-U") }
        let news = max(below, shown.reading.missedBelow)
        if isBack { parts.append(news > 0 ? "↓ \(news) new: End" : "↓ scrolled back: End") }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// Who writes, in about so many cells: of those who have no room their number.
    private static func typists(_ people: [ShownPerson], columns: Int) -> String {
        let room = columns - 20
        var (names, used) = ([String](), 0)
        for person in people {
            let name = person.fitted(max(ShownPerson.leastColumns, min(32, room)))
            used += CellWidth.of(name) + 2
            guard names.isEmpty || used <= room else { break }
            names.append(name)
        }
        let more = people.count - names.count
        return names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
            + (people.count == 1 ? " writes…" : " write…")
    }

    // MARK: The input line

    /// What is typed as rows, and where the cursor stands in them.
    func inputRows(columns: Int) -> (rows: [ScreenRow], cursor: (row: Int, column: Int)) {
        if let unseen = self.unseen {
            let row = unseen.row(columns: columns)
            return ([row], (0, row.columns))
        }
        let prompt = "> "
        let room = max(1, columns - prompt.count - 1)
        var rows = [ScreenRow([TextRun(prompt, .bold)])]
        var used = 0
        var cursor = (row: 0, column: prompt.count)
        func begin() {
            rows.append(ScreenRow([TextRun("  ")]))
            used = 0
        }
        let input = self.shown.input
        let secret = TypedInvitation.start(in: input.characters) ?? input.characters.count
        for (index, character) in input.characters.enumerated() {
            if index == input.cursor { cursor = (rows.count - 1, prompt.count + used) }
            if character == "\n" {
                begin()
                continue
            }
            let shown = index >= secret && !character.isWhitespace ? "•" : character
            for cluster in CellText.clusters(TerminalText.line(String(shown))) {
                if used + cluster.columns > room { begin() }
                if index == input.cursor, used == 0 { cursor = (rows.count - 1, prompt.count) }
                rows[rows.count - 1].append(TextRun(cluster.text, .plain, columns: cluster.columns))
                used += cluster.columns
            }
        }
        if input.cursor == input.characters.count { cursor = (rows.count - 1, prompt.count + used) }
        return (rows, cursor)
    }
}
