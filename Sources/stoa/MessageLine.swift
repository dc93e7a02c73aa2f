import ControlAPI

/// Shows messages as lines for people.
struct MessageLine {
    private let console: Console
    private let showsConversation: Bool
    /// Which authors were seen under each name; two of one name are told apart by their keys.
    private var authors: [String: Set<String>] = [:]
    /// Names noted at most, so that a long run does not grow without bound.
    private static let namesNoted = 4_096

    init(console: Console, showsConversation: Bool) {
        self.console = console
        self.showsConversation = showsConversation
    }

    /// Notes who bears which name, before any of these messages is shown.
    mutating func note(_ messages: [JSON]) {
        for message in messages {
            let name = message["authorName"]?.stringValue ?? ""
            guard self.authors[name] != nil || self.authors.count < Self.namesNoted else {
                continue
            }
            self.authors[name, default: []].insert(message["author"]?.stringValue ?? "")
        }
    }

    /// The lines of one message, with their newline.
    mutating func text(_ message: JSON) -> String {
        self.note([message])
        let time = LocalTime.text(message["time"])
        let name = message["authorName"]?.stringValue ?? ""
        var label = TerminalText.line(name)
        if label.isEmpty || self.authors[name]?.count ?? 0 > 1 {
            label += message.shortKey("author")
        }
        var line = self.console.styled(time, .faint) + " "
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
            case nil: "something that this version does not know"
            }
        return self.console.styled(LocalTime.text(change["time"]), .faint) + " ! \(what)\n"
    }
}
