import ControlAPI

/// Shows messages as lines for people, and remembers some of them for what answers them.
final class MessageLine {
    private let console: Console
    let showsConversation: Bool
    private let showsID: Bool
    /// How the latest messages begin, by id.
    private var beginnings: [String: String] = [:]
    private var order: [String] = []
    private static let remembered = 1_000
    private static let beginningCharacters = 40
    /// What stands before a text, in cells: the time and the sign of a line.
    private static let indent = 22

    init(console: Console, showsConversation: Bool, showsID: Bool = false) {
        self.console = console
        self.showsConversation = showsConversation
        self.showsID = showsID
    }

    /// The lines of one message, with their newline.
    func text(_ message: MessageResult) -> String {
        let time = LocalTime.text(message.time)
        let author = message.shownAuthor
        let label = author.text
        var line = self.console.styled(time, .faint) + " "
        if self.showsID {
            line += self.console.styled(String(message.id.shown.prefix(12)), .faint) + " "
        }
        if self.showsConversation {
            line += self.console.styled(message.conversationName.shownConversation, .cyan) + " "
        }
        let text = TerminalText.block(
            message.text,
            indent: String(repeating: " ", count: Self.indent))
        switch message.kind {
        case .join: line += "* \(author.quoted) joined"
        case .leave: line += "* \(author.quoted) left"
        case .topic:
            line +=
                "* \(author.quoted) "
                + (text.isEmpty ? "removed the topic" : "set the topic: \(text)")
        case .unknown:
            line += self.console.styled(label + ":", .bold) + " " + text
            line += self.console.styled(" (from a newer version)", .faint)
        case .action: line += "* " + self.console.styled(author.quoted, .bold) + " " + text
        case .location:
            let place = message.location?.uri ?? ""
            line += self.console.styled(label + ":", .bold) + " "
            line += (text.isEmpty ? "" : text + " ") + TerminalText.line(place)
        case .call: line += "* " + self.console.styled(author.quoted, .bold) + ": " + text
        case .file:
            line += self.console.styled(label + ":", .bold) + " " + Self.file(of: message)
            if !text.isEmpty { line += " " + text }
        case .text:
            line += self.console.styled(label + ":", .bold) + " " + self.answered(message) + text
        }
        self.remember(message)
        if message.edited != nil { line += self.console.styled(" (edited)", .faint) }
        line += self.signs(of: message)
        if message.late { line += self.console.styled(" (late)", .faint) }
        if message.disputed == true {
            line += self.console.styled(" (disputed)", .yellow)
        }
        if message.outside == true { line += self.console.styled(" (outside)", .yellow) }
        if message.ignored == true {
            line += self.console.styled(" (no effect: not by an admin)", .yellow)
        }
        return self.wrapped(line + "\n")
    }

    /// No text goes on at the left edge, where it would look like a line of its own.
    private func wrapped(_ line: String) -> String {
        LineWrap.text(line, columns: self.console.tableColumns, indent: Self.indent)
    }

    /// What a file is called, how large it is, and how it is got.
    private static func file(of message: MessageResult) -> String {
        let file = message.file ?? FileResult()
        let size = ByteCount.text(file.size)
        return "[\(file.name.shown), \(size): stoa fetch \(message.id.shown.prefix(12))]"
    }

    /// What people make of a message, behind it; empty where nobody has said.
    private func signs(of message: MessageResult) -> String {
        var signs = (message.reactions ?? []).map { sign in
            sign.sign.shown + (sign.count > 1 ? " \(sign.count)" : "")
        }
        let more = message.moreReactions ?? 0
        if more > 0 { signs.append("\(more) more") }
        return signs.isEmpty
            ? "" : self.console.styled(" [\(signs.joined(separator: ", "))]", .faint)
    }

    /// What a message answers, and a space; empty where it answers none.
    private func answered(_ message: MessageResult) -> String {
        guard let answered = message.replyTo, !answered.id.isEmpty else { return "" }
        let author = answered.shownAuthor.quoted
        let said =
            self.beginnings[answered.id].map { " \"\($0)\"" } ?? " (\(answered.id.prefix(12)))"
        return self.console.styled("to \(author)\(said):", .faint) + " "
    }

    private func remember(_ message: MessageResult) {
        guard !message.text.isEmpty, self.beginnings[message.id] == nil else { return }
        self.remember(message.text, as: message.id)
    }

