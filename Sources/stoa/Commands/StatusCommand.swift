import ControlAPI

/// The command `stoa status`.
struct StatusCommand: Subcommand {
    static let syntax = CommandSyntax(
        StatusMethod.description,
        examples: ["stoa status", "stoa --json status", "stoa status --clock ops"],
        options: [
            OptionSyntax("--clock", "TO", "show the vector clock of a conversation instead")
        ],
        details: [
            "--clock prints a table: for each author how many entries are here, and how many each linked member has by what they told last. -2 says that 2 of them are missing there, +2 that they have 2 which are missing here, ? that they have not told. The count includes joins, edits and reactions. An author whose data was restored has a row for each incarnation, with its beginning.",
            "With --json, --clock prints one page of authors per line.",
        ])

    private let clock: String?

    init(_ arguments: ParsedArguments) { self.clock = arguments.value("--clock") }

    func run(in context: CommandContext) throws(Failure) {
        if let clock { return try ClockTable(to: clock).show(in: context) }
        try context.show(StatusMethod.self) { status throws(Failure) in
            let console = context.console
            guard status.lock != .locked else {
                var rows = [
                    ["daemon", "stoad " + Self.version(status)], ["lock", "locked (stoa unlock)"],
                ]
                rows += Self.rows(of: status.keyring)
                rows += [
                    ["running since", LocalTime.text(status.startedAt)],
                    ["data", status.dataDirectory.shown],
                ]
                return console.table(rows)
            }
            let discovery = status.discovery
            let listen = status.listen.shown
            var rows = [
                ["you", console.styled(status.name.shown, .bold) + " " + status.id.shortKey],
                ["key", status.id.shown],
                ["person", status.person.shown],
                ["daemon", "stoad " + Self.version(status)],
                ["running since", LocalTime.text(status.startedAt)],
                ["listening on", listen.isEmpty ? "nothing" : listen],
                [
                    "discovery",
                    "\(discovery.mode.shown): \(discovery.backend.shown), "
                        + discovery.state.shown,
                ],
                ["links", "\(status.links)"],
                ["conversations", "\(status.conversations)"],
                ["messages", "\(status.messages)"],
            ]
            if let waiting = status.waiting {
                rows.append(["waiting", Self.text(ofWaiting: waiting)])
            }
            if let requests = Self.requests(status) { rows.append(["requests", requests]) }
            rows += Self.rows(ofIncomplete: status.incomplete)
            if status.held > 0 {
                rows.append(["held until due", "\(status.held)"])
            }
            rows.append(["clock", Self.clock(status)])
            rows.append(["data", status.dataDirectory.shown])
            if status.lock == .open { rows.append(["lock", "set; this node is open"]) }
            rows += Self.rows(of: status.keyring)
            rows.append(["disk check", Self.text(of: status.scrub)])
            var text = console.table(rows)
            for alert in status.alerts {
                text += console.styled("alert", .red)
                text += " since \(LocalTime.text(alert.since)): \(alert.text.shown)"
                text += " (\(alert.code.shown))\n"
            }
            return text
        }
    }

    /// What is missing of each conversation.
    private static func rows(ofIncomplete conversations: [IncompleteConversation]?) -> [[String]] {
        (conversations ?? []).flatMap { conversation in
            MissingResult.lines(conversation.missing, more: conversation.moreMissing).map {
                ["missing", "\(conversation.conversationName.shownConversation): \($0)"]
            }
        }
    }

    /// How many people are named for whom messages wait.
    private static let namedRecipients = 3

    /// Own messages that nobody has yet, and for whom they are.
    private static func text(ofWaiting waiting: StatusMethod.Waiting) -> String {
        let named = waiting.members.prefix(Self.namedRecipients)
        var people = named.map { $0.shown.quoted }
        let others = Int(waiting.recipients) - named.count
        if others > 0 { people.append("\(others) more") }
        let last = people.popLast().map { people.isEmpty ? $0 : " and \($0)" } ?? "others"
        let isHeld = waiting.members.contains { $0.outcome == .held }
        let what =
            isHeld
            ? "nobody sees yet (some hold them because their clocks are behind)" : "nobody has yet"
        return "\(Self.count(ofWaiting: waiting)) of your messages that \(what), since "
            + "\(LocalTime.text(waiting.since)), for \(people.joined(separator: ", "))\(last)"
    }

    /// How many messages wait, or about how many.
    static func count(ofWaiting waiting: StatusMethod.Waiting) -> String {
        (waiting.estimated == true ? "about " : "") + "\(waiting.messages)"
    }

    /// The daemon's version, and what to do where it is another than this command's.
    static func version(_ status: StatusMethod.Result) -> String {
        let version = status.version.shown
        if let difference = StoaVersion.difference(of: version) {
            return "\(difference.text): \(difference.remedy)"
        }
        return status.replaced
            ? "\(version), from before an upgrade: \(StoaVersion.restart)" : version
    }

    /// A difference of a second is seen in the times of messages, milliseconds are not.
    private static let worthSaying: UInt64 = 1_000

    /// How it stands with the desktop's keyring; no row where that has no key of the node.
    private static func rows(of keyring: StatusMethod.Keyring?) -> [[String]] {
        guard let keyring else { return [] }
        let text =
            switch keyring.state {
            case .set: "the desktop's opens this node when it starts"
            case .asking: "the desktop's is being asked"
            case .refused:
                "\(keyring.why?.shown ?? "it does not open this node") (\(keyring.remedy?.shown ?? ""))"
            case .passedOver: "the desktop's is not asked after a lock"
            }
        return [["keyring", text]]
    }

    /// Whether the clock is kept right, and how far those of most linked people are away.
    private static func clock(_ status: StatusMethod.Result) -> String {
        let state =
            switch status.clockSynchronised {
            case true?: "synchronised"
            case false?: "not synchronised (timedatectl set-ntp true)"
            case nil: "the kernel does not say whether it is synchronised"
            }
        let offset = status.clockOffsetMilliseconds
        // What a message takes to come is part of it.
        guard offset.magnitude >= Self.worthSaying else { return state }
        return "\(state); most linked people's are \(offset.magnitude) ms "
            + (offset > 0 ? "ahead" : "behind")
    }

    /// Who wants to write; nil where nobody does.
    private static func requests(_ status: StatusMethod.Result) -> String? {
        let (waiting, turnedAway) = (status.requests, status.requestsTurnedAway)
        guard waiting + turnedAway > 0 else { return nil }
        return "\(waiting) (stoa requests)"
            + (turnedAway > 0 ? ", and \(turnedAway) dropped for lack of room" : "")
    }

    /// When the database was last read from end to end, and what was found.
    private static func text(of scrub: StatusMethod.Scrub) -> String {
        let damaged = scrub.damagedPages
        let result = damaged > 0 ? ", \(damaged) damaged pages" : ""
        guard let completed = scrub.completedAt else {
            return "\(scrub.percent) % of the first round" + result
        }
        return LocalTime.text(completed) + result
    }
}
