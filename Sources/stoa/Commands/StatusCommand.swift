import ControlAPI

/// The command `stoa status`.
struct StatusCommand: Command {
    static let syntax = CommandSyntax("status", "Shows how the daemon does.")

    init(_ arguments: ParsedArguments) {}

    func run(in session: Session) throws(Failure) {
        try session.show("status") { status throws(Failure) in
            let console = session.console
            let discovery = status["discovery"] ?? .null
            let listen = (status["listen"]?.arrayValue ?? [])
                .compactMap { $0.stringValue.map(TerminalText.line) }
            var rows = [
                ["you", console.styled(status.shown("name"), .bold) + " " + status.shortKey()],
                ["daemon", "stoad \(status.shown("version"))"],
                ["running since", LocalTime.text(status["startedAt"])],
                ["listening on", listen.isEmpty ? "nothing" : listen.joined(separator: ", ")],
                [
                    "discovery",
                    "\(discovery.shown("mode")): \(discovery.shown("backend")), "
                        + discovery.shown("state"),
                ],
                ["links", "\(status.count("links"))"],
                ["conversations", "\(status.count("conversations"))"],
                ["messages", "\(status.count("messages"))"],
            ]
            if status.count("held") > 0 {
                rows.append(["held until due", "\(status.count("held"))"])
            }
            if status.count("clockOffsetMilliseconds") != 0 {
                rows.append(["clock offset", "\(status.count("clockOffsetMilliseconds")) ms"])
            }
            rows.append(["data", status.shown("dataDirectory")])
            if let scrub = status["scrub"] { rows.append(["read through", Self.text(of: scrub)]) }
            var text = Table.text(rows)
            for alert in status["alerts"]?.arrayValue ?? [] {
                text += console.styled("alert", .red)
                text += " since \(LocalTime.text(alert["since"])): \(alert.shown("text"))"
                text += " (\(alert.shown("code")))\n"
            }
            return text
        }
    }

    /// When the database was last read from end to end, and what that found.
    private static func text(of scrub: JSON) -> String {
        let damaged = scrub.count("damagedPages")
        let result = damaged > 0 ? ", \(damaged) damaged pages" : ""
        guard let completed = scrub["completedAt"]?.stringValue else {
            return "not yet, \(scrub.count("percent")) %" + result
        }
        return LocalTime.text(.string(completed)) + result
    }
}
