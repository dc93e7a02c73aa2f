import ControlAPI

/// What a command that is being typed is about.
struct ChatAim: Equatable, Sendable {
    var command: SlashCommand.Name
    /// The message, as it was when it was taken.
    var message: ChatMessage
    /// Whether the user has chosen it.
    var isChosen: Bool
}

/// Which message `/reply` and the like are about.
///
/// It is named above the line before Enter, and stays the same whatever comes in meanwhile.
extension ChatState {
    /// The command about one message that stands in the line; nil where none does.
    private var aimedCommand: SlashCommand.Name? {
        guard self.shown.input.characters.first == "/",
            case .command(let command) = SlashCommand.parse(self.shown.input.text),
            [.reply, .react, .edit, .delete].contains(command.name)
        else { return nil }
        return command.name
    }

    /// Takes aim once such a command is typed: at the message that is chosen, else at the newest that fits.
    mutating func takeAim() {
        guard let name = self.aimedCommand else { return self.shown.aiming.aim = nil }
        let isChosen = self.shown.aiming.selected != nil
        if let aim = self.shown.aiming.aim, aim.command == name, !isChosen, !aim.isChosen { return }
        let own = self.own.id
        let found = self.target {
            switch name {
            case .reply: isChosen || $0.author != own
            case .edit: $0.author == own && ($0.kind == .text || $0.kind == .action)
            case .delete: $0.author == own
            default: true
            }
        }
        self.shown.aiming.aim = found.map {
            ChatAim(command: name, message: $0, isChosen: isChosen)
        }
    }

    /// The message that a command is about, as it is now.
    func aimed(_ name: SlashCommand.Name) -> ChatMessage? {
        guard let aim = self.shown.aiming.aim, aim.command == name else { return nil }
        return self.shown.scrollback[aim.message.id] ?? aim.message
    }

    /// What is answered or changed, in at most so many cells; nil where nothing is.
    func aimText(columns: Int) -> String? {
        if let id = self.shown.aiming.editing {
            return self.aimText("edit", self.shown.scrollback[id], columns) + "; Esc cancels"
        }
        if let name = self.aimedCommand {
            guard let message = self.aimed(name) else { return "there is no message for /\(name)" }
            let what: String =
                switch name {
                case .react: "react to"
                case .edit: "edit"
                case .delete: "delete"
                default: "reply to"
                }
            return self.aimText(what, message, columns)
        }
        return self.shown.aiming.replying.map {
            self.aimText("reply to", self.shown.scrollback[$0], columns)
        }
    }

    private func aimText(_ what: String, _ message: ChatMessage?, _ columns: Int) -> String {
        guard let message else { return "\(what) a message that is not loaded" }
        let isOwn = message.author == self.own.id
        let name =
            isOwn ? "your" : message.person.fitted(max(ShownPerson.leastColumns, columns / 2))
        let said = message.isErased ? "deleted" : "\"\(message.beginning)\""
        return "\(what) \(name)\(isOwn ? "" : ":") \(said)"
    }
}
