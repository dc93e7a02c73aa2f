import ControlAPI

/// What `stoa` shows alone: who you are, whether the daemon runs, who is here, what to try.
///
/// It ends well in any case, since nothing was asked for that could fail.
struct OverviewCommand: Subcommand {
    static let syntax = CommandSyntax("", "Show who you are, who is here and what to try.")

    /// People and rooms that are named; of more their number is said.
    private static let namesShown = 8

    init() {}
    init(_ arguments: ParsedArguments) {}

    func run(in context: CommandContext) throws(Failure) {
        let status: JSON
        do throws(Failure) {
            status = try context.call(StatusMethod.self)
        } catch {
            guard error.code == .noDaemon else { throw error }
            try context.console.print("\(error.why)\n\(error.next)\n\nthen see: stoa --help\n")
            return
        }
        guard !context.json else { return try context.console.print(status) }
        var (people, rooms) = (Names(), Names())
        try context.forEach(PeersMethod.self) { peer in
            if peer["state"] == "linked" { people.add(peer.shownPerson()) }
        }
        var first: String?
        try context.forEach(ConversationsMethod.self) { room in
            guard room["archived"] != .bool(true) else { return }
            rooms.add(Self.room(room))
            first = first ?? room.shown("name")
        }
        var text = TextTable.text([
            ["you", context.console.styled(status.shown("name"), .bold) + " " + status.shortKey()],
            ["daemon", "runs since \(LocalTime.text(status["startedAt"]))"],
            ["here", people.text(none: "nobody yet")],
            ["conversations", rooms.text(none: "none yet")],
        ])
        var waiting = Names()
        try context.forEach(RequestsMethod.self) {
            waiting.add($0.shownPerson(key: "person"))
        }
        if !waiting.isEmpty {
            text += "wait to be accepted: \(waiting.text(none: "")), see stoa requests\n"
        }
        let alerts = status.list("alerts").count
        if alerts > 0 { text += "alerts: \(alerts), see stoa status\n" }
        let room = first ?? "ops"
        var hints = [["  stoa chat \(room)", "talk there"], ["  stoa peers", "who is here"]]
        hints.insert(
            first == nil
                ? ["  stoa join \(room)", "join a room, or make it"]
                : ["  stoa send \(room) hello", "say one thing"], at: 0)
        text += "\ntry:\n" + TextTable.text(hints + [["  stoa --help", "all commands"]])
        try context.console.print(text)
    }

    private static func room(_ room: JSON) -> String {
        let unread = room["muted"] == .bool(true) ? 0 : room.count("unread")
        return room.shown("name") + (unread > 0 ? " (\(unread) unread)" : "")
    }

    /// The first names, and how many there are.
    private struct Names {
        private var shown: [String] = []
        private var count = 0
        var isEmpty: Bool { self.count == 0 }

        mutating func add(_ name: String) {
            self.count += 1
            if self.count <= OverviewCommand.namesShown { self.shown.append(name) }
        }

        func text(none: String) -> String {
            guard self.count > 0 else { return none }
            let shown = self.shown.joined(separator: ", ")
            let rest = self.count - self.shown.count
            return rest > 0 ? "\(shown) and \(rest) more" : shown
        }
    }
}
