import ControlAPI

/// Whom and what there is to talk to: shown where the user has no conversation yet, and offered by Tab.
struct ChatSurroundings: Equatable, Sendable {
    /// How many are asked for of each: the first page, which has whom the user knows.
    static let limit: Int64 = 100
    /// How long changes are gathered before they are looked at, in milliseconds.
    private static let gatherMilliseconds: Int64 = 1_000

    /// Open rooms, those first that the user is in.
    var rooms: [RoomsMethod.Room] = []
    /// The people at the other ends of links, and others that are known.
    var people: [PeersMethod.Peer] = []
    /// Those who want to write to the user.
    var requests: [RequestsMethod.Request] = []
    /// Which of them have changed since they were asked for: the daemon says so.
    var stale = Set(ChangedListWord.allCases)
    /// When they are to be asked for where the user sees them; nil where nothing has changed.
    var due: Int64? = 0

    /// Some have changed; what others cause is asked for once a second at most.
    mutating func change(_ lists: Set<ChangedListWord>, at now: Int64) {
        self.stale.formUnion(lists)
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
        if let due = self.nextLook, due <= self.now { self.askAround() }
    }

    /// When; nil while nothing has changed, or nobody looks: the next key is somebody.
    var nextLook: Int64? {
        self.link.isConnected && self.isWelcoming && self.isReading ? self.around.due : nil
    }

    /// Whether what is typed is to be a room or a person from around here.
    var completesSurroundings: Bool {
        guard self.shown.input.characters.first == "/" else { return false }
        let text = self.shown.input.text
        return ["/join ", "/accept ", "/decline ", "/invite "].contains(where: text.hasPrefix)
    }

    /// Asks for what has changed; what is asked for already waits for its answer.
    mutating func askAround() {
        guard self.link.isConnected else { return }
        let stale = self.around.stale
        (self.around.stale, self.around.due) = ([], nil)
        let running = self.link.asked.values
        for list in ChangedListWord.allCases where stale.contains(list) {
            let asked: ChatLink.Asked? =
                switch list {
                case .rooms: .rooms
                case .peers: .people
                case .requests: .requests
                case .devices: nil
                }
            guard let asked else { continue }
            guard !running.contains(asked) else {
                self.around.change([list], at: self.now)
                continue
            }
            switch list {
            case .rooms: self.ask(RoomsMethod.self, asked) { $0.limit = ChatSurroundings.limit }
            case .peers: self.ask(PeersMethod.self, asked) { $0.limit = ChatSurroundings.limit }
            case .devices: break
            case .requests where self.link.isGuest: break
            case .requests:
                self.ask(RequestsMethod.self, asked) { $0.limit = ChatSurroundings.limit }
            }
        }
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
            if let group = request.groupName {
                rows += line(
                    " request",
                    "\(request.shown.quoted) invites you to \(ShownPerson.safe(group))"
                        + " (/accept \(ShownPerson.safe(group)))", .mention)
                continue
            }
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
        // A name alone reaches only people whom the user knows.
        let person =
            people.first {
                [.known, .verified].contains($0.tier) && !$0.shown.hasKey && !$0.name.contains(" ")
            }.map { "@\($0.name.shown)" } ?? people.first?.id.shortKey ?? "@NAME"
        rows += line(" try", "/join \(room)  join a room, or create one (Tab completes)", .accent)
        rows += line("", "/msg \(person) hello  write to one person", .accent)
        rows += line("", "/help  all commands; /help keys: all keys", .accent)
        return rows
    }
}
