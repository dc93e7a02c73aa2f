import ControlAPI

/// The command `stoa info`.
struct InfoCommand: Subcommand {
    static let syntax = CommandSyntax(
        InfoMethod.description, examples: ["stoa info 7k3mz2qd"], operands: ["ID"],
        details: [
            "ID is a message's id, or at least its first 8 characters: \"stoa history TO --ids\" shows them.",
            "For your own message it shows how far it has come with each other member: read, delivered, held until its time comes, waiting (they are linked but do not have it yet) or away (they are not linked and have not confirmed it). People who do not tell others what they have read (ReadMarks in stoad.conf) stay at delivered.",
        ])

    private let id: String

    init(_ arguments: ParsedArguments) { self.id = arguments.required(0) }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(InfoMethod.self, .init { $0.id = self.id }) { info in
            let lines = MessageLine(console: context.console, showsConversation: true)
            var text = context.console.table(Self.rows(of: info))
            if let message = info["message"], message != .null {
                text = lines.text(message) + text
            }
            return text
        }
    }

    /// What a fork puts in dispute: who has said it, when, and what.
    private static func line(_ disputed: JSON) -> String {
        let said =
            disputed["sign"] == nil
            ? "edit: \(disputed.shown("text"))"
            : disputed.shown("sign") + (disputed["removed"] == .bool(true) ? " removed" : "")
        let who = disputed.shownPerson("authorName", key: "author")
        return "\(who), \(LocalTime.text(disputed["time"])), \(said)"
    }

    private static func rows(of info: JSON) -> [[String]] {
        var rows = [["id", info.shown("id")]]
        if info["deleted"] == .bool(true) { rows.append(["text", "deleted, or not here"]) }
        let message = info["message"] ?? .null
        if message["edited"] != nil { rows.append(["edited", LocalTime.text(message["edited"])]) }
        if info["firstText"] != nil { rows.append(["first text", info.shown("firstText")]) }
        for sign in message.list("reactions") {
            let people = zip(sign.list("people"), sign.list("names")).map { key, name in
                let shown = TerminalText.line(name.stringValue ?? "")
                return shown.isEmpty ? "@\(key.stringValue?.prefix(12) ?? "")" : shown
            }
            rows.append([sign.shown("sign"), people.joined(separator: ", ")])
        }
        let more = message.count("moreReactions")
        if more > 0 { rows.append(["more", "\(more) other reactions"]) }
        for disputed in info.list("disputed") { rows.append(["disputed", Self.line(disputed)]) }
        let since = LocalTime.text(message["time"])
        for member in info.list("members") {
            let outcome = member["outcome"]?.stringValue.flatMap {
                InfoMethod.Outcome(rawValue: $0)
            }
            let isWaiting = outcome == .waiting || outcome == .away
            rows.append([
                member.shown("outcome"),
                member.quotedPerson() + (isWaiting ? ", since \(since)" : ""),
            ])
        }
        let waits = SendMethod.Waits.text(
            info["waits"], to: message.shownConversation("conversationName"))
        if let waits { rows.append(["waits", waits]) }
        return rows
    }
}

extension InfoMethod: CommandMethod {
    static var command: any Subcommand.Type { InfoCommand.self }
}
