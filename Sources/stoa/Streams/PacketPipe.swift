import ControlAPI
import ControlClient

/// An ephemeral stream between standard input or output and the daemon.
struct PacketPipe {
    private let context: CommandContext
    private let to: String
    private let name: String
    private let connection: DaemonConnection

    init(_ context: CommandContext, to: String, name: String) throws(Failure) {
        self.context = context
        self.to = to
        self.name = name
        let path = try context.socketPath()
        self.connection = try Failure.of { () throws(ClientError) in
            try DaemonConnection(
                path: path, answerMilliseconds: context.options.timeoutMilliseconds)
        }
    }

    private func open(
        _ fill: (inout OpenStreamMethod.Params) -> Void
    ) throws(Failure) -> Int64 {
        var params = OpenStreamMethod.Params {
            $0.to = self.to
            $0.name = self.name
        }
        fill(&params)
        return try Failure.of { () throws(ClientError) in
            try self.connection.call(OpenStreamMethod.self, params)
        }.count("stream")
    }

    // MARK: Sending

    /// Sends standard input, no faster than it may be.
    func send(isOrdered: Bool) throws(Failure) {
        let stream = try self.open { $0.ordered = isOrdered ? true : nil }
        var packets: Int64 = 0
        while let chunk = try self.context.console.readChunk() {
            var start = 0
            while start < chunk.count {
                let end = min(start + ControlLimits.streamPacketBytes, chunk.count)
                try self.send(Array(chunk[start..<end]), on: stream)
                packets += 1
                start = end
            }
        }
        _ = try Failure.of { () throws(ClientError) in
            try self.connection.call(
                CloseStreamMethod.self, CloseStreamMethod.Params { $0.stream = stream })
        }
        self.context.console.report(
            packets == 1 ? "sent 1 packet\n" : "sent \(packets) packets\n")
    }

    private func send(_ bytes: [UInt8], on stream: Int64) throws(Failure) {
        let params = SendStreamMethod.Params {
            $0.stream = stream
            $0.data = Base64(bytes)
        }
        while true {
            do throws(ClientError) {
                _ = try self.connection.call(SendStreamMethod.self, params)
                return
            } catch {
                guard case .refused(let refusal) = error, refusal.knownCode == .busy,
                    let wait = refusal.data?["retryMilliseconds"]?.integerValue
                else { throw Failure(error) }
                _ = PollWait.any(
                    readable: [], writable: nil, millisecondsAtMost: Int32(clamping: max(1, wait)))
            }
        }
    }

    // MARK: Receiving

    /// Writes packets to standard output as they come.
    ///
    /// - Parameter known: the devices whose packets count; nil for all.
    func receive(isFollowing: Bool, known: Set<String>?) throws(Failure) {
        InterruptSignals.endWellWhenAllowed()
        let stream = try self.open { $0.receive = true }
        let console = self.context.console
        var leftOut: Set<String> = []
        var events = try Failure.of { () throws(ClientError) in try self.connection.takeEvents() }
        while true {
            for event in events {
                guard let params = event.params.json, params.count("stream") == stream else {
                    continue
                }
                if let known, !known.contains(params.shown("peer")) {
                    if leftOut.insert(params.shown("peer")).inserted {
                        console.report(
                            "stoa: stream: \(params.shownPerson("peerName", key: "peer")) is not a contact of "
                                + "yours; their packets are left out (name them with --by)\n")
                    }
                    continue
                }
                if self.context.json { try console.print(params) }
                switch event.method {
                case StreamErrorEvent.name: self.report(params)
                case StreamEvent.name:
                    if let data = params["data"].flatMap({ Base64(field: $0) }), !self.context.json
                    {
                        try console.pass(data.bytes, toErrors: false)
                    }
                    if params["end"] == .bool(true), !isFollowing { return }
                default: continue
                }
            }
            let readable = [self.connection.descriptor]
            let pipe = console.outputPipeNumber
            let outcome = try InterruptSignals.whileAllowed { () throws(Failure) in
                try PollWait.until(readable: readable, closed: pipe, millisecondsAtMost: nil)
            }
            if outcome.pipeClosed { throw .outputClosed }
            events = try Failure.of { () throws(ClientError) in try self.connection.receive() }
        }
    }

    private func report(_ error: JSON) {
        let cached = error.count("cached")
        let text =
            "\(error.count("missed")) packets are missing"
            + (error["reason"] == "slow" ? ", since this end did not read" : "")
        self.context.console.report(
            "stoa: stream: \(text)\(cached > 0 ? "; \(cached) follow" : "")\n")
    }
}
