import ControlAPI

/// The command `stoa info`.
struct InfoCommand: Subcommand {
    static let syntax = CommandSyntax(
        InfoMethod.description, examples: ["stoa info 7k3mz2qd"], operands: ["ID"],
        details: [
            "ID is a message's id, or at least its first 8 characters: \"stoa history TO --ids\" shows them.",
            "It also shows what the message follows, by author and number: the entry before it in its author's log, and the last entries of others that its author had.",
            "For your own message it shows how far it has come with each other member: read, delivered, held until its time comes, waiting (they are linked but do not have it yet), on its way through others (they are not linked, but those named have it and pass it on) or away (they are not linked and have not confirmed it). People who do not tell others what they have read (ReadMarks in stoad.conf) stay at delivered.",
        ])

    private let id: String

    init(_ arguments: ParsedArguments) { self.id = arguments.required(0) }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(InfoMethod.self, .init { $0.id = self.id }) { info in
            let lines = MessageLine(console: context.console, showsConversation: true)
            var text = context.console.table(Self.rows(of: info))
            if let message = info.message {
                text = lines.text(message) + text
            }
            return text
        }
    }

    /// What a fork puts in dispute: who has said it, when, and what.
    private static func line(_ disputed: InfoMethod.Disputed) -> String {
        let said =
            disputed.sign.map { $0.shown + (disputed.removed == true ? " removed" : "") }
            ?? "edit: \(disputed.text.shown)"
        return "\(disputed.shownAuthor.text), \(LocalTime.text(disputed.time)), \(said)"
    }

    /// `ada 12, ben 7 and 1 that is not here`; nil for the first entry of a log.
    private static func text(ofFollowed follows: [InfoMethod.Followed]) -> String? {
        let here = follows.compactMap(\.place).joined(separator: ", ")
        let gone = follows.count { $0.place == nil }
        guard gone > 0 else { return here.isEmpty ? nil : here }
        let others = "\(gone) that \(gone == 1 ? "is" : "are") not here"
        return here.isEmpty ? others : here + " and " + others
    }

    private static func rows(of info: InfoMethod.Result) -> [[String]] {
        var rows = [["id", info.id.shown]]
        if info.number > 0 { rows.append(["number", "\(info.number) of its author's log"]) }
        if let follows = Self.text(ofFollowed: info.follows) { rows.append(["follows", follows]) }
        if info.deleted { rows.append(["text", "deleted, or not here"]) }
        let message = info.message
        if let edited = message?.edited { rows.append(["edited", LocalTime.text(edited)]) }
        if let text = info.firstText { rows.append(["first text", text.shown]) }
        for sign in message?.reactions ?? [] {
            let people = zip(sign.people, sign.names).map { key, name in
                name.isEmpty ? "@\(key.shown.prefix(12))" : name.shown
            }
            rows.append([sign.sign.shown, people.joined(separator: ", ")])
        }
        let more = message?.moreReactions ?? 0
        if more > 0 { rows.append(["more", "\(more) other reactions"]) }
        for disputed in info.disputed ?? [] { rows.append(["disputed", Self.line(disputed)]) }
        let since = LocalTime.text(message?.time)
        for member in info.members ?? [] {
            let isWaiting = member.outcome == .waiting || member.outcome == .away
            if member.outcome == .onItsWay {
                let through = zip(member.throughNames ?? [], member.through ?? [])
                    .map { ShownPerson(name: $0, id: $1).quoted }.joined(separator: ", ")
                rows.append([
                    "on its way", "through \(through) to \(member.shown.quoted), since \(since)",
                ])
                continue
            }
            rows.append([
                member.outcome.rawValue,
                member.shown.quoted + (isWaiting ? ", since \(since)" : ""),
            ])
        }
        if let waits = info.waits {
            let name = message?.conversationName.shownConversation ?? ""
            rows.append(["waits", waits.text(to: name)])
        }
        return rows
    }
}
