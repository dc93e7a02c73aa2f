import ControlAPI
import ControlClient

/// The command `stoa stream`.
struct StreamCommand: Subcommand {
    static let syntax = CommandSyntax(
        "stream", "Send standard input as a stream, or write one to standard output.",
        examples: [
            "tar c photos | stoa stream send @ada photos", "stoa stream recv @ben photos | tar x",
        ],
        operands: ["send|recv", "[TO]", "NAME"],
        options: [
            OptionSyntax(
                "--ephemeral", nil,
                "send packets that are not stored: anyone not listening misses them"),
            OptionSyntax(
                "--ordered", nil, "with --ephemeral: drop a packet that arrives after a later one"),
            OptionSyntax(
                "--member", "@PERSON",
                "with --ephemeral: send to this member alone, over a direct link"),
            OptionSyntax("--all", nil, "receive from all your conversations; leave TO out"),
            OptionSyntax(
                "--from", "CURSOR", "receive what follows this cursor; 0 for everything stored"),
            OptionSyntax("--consumer", "NAME", "receive durably: continue where it stopped"),
            OptionSyntax(
                "-o", "FILE", "write to FILE, and continue there when started again"),
            OptionSyntax(
                "--by", "@A,@B", "receive only what these people send; by default all your contacts"
            ),
            OptionSyntax("--follow", nil, "keep receiving after a sending has ended"),
        ],
        details: [
            "Without --ephemeral a stream is durable: it is stored and synced like messages, but does not appear in history and is never unread. Standard input is read as fast as the disk allows. The daemons on both ends may restart meanwhile.",
            "An ephemeral stream consists of packets of at most \(ControlLimits.streamPacketBytes) bytes; one conversation takes at most \(ControlLimits.streamPacketsPerSecond) packets and \(ControlLimits.streamBytesPerSecond) bytes a second, and standard input is read no faster. Packets go to linked members, or with --member to one of them and nobody else; without a direct link to that member, sending fails. Gaps are reported on standard error.",
            "With recv it starts with what is sent from then on, writes one whole sending, and ends with it, or with an error if bytes of it are missing. Sendings of others under the same name meanwhile are left out and reported on standard error. In a room, so are those of people who are not your contacts, unless you have no contacts or name them with --by. If another sending waits and the current one brings less than 1 KiB in 30 s, recv exits 75. With -o nothing is written twice or lost, however it ends: FILE.position beside the file records how far it is. With --consumer, data not yet acknowledged may come again, and a sending that was not whole starts again.",
        ])
    static let mayTakeLong = true

    private enum What {
        case send(isOrdered: Bool, isEphemeral: Bool, member: String?)
        case receivePackets(by: [String]?, isFollowing: Bool)
        case receive(SubscribeMethod.Params, file: String?, isFollowing: Bool)
    }

    private let what: What
    /// Nil for all conversations.
    private let to: String?
    private let name: String

    init(_ arguments: ParsedArguments) throws(Failure) {
        (self.to, self.name) = try Self.operands(arguments)
        let isEphemeral = arguments.has("--ephemeral")
        let receiving = ["--from", "--consumer", "-o", "--by", "--follow", "--all"]
        switch arguments.required(0) {
        case "send":
            if let option = receiving.first(where: {
                arguments.has($0) || arguments.value($0) != nil
            }) {
                throw .usage("\(option) is for recv", next: "leave it out")
            }
            guard isEphemeral || !arguments.has("--ordered") else {
                throw .usage("a durable stream is always ordered", next: "leave --ordered out")
            }
            let member = arguments.value("--member")
            guard isEphemeral || member == nil else {
                throw .usage(
                    "a durable stream goes to all members",
                    next: "add --ephemeral, or send it to the person: stoa stream send @PERSON NAME"
                )
            }
            self.what = .send(
                isOrdered: arguments.has("--ordered"), isEphemeral: isEphemeral, member: member)
        case "recv":
            guard arguments.value("--member") == nil else {
                throw .usage("--member is for send", next: "leave it out, or use --by")
            }
            if isEphemeral {
                let durable = ["--from", "--consumer", "-o"]
                if let option = durable.first(where: { arguments.value($0) != nil }) {
                    throw .usage("\(option) is for durable streams", next: "leave it out")
                }
                self.what = .receivePackets(
                    by: Self.people(arguments), isFollowing: arguments.has("--follow"))
                return
            }
            let file = arguments.value("-o")
            let from = try arguments.integer("--from", in: 0...Int64.max)
            let consumer = try arguments.word("--consumer")
            guard file == nil || consumer == nil else {
                throw .usage("-o stores its own position", next: "leave --consumer out")
            }
            let (to, name) = (self.to, self.name)
            let params = SubscribeMethod.Params {
                $0.to = to
                $0.kinds = [.stream]
                $0.streams = [name]
                $0.from = from
                $0.consumer = consumer
                $0.authors = Self.people(arguments)
            }
            self.what = .receive(params, file: file, isFollowing: arguments.has("--follow"))
        case let word:
            throw .usage(
                "\"\(TerminalText.line(word))\" is neither send nor recv",
                next: "usage: stoa stream send|recv TO NAME")
        }
    }

