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
        let peers = try context.call(PeersMethod.self).list("peers").filter {
            $0["state"] == "linked"
        }
        let rooms = try context.call(ConversationsMethod.self).arrayValue ?? []
        let people = peers.map { $0.shownPerson() }
        var text = TextTable.text([
            ["you", context.console.styled(status.shown("name"), .bold) + " " + status.shortKey()],
            ["daemon", "runs since \(LocalTime.text(status["startedAt"]))"],
            ["here", Self.list(people, none: "nobody yet")],
            ["rooms", Self.list(rooms.map(Self.room), none: "none joined")],
        ])
        let alerts = status.list("alerts").count
        if alerts > 0 { text += "alerts: \(alerts), see stoa status\n" }
        let room = rooms.first?.shown("name") ?? "ops"
        var hints = [["  stoa chat \(room)", "talk there"], ["  stoa peers", "who is here"]]
        hints.insert(
            rooms.isEmpty
                ? ["  stoa join \(room)", "join a room, or make it"]
                : ["  stoa send \(room) hello", "say one thing"], at: 0)
        text += "\ntry:\n" + TextTable.text(hints + [["  stoa --help", "all commands"]])
        try context.console.print(text)
    }

    private static func room(_ room: JSON) -> String {
        let unread = room.count("unread")
        return room.shown("name") + (unread > 0 ? " (\(unread) unread)" : "")
    }

    private static func list(_ names: [String], none: String) -> String {
        guard !names.isEmpty else { return none }
        let shown = names.prefix(Self.namesShown).joined(separator: ", ")
        let rest = names.count - Self.namesShown
        return rest > 0 ? "\(shown) and \(rest) more" : shown
    }
}
