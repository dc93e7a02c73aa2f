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
        let status: Received<StatusMethod.Result>
        do throws(Failure) {
            status = try context.call(StatusMethod.self)
        } catch {
            guard error.code == .noDaemon else { throw error }
            return try self.showAlone(error, context)
        }
        guard !context.json else { return try context.console.print(status.json) }
        var (people, rooms) = (Names(), Names())
        try context.forEach(PeersMethod.self) { peer in
            if peer.state == .linked { people.add(peer.shown.quoted) }
        }
        var first: String?
        var archived = 0
        try context.forEach(ConversationsMethod.self) { room in
            guard room.isListed else {
                archived += 1
                return
            }
            rooms.add(Self.room(room.value))
            first = first ?? room.name.shown
        }
        var open = Names()
        var opened: String?
        try context.forEach(RoomsMethod.self) { room in
            guard !room.joined, room.reachable else { return }
            open.add(room.name.shown)
            opened = opened ?? room.name.shown
        }
        var rows = [
            ["you", context.console.styled(status.name.shown, .bold) + " " + status.id.shortKey],
            [
                "daemon",
                "running since \(LocalTime.text(status.startedAt))"
                    + (status.version == StoaVersion.text && !status.replaced
                        ? "" : ", version " + StatusCommand.version(status.value)),
            ],
            ["here", people.text(none: "nobody yet")],
            [
                "conversations",
                rooms.text(
                    none: archived == 0
                        ? "none yet" : "\(archived) archived; see: stoa conversations --all"),
            ],
        ]
        if !open.isEmpty { rows.append(["rooms to join", open.text(none: "")]) }
        if let unsent = status.waiting {
            rows.append([
                "waiting",
                "\(StatusCommand.count(ofWaiting: unsent)) of your messages, until others come online",
            ])
        }
        var text = context.console.table(rows)
        var waiting = Names()
        try context.forEachOfOwn(RequestsMethod.self) {
            waiting.add($0.groupName?.shownConversation ?? $0.shown.quoted)
        }
        if !waiting.isEmpty {
            text += "waiting to be accepted: \(waiting.text(none: "")), see stoa requests\n"
        }
        let alerts = status.alerts.count
        if alerts > 0 { text += "alerts: \(alerts), see stoa status\n" }
        let room = TerminalText.word(first ?? opened ?? "ops")
        var hints = [["  stoa chat \(room)", "talk there"], ["  stoa peers", "who is here"]]
        hints.insert(
            first == nil
                ? ["  stoa join \(room)", "join a room, or create it"]
                : ["  stoa send \(room) hello", "send a message"], at: 0)
        text += "\ntry:\n" + context.console.table(hints + [["  stoa --help", "all commands"]])
        try context.console.print(text)
    }

    /// Where no daemon runs: that, how to start it, and what to try then.
    private func showAlone(_ error: Failure, _ context: CommandContext) throws(Failure) {
        let hints = context.console.table([
            ["  stoa", "who you are and who is here"],
            ["  stoa join ops", "join a room, or create it"],
            ["  stoa chat ops", "talk there"],
            ["  stoa --help", "all commands"],
        ])
        try context.console.print("\(error.why)\n\(error.next)\n\nthen try:\n\(hints)")
    }

    private static func room(_ room: ConversationResult) -> String {
        let unread = room.muted == true ? 0 : room.unread
        let mentions = room.mentions
        return room.shownName
            + (unread > 0 ? " (\(unread) unread" + (mentions > 0 ? ", @\(mentions))" : ")") : "")
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
