import ControlAPI

/// A message or another change, as a command is run for it.
struct HookEvent {
    /// What the command gets on its standard input.
    let json: JSON
    let cursor: Int64
    let text: String
    /// The message that it is, or is about; else what has changed.
    let id: String
    /// Whether it is said to the user alone.
    let isDirect: Bool
    /// Whether it is an alert that stands.
    let isAlert: Bool
    /// What the command finds in its environment; no value has U+0000.
    private let fields: [(String, String?)]

    init(_ message: Received<MessageResult>) {
        self.json = message.json
        self.cursor = message.cursor
        self.text = message.text
        self.id = message.id
        self.isDirect = message.conversationName.hasPrefix("@")
        self.isAlert = false
        // With the beginning of the key where the name could be taken for another's.
        let key = message.ambiguous == true ? message.author.shortKey : ""
        self.fields = [
            ("STOA_ID", message.id), ("STOA_CONVERSATION", message.conversationName),
            ("STOA_CONVERSATION_ID", message.conversation),
            ("STOA_AUTHOR", message.authorName + key), ("STOA_AUTHOR_ID", message.author),
            ("STOA_KIND", message.kindWord), ("STOA_TEXT", message.text),
            ("STOA_TIME", message.time.text), ("STOA_CODE", nil),
            ("STOA_VERIFIED", message.verified == true ? "1" : ""),
        ]
    }

    init(_ change: Received<ChangeResult>) {
        self.json = change.json
        self.cursor = change.cursor
        self.text = change.text ?? ""
        self.id = change.message ?? change.id ?? ""
        self.isDirect = false
        self.isAlert = change.knownEvent == .raised
        self.fields = [
            ("STOA_ID", change.message), ("STOA_CONVERSATION", change.name),
            ("STOA_CONVERSATION_ID", change.id), ("STOA_AUTHOR", change.peerName),
            ("STOA_AUTHOR_ID", change.peer), ("STOA_KIND", change.kind.rawValue),
            ("STOA_TEXT", change.text), ("STOA_TIME", change.time.text),
            ("STOA_CODE", change.code), ("STOA_VERIFIED", nil),
        ]
    }

    /// What a command finds in its environment, for an event that people call so.
    func variables(event: String) -> [String: String] {
        var variables = ["STOA_EVENT": event, "STOA_CURSOR": "\(self.cursor)"]
        for (name, value) in self.fields {
            variables[name] = String(
                (value ?? "").unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : Character($0) })
        }
        return variables
    }
}
