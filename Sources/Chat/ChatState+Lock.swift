import ControlAPI

/// A node that is locked: it is asked for the passphrase, and nothing of its conversations stays here.
extension ChatState {
    /// Whether the passphrase is asked for; then nothing else is shown.
    package var isLocked: Bool { self.unseen?.kind == .passphrase }

    /// The daemon says that it is locked: what was typed and entered waits, and the rest is forgotten.
    mutating func locked() {
        self.lost("")
        (self.link.state, self.link.nextAttempt) = (.locked, nil)
        self.link.pause = ChatLink.pauses.lowerBound
        if !self.isLocked { self.unseen = UnseenText(.passphrase) }
        self.notice = nil
        self.drafts = self.typed
        if !self.current.isEmpty { self.link.wanted = self.link.wanted ?? self.current }
        (self.conversations, self.empty) = ([], ChatConversation())
        (self.view, self.link.hasList, self.link.listing) = (("", ""), false, [])
        (self.around, self.layouts) = (ChatSurroundings(), LayoutCache())
        (self.transfers, self.completion) = (ChatTransfers(), ChatCompletion())
        (self.linked, self.presence) = ([:], [:])
    }

    /// The daemon says that it is open.
    mutating func unlocked() {
        guard self.isLocked else { return }
        // Somebody else has unlocked it: what is typed here on must not become a message.
        guard self.unseen?.text.isEmpty == true else {
            return self.notice = "unlocked elsewhere: press Enter"
        }
        (self.unseen, self.notice) = (nil, nil)
    }

    mutating func endPassphrase(_ key: KeyPress) {
        switch key {
        case .escape, .control("c"): self.unseen = UnseenText(.passphrase)
        case .control("d"): if self.unseen?.text.isEmpty == true { self.quit() }
        case .enter:
            let passphrase = self.unseen?.take() ?? ""
            guard !self.link.isConnected else { return self.unseen = nil }
            guard !passphrase.isEmpty, !self.link.asked.values.contains(.unlock) else { return }
            guard self.link.state == .locked else {
                return self.notice = "no daemon: type it again when it is back"
            }
            self.notice = "unlocking…"
            self.put(UnlockMethod.self, .unlock, UnlockMethod.Params { $0.passphrase = passphrase })
        default: break
        }
    }

    /// The screen meanwhile.
    mutating func lockedFrame() -> ChatFrame {
        let (columns, height) = (self.size.columns, self.size.rows)
        let input = self.inputRows(columns: columns)
        let help =
            "This node is locked, and so are its conversations. Type the passphrase and press Enter; Ctrl-D quits."
        var rows = CellText.wrap([.init(text: help, look: .plain)], columns: columns)
        rows = Array(rows.prefix(max(0, height - 2)))
        while rows.count < height - 2 { rows.append(ScreenRow()) }
        if height > 1 {
            var look = Look.bar
            (look.colour, look.isBold) = (.alert, true)
            var bar = ScreenRow()
            bar.append(self.link.state == .locked ? " locked" : " no daemon", look)
            if let notice = self.notice { bar.append(" \(TerminalText.line(notice))", .bar) }
            rows.append(bar.fitted(columns, .bar))
        }
        let cursor = (row: rows.count, column: min(input.cursor.column, columns - 1))
        return ChatFrame(rows: rows + input.rows, cursor: cursor)
    }
}
