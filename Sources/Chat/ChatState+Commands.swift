import ControlAPI

/// What `/` commands ask for, and what is said of their answers.
extension ChatState {
    mutating func run(_ command: SlashCommand) {
        let id = self.current
        if self.shown.aiming.doubtful != command.line { self.shown.aiming.doubtful = nil }
        self.shown.anchor = self.shown.scrollback.hasNewer ? self.shown.anchor : nil
        switch command.name {
        case .help: return self.help(command.rest)
        case .quit: return self.quit()
        case .me:
            guard !command.rest.isEmpty else { return self.usage(command) }
            guard self.place(of: id) != nil else { return self.notice = "enter a room first" }
            return self.outbox.add(command.rest, to: id, isAction: true, replyTo: nil)
        case .reply: return self.reply(command)
        case .join where command.rest.isEmpty: return self.unseen = UnseenText(.invitation)
        case .open: return self.open(command)
        default: break
        }
        guard self.link.isConnected else {
            self.note("/\(command.name): no daemon; connecting again", isFault: true)
            self.shown.input.set(command.line)
            return
        }
        switch command.name {
        case .join, .leave, .msg, .topic, .mute, .unmute, .archive, .who, .status:
            self.runOnConversation(command)
        case .create where command.isOfGroup, .invite where self.shown.kind == .group, .remove,
            .admin,
            .demote:
            self.runOnGroup(command)
        case .create, .invite, .realm: self.runOnSecret(command)
        case .requests, .profile: self.runOnSelf(command)
        case .whois, .verify, .accept, .decline, .block, .unblock: self.runOnPerson(command)
        case .edit, .delete, .react: self.runOnMessage(command)
        case .info: self.askForInfo(command)
        case .away, .back: self.say(isAway: command.name == .away, for: command)
        case .search, .goto, .file, .fetch: self.runOnContent(command)
        case .help, .quit, .me, .reply, .open: break
        }
    }

    mutating func usage(_ command: SlashCommand) {
        self.note("usage: /\(command.name) \(command.name.operands)", isFault: true)
    }

    private mutating func reply(_ command: SlashCommand) {
        guard let target = self.aimed(.reply) else {
            return self.note("there is no message to reply to", isFault: true)
        }
        if command.rest.isEmpty {
            self.shown.aiming.replying = target.id
        } else {
            self.outbox.add(
                command.rest, to: self.current, isAction: false, replyTo: target.id)
            self.shown.aiming.selected = nil
        }
    }

    // MARK: Conversations

    private mutating func runOnConversation(_ command: SlashCommand) {
        let id = self.current
        let asked = ChatLink.Asked.command(command, id)
        switch command.name {
        case .join:
            self.ask(JoinMethod.self, asked) { $0.room = command.rest }
        case .leave:
            let room =
                command.rest.isEmpty ? self.shown : self.conversation(called: command.rest)
            guard !self.outbox.hasUnsent(for: room?.id ?? "") else {
                // Outside the room the daemon would refuse them.
                self.shown.input.set(command.line)
                return self.notice = "your last message is not sent yet; try again in a moment"
            }
            let name = command.rest.isEmpty ? self.shown.name : command.rest
            guard
                room?.kind != .group
                    || self.agrees(
                        to: command, "you would be out of \(name) until an admin invites you")
            else { return }
            self.ask(LeaveMethod.self, asked) { $0.room = name }
        case .msg:
            let person = Self.person(command.words.first)
            guard person.count > 1 else { return self.usage(command) }
            self.ask(CreateConversationMethod.self, asked) { $0.person = person }
        case .topic:
            guard !command.rest.isEmpty else {
                let topic = self.shown.topic
                return self.note(topic.isEmpty ? "there is no topic" : "topic: \(topic)")
            }
            self.ask(TopicMethod.self, asked) {
                $0.to = id
                $0.text = command.rest == "-" ? "" : command.rest
            }
        case .mute: self.ask(MuteMethod.self, asked) { $0.to = id }
        case .unmute: self.ask(UnmuteMethod.self, asked) { $0.to = id }
        case .archive: self.ask(ArchiveMethod.self, asked) { $0.to = id }
        case .who where self.shown.kind == .group:
            self.ask(GroupInfoMethod.self, asked) { $0.group = id }
        case .who: self.askForMembers(of: id, isShown: true)
        default: self.ask(StatusMethod.self, asked) { _ in }
        }
    }

