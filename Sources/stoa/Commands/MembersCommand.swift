import ControlAPI

/// The command `stoa members`.
struct MembersCommand: Subcommand {
    static let syntax = CommandSyntax(
        MembersMethod.description, examples: ["stoa members ops"], operands: ["ROOM"])

    private let room: String

    init(_ arguments: ParsedArguments) { self.room = arguments.required(0) }

    func run(in context: CommandContext) throws(Failure) {
        var table = TextTable(
            heading: ["NAME", "KEY", "TRUST", "STATE", "PRESENCE", "LAST SEEN", "DEVICES"],
            columns: context.console.tableColumns)
        var people: [[MembersMethod.Member]] = []
        var places: [String: Int] = [:]
        try context.forEachPage(
            of: MembersMethod.self,
            { page in
                MembersMethod.Params {
                    $0.to = self.room
                    $0.page = page
                }
            }
        ) { (page) throws(Failure) in
            for member in page {
                if context.json {
                    try context.console.print(member.json)
                } else if let person = member.value.person, let place = places[person] {
                    people[place].append(member.value)
                } else {
                    if let person = member.value.person { places[person] = people.count }
                    people.append([member.value])
                }
            }
        }
        guard !context.json else { return }
        try context.console.print(table.add(people.compactMap(Self.row)))
        if table.isEmpty { try context.console.print("it has no members\n") }
    }

    /// A person's line: by this device, or by one that is linked, or by the first.
    private static func row(_ devices: [MembersMethod.Member]) -> [String]? {
        let shown = devices.first { $0.state == nil } ?? devices.first { $0.state == .linked }
        guard let member = shown ?? devices.first else { return nil }
        return [
            member.shownName, member.id.shortKey, member.tier.rawValue,
            member.state?.rawValue ?? "-", member.shownPresence,
            member.state == nil ? "-" : LocalTime.text(member.lastSeen), "\(devices.count)",
        ]
    }
}
