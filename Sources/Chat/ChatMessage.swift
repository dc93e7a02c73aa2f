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
    /// Whether the user wants to see all of it, though it is long.
    var isUnfolded = false
    /// Who has come and gone, where it is the line that tells so.
    var comings: ChatComings?
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

    /// Nil where it has no id.
    init?(_ message: MessageResult) {
        guard !message.id.isEmpty else { return nil }
        self.id = message.id
        self.author = message.author
        self.person = message.shownAuthor
        self.text = message.text
        self.time = message.time.milliseconds
        self.cursor = message.cursor
        self.isLate = message.late
        self.isOfUser = message.own == true
        self.isMention = message.mention == true
        if message.edited != nil { self.flags.append("edited") }
        if self.isLate { self.flags.append("late") }
        if message.disputed == true { self.flags.append("disputed") }
        if message.outside == true { self.flags.append("outside") }
        if message.ignored == true { self.flags.append("no effect") }
        if let answered = message.replyTo, !answered.id.isEmpty {
            self.answers = Answered(id: answered.id, person: answered.shownAuthor)
        }
        self.signs = Self.signs(message)
        self.readKind(message)
    }

    private mutating func readKind(_ message: MessageResult) {
        switch message.kind {
        case .action: self.kind = .action
        case .join: (self.kind, self.text) = (.event, "has joined")
        case .leave: (self.kind, self.text) = (.event, "has left")
        case .topic:
            self.kind = .event
            self.text =
                self.text.isEmpty ? "removed the topic" : "has set the topic: \(self.text)"
        case .location:
            self.kind = .place
            let place = message.location?.uri ?? ""
            self.text += (self.text.isEmpty ? "" : " ") + place
        case .file:
            self.kind = .file
            let file = message.file ?? FileResult()
            let name = file.name.shown
            let mark = "[\(name), \(ByteCount.text(file.size))]"
            self.text = self.text.isEmpty ? mark : "\(mark) \(self.text)"
            self.fileName = name
        case .call: (self.kind, self.text) = (.event, "called: \(message.text)")
        case .unknown: self.flags.append("from a newer version")
        case .text: break
        }
    }

    /// The signs that people have given to a message; of very many the last says how many more there are.
    static func signs(_ message: MessageResult) -> [Sign] {
        var signs = (message.reactions ?? []).map { sign in
            let ids = sign.people
            let people = sign.names.enumerated().map { place, name in
                ShownPerson(name: name, id: place < ids.count ? ids[place] : "")
            }
            return Sign(
                sign: sign.sign.shown, count: sign.count, isOwn: sign.own == true,
                names: people.map(\.quoted).joined(separator: ", "))
        }
        let more = message.moreReactions ?? 0
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
        (changed.version, changed.isUnfolded) = (self.version, self.isUnfolded)
        guard changed != self else { return }
        changed.version = self.version + 1
        self = changed
    }

    // MARK: Long ones

    /// What is shown of a message that is longer than ``longBytes`` or ``longLines``.
    private static let foldedCharacters = 1_200
    private static let foldedLines = 15
    private static let longBytes = 2_500
    private static let longLines = 30

    /// Whether it is shown in part until the user wants all of it.
    var isLong: Bool {
        self.isSaid
            && (self.text.utf8.count > Self.longBytes
                || self.text.utf8.count { $0 == 0x0A } > Self.longLines)
    }

    /// Its beginning, and how many bytes are left out; nil where all of it is shown.
    var fold: (text: String, left: Int)? {
        guard self.isLong, !self.isUnfolded else { return nil }
        let beginning = self.text.prefix(Self.foldedCharacters)
        let lines = beginning.split(separator: "\n", omittingEmptySubsequences: false)
        let shown = lines.prefix(Self.foldedLines).joined(separator: "\n")
        return (shown, self.text.utf8.count - shown.utf8.count)
    }

    mutating func toggleFold() {
        self.isUnfolded.toggle()
        self.version += 1
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