    /// A person as methods take it: with `@`.
    static func person(_ word: String) -> String { word.hasPrefix("@") ? word : "@" + word }

    private mutating func runOnPerson(_ command: SlashCommand) {
        let asked = ChatLink.Asked.command(command, self.current)
        let (first, code) = command.words
        // In a conversation of two it is clear who is meant.
        let word = first.isEmpty ? self.shown.person ?? "" : first
        // A name may have blanks in it.
        let whole = Self.person(command.rest.isEmpty ? word : command.rest)
        guard whole.count > 1 else { return self.usage(command) }
        // Groups wait as people do.
        let waiting = command.isOfGroup ? command.rest : whole
        switch command.name {
        case .whois: self.ask(WhoisMethod.self, asked) { $0.person = whole }
        case .verify:
            self.ask(VerifyMethod.self, asked) {
                $0.person = Self.person(word)
                $0.code = code.isEmpty ? nil : code
            }
        case .accept: self.ask(AcceptMethod.self, asked) { $0.person = waiting }
        case .decline: self.ask(DeclineMethod.self, asked) { $0.person = waiting }
        case .block: self.ask(BlockMethod.self, asked) { $0.person = whole }
        default: self.ask(UnblockMethod.self, asked) { $0.person = whole }
        }
    }

    // MARK: Messages

    private mutating func runOnMessage(_ command: SlashCommand) {
        let asked = ChatLink.Asked.command(command, self.current)
        if command.name == .react {
            let sign = EmojiNames.emoji(command.rest) ?? command.rest
            guard !sign.isEmpty else { return self.usage(command) }
            guard let target = self.aimed(.react) else {
                return self.note("there is no message", isFault: true)
            }
            let isRemoved = target.signs.contains { $0.sign == sign && $0.isOwn }
            self.shown.aiming.selected = nil
            self.ask(ReactMethod.self, asked) {
                $0.id = target.id
                $0.sign = sign
                $0.remove = isRemoved ? true : nil
            }
            return
        }
        if self.shown.aiming.selected == nil, !self.outbox.shown(in: self.current).isEmpty {
            // The last one is not there yet, and the one before it is not meant.
            self.shown.input.set(command.line)
            return self.notice = "your last message is not sent yet; try again in a moment"
        }
        let isEdit = command.name == .edit
        guard let target = self.aimed(command.name) else {
            let what = isEdit ? "text" : "message"
            return self.note(
                self.shown.aiming.selected == nil
                    ? "there is no \(what) of yours here" : "that is no \(what) of yours",
                isFault: true)
        }
        self.shown.aiming.selected = nil
        if command.name == .delete {
            self.ask(DeleteMethod.self, asked) { $0.id = target.id }
        } else if command.rest.isEmpty {
            self.shown.aiming.editing = target.id
            self.shown.input.set(SlashCommand.typed(target.text))
        } else {
            self.change(target.id, to: command.rest)
        }
    }

    private mutating func runOnContent(_ command: SlashCommand) {
        let id = self.current
        switch command.name {
        case .search:
            guard !command.rest.isEmpty else { return self.usage(command) }
            self.ask(SearchMethod.self, .command(command, id)) {
                $0.words = command.rest
                $0.to = id
            }
        case .goto: self.goTo(command)
        case .file:
            guard !command.rest.isEmpty else { return self.usage(command) }
            self.start(["send", id, "--file", command.rest])
            self.note("sending \(TerminalText.line(command.rest))")
        default:
            let name = command.rest
            guard
                let file = self.target(where: {
                    $0.kind == .file && (name.isEmpty || $0.fileName == name)
                })
            else { return self.note("there is no such file here", isFault: true) }
            self.start(["fetch", file.id])
            self.note("fetching \(file.fileName ?? "")")
        }
    }

    private mutating func start(_ arguments: [String]) {
        self.perform(.run(id: self.startedProgram(), arguments: arguments))
    }

    /// The number of a program that is being started for the conversation that is looked at.
    mutating func startedProgram() -> Int64 {
        let id = (self.programs.keys.max() ?? 0) + 1
        self.programs[id] = self.current
        return id
    }

    mutating func ended(_ id: Int64, _ code: Int32, _ output: String) {
        let place = self.programs.removeValue(forKey: id)
        let lines = output.split(separator: "\n").map { TerminalText.line(String($0)) }
        for line in lines.suffix(4) {
            self.note(code == 0 ? line : Self.fault(ofProgram: line), isFault: code != 0, in: place)
        }
    }

