import ControlAPI

/// The command `stoa requests`.
struct RequestsCommand: Subcommand {
    static let syntax = CommandSyntax(
        RequestsMethod.description,
        details: [
            "Who may write to you without being accepted first is set by DirectFrom= in stoad.conf: those "
                + "whom you know, by default.",
            "Of who waits only the first text is kept; the rest comes once you accept.",
            "At most 256 people wait. Beyond that the newest of the address with most of them gives way, those first "
                + "who are not linked now and in no room in which you have written; standard error says how many.",
        ])

    init(_ arguments: ParsedArguments) {}

    func run(in context: CommandContext) throws(Failure) {
        var turnedAway: Int64 = 0
        try context.showList(
            RequestsMethod.self, { $0 }, empty: "nobody waits to be accepted",
            heading: ["NAME", "KEY", "SINCE", "TEXT"],
            noting: { turnedAway = $0.count("turnedAway") }
        ) { request in
            [
                request.shownName(), request.shortKey("person"),
                LocalTime.text(request["time"]), request.shown("text"),
            ]
        }
        guard turnedAway > 0 else { return }
        context.console.report(
            "stoa: \(turnedAway) others wanted to write since the daemon started, and there is no room for them: they "
                + "can write again once you accept or decline some who wait\n")
    }
}

extension RequestsMethod: CommandMethod {
    static var command: any Subcommand.Type { RequestsCommand.self }
}
