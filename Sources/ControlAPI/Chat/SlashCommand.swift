/// A command that is typed into a conversation: `/` and a word.
///
/// One reading for the screen and for the chat without one: what begins with `/` is a text only behind
/// another `/`, so that no command that is misspelt, or that a client cannot do, is said to others.
package struct SlashCommand: Equatable, Sendable {
    package enum Name: String, CaseIterable, Sendable {
        case msg, me, reply, edit, delete, react, file, fetch, open
        case join, leave, create, invite, topic, who, mute, unmute, archive, realm
        case remove, admin, demote
        case whois, verify, requests, accept, decline, block, unblock
        case search, goto, info
        case profile, away, back, status, help, quit
    }

    package let name: Name
    /// What follows the word.
    package let rest: String

    package init(name: Name, rest: String) {
        self.name = name
        self.rest = rest
    }

    /// What a typed text is.
    package enum Parsed: Equatable, Sendable {
        /// To be sent.
        case text(String)
        /// To be done.
        case command(SlashCommand)
        /// An invitation, which is for the user's own daemon and never for others.
        case invitation(String)
        /// No command, and why it is not sent.
        case unknown(why: String)
    }

    /// `/x` is a command, `//x` is the text `/x`; all else that begins with `/` is refused.
    package static func parse(_ text: String) -> Parsed {
        let bare = text.drop(while: \.isWhitespace)
        if let invitation = TypedInvitation(alone: bare) { return .invitation(invitation.text) }
        // By its scalars: a mark on the slash hides nothing of it.
        guard text.unicodeScalars.first == "/" else { return .text(text) }
        if text.hasPrefix("//") { return .text(String(text.dropFirst())) }
        let word = text.dropFirst().prefix { !$0.isWhitespace }
        let typed = word.lowercased()
        guard let name = Name(rawValue: typed == "members" ? "who" : typed) else {
            return .unknown(why: self.why(word))
        }
        var rest = text.dropFirst(word.count + 1).drop(while: \.isWhitespace)
        // Tab leaves a blank behind a name; in a text it is what was typed.
        if !name.takesText {
            while rest.last?.isWhitespace == true { rest.removeLast() }
        }
        if name == .join, let invitation = TypedInvitation(alone: rest) {
            return .invitation(invitation.text)
        }
        return .command(SlashCommand(name: name, rest: String(rest)))
    }

    private static func why(_ word: Substring) -> String {
        let shown = TerminalText.line(String(word.prefix(32)))
        guard !word.isEmpty else {
            return "there is no command; to send text that starts with a slash, write //"
        }
        let nearest = NearestName.find(word.lowercased(), among: Name.allCases.map(\.rawValue))
        return "there is no /\(shown): "
            + (nearest.map { "did you mean /\($0)? To send" } ?? "see /help; to send")
            + " it as text write //\(shown)"
    }

    /// What is typed to send a text, also one that begins with a slash.
    package static func typed(_ text: String) -> String { text.hasPrefix("/") ? "/" + text : text }

    /// What is typed to give it.
    package var line: String { "/\(self.name)" + (self.rest.isEmpty ? "" : " \(self.rest)") }

    /// Whether it is about the message that is chosen, or the last: given again it may mean another one.
    package var isOfMessage: Bool {
        switch self.name {
        case .reply, .edit, .delete, .react, .fetch, .info: true
        case .help, .quit, .msg, .join, .leave, .me, .who, .whois, .verify, .topic, .search, .goto,
            .file, .accept, .decline, .block, .unblock, .mute, .unmute, .archive, .away, .back,
            .status, .open, .create, .invite, .realm, .remove, .admin, .demote, .requests, .profile:
            false
        }
    }

    /// The first word of what follows, and the rest of it.
    package var words: (first: String, rest: String) {
        let first = self.rest.prefix { !$0.isWhitespace }
        return (
            String(first),
            String(self.rest.dropFirst(first.count).drop(while: \.isWhitespace))
        )
    }
}

extension SlashCommand.Name {
    /// Whether what follows is said to others as it is.
    fileprivate var takesText: Bool { [.me, .reply, .edit, .msg].contains(self) }

