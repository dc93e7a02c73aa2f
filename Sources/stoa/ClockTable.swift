import ControlAPI
import ControlClient

/// A conversation's vector clock as a table: a row for each author, a column for each linked member.
struct ClockTable {
    let to: String

    /// How many members have a column: more than that nobody reads.
    private static let columns = 8

    func show(in context: CommandContext) throws(Failure) {
        let console = context.console
        var page = PageParams { $0.limit = Int64(ControlLimits.pageItems) }
        var table = TextTable(heading: [])
        var rows: [ClockMethod.Log] = []
        var first: ClockMethod.Result?
        while true {
            let result = try context.call(
                ClockMethod.self,
                ClockMethod.Params {
                    $0.to = self.to
                    $0.page = page
                })
            if context.json {
                try console.print(result.json)
            } else {
                rows += result.items.map(\.value)
            }
            if first == nil { first = result.value }
            guard let next = result.next else { break }
            guard next != page.after else {
                throw Failure(.garbled("the same page of clock came again"))
            }
            page.after = next
        }
        guard !context.json, let first else { return }
        table = TextTable(heading: Self.heading(first), columns: console.tableColumns)
        let counts = Dictionary(rows.map { ($0.author, 1) }, uniquingKeysWith: +)
        try console.print(
            table.add(rows.map { Self.row($0, first.linked, hasSeveral: counts[$0.author] != 1) }))
        let others = first.linked.count - Self.columns
        if others > 0 {
            try console.print("\(others) more linked members: stoa --json status --clock\n")
        }
        if first.linked.isEmpty { try console.print("no other member is linked\n") }
        for line in MissingResult.lines(first.missing, more: first.moreMissing) {
            try console.print(console.styled(line, .yellow) + "\n")
        }
    }

    private static func heading(_ first: ClockMethod.Result) -> [String] {
        ["AUTHOR", "HERE"] + first.linked.prefix(Self.columns).map(\.shownName)
    }

    private static func row(
        _ log: ClockMethod.Log, _ linked: [ClockMethod.Named], hasSeveral: Bool
    ) -> [String] {
        var author = log.shownAuthor.text
        if hasSeveral { author += " #" + log.incarnation.shown.prefix(4) }
        var here = "\(log.here)"
        if log.forked == true { here += " (forked)" }
        if let lacking = log.withoutText { here += " (text up to \(log.here - lacking))" }
        return [author, here]
            + linked.prefix(Self.columns).map { member in
                log.members.first { $0.id == member.id }.map(Self.cell) ?? "?"
            }
    }

    /// `12`, `12 +2`, `8 -2`, `?`.
    private static func cell(_ member: ClockMethod.Member) -> String {
        guard let entries = member.entries else { return "?" }
        if let ahead = member.ahead { return "\(entries) +\(ahead)" }
        if let behind = member.behind { return "\(entries) -\(behind)" }
        return "\(entries)"
    }
}
