import ControlAPI

/// The command `stoa chat`.
struct ChatCommand: Command {
    static let syntax = CommandSyntax(
        "chat", "Talks in one conversation: shows what comes, sends each line you type.",
        operands: ["TO"],
        details: """
            Shows the last \(ChatCommand.historyMessages) messages first. Ctrl-D ends.
            Lines are plain text; there are no commands inside.
            """)

    private static let historyMessages: Int64 = 20
    private let to: String

    init(_ arguments: ParsedArguments) { self.to = arguments.required(0) }

    func run(in session: Session) throws(Failure) {
        guard !session.json else {
            throw .usage("chat has no --json", next: "use stoa tail and stoa send")
        }
        let console = session.console
        var lines = MessageLine(console: console, showsConversation: false)
        // Subscribed first, so that nothing falls between history and what follows.
        let client = try session.client()
        let start = try session.call("subscribe", SubscribeMethod.Params { $0.to = self.to }.params)
        let history = try session.call(
            "history",
            HistoryMethod.Params {
                $0.to = self.to
                $0.limit = Self.historyMessages
            }.params)
        let messages = (history["messages"]?.arrayValue ?? [])
            .filter { $0.count("cursor") <= start.count("cursor") }
        lines.note(messages)
        for message in messages { try console.print(lines.text(message)) }
        try console.flush()
        try HistoryCommand.markRead(messages, in: session)

        var input = LineCodec(limit: ControlLimits.textBytes)
        // What was typed is on the screen already and need not be shown again when it comes back.
        var own: Set<String> = []
        while true {
            try self.show(try Self.events(client.takeEvents), &own, &lines, session)
            let outcome = try Wait.until(
                readable: [client.number, console.inputNumber], millisecondsAtMost: nil)
            if outcome.readable.contains(client.number) {
                try self.show(try Self.events(client.receive), &own, &lines, session)
            }
            guard outcome.readable.contains(console.inputNumber) else { continue }
            guard let chunk = try console.readChunk() else { return }
            input.append(chunk)
            try self.send(&input, &own, session)
        }
    }

    private static func events(
        _ take: () throws(ClientError) -> [RPCRequest]
    ) throws(Failure) -> [RPCRequest] {
        do {
            return try take()
        } catch {
            throw Failure(error)
        }
    }

    private func send(
        _ input: inout LineCodec, _ own: inout Set<String>, _ session: Session
    ) throws(Failure) {
        while true {
            let line: [UInt8]?
            do {
                line = try input.nextLine()
            } catch {
                session.console.report(
                    "stoa: chat: a line has more than \(ControlLimits.textBytes) bytes; "
                        + "it was not sent\n")
                input = LineCodec(limit: ControlLimits.textBytes)
                return
            }
            guard let line else { return }
            let text = String(decoding: line, as: UTF8.self)
            guard !text.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else {
                continue
            }
            let sent = try session.call(
                "send",
                SendMethod.Params {
                    $0.to = self.to
                    $0.text = text
                }.params)
            if session.console.inputIsTerminal, let id = sent["id"]?.stringValue {
                own.insert(id)
            }
        }
    }

    private func show(
        _ events: [RPCRequest], _ own: inout Set<String>, _ lines: inout MessageLine,
        _ session: Session
    ) throws(Failure) {
        var shown: [JSON] = []
        for event in events where event.method == "message" {
            guard case .named(let members) = event.params,
                let message = JSON.object(members)["message"]
            else { continue }
            shown.append(message)
            if own.remove(message["id"]?.stringValue ?? "") == nil {
                try session.console.print(lines.text(message))
            }
        }
        guard !shown.isEmpty else { return }
        try session.console.flush()
        try HistoryCommand.markRead(shown, in: session)
    }
}
