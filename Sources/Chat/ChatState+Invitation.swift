import ControlAPI

/// How an invitation is taken: unseen, and remembered nowhere.
extension ChatState {
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
}
