import ControlAPI

/// Whom and what there is to talk to: shown where the user has no conversation yet, and offered by Tab.
struct ChatSurroundings: Equatable, Sendable {
    /// How many are asked for of each: the first page, which has whom the user knows.
    static let limit: Int64 = 100
    /// How long changes are gathered before they are looked at, in milliseconds.
    private static let gatherMilliseconds: Int64 = 1_000
    /// How often it is looked at while the user looks at it: of strangers who link no event tells.
    static let lookMilliseconds: Int64 = 2_000
    /// How old an answer may be when a name is completed, in milliseconds.
    static let freshMilliseconds: Int64 = 2_000

    /// Open rooms, those first that the user is in.
    var rooms: [RoomsMethod.Room] = []
    /// The people at the other ends of links, and others that are known.
    var people: [PeersMethod.Peer] = []
    /// Those who want to write to the user.
    var requests: [RequestsMethod.Request] = []
    /// When they are to be asked for where the user sees them; nil where nothing has changed.
    var due: Int64? = 0
    var askedAt: Int64?

    /// Something has changed; what others cause is asked for once a second at most.
    mutating func change(at now: Int64) {
        self.due = self.due ?? now + Self.gatherMilliseconds
    }
}

extension ChatState {
    /// Whether the screen says what there is to talk to, as the user has no conversation.
    var isWelcoming: Bool {
        self.link.hasList && self.listed.isEmpty
    }

    /// Asks what there is to talk to, once the screen shows it.
    mutating func lookAround() {
        guard self.link.isConnected, self.isWelcoming, let due = self.around.due, due <= self.now
        else { return }
        self.askAround()
        // Nobody at the keys, nothing to look for; the next key looks again.
        if self.isReading {
            self.around.due = self.now + ChatSurroundings.lookMilliseconds
        }
    }

    /// Whether what is typed is to be a room or a person from around here.
    var completesSurroundings: Bool {
        guard self.shown.input.characters.first == "/" else { return false }
        let text = self.shown.input.text
        return ["/join ", "/accept ", "/decline "].contains(where: text.hasPrefix)
    }

    /// Asks for it anew before a name is completed, where it may be old.
    mutating func lookAroundForTab() {
        guard let asked = self.around.askedAt,
            self.now - asked < ChatSurroundings.freshMilliseconds
        else { return self.askAround() }
    }

    private mutating func askAround() {
        let running = self.link.asked.values
        guard self.link.isConnected, !running.contains(.rooms), !running.contains(.people),
            !running.contains(.requests)
        else { return }
        (self.around.due, self.around.askedAt) = (nil, self.now)
        self.ask(RoomsMethod.self, .rooms) { $0.limit = ChatSurroundings.limit }
        self.ask(PeersMethod.self, .people) { $0.limit = ChatSurroundings.limit }
        guard !self.link.isGuest else { return }
        self.ask(RequestsMethod.self, .requests) { $0.limit = ChatSurroundings.limit }
    }

    /// How many of a kind are shown.
    private static let named = 8

    private static func list(_ names: [String], none: String) -> String {
        guard !names.isEmpty else { return none }
        let more = names.count - Self.named
        return names.prefix(Self.named).joined(separator: ", ")
            + (more > 0 ? " and \(more) more" : "")
    }

    /// The first screen: who the user is, who and what is around, and three things to try.
    func welcomeRows(columns: Int) -> [ScreenRow] {
        let rooms = self.around.rooms.filter { !$0.joined && $0.reachable }
        let people = self.around.people.filter { $0.state == .linked }
        let requests = self.around.requests
        func line(_ head: String, _ text: String, _ look: Look = .plain) -> [ScreenRow] {
            let indent = 10
            let first = ScreenRow([TextRun(head, .bold)]).fitted(indent)
            let texts = CellText.wrap([.init(text: text, look: look)], columns: columns - indent)
            return texts.enumerated().map { index, text in
                var row = index == 0 ? first : ScreenRow().fitted(indent)
                for run in text.runs { row.append(run) }
                return row.columns > columns ? row.fitted(columns) : row
            }
        }
        var rows = [ScreenRow()]
        rows += line(" you", "\(ShownPerson(name: self.own.name).quoted) \(self.own.id.shortKey)")
        rows += line(
            " rooms",
            Self.list(
                rooms.map {
                    ShownPerson.safe($0.name) + ($0.members > 0 ? " (\($0.members))" : "")
                },
                none: "none around yet; you can create the first"), .accent)
        rows += line(
            " people",
            Self.list(
                people.map { $0.shown.quoted + ($0.presence == .away ? " (away)" : "") },
                none: "nobody is linked yet; if someone should be: stoa doctor"))
        for request in requests.prefix(3) {
            rows += line(
                " request",
                "\(request.shown.quoted): \"\(TerminalText.line(String(request.text.prefix(60))))\""
                    + " (/accept \(request.person.shortKey))", .mention)
        }
        if requests.count > 3 {
            rows += line("", "\(requests.count - 3) more: /requests", .mention)
        }
        rows.append(ScreenRow())
        let room = rooms.first.map { ShownPerson.safe($0.name) } ?? "ops"
        let person = people.first { !$0.shown.hasKey && !$0.name.contains(" ") }?.name.shown
        rows += line(" try", "/join \(room)  join a room, or create one (Tab completes)", .accent)
        rows += line("", "/msg @\(person ?? "NAME") hello  write to one person", .accent)
        rows += line("", "/help  all commands; /help keys: all keys", .accent)
        return rows
    }
}
