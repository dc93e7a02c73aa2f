import ControlAPI

/// Shows messages as lines for people.
struct MessageLine {
    private let console: Console
    private let showsConversation: Bool
    private let showsID: Bool

    init(console: Console, showsConversation: Bool, showsID: Bool = false) {
        self.console = console
        self.showsConversation = showsConversation
        self.showsID = showsID
    }

    /// The lines of one message, with their newline.
    func text(_ message: JSON) -> String {
        let time = LocalTime.text(message["time"])
        let label = message.shownPerson("authorName", key: "author")
        var line = self.console.styled(time, .faint) + " "
        if self.showsID {
            line += self.console.styled(String(message.shown("id").prefix(12)), .faint) + " "
        }
        if self.showsConversation {
            line += self.console.styled(message.shown("conversationName"), .cyan) + " "
        }
        let text = TerminalText.block(
            message["text"]?.stringValue ?? "",
            indent: String(repeating: " ", count: time.utf8.count + 3))
        switch message["kind"]?.stringValue.flatMap({ MessageResult.Kind(rawValue: $0) }) {
        case .join: line += "* \(label) joined"
        case .leave: line += "* \(label) left"
        case .unknown:
            line += self.console.styled(label + ":", .bold) + " " + text
            line += self.console.styled(" (made by a newer version)", .faint)
        case .text, nil: line += self.console.styled(label + ":", .bold) + " " + text
        }
        if message["late"] == .bool(true) { line += self.console.styled(" (late)", .faint) }
        if message["disputed"] == .bool(true) {
            line += self.console.styled(" (disputed)", .yellow)
        }
        return line + "\n"
    }

    /// The line of a change that is no message, with its newline.
    func text(ofChange change: JSON) -> String {
        let name = change.shown("name")
        let code = change.shown("code")
        let what =
            switch change["event"]?.stringValue.flatMap({ ChangeResult.Event(rawValue: $0) }) {
            case .joined: "you have joined \(name)"
            case .left: "you have left \(name)"
            case .realmJoined: "you are in the realm \(name)"
            case .realmLeft: "you are in the realm \(name) no longer"
            case .realmRenewed: "the realm \(name) has a new secret"
            case .raised: self.console.styled("\(code): \(change.shown("text"))", .yellow)
            case .cleared: "\(code) is over"
            case .requested:
                "\(name) \(change.shortKey("peer")) has written and waits to be accepted: "
                    + change.shown("text")
            case .erased:
                "a message in \(name) was taken back: \(change.shown("message").prefix(12))"
            case nil: "something that this version does not know"
            }
        return self.console.styled(LocalTime.text(change["time"]), .faint) + " ! \(what)\n"
    }
}
