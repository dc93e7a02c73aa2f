import ControlAPI

/// What there is to know: about a message, about people who wait, about the user.
extension ChatState {
    mutating func runOnSelf(_ command: SlashCommand) {
        let asked = ChatLink.Asked.command(command, self.current)
        guard command.name == .profile else {
            self.ask(RequestsMethod.self, asked) { $0.limit = ChatSurroundings.limit }
            return
        }
        let (what, text) = command.words
        switch what.lowercased() {
        case "": self.ask(ProfileMethod.self, asked) { _ in }
        case "name" where !text.isEmpty: self.ask(ProfileMethod.self, asked) { $0.name = text }
        case "status":
            self.ask(ProfileMethod.self, asked) { $0.status = text == "-" ? "" : text }
        default: self.usage(command)
        }
    }

    mutating func stands(profile: ProfileMethod.Result, in id: String) {
        self.own.name = profile.name.shown
        let status = profile.status.shown
        self.note(
            "you are \(ShownPerson(name: profile.name).quoted) \(profile.id.shortKey), "
                + (status.isEmpty ? "without a status" : "status: \(status)"), in: id)
    }

    mutating func listed(requests: RequestsMethod.Result, in id: String) {
        self.around.requests = requests.items
        guard !requests.items.isEmpty else {
            return self.note("nobody waits to be accepted", in: id)
        }
        var lines = requests.items.map { request in
            (request.groupName.map { "\(ShownPerson.safe($0)) from " } ?? "")
                + "\(request.shown.quoted) \(request.person.shortKey), "
                + "\(self.dateText(request.time.milliseconds)): "
                + (request.kind == .group
                    ? "an invitation to a group"
                    : TerminalText.line(String(request.text.prefix(120))))
        }
        if requests.next != nil { lines.append("more: stoa requests") }
        lines.append("/accept or /decline, and the name, the key or the group")
        self.note(lines.joined(separator: "\n"), in: id)
    }

    // MARK: A message

    mutating func askForInfo(_ command: SlashCommand) {
        guard let target = self.target(where: { _ in true }) else {
            return self.note("there is no message here", isFault: true)
        }
        self.ask(InfoMethod.self, .command(command, self.current)) { $0.id = target.id }
    }

    mutating func explained(_ info: InfoMethod.Result, in id: String) {
        var lines: [String] = []
        if let message = info.message {
            let beginning = TerminalText.line(String(message.text.prefix(60)))
            lines.append(
                "\(message.shownAuthor.quoted), \(self.dateText(message.time.milliseconds)): \(beginning)"
            )
            if let edited = message.edited {
                lines.append("edited \(self.dateText(edited.milliseconds))")
            }
        }
        if info.deleted { lines.append("its text was deleted, or is not here") }
        if let first = info.firstText {
            lines.append("first text: \(TerminalText.line(String(first.prefix(200))))")
        }
        let members = info.members ?? []
        for outcome in [InfoMethod.Outcome.read, .delivered, .held, .waiting, .away] {
            let people = members.filter { $0.outcome == outcome }
            guard !people.isEmpty else { continue }
            let more = people.count > 20 ? " and \(people.count - 20) more" : ""
            lines.append(
                "\(outcome.rawValue): "
                    + people.prefix(20).map(\.shown.quoted).joined(separator: ", ") + more)
        }
        if let waits = info.waits { lines.append(Self.text(of: waits)) }
        lines.append("id \(info.id.shown)")
        self.note(lines.joined(separator: "\n"), in: id)
    }

    /// What a message waits for.
    static func text(of waits: SendMethod.Waits) -> String {
        switch waits {
        case .away: "they are offline: it goes out when you are linked"
        case .indirect:
            "news of them comes through others only: it goes out when you are linked"
        case .unaccepted: "it goes out once they accept you"
        case .nobody: "nobody else is linked: it goes out when someone is"
        case .large: "the file is too large for the servers: others get it when they are linked"
        }
    }

    // MARK: All of it

    /// Shows all of a long message, or only its beginning again: of the chosen one, else of the newest.
    mutating func toggleFold() {
        guard let target = self.target(where: { _ in true }),
            let id = Self.longID(target, self.shown)
        else { return self.notice = "no message here is folded" }
        self.shown.scrollback.change(id) { $0.toggleFold() }
        self.shown.anchor = .init(id: id)
        guard let place = self.shown.scrollback.index(of: id),
            self.shown.scrollback.messages[place].isUnfolded
        else { return self.scroll(0) }
        // It is read from its beginning on.
        self.scroll(
            self.areas.messages
                - self.rows(place, columns: self.areas.columns, marks: self.shown.marks).count)
    }

    private static func longID(_ target: ChatMessage, _ shown: ChatConversation) -> String? {
        if target.isLong { return target.id }
        guard shown.aiming.selected == nil else { return nil }
        return shown.scrollback.messages.last { $0.isLong && !$0.isErased }?.id
    }

    /// Shows the messages of the screen as plain lines, which a terminal lets people copy whole.
    mutating func showAlone() {
        let lines = self.visible().filter { !$0.isErased }.map { message in
            let text = TerminalText.block(message.text, indent: "")
            return message.isSaid ? "\(message.person.text): \(text)" : text
        }
        guard !lines.isEmpty else { return self.notice = "there is nothing to copy here" }
        self.perform(.showAlone(lines))
    }
}
