import ControlAPI

/// The command `stoa peers`.
struct PeersCommand: Subcommand {
    static let syntax = CommandSyntax(
        PeersMethod.description, examples: ["stoa peers", "stoa peers --refusals"],
        options: [OptionSyntax("--refusals", nil, "list only refused connections")],
        details: [
            "With --json it prints one peer per line, or with --refusals one refusal per line."
        ])

    private let refusalsOnly: Bool

    init(_ arguments: ParsedArguments) { self.refusalsOnly = arguments.has("--refusals") }

    func run(in context: CommandContext) throws(Failure) {
        let console = context.console
        if !self.refusalsOnly {
            try context.showList(
                PeersMethod.self,
                empty:
                    "no peers yet; others on this network appear by themselves, or dial one with: "
                    + "stoa connect HOST:PORT", heading: Self.heading, row: Self.row)
            if context.json { return }
            try context.forEachOfOwn(DialsMethod.self) { (dial) throws(Failure) in
                if dial.detail != nil { try console.print(Self.line(of: dial.value, console)) }
            }
        }
        var count = 0
        func show(_ refusal: Received<RefusalsMethod.Refusal>) throws(Failure) {
            count += 1
            if context.json {
                try console.print(refusal.json)
            } else {
                try console.print(Self.line(of: refusal.value, console))
            }
        }
        guard self.refusalsOnly else {
            return try context.forEachOfOwn(RefusalsMethod.self, show)
        }
        try context.forEach(RefusalsMethod.self, show)
        if count == 0, !context.json { try console.print("no refusals\n") }
    }

    private static func line(of refusal: RefusalsMethod.Refusal, _ console: Console) -> String {
        let who = refusal.peer?.shortKey ?? refusal.address.shown
        let count = refusal.count
        return console.styled("refused", .yellow)
            + " \(who) at \(LocalTime.text(refusal.time)): \(refusal.reason.shown)"
            + (count > 1 ? " (\(count) times)\n" : "\n")
    }

    /// What became of dialling an address that has no link.
    private static func line(of dial: DialsMethod.Dial, _ console: Console) -> String {
        let count = dial.failures
        return console.styled("no link", .yellow)
            + " to \(dial.addresses.shown): \(dial.detail.shown)"
            + (count > 1 ? " (\(count) times" : " (once")
            + ", last at \(LocalTime.text(dial.failedAt)))\n"
    }

    private static let heading = [
        "NAME", "KEY", "STATE", "PRESENCE", "LAST SEEN", "ROUND TRIP", "ADDRESS", "STATUS",
    ]

    private static func row(_ peer: PeersMethod.Peer) -> [String] {
        let roundTrip = peer.roundTripMilliseconds.map { value in
            let tenths = Int64(max(0, min(value, 1e9)) * 10)
            return "\(tenths / 10).\(tenths % 10) ms"
        }
        return [
            peer.shownName + (peer.verified ? " (verified)" : ""),
            peer.id.shortKey, peer.state.rawValue, peer.shownPresence,
            LocalTime.text(peer.lastSeen), roundTrip ?? "-",
            peer.addresses.first?.shown ?? "-", peer.status.shown,
        ]
    }
}
