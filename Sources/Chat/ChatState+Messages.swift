import ControlAPI

/// The rows of messages that were laid out before, so that what stays on the screen costs nothing.
struct LayoutCache: Sendable {
    /// What the rows of a message depend on.
    struct Key: Hashable, Sendable {
        var id: String
        var version: Int
        var columns: Int
        var mark: Int
        var isSelected: Bool
        var isNewDay: Bool
        var isFirstUnread: Bool
        var hasQuote: Bool
    }

    private static let limit = 600
    private var rows: [Key: [ScreenRow]] = [:]

    subscript(key: Key) -> [ScreenRow]? { self.rows[key] }

    mutating func keep(_ rows: [ScreenRow], for key: Key) {
        if self.rows.count >= Self.limit { self.rows = [:] }
        // A text that fills many screens is laid out anew, and not held twice.
        if rows.count <= 100 { self.rows[key] = rows }
    }
}

/// How a message becomes rows.
extension ChatState {
    /// From so many cells on names have a column of their own.
    private static let columnsForNames = 60
    private static let nameColumns = ShownPerson.leastColumns
    /// What `10:42 ` takes.
    private static let timeColumns = 6
    private static let weekdays = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]
    private static let nameColours = ScreenPalette.names.count

    private func timeText(_ time: Int64) -> String {
        let fields = self.localTime(time)
        return ShownTime.clock(hour: fields.hour, minute: fields.minute)
    }

    /// A moment as `2026-01-31 18:00:05`.
    func dateText(_ time: Int64) -> String {
        let fields = self.localTime(time)
        return ShownTime.text(
            year: fields.year, month: fields.month, day: fields.day, hour: fields.hour,
            minute: fields.minute, second: fields.second)
    }

    private func isNewDay(_ place: Int, in messages: [ChatMessage]) -> Bool {
        guard place > 0 else { return true }
        let (one, other) = (
            self.localTime(messages[place - 1].time), self.localTime(messages[place].time)
        )
        return (one.year, one.month, one.day) != (other.year, other.month, other.day)
    }

    /// The rows of one message of the conversation that is looked at.
    mutating func rows(_ place: Int, columns: Int, marks: (delivered: Int, read: Int))
        -> [ScreenRow]
    {
        let shown = self.shown
        let message = shown.scrollback.messages[place]
        let isOwn = message.author == self.own.id && message.isSaid
        let quote = message.answers.flatMap { shown.scrollback[$0.id] }
        let key = LayoutCache.Key(
            id: message.id, version: message.version + (quote?.version ?? 0) << 16,
            columns: columns, mark: isOwn ? shown.mark(of: place, marks: marks) : 0,
            isSelected: shown.aiming.selected == message.id,
            isNewDay: self.isNewDay(place, in: shown.scrollback.messages),
            isFirstUnread: shown.reading.firstUnread == message.id, hasQuote: quote != nil)
        if let rows = self.layouts[key] { return rows }
        var rows: [ScreenRow] = []
        if key.isNewDay { rows.append(self.dayLine(message.time, columns: columns)) }
        if key.isFirstUnread { rows.append(Self.line(" new ", columns: columns, .mention)) }
        rows += self.body(of: message, quote: quote, key: key)
        self.layouts.keep(rows, for: key)
        return rows
    }

    private func dayLine(_ time: Int64, columns: Int) -> ScreenRow {
        let fields = self.localTime(time)
        let text =
            " \(Self.weekdays[(fields.weekday % 7 + 7) % 7]) "
            + ShownTime.date(year: fields.year, month: fields.month, day: fields.day) + " "
        return Self.line(text, columns: columns, .faint)
    }

    private static func line(_ text: String, columns: Int, _ look: Look) -> ScreenRow {
        let left = max(0, columns - text.count) / 2
        var row = ScreenRow()
        row.append(String(repeating: "─", count: left) + text, look)
        row.append(String(repeating: "─", count: max(0, columns - left - text.count)), look)
        return row.columns > columns ? row.fitted(columns) : row
    }

    /// The time, the name and the text of a message, side by side.
    private func body(
        of message: ChatMessage, quote: ChatMessage?, key: LayoutCache.Key
    ) -> [ScreenRow] {
        let hasColumn = key.columns >= Self.columnsForNames
        let indent =
            hasColumn
            ? Self.timeColumns + Self.nameColumns + 3 : min(Self.timeColumns, key.columns / 4)
        let room = max(1, key.columns - indent)
        var pieces =
            hasColumn
            ? []
            : [
                CellText.Piece(
                    text: self.inlineName(message, columns: room), look: self.nameLook(message))
            ]
        pieces += self.pieces(of: message, mark: key.mark, columns: room)
        var texts: [ScreenRow] = []
        if let answers = message.answers {
            let said = quote.map { ": " + ($0.isErased ? "deleted" : $0.beginning) } ?? ""
            let name = answers.person.fitted(max(ShownPerson.leastColumns, room / 2))
            texts.append(ScreenRow([TextRun("┌ \(name)\(said)", .faint)]))
        }
        texts = texts.map { $0.columns > room ? $0.fitted(room) : $0 }
        let quotes = texts.count
        texts += CellText.wrap(pieces, columns: room, whole: key.columns)
        if !message.signs.isEmpty {
            let signs = message.signs.map { sign in
                CellText.Piece(
                    text: "\(sign.sign) \(sign.count > 1 ? "\(sign.count) " : "")\(sign.names)   ",
                    look: sign.isOwn ? .bold : .faint)
            }
            texts += CellText.wrap(signs, columns: room)
        }
        return texts.enumerated().map { index, text in
            var row = ScreenRow()
            // A link that has no room beside the names has a row of its own, so that it can be copied: it
            // has no blank, so it looks like no other message.
            if !text.isWhole {
                row = self.margin(
                    message, isFirst: index == quotes, hasColumn: hasColumn, indent: indent)
            }
            for run in text.runs { row.append(run) }
            if key.isSelected {
                for place in row.runs.indices { row.runs[place].look.isReversed.toggle() }
            }
            return row
        }
    }

    /// What stands before the text: in its first row the time and the name, in all a rule that no text of
    /// others can cross.
    private func margin(
        _ message: ChatMessage, isFirst: Bool, hasColumn: Bool, indent: Int
    ) -> ScreenRow {
        var row = ScreenRow()
        row.append((isFirst ? self.timeText(message.time) : "     ") + " ", .faint)
        guard hasColumn else { return row.columns > indent ? row.fitted(indent) : row }
        let name = isFirst ? self.columnName(message) : ScreenRow()
        row.append(String(repeating: " ", count: max(0, Self.nameColumns - name.columns)))
        for run in name.runs { row.append(run) }
        row.append(" │ ", .faint)
        return row
    }

    private func columnName(_ message: ChatMessage) -> ScreenRow {
        let look = self.nameLook(message)
        switch message.kind {
        case .note: return ScreenRow([TextRun("-", look)])
        case .event, .action: return ScreenRow([TextRun("*", look)])
        case .text, .file, .place: break
        }
        return CellText.row(message.person, columns: Self.nameColumns, look)
    }

    private func inlineName(_ message: ChatMessage, columns: Int) -> String {
        switch message.kind {
        case .note: "- "
        case .event, .action: "* "
        case .text, .file, .place: message.person.fitted(columns - 2) + ": "
        }
    }

    private func nameLook(_ message: ChatMessage) -> Look {
        switch message.kind {
        case .note: return message.comings == nil ? .accent : .faint
        case .event: return .faint
        case .action, .text, .file, .place: break
        }
        if message.isMention { return Look(colour: .mention, isBold: true, isReversed: true) }
        return self.colour(of: message.author)
    }

    /// Everybody has a colour of their own, the same everywhere; the user is bold.
    private func colour(of author: String) -> Look {
        if author == self.own.id { return .bold }
        let sum = author.utf8.prefix(16).reduce(0) { ($0 * 31 + Int($1)) & 0xFFFF }
        return Look(colour: .name(sum % Self.nameColours), isBold: true)
    }

    private func pieces(
        of message: ChatMessage, mark: Int, columns: Int
    ) -> [CellText.Piece] {
        let fold = message.fold
        let text = TerminalText.block(fold?.text ?? message.text, indent: "")
        var pieces: [CellText.Piece] = []
        switch message.kind {
        case .note where message.comings != nil: return [.init(text: text, look: .faint)]
        case .note(let isFault): return [.init(text: text, look: isFault ? .alert : .accent)]
        case .event:
            return [.init(text: "\(message.person.quoted(columns - 2)) \(text)", look: .faint)]
        case .action:
            pieces.append(
                .init(
                    text: message.person.quoted(columns - 2) + " ",
                    look: self.colour(of: message.author)))
        case .text, .file, .place: break
        }
        if message.isErased {
            pieces.append(.init(text: "deleted", look: .faint))
            return pieces
        }
        pieces.append(
            .init(
                text: text,
                look: message.isMention ? .mention : message.kind == .file ? .accent : .plain))
        if let fold {
            let left = ByteCount.text(Int64(fold.left))
            pieces.append(.init(text: "\n… \(left) more: Alt-O", look: .accent))
        }
        if !message.flags.isEmpty {
            pieces.append(.init(text: " (\(message.flags.joined(separator: ", ")))", look: .faint))
        }
        if mark > 0 { pieces.append(.init(text: mark == 2 ? " ✓✓" : " ✓", look: .faint)) }
        return pieces
    }

    /// What was sent and the daemon has not shown yet.
    func rows(ofUnsent item: ChatOutbox.Item, columns: Int) -> [ScreenRow] {
        var message = ChatMessage(note: item.text, isFault: false, id: item.key, time: self.wall)
        message.kind = item.isAction ? .action : .text
        message.person = ShownPerson(name: self.own.name)
        message.author = self.own.id
        let key = LayoutCache.Key(
            id: item.key, version: 0, columns: columns, mark: 0, isSelected: false,
            isNewDay: false, isFirstUnread: false, hasQuote: false)
        var rows = self.body(of: message, quote: nil, key: key)
        rows[rows.count - 1].append(" …", .faint)
        for place in rows.indices {
            for run in rows[place].runs.indices { rows[place].runs[run].look.isFaint = true }
        }
        if let last = rows.last, last.columns > columns {
            rows[rows.count - 1] = last.fitted(columns)
        }
        return rows
    }
}
