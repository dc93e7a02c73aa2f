import ControlAPI

/// The command `stoa requests`.
struct RequestsCommand: Subcommand {
    static let syntax = CommandSyntax(
        RequestsMethod.description,
        details: [
            "Who may write to you without being accepted first is set by DirectFrom= in stoad.conf: those "
                + "whom you know, by default.",
            "Of who waits only the first text is kept; the rest comes once you accept.",
        ])

    init(_ arguments: ParsedArguments) {}

    func run(in context: CommandContext) throws(Failure) {
        try context.showList(
            RequestsMethod.self, empty: "nobody waits to be accepted",
            heading: ["NAME", "KEY", "SINCE", "TEXT"]
        ) { request in
            [
                request.shownName(), request.shortKey("person"),
                LocalTime.text(request["time"]), request.shown("text"),
            ]
        }
    }
}

extension RequestsMethod: CommandMethod {
    static var command: any Subcommand.Type { RequestsCommand.self }
}
