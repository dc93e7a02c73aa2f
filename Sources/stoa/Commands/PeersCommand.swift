import ControlAPI

/// The command `stoa peers`.
struct PeersCommand: Command {
    static let syntax = CommandSyntax(
        "peers", "Lists the peers known here, and who was refused.",
        options: [OptionSyntax("--refusals", nil, "list only the refusals")],
        details: """
            With --json one peer per line, or with --refusals one refusal per line.
            """)

    private let refusalsOnly: Bool

    init(_ arguments: ParsedArguments) { self.refusalsOnly = arguments.has("--refusals") }

    func run(in session: Session) throws(Failure) {
        let result = try session.call("peers")
        let peers = result["peers"]?.arrayValue ?? []
        let refusals = result["refusals"]?.arrayValue ?? []
        let console = session.console
        if session.json {
            for element in self.refusalsOnly ? refusals : peers { try console.print(element) }
            return
        }
        if !self.refusalsOnly {
            if peers.isEmpty {
                try console.print(
                    "no peers yet; others on this network appear here by themselves, or dial one: "
                        + "stoa connect HOST:PORT\n")
            } else {
                try console.print(Table.text([Self.heading] + peers.map(Self.row)))
            }
        } else if refusals.isEmpty {
            try console.print("nobody was refused\n")
        }
        for refusal in refusals {
            let who =
                refusal["peer"] != nil ? refusal.shortKey("peer") : refusal.shown("address")
            let count = refusal.count("count")
            try console.print(
                console.styled("refused", .yellow)
                    + " \(who) at \(LocalTime.text(refusal["time"])): \(refusal.shown("reason"))"
                    + (count > 1 ? " (\(count) times)\n" : "\n"))
        }
    }

    private static let heading = [
        "NAME", "KEY", "STATE", "LAST SEEN", "ROUND TRIP", "ADDRESS", "STATUS",
    ]

    private static func row(_ peer: JSON) -> [String] {
        let roundTrip: String
        switch peer["roundTripMilliseconds"] {
        case .integer(let value): roundTrip = "\(value) ms"
        case .number(let value):
            let tenths = Int64(max(0, min(value, 1e9)) * 10)
            roundTrip = "\(tenths / 10).\(tenths % 10) ms"
        default: roundTrip = "-"
        }
        let address = peer["addresses"]?.arrayValue?.first?.stringValue
        return [
            peer.shown("name") + (peer["verified"] == .bool(true) ? " (verified)" : ""),
            peer.shortKey(), peer.shown("state"), LocalTime.text(peer["lastSeen"]), roundTrip,
            address.map(TerminalText.line) ?? "-", peer.shown("status"),
        ]
    }
}
