import ControlAPI

/// Follows a subscription over restarts of the daemon, for `tail`.
struct Follower {
    private let session: Session
    private let to: String?
    private let consumer: String?
    private var remaining: Int64?
    /// The last cursor whose line was written, or where the first subscription began.
    private var cursor: Int64?
    private var lines: MessageLine

    /// The first and the longest pause before another attempt to connect, in milliseconds.
    static let pauseMilliseconds: ClosedRange<Int32> = 100...5_000

    init(session: Session, to: String?, consumer: String?, from: Int64?, limit: Int64?) {
        self.session = session
        self.to = to
        self.consumer = consumer
        self.cursor = from
        self.remaining = limit
        self.lines = MessageLine(console: session.console, showsConversation: to == nil)
    }

    /// Follows until the limit is reached or the output is closed; errors before the first
    /// subscription stands are thrown, later losses of the connection are mended.
    mutating func run() throws(Failure) {
        var client = try self.session.client()
        do {
            try self.subscribe(client)
        } catch {
            throw Failure(error)
        }
        while true {
            do {
                try self.follow(client)
                return
            } catch {
                guard let why = Self.mendable(error) else { throw error }
                self.session.console.report(
                    "stoa: tail: \(why); connecting again, from cursor \(self.cursor ?? 0)\n")
                client = try self.reconnect()
            }
        }
    }

    private mutating func subscribe(_ client: Client) throws(ClientError) {
        let params = SubscribeMethod.Params {
            $0.to = self.to
            $0.from = self.cursor
            $0.consumer = self.consumer
        }
        let result = try client.call("subscribe", params.params)
        // Known from here on, so that nothing is skipped when the connection is lost at once.
        if self.cursor == nil { self.cursor = result["cursor"]?.integerValue }
    }

    private mutating func reconnect() throws(Failure) -> Client {
        var pause = Self.pauseMilliseconds.lowerBound
        while true {
            try self.idle(milliseconds: pause)
            pause = min(pause * 2, Self.pauseMilliseconds.upperBound)
            guard let client = try? self.session.reconnect() else { continue }
            do {
                try self.subscribe(client)
                self.session.console.report("stoa: tail: connected again\n")
                return client
            } catch {
                let failure = Failure(error)
                guard Self.mendable(failure) != nil else { throw failure }
            }
        }
    }

    private func idle(milliseconds: Int32) throws(Failure) {
        let pipe = self.session.console.outputPipeNumber
        let outcome = try Signals.whileAllowed { () throws(Failure) in
            try Wait.until(readable: [], closed: pipe, millisecondsAtMost: milliseconds)
        }
        if outcome.pipeClosed { throw .outputClosed }
    }

    /// Why the connection was lost, when a new one can mend it.
    private static func mendable(_ failure: Failure) -> String? {
        if failure.code == .noDaemon { return failure.why }
        switch failure.answer?.knownCode {
        case .overflow, .shuttingDown, .busy: return failure.why
        default: return nil
        }
    }

    private mutating func follow(_ client: Client) throws(Failure) {
        let pipe = self.session.console.outputPipeNumber
        var events: [RPCRequest]
        do {
            events = try client.takeEvents()
        } catch {
            throw Failure(error)
        }
        while true {
            if try self.handle(events, client) {
                try self.settle(client)
                return
            }
            let number = client.number
            let outcome = try Signals.whileAllowed { () throws(Failure) in
                try Wait.until(readable: [number], closed: pipe, millisecondsAtMost: nil)
            }
            if outcome.pipeClosed { throw .outputClosed }
            do {
                events = try client.receive()
            } catch {
                throw Failure(error)
            }
        }
    }

    /// Prints events, then acknowledges the last; true when the limit is reached.
    private mutating func handle(
        _ events: [RPCRequest], _ client: Client
    ) throws(Failure) -> Bool {
        var read: [String: Int64] = [:]
        var last: Int64?
        for event in events where self.remaining != 0 {
            guard case .named(let members) = event.params else { continue }
            let params = JSON.object(members)
            if event.method == "gap" {
                try self.showGap(params)
                last = params.count("to")
            } else if event.method == "message", let message = params["message"] {
                try self.show(message)
                let cursor = message.count("cursor")
                last = cursor
                if let conversation = message["conversation"]?.stringValue {
                    read[conversation] = cursor
                }
                if let remaining = self.remaining { self.remaining = remaining - 1 }
            }
        }
        guard let last else { return self.remaining == 0 }
        try self.session.console.flush()
        self.cursor = last
        try self.acknowledge(last, read: read, client)
        return self.remaining == 0
    }

    private func acknowledge(
        _ cursor: Int64, read: [String: Int64], _ client: Client
    ) throws(Failure) {
        do {
            if let consumer = self.consumer {
                let params = AcknowledgeMethod.Params {
                    $0.consumer = consumer
                    $0.cursor = cursor
                }
                try client.post("acknowledge", params.params)
            }
            guard self.session.console.outputIsTerminal else { return }
            for (conversation, cursor) in read.sorted(by: { $0.key < $1.key }) {
                let params = AcknowledgeMethod.Params {
                    $0.conversation = conversation
                    $0.cursor = cursor
                }
                try client.tell("acknowledge", params.params)
            }
        } catch {
            throw Failure(error)
        }
    }

    /// Waits for the answers to what was posted, so that they are not lost by ending.
    private func settle(_ client: Client) throws(Failure) {
        do {
            while client.awaitsAnswers { _ = try client.receive() }
        } catch {
            throw Failure(error)
        }
    }

    private mutating func show(_ message: JSON) throws(Failure) {
        if self.session.json {
            try self.session.console.print(message)
        } else {
            try self.session.console.print(self.lines.text(message))
        }
    }

    private func showGap(_ params: JSON) throws(Failure) {
        if self.session.json {
            try self.session.console.print([
                "gap": .members([
                    "from": params["from"], "to": params["to"], "reason": params["reason"],
                ])
            ])
        }
        self.session.console.report(
            "stoa: tail: what came after cursor \(params.count("from")) up to "
                + "\(params.count("to")) cannot be shown: \(params.shown("reason"))\n")
    }
}
