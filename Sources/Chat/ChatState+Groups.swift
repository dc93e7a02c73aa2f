import ControlAPI

/// Groups: whom the user brings in or puts out, and what is said of who came and went.
extension ChatState {
    mutating func runOnGroup(_ command: SlashCommand) {
        let asked = ChatLink.Asked.command(command, self.current)
        if command.name == .create {
            let (name, word) = command.words
            let history = HistoryWord(rawValue: word)
            guard word.isEmpty || history != nil else { return self.usage(command) }
            self.ask(GroupCreateMethod.self, asked) { ($0.name, $0.history) = (name, history) }
            return
        }
        guard self.shown.kind == .group else {
            return self.note("/\(command.name): this is not a group", isFault: true)
        }
        guard command.rest.hasPrefix("@"), command.rest.count > 1 else {
            return self.note("usage: /\(command.name) @PERSON", isFault: true)
        }
        let (person, group) = (command.rest, self.shown.name)
        let act: GroupActWord
        switch command.name {
        case .invite: act = .add
        case .admin: act = .admin
        case .remove:
            let what = "would be removed from \(group), and keeps everything that was read"
            guard self.agrees(to: command, "\(TerminalText.line(person)) \(what)") else { return }
            act = .remove
        default:
            let what = "would be no admin of \(group)"
            guard self.agrees(to: command, "\(TerminalText.line(person)) \(what)") else { return }
            act = .demote
        }
        let id = self.current
        self.ask(GroupActMethod.self, asked) { ($0.group, $0.act, $0.person) = (id, act, person) }
    }

    /// Whether the user has entered a command twice that takes something away: once it says what.
    mutating func agrees(to command: SlashCommand, _ what: String) -> Bool {
        if self.shown.aiming.doubtful == command.line {
            self.shown.aiming.doubtful = nil
            return true
        }
        self.shown.aiming.doubtful = command.line
        self.shown.input.set(command.line)
        self.note("\(what)\nto do it, press Enter again")
        return false
    }

    mutating func done(
        inGroup command: SlashCommand, _ group: ConversationResult, in id: String
    ) {
        if command.name == .create {
            self.link.wanted = group.id
            self.askForConversations()
            return self.note("you own \(group.shownName); /invite @PERSON brings people in")
        }
        if let names = group.unasked {
            let shown = names.map { ShownPerson.safe($0) }.joined(separator: ", ")
            self.note("could not be asked first, and learn of it later: \(shown)", in: id)
        }
        // The rest is told as it comes about, by whoever does it.
        guard command.name == .invite else { return }
        self.note("\(TerminalText.line(command.rest)) is asked when they are online", in: id)
    }

    mutating func listed(group: GroupInfoMethod.Result, in id: String) {
        var lines = group.members.map { member in
            let shown = ShownPerson(
                name: member.name, id: member.id ?? "", isAmbiguous: member.ambiguous == true)
            let isHere = member.id.map { self.linked[$0] == true } ?? false
            return shown.quoted + (member.own == true ? " (you)" : "")
                + (member.role == .member ? "" : ", \(member.role.rawValue)")
                + (member.waiting == true ? ", invited" : isHere ? ", online" : "")
        }
        if group.history == .joined {
            lines.append("newcomers can read what is written once they are in")
        }
        if !group.undecided.isEmpty {
            lines.append(
                "\(group.undecided.count) undecided: stoa group approve "
                    + TerminalText.word(group.name.shown))
        }
        self.note(lines.joined(separator: "\n"), in: id)
    }

    /// Says who came into a group, is out of it, or has another role there.
    mutating func turned(_ change: ChangeResult) {
        let id = change.id ?? ""
        let isOwn = change.peer == self.own.id
        self.with(id) { $0.hasMembers = false }
        let who = isOwn ? "you" : ShownPerson.safe(change.peerName ?? "")
        let by = change.byName.map { change.by == self.own.id ? "you" : ShownPerson.safe($0) }
        let are = isOwn ? "are" : "is"
        let were = isOwn ? "were" : "was"
        let text: String
        switch change.knownEvent {
        case .memberAdded where change.by == change.peer: text = "\(who) came in"
        case .memberAdded: text = "\(who) \(were) added" + (by.map { " by \($0)" } ?? "")
        case .memberLeft where by != nil: text = "\(who) \(isOwn ? "have" : "has") left"
        case .memberLeft: text = "\(who) \(are) out: nothing that counts brought them in"
        case .memberRemoved where isOwn:
            // The conversation goes from the list, and what is said in it with it.
            let said =
                "you were removed from \(ShownPerson.safe(change.name ?? ""))"
                + (by.map { " by \($0)" } ?? "")
            if id == self.current { self.notice = said } else { self.note(said) }
            return
        case .memberRemoved: text = "\(who) was removed" + (by.map { " by \($0)" } ?? "")
        case .adminAdded: text = "\(who) \(are) an admin now"
        default: text = "\(who) \(are) not an admin now" + (by.map { ": by \($0)" } ?? "")
        }
        // An admin's topic counts as long as they are one.
        if change.knownEvent != .memberAdded { self.askForConversations() }
        self.note(text, in: id)
    }

    /// Says that somebody invites the user to a group.
    mutating func tell(invitation change: ChangeResult) {
        self.around.change([.requests], at: self.now)
        let group = ShownPerson.safe(change.name ?? change.id ?? "")
        self.note(
            "\(ShownPerson.safe(change.peerName ?? "")) invites you to \(group); "
                + "/accept \(group) or /decline \(group)")
    }
}

extension SlashCommand {
    /// Whether it names a group.
    var isOfGroup: Bool { self.rest.hasPrefix("+") }
}
