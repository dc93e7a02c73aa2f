import ControlAPI

/// How an invitation is taken: unseen, and remembered nowhere.
extension ChatState {
    /// The longest that is taken, in characters.
    private static let invitationCharacters = ControlLimits.pasteBytes

    /// What keys do while an invitation is asked for.
    mutating func typeInvitation(_ key: KeyPress) {
        self.notice = nil
        switch key {
        case .text(let text), .paste(let text):
            let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            self.invitation = String(
                ((self.invitation ?? "") + line).prefix(Self.invitationCharacters))
        case .backspace: self.invitation = String((self.invitation ?? "").dropLast())
        case .control("u"), .wordBackspace, .control("w"): self.invitation = ""
        case .escape, .control("c"), .control("d"):
            self.invitation = nil
            self.notice = "joined nothing"
        case .enter:
            let line = self.invitation ?? ""
            self.invitation = nil
            guard !line.isEmpty else { return self.notice = "joined nothing" }
            self.accept(invitation: line)
        case .control("l"): self.perform(.redraw)
        case .control("z"): self.perform(.stop)
        default: break
        }
    }

    /// Hands an invitation to the daemon; it is nowhere else, so that no fault gives it back to the screen.
    mutating func accept(invitation line: String) {
        let isOfRealm = PastedInvitation.isOfRealm(line)
        let link: String
        do throws(PastedInvitation.Several) {
            link = try PastedInvitation.find(isOfRealm ? [.realm] : [.room, .group], in: line)
        } catch {
            return self.note("\(error.text): \(ChatRemedy.text(error.remedy))", isFault: true)
        }
        guard self.link.isConnected else {
            return self.notice = "no daemon: give the invitation again when it is back"
        }
        guard !isOfRealm else {
            let asked = ChatLink.Asked.command(.init(name: .realm, rest: "join"), self.current)
            self.ask(RealmJoinMethod.self, asked) { $0.invite = link }
            return
        }
        let asked = ChatLink.Asked.command(.init(name: .join, rest: ""), self.current)
        self.ask(JoinMethod.self, asked) { $0.invite = link }
    }

    /// What stands in the place of the input line meanwhile.
    func invitationRow(_ typed: String, columns: Int) -> ScreenRow {
        var row = ScreenRow()
        row.append("invitation (not shown; Esc: none): ", .bold)
        if !typed.isEmpty { row.append("\(typed.count) characters", .faint) }
        return row.columns > columns ? row.fitted(columns) : row
    }
}