    private func remember(_ text: String, as id: String) {
        let line = TerminalText.line(text)
        let beginning = line.prefix(Self.beginningCharacters)
        let isNew = self.beginnings[id] == nil
        self.beginnings[id] = beginning.count < line.count ? beginning + "…" : String(beginning)
        guard isNew else { return }
        self.order.append(id)
        if self.order.count > 2 * Self.remembered {
            for old in self.order.prefix(Self.remembered) { self.beginnings[old] = nil }
            self.order.removeFirst(Self.remembered)
        }
    }

    /// How a message is named in the line of a change: by its beginning where that was shown.
    private func named(_ change: ChangeResult) -> String {
        let id = change.message ?? ""
        return self.beginnings[id].map { "\"\($0)\"" } ?? "\(TerminalText.line(id).prefix(12))"
    }

    /// What somebody's profile says now.
    private static func profile(_ change: ChangeResult) -> String {
        let status = change.status.shown
        return "\(change.shownPeer.quoted) changed their profile"
            + (status.isEmpty ? "" : "; status: \(status)")
    }

    /// Who came into a group, is out of it, or has another role there.
    private static func group(_ change: ChangeResult) -> String {
        let name = (change.name ?? "").shownConversation
        let peer = change.shownPeer.quoted
        let by = change.byName.map { " by \(ShownPerson(name: $0).quoted)" } ?? ""
        return switch change.knownEvent {
        case .invited: "\(peer) invites you to \(name)"
        case .memberAdded where change.by == change.peer: "\(peer) came into \(name)"
        case .memberAdded: "\(peer) was added to \(name)\(by)"
        case .memberLeft: "\(peer) left \(name)"
        case .memberRemoved: "\(peer) was removed from \(name)\(by)"
        case .adminAdded: "\(peer) is an admin of \(name) now"
        default: "\(peer) is not an admin of \(name) now"
        }
    }

    /// The line of a change that is no message, with its newline.
    func text(ofChange change: ChangeResult) -> String {
        let name = (change.name ?? "").shownConversation
        let code = change.code.shown
        let peer = change.shownPeer.quoted
        let place = self.showsConversation ? " in \(name)" : ""
        let what =
            switch change.knownEvent {
            case .joined: "you joined \(name)"
            case .left where name.hasPrefix("@"): "you forgot \(name)"
            case .left: "you left \(name)"
            case .arranged:
                name + (change.muted == true ? " is muted" : " is not muted")
                    + (change.archived == true ? " and archived" : "")
            case .realmJoined: "you are in the realm \(name)"
            case .realmLeft: "you are not in the realm \(name) now"
            case .realmRenewed: "the realm \(name) has a new secret"
            case .raised: self.console.styled("\(code): \(change.text.shown)", .yellow)
            case .cleared: "\(code) is over"
            case .requested:
                "\(ShownPerson(name: change.name.shown).quoted) \((change.peer ?? "").shortKey) wants to write to you: "
                    + change.text.shown
            case .deleted: "\(peer) deleted \(self.named(change))\(place)"
            case .edited:
                "\(peer) edited \(self.named(change))\(place): "
                    + TerminalText.block(
                        change.text ?? "",
                        indent: String(repeating: " ", count: Self.indent))
            case .reacted:
                "\(peer) reacted \(change.text.shown) to \(self.named(change))\(place)"
            case .removed:
                "\(peer) removed \(change.text.shown) from \(self.named(change))\(place)"
            case .delivered: "\(peer) has \(self.named(change))\(place)"
            case .read: "\(peer) has read \(self.named(change))\(place)"
            case .seen: "you have read \(name); \(change.unread ?? 0) unread"
            case .accepted: "you accepted \(change.peer == nil ? name : peer)"
            case .declined: "you declined \(change.peer == nil ? name : peer)"
            case .invited, .memberAdded, .memberLeft, .memberRemoved, .adminAdded, .adminRemoved:
                Self.group(change)
            case .added: "\(peer) is one of your contacts"
            case .verified: "you verified \(peer)"
            case .blocked: "you blocked \(peer)"
            case .unlisted: "\(peer) is not one of your contacts now"
            case .profile: Self.profile(change)
            case .changed:
                "the setting \(change.name.shown) is \(change.value.shown) now"
            case .linked: "\(peer) is linked"
            case .unlinked where change.reason == .left: "\(peer) left"
            case .unlinked where change.reason == .interrupted:
                "the link to \(peer) was interrupted"
            case .unlinked: "\(peer) is not linked now"
            case nil: "something that this version does not know"
            }
        if let id = change.message {
            // What was taken back is not said again.
            if change.knownEvent == .deleted { self.beginnings[id] = nil }
            if change.knownEvent == .edited {
                self.remember(change.text ?? "", as: id)
            }
        }
        return self.wrapped(
            self.console.styled(LocalTime.text(change.time), .faint) + " ! \(what)\n")
    }
}
