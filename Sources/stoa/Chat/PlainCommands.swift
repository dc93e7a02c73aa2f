import ControlAPI

/// What the chat without a screen says of commands that only the screen can do.
enum PlainCommands {
    static let help =
        "here: /me TEXT says what you do, /quit ends, //x sends /x; for everything else see stoa --help"

    /// That a command cannot be done here, and what does it.
    static func instead(of name: SlashCommand.Name, in to: String) -> String {
        let place = TerminalText.word(to)
        let command: String? =
            switch name {
            case .me, .help, .quit, .open: nil
            case .requests: "requests"
            case .info: "info ID"
            case .create: "create ROOM --secret"
            case .invite: "invite \(place)"
            case .profile: "profile"
            case .realm: "realm list"
            case .join: "join"
            case .leave: "leave \(place)"
            case .msg: "send @PERSON TEXT"
            case .who: "members \(place)"
            case .remove, .admin, .demote: "group \(name) \(place) @PERSON"
            case .whois, .verify, .accept, .decline, .block, .unblock: "\(name) @PERSON"
            case .reply: "send \(place) --reply ID TEXT"
            case .edit: "edit ID TEXT"
            case .delete: "delete ID"
            case .react: "react ID EMOJI"
            case .topic: "topic \(place) TEXT"
            case .search: "search WORDS"
            case .goto: "history \(place) --since DATE"
            case .file: "send \(place) --file PATH"
            case .fetch: "fetch ID"
            case .mute, .unmute, .archive: "\(name) \(place)"
            case .away: "presence away"
            case .back: "presence online"
            case .status: "status"
            }
        if name == .open { return "/open does not work here: open the link from your terminal" }
        guard let command else { return "usage: /\(name) \(name.operands)" }
        return "/\(name) does not work here: stoa \(command)"
    }
}