    /// What a program of the shell says went wrong, as chat says it of the command that started it.
    private static func fault(ofProgram line: String) -> String {
        for (program, name) in [("send", SlashCommand.Name.file), ("fetch", .fetch)] {
            let start = "stoa: \(program): "
            guard line.hasPrefix(start) else { continue }
            return "/\(name): " + ChatRemedy.text(String(line.dropFirst(start.count)))
        }
        return line
    }

    // MARK: Answers

    mutating func done(_ command: SlashCommand, _ result: JSON, in id: String) {
        switch command.name {
        case .join, .accept:
            let entered = ConversationResult(reading: result)
            guard entered.waiting == nil else {
                let name = ShownPerson.safe(entered.name)
                return self.note(
                    entered.waiting == .admin
                        ? "you wait for an admin of \(name) to let you in"
                        : "you will be in \(name) as soon as a member is linked", in: id)
            }
            self.link.wanted = entered.id
            self.askForConversations()
        case .msg:
            let conversation = CreateConversationMethod.Result(reading: result).conversation.id
            self.link.wanted = conversation
            self.askForConversations()
            let words = command.words.rest
            if !words.isEmpty {
                self.outbox.add(words, to: conversation, isAction: false, replyTo: nil)
            }
        case .leave, .archive: self.askForConversations()
        case .away, .back:
            self.ownPresence.standing = command.name == .away ? .said : .here
            let how = command.name == .away ? "away, until /back" : "online"
            let isTold = PresenceMethod.Result(reading: result).shown
            self.note(
                isTold ? "others see that you are \(how)" : "others are not told: Presence=private",
                in: id)
        case .mute: self.note("muted", in: id)
        case .unmute: self.note("not muted", in: id)
        case .whois: self.described(.init(reading: result), in: id)
        case .verify: self.verified(.init(reading: result), in: id)
        case .decline where command.isOfGroup:
            self.note("the invitation to \(ShownPerson.safe(command.rest)) is declined", in: id)
        case .decline: self.note("\(Self.quoted(result)) is declined", in: id)
        case .block: self.note("\(Self.quoted(result)) is blocked", in: id)
        case .unblock: self.note("\(Self.quoted(result)) is not blocked", in: id)
        case .search: self.found(.init(reading: result), in: id)
        case .goto: self.went(.init(reading: result), to: command.rest, in: id)
        case .status:
            let status = StatusMethod.Result(reading: result)
            self.note(
                "stoad \(status.version.shown), \(status.links) link\(status.links == 1 ? "" : "s"), "
                    + "\(status.messages) messages, discovery \(status.discovery.state.shown)",
                in: id)
            for alert in status.alerts {
                self.note(ChatRemedy.text(alert.text.shown), isFault: true, in: id)
            }
        case .info: self.explained(.init(reading: result), in: id)
        case .create where command.isOfGroup, .remove, .admin, .demote,
            .invite where command.rest.hasPrefix("@"):
            self.done(inGroup: command, .init(reading: result), in: id)
        case .who: self.listed(group: .init(reading: result), in: id)
        case .create: self.created(.init(reading: result))
        case .invite: self.invited(.init(reading: result))
        case .realm: self.done(realm: command, result, in: id)
        case .requests: self.listed(requests: .init(reading: result), in: id)
        case .profile: self.stands(profile: .init(reading: result), in: id)
        default: break
        }
    }

    private static func quoted(_ person: JSON) -> String {
        PersonResult(reading: person).shown.quoted
    }

    private mutating func described(_ person: WhoisMethod.Result, in id: String) {
        self.note(
            "\(person.shown.quoted) \(person.id.shortKey): \(person.tier.rawValue), "
                + person.state.rawValue, in: id)
        let status = person.status.shown
        if !status.isEmpty { self.note("status: \(status)", in: id) }
        guard person.picture != nil else { return }
        self.note(
            "they have a picture: stoa picture @\(person.id.shown.prefix(16))", in: id)
    }

    private mutating func verified(_ result: VerifyMethod.Result, in id: String) {
        let who = result.person.shown.quoted
        guard result.person.tier != .verified else {
            return self.note("\(who) is verified", in: id)
        }
        self.note("compare with \(who), aloud or in person:", in: id)
        self.note("  \(result.digits.shown)", in: id)
        self.note("  \(result.words.shown)", in: id)
        self.note(
            "if they match: /verify \(result.person.id.shortKey) and the digits", in: id)
    }
}