    /// The conversation and the stream's name; no conversation where all are heard.
    private static func operands(
        _ arguments: ParsedArguments
    ) throws(Failure) -> (to: String?, name: String) {
        let words = Array(arguments.operands.dropFirst())
        if arguments.has("--all") {
            if words.count == 1 { return (nil, words[0]) }
            if words.count == 2 {
                throw .usage("--all stands for every TO", next: "leave TO or --all out")
            }
        } else if words.count == 2 {
            return (words[0], words[1])
        }
        let missing = arguments.has("--all") || !words.isEmpty ? "NAME" : "TO"
        throw .usage("\(missing) is missing", next: "usage: \(Self.syntax.usage)")
    }

    private static func people(_ arguments: ParsedArguments) -> [String]? {
        arguments.list("--by")
    }

    /// The devices whose sendings count: of the people who are named, else of all whom the user knows; nil for all.
    ///
    /// Anyone can take the name of a stream in a room; in a conversation of two there is nobody else.
    private func senders(
        _ people: [String]?, _ context: CommandContext
    ) throws(Failure) -> Set<String>? {
        defer { context.disconnect() }
        guard let people else {
            return self.to?.hasPrefix("@") == true ? nil : try context.knownDevices()
        }
        var devices: Set<String> = []
        for name in people {
            let person = try context.call(WhoisMethod.self, .init { $0.person = name })
            let id = person.id
            let word = name.hasPrefix("@") ? String(name.dropFirst()) : name
            let isKnown = [.known, .verified, .own].contains(person.tier)
            guard isKnown || id.hasPrefix(word.lowercased()) else {
                throw Failure(
                    .refused,
                    why: "nobody called \"\(TerminalText.line(name))\" is a contact of yours",
                    next: "anyone can take a name: compare keys, then use \(person.id.shortKey)")
            }
            devices.insert(id)
        }
        return devices
    }

    func run(in context: CommandContext) throws(Failure) {
        do throws(Failure) { try self.perform(context) } catch {
            // A signal ends receiving well.
            guard error.isInterrupt, !self.isSending else { throw error }
            context.console.report(
                "stoa: stream: \(error.why), and nothing was received; to continue, run it again\n")
        }
    }

    private var isSending: Bool {
        if case .send = self.what { true } else { false }
    }

    private func perform(_ context: CommandContext) throws(Failure) {
        switch self.what {
        case .send(_, isEphemeral: false, _):
            var sender = try PieceSender(context, to: self.to ?? "", name: self.name)
            try sender.run()
        case .send(let isOrdered, isEphemeral: true, let member):
            try PacketPipe(context, to: self.to, name: self.name).send(
                isOrdered: isOrdered, member: member)
        case .receivePackets(let people, let isFollowing):
            let known = try self.senders(people, context)
            try PacketPipe(context, to: self.to, name: self.name).receive(
                isFollowing: isFollowing, known: known)
        case .receive(let params, let file, let isFollowing):
            // Those who are named the daemon chooses.
            let known = params.authors == nil ? try self.senders(nil, context) : nil
            var receiver = try PieceReceiver(
                context, params, known: known, file: file, isFollowing: isFollowing)
            try receiver.run()
        }
    }
}