    /// What commands are about, as help shows them.
    package enum Group: String, CaseIterable, Sendable {
        case messages, rooms, groups, people, find, you

        /// The commands, in the order of help.
        package var names: [SlashCommand.Name] {
            SlashCommand.Name.allCases.filter { $0.group == self }
        }
    }

    private var group: Group {
        switch self {
        case .msg, .me, .reply, .edit, .delete, .react, .file, .fetch, .open: .messages
        case .join, .leave, .create, .invite, .topic, .who, .mute, .unmute, .archive, .realm: .rooms
        case .remove, .admin, .demote: .groups
        case .whois, .verify, .requests, .accept, .decline, .block, .unblock: .people
        case .search, .goto, .info: .find
        case .profile, .away, .back, .status, .help, .quit: .you
        }
    }

    /// What is typed behind it.
    package var operands: String {
        switch self {
        case .quit, .who, .away, .back, .status, .mute, .unmute, .archive, .delete, .requests,
            .info:
            ""
        case .help: "[WORD]"
        case .create: "ROOM|+GROUP [joined]"
        case .invite: "[ROOM|@PERSON]"
        case .profile: "[name|status TEXT]"
        case .realm: "[new|join|invite|leave NAME]"
        case .open: "[NUMBER]"
        case .msg: "@PERSON [TEXT]"
        case .join: "[ROOM]"
        case .leave: "[ROOM]"
        case .me, .reply: "TEXT"
        case .accept, .decline: "@PERSON|+GROUP"
        case .whois, .verify, .block, .unblock, .remove, .admin, .demote: "@PERSON"
        case .edit: "[TEXT]"
        case .react: "EMOJI"
        case .topic: "[TEXT|-]"
        case .search: "WORDS"
        case .goto: "NUMBER|DATE"
        case .file: "PATH"
        case .fetch: "[NAME]"
        }
    }

    /// What it does.
    package var summary: String {
        switch self {
        case .help: "list the commands; with a word, what it is about; with keys, the keys"
        case .requests: "list who wants to write to you or invites you to a group"
        case .info: "show what is known about the chosen message, or the last one"
        case .create: "create a secret room, and show its invitation; or, with +, a group"
        case .invite: "show the invitation to this secret room; in a group, invite a person"
        case .remove: "remove a person from this group"
        case .admin: "make a person an admin of this group"
        case .demote: "end that a person is an admin of this group"
        case .profile: "show or change your name and status"
        case .realm: "list realms, or create, join or leave one, or show its invitation"
        case .open: "list the links here; with a number, open one in your browser"
        case .quit: "end (or Ctrl-D); the daemon keeps running"
        case .msg: "write to one person"
        case .join: "join a room, or create it; without ROOM asks for an invitation"
        case .leave: "leave this room; its messages stay here"
        case .me: "say what you do"
        case .who: "list who is in this room, and who is online; of a group, their roles"
        case .whois: "show a person's key, status and how far you trust them"
        case .verify: "show the code to compare with a person; with the code, verify them"
        case .reply: "reply to the chosen message, or the last one"
        case .edit: "edit your chosen message, or your last one"
        case .delete: "delete your chosen message, or your last one"
        case .react: "react to the chosen message, or the last one; again removes it"
        case .topic: "show or set the topic of this room; - removes it"
        case .search: "search messages by their words"
        case .goto: "show a search hit by its number, or the messages since a date"
        case .file: "send a file"
        case .fetch: "save a file from this room, by name, in the current folder"
        case .accept: "accept someone who wants to write to you, or come into a group"
        case .decline: "decline someone who wants to write to you, or a group"
        case .block: "block a person: hide what they write"
        case .unblock: "unblock a person: show what they write again"
        case .mute: "mute: neither count nor ring here"
        case .unmute: "unmute: count and ring again"
        case .archive: "archive this conversation, until: stoa unarchive"
        case .away: "show you as away until /back; otherwise you are after ten minutes"
        case .back: "show you as online"
        case .status: "show the daemon's state"
        }
    }
}
