import ControlAPI

/// Secret rooms, realms, and their invitations, which are shown without the screen: there they can be
/// copied whole, and what a conversation shows never has them.
extension ChatState {
    mutating func runOnSecret(_ command: SlashCommand) {
        let asked = ChatLink.Asked.command(command, self.current)
        switch command.name {
        case .create:
            guard !command.rest.isEmpty else { return self.usage(command) }
            self.ask(CreateConversationMethod.self, asked) { $0.room = command.rest }
        case .invite:
            let room = command.rest.isEmpty ? self.shown.name : command.rest
            guard !room.isEmpty, !room.hasPrefix("@") else { return self.usage(command) }
            self.ask(InviteMethod.self, asked) { $0.room = room }
        default: self.runOnRealm(command, asked)
        }
    }

    private mutating func runOnRealm(_ command: SlashCommand, _ asked: ChatLink.Asked) {
        let (step, name) = command.words
        switch (step.lowercased(), name.isEmpty) {
        case ("", true), ("list", true): self.ask(RealmsMethod.self, asked) { _ in }
        case ("join", true): self.unseen = UnseenText(.invitation)
        case ("new", false): self.ask(RealmNewMethod.self, asked) { $0.name = name }
        case ("invite", false): self.ask(RealmInviteMethod.self, asked) { $0.name = name }
        case ("leave", false): self.ask(RealmLeaveMethod.self, asked) { $0.name = name }
        case ("rotate", _):
            self.note("/realm: to replace a realm's secret: stoa realm rotate NAME", isFault: true)
        default: self.usage(command)
        }
    }

    mutating func created(_ result: CreateConversationMethod.Result) {
        self.link.wanted = result.conversation.id
        self.askForConversations()
        let name = result.conversation.name.shown
        var lines = ["Only people with this phrase or invitation can find \(name)."]
        if let phrase = result.phrase {
            lines += ["", "  the phrase, which is not stored:", phrase.shown]
        }
        lines += ["", "  the invitation, which /invite shows again:", result.invite.shown]
        self.perform(.showAlone(lines))
    }

    mutating func invited(_ result: InviteMethod.Result) {
        self.perform(
            .showAlone([
                "This line lets anyone in the realm read and write in \(result.name.shown).",
                "To join, they paste it into chat:", "",
                result.invite.shown,
            ]))
    }

    mutating func done(realm command: SlashCommand, _ result: JSON, in id: String) {
        switch command.words.first.lowercased() {
        case "new":
            let name = RealmNewMethod.Result(reading: result).name.shown
            self.note("created realm \(name); /realm invite \(name) shows its invitation", in: id)
        case "join":
            let name = RealmJoinMethod.Result(reading: result).name.shown
            self.note("you are in realm \(name); its rooms are written \(name)/ROOM", in: id)
            self.around.change([.rooms, .peers], at: self.now)
        case "invite":
            let invited = RealmInviteMethod.Result(reading: result)
            self.perform(
                .showAlone([
                    "This line lets anyone into the realm \(invited.name.shown); hand it over in private:",
                    "", invited.invite.shown,
                ]))
        case "leave":
            let left = RealmLeaveMethod.Result(reading: result)
            self.note(
                "you have left realm \(left.name.shown)"
                    + (left.rooms.isEmpty
                        ? "" : "; you can still read, but not write in: \(left.rooms.shown)"),
                in: id)
            self.askForConversations()
        default:
            let realms = RealmsMethod.Result(reading: result).items
            guard !realms.isEmpty else {
                return self.note("you are in no realm; /realm new NAME creates one", in: id)
            }
            let lines = realms.map { realm in
                realm.name.shown + (realm.isDefault ? " (default)" : "")
                    + (realm.joined ? "" : " (left)")
                    + ": \(realm.rooms) \(realm.rooms == 1 ? "room" : "rooms")"
            }
            self.note(lines.joined(separator: "\n"), in: id)
        }
    }
}
