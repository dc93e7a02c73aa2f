/// A command that is typed into a conversation: `/` and a word.
///
/// One reading for the screen and for the chat without one: what begins with `/` is a text only behind
/// another `/`, so that no command that is misspelt, or that a client cannot do, is said to others.
package struct SlashCommand: Equatable, Sendable {
    package enum Name: String, CaseIterable, Sendable {
        case help, quit, msg, join, leave, me, who, whois, verify, reply, edit, delete, react, topic
        case search, goto, file, fetch, accept, decline, block, unblock, mute, unmute, archive
        case away, back, status
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
        guard let name = Name(rawValue: word.lowercased()) else {
            return .unknown(why: self.why(word))
        }
        let rest = text.dropFirst(word.count + 1).drop(while: \.isWhitespace)
        if name == .join, let invitation = TypedInvitation(alone: rest) {
            return .invitation(invitation.text)
        }
        return .command(SlashCommand(name: name, rest: String(rest)))
    }

    private static func why(_ word: Substring) -> String {
        let shown = TerminalText.line(String(word.prefix(32)))
        guard !word.isEmpty else { return "there is no command; to send a slash write //" }
        let nearest = NearestName.find(word.lowercased(), among: Name.allCases.map(\.rawValue))
        return "there is no /\(shown): " + (nearest.map { "did you mean /\($0)?" } ?? "see /help;")
            + " To send it write //\(shown)"
    }

    /// What is typed to send a text, also one that begins with a slash.
    package static func typed(_ text: String) -> String { text.hasPrefix("/") ? "/" + text : text }

    /// What is typed to give it.
    package var line: String { "/\(self.name)" + (self.rest.isEmpty ? "" : " \(self.rest)") }

    /// Whether it is about the message that is chosen, or the last: given again it may mean another one.
    package var isOfMessage: Bool {
        switch self.name {
        case .reply, .edit, .delete, .react, .fetch: true
        case .help, .quit, .msg, .join, .leave, .me, .who, .whois, .verify, .topic, .search, .goto,
            .file, .accept, .decline, .block, .unblock, .mute, .unmute, .archive, .away, .back,
            .status:
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
    /// What is typed behind it.
    package var operands: String {
        switch self {
        case .help, .quit, .who, .away, .back, .status, .mute, .unmute, .archive, .delete: ""
        case .msg: "@PERSON [TEXT]"
        case .join: "[ROOM]"
        case .leave: "[ROOM]"
        case .me, .reply: "TEXT"
        case .whois, .verify, .accept, .decline, .block, .unblock: "@PERSON"
        case .edit: "[TEXT]"
        case .react: "EMOJI"
        case .topic: "[TEXT]"
        case .search: "WORDS"
        case .goto: "NUMBER|DATE"
        case .file: "PATH"
        case .fetch: "[NAME]"
        }
    }

    /// What it does.
    package var summary: String {
        switch self {
        case .help: "this list, and the keys"
        case .quit: "end (or Ctrl-D); the daemon runs on"
        case .msg: "talk to somebody alone"
        case .join: "enter a room, or make it; without ROOM asks for an invitation"
        case .leave: "leave this room; what was said stays here"
        case .me: "say what you do"
        case .who: "who is in this room, and who is here"
        case .whois: "somebody's key, status and how far you trust them"
        case .verify: "the code to compare with somebody; with the code, verify them"
        case .reply: "answer the message that is chosen, or the last"
        case .edit: "change your message that is chosen, or your last"
        case .delete: "take back your message that is chosen, or your last"
        case .react: "give an emoji to the message that is chosen, or the last; again takes it back"
        case .topic: "say what this room is about"
        case .search: "find messages here by their words"
        case .goto: "show what was found, by its number, or what was said from a date on"
        case .file: "send a file"
        case .fetch: "save a file that was sent, here by name, into the folder you are in"
        case .accept: "let somebody in who has written to you"
        case .decline: "turn away somebody who has written to you"
        case .block: "hear nothing more of somebody"
        case .unblock: "hear somebody again"
        case .mute: "count nothing here, and do not ring"
        case .unmute: "count and ring again"
        case .archive: "put this conversation away, until: stoa unarchive"
        case .away: "say that you are away, until /back; without it you are after ten minutes"
        case .back: "say that you are there"
        case .status: "the daemon's state"
        }
    }
}
