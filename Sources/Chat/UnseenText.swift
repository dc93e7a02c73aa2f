import ControlAPI

/// A secret that is typed: not shown, remembered nowhere, and gone once it is used.
struct UnseenText: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        case invitation
        /// What opens the node's lock.
        case passphrase
    }

    let kind: Kind
    private(set) var text = ""

    init(_ kind: Kind) { self.kind = kind }

    /// In characters.
    private var limit: Int {
        switch self.kind {
        case .invitation: ControlLimits.pasteBytes
        case .passphrase: ControlLimits.phraseBytes
        }
    }

    mutating func insert(_ typed: String) {
        self.text = String((self.text + typed).prefix(self.limit))
    }

    mutating func backspace() { self.text = String(self.text.dropLast()) }

    /// Gives what was typed, and begins anew.
    mutating func take() -> String {
        defer { self.text = "" }
        return self.text
    }

    /// What is shown in place of the input line.
    func row(columns: Int) -> ScreenRow {
        var row = ScreenRow()
        switch self.kind {
        case .invitation: row.append("invitation (not shown; Esc: none): ", .bold)
        case .passphrase: row.append("passphrase (not shown): ", .bold)
        }
        if !self.text.isEmpty { row.append("\(self.text.count) characters", .faint) }
        return row.columns > columns ? row.fitted(columns) : row
    }
}

extension ChatState {
    /// What keys do while a secret is typed.
    mutating func typeUnseen(_ key: KeyPress) {
        guard let kind = self.unseen?.kind else { return }
        self.notice = nil
        switch key {
        case .text(let text), .paste(let text):
            // An invitation that was wrapped is one line all the same.
            self.unseen?.insert(
                kind == .passphrase
                    ? text : text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        case .backspace: self.unseen?.backspace()
        case .control("u"), .wordBackspace, .control("w"): self.unseen = UnseenText(kind)
        case .control("l"): self.perform(.redraw)
        case .control("z"): self.perform(.stop)
        default:
            switch kind {
            case .invitation: self.endInvitation(key)
            case .passphrase: self.endPassphrase(key)
            }
        }
    }

    private mutating func endInvitation(_ key: KeyPress) {
        switch key {
        case .escape, .control("c"), .control("d"):
            self.unseen = nil
            self.notice = "joined nothing"
        case .enter:
            let line = self.unseen?.take() ?? ""
            self.unseen = nil
            guard !line.isEmpty else { return self.notice = "joined nothing" }
            self.accept(invitation: line)
        default: break
        }
    }
}
