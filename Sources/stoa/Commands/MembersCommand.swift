import ControlAPI

/// The command `stoa members`.
struct MembersCommand: Subcommand {
    static let syntax = CommandSyntax(
        MembersMethod.description, examples: ["stoa members ops"], operands: ["ROOM"])

    private let room: String

    init(_ arguments: ParsedArguments) { self.room = arguments.required(0) }

    func run(in context: CommandContext) throws(Failure) {
        try context.showList(
            MembersMethod.self,
            { page in
                MembersMethod.Params {
                    $0.to = self.room
                    $0.page = page
                }
            }, empty: "it has no members",
            heading: ["NAME", "KEY", "TRUST", "STATE", "PRESENCE", "LAST SEEN"]
        ) { member in
            [
                member.shownName, member.id.shortKey, member.tier.rawValue,
                member.state?.rawValue ?? "-", member.shownPresence,
                member.state == nil ? "-" : LocalTime.text(member.lastSeen),
            ]
        }
    }
}
