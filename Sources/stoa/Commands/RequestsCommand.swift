import ControlAPI

/// The command `stoa requests`.
struct RequestsCommand: Subcommand {
    static let syntax = CommandSyntax(
        RequestsMethod.description, examples: ["stoa requests"],
        details: [
            "DirectFrom= in stoad.conf says who may write to you without asking: "
                + "your contacts, by default.",
            "Only the first text of each is stored; the rest arrives once you accept.",
            "At most 256 people can wait. After that the newest request from the address with the most of them is dropped, first "
                + "those of people who are neither linked nor in a room you have written in; standard error says how many were dropped.",
        ])

    init(_ arguments: ParsedArguments) {}

    func run(in context: CommandContext) throws(Failure) {
        var turnedAway: Int64 = 0
        var joins: [RequestsMethod.Join] = []
        try context.showList(
            RequestsMethod.self, { $0 }, empty: "nobody waits to be accepted",
            heading: ["NAME", "KEY", "SINCE", "TEXT"],
            noting: {
                turnedAway = $0.turnedAway ?? 0
                joins = $0.joins ?? []
            }
        ) { request in
            [
                request.groupName?.shownConversation ?? request.shownName,
                request.person.shortKey, LocalTime.text(request.time),
                request.kind == .group
                    ? "\(request.shown.quoted) invites you to a group" : request.text.shown,
            ]
        }
        if !context.json, !joins.isEmpty {
            let lines = joins.map { join in
                let name = join.name.shownConversation
                return "\(join.waiting.text(of: name)), since \(LocalTime.text(join.time)); "
                    + "to give it up: stoa decline \(TerminalText.word(name))\n"
            }
            try context.console.print(lines.joined())
        }
        guard turnedAway > 0 else { return }
        context.console.report(
            "stoa: \(turnedAway) other requests were dropped since the daemon started, for lack of room: they "
                + "can ask again once you accept or decline some of these\n")
    }
}
