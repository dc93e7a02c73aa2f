import ControlAPI

/// A message as the client knows it, or a line of the client's own between messages.
struct ChatMessage: Equatable, Sendable {
    /// What people have made of a message.
    struct Sign: Equatable, Sendable {
        var sign: String
        var count: Int64
        var isOwn: Bool
        var names: String
    }

    /// The message that another one answers.
    struct Answered: Equatable, Sendable {
        var id: String
        var person: ShownPerson
    }

    enum Kind: Equatable, Sendable {
        case text, action, event, file, place
        /// Not from anybody: what a command said, or a fault.
        case note(isFault: Bool)
    }

    var id = ""
    var author = ""
    /// How the author is shown.
    var person = ShownPerson(name: "")
    var kind = Kind.text
    /// As it was written; for an event or a note what is shown.
    var text = ""
    /// The name of the file that it is; nil where it is none.
    var fileName: String?
    /// In milliseconds since 1970.
    var time: Int64 = 0
    var cursor: Int64 = 0
    var isLate = false
    /// Whether the user wrote it, with this device or another one.
    var isOfUser = false
    var isMention = false
    var flags: [String] = []
    var isErased = false
    var answers: Answered?
    var signs: [Sign] = []
    /// Rises with each change, so that what was laid out before is not taken for it.
    var version = 0

    /// The bytes that it holds, about.
    var bytes: Int { self.text.utf8.count + 256 }
    /// Whether it is shown as read and unread: what somebody said.
    var isSaid: Bool {
        switch self.kind {
        case .text, .action, .file, .place: true
        case .event, .note: false
        }
    }
    /// How the author is called before a colon.
    var name: String { self.person.text }
    var isNote: Bool { if case .note = self.kind { true } else { false } }

    /// A line of the client's own.
    init(note: String, isFault: Bool, id: String, time: Int64) {
        self.id = id
        self.kind = .note(isFault: isFault)
        self.text = note
        self.time = time
    }

    /// Reads one as the daemon wrote it; nil where it has no id.
    init?(_ json: JSON) {
        guard let id = json["id"]?.stringValue else { return nil }
        self.id = id
        self.author = json["author"]?.stringValue ?? ""
        self.person = json.person("authorName", key: "author")
        self.text = json["text"]?.stringValue ?? ""
        self.time = json["time"]?.stringValue.flatMap { Timestamp($0) }?.milliseconds ?? 0
        self.cursor = json.count("cursor")
        self.isLate = json["late"] == .bool(true)
        self.isOfUser = json["own"] == .bool(true)
        self.isMention = json["mention"] == .bool(true)
        if json["edited"] != nil { self.flags.append("edited") }
        if self.isLate { self.flags.append("late") }
        if json["disputed"] == .bool(true) { self.flags.append("disputed") }
        if let answered = json["replyTo"], let id = answered["id"]?.stringValue {
            self.answers = Answered(
                id: id, person: answered.person("authorName", key: "author"))
        }
        self.signs = Self.signs(json)
        self.readKind(json)
    }

    private mutating func readKind(_ json: JSON) {
        switch json["kind"]?.stringValue.flatMap({ MessageResult.Kind(rawValue: $0) }) {
        case .action: self.kind = .action
        case .join: (self.kind, self.text) = (.event, "has joined")
        case .leave: (self.kind, self.text) = (.event, "has left")
        case .topic:
            self.kind = .event
            self.text =
                self.text.isEmpty ? "removed the topic" : "has set the topic: \(self.text)"
        case .location:
            self.kind = .place
            let place = json["location"]?["uri"]?.stringValue ?? ""
            self.text += (self.text.isEmpty ? "" : " ") + place
        case .file:
            self.kind = .file
            let file = json["file"] ?? .null
            let name = file.shown("name")
            let mark = "[\(name), \(ByteCount.text(file.count("size")))]"
            self.text = self.text.isEmpty ? mark : "\(mark) \(self.text)"
            self.fileName = name
        case .unknown: self.flags.append("from a newer version")
        case .text, nil: break
        }
    }

    /// The signs that people have given to a message; of very many the last says how many more there are.
    static func signs(_ json: JSON) -> [Sign] {
        var signs = json.list("reactions").map { sign in
            let ids = sign.list("people")
            let people = sign.list("names").enumerated().map { place, name in
                ShownPerson(
                    name: name.stringValue ?? "",
                    id: place < ids.count ? ids[place].stringValue ?? "" : "")
            }
            return Sign(
                sign: sign.shown("sign"), count: sign.count("count"),
                isOwn: sign["own"] == .bool(true),
                names: people.map(\.quoted).joined(separator: ", "))
        }
        let more = json.count("moreReactions")
        if more > 0 { signs.append(Sign(sign: "+\(more)", count: 1, isOwn: false, names: "more")) }
        return signs
    }

    /// Its beginning, in one line, for what answers it.
    var beginning: String {
        let line = TerminalText.line(String(self.text.prefix(80)))
        return self.text.count > 80 ? line + "…" : line
    }

    /// Takes over what another state of the same message says.
    mutating func update(_ newer: ChatMessage) {
        var changed = newer
        changed.version = self.version
        guard changed != self else { return }
        changed.version = self.version + 1
        self = changed
    }

    mutating func edit(_ text: String) {
        self.text = text
        if !self.flags.contains("edited") { self.flags.append("edited") }
        self.version += 1
    }

    mutating func erase() {
        (self.text, self.signs, self.isErased) = ("", [], true)
        self.version += 1
    }
}
