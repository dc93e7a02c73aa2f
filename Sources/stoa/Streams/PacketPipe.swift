import ControlAPI
import ControlClient

/// An ephemeral stream between standard input or output and the daemon.
struct PacketPipe {
    private let context: CommandContext
    /// Nil for all conversations.
    private let to: String?
    private let name: String
    private let connection: DaemonConnection

    init(_ context: CommandContext, to: String?, name: String) throws(Failure) {
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
        return try self.patiently(OpenStreamMethod.self, params).stream
    }

    /// Asks again for as long as the daemon says when to.
    private func patiently<Method: ControlMethod>(
        _ method: Method.Type, _ params: Method.Params
    ) throws(Failure) -> Received<Method.Result> where Method.Result: ControlValue {
        while true {
            do throws(ClientError) {
                return try self.connection.call(method, params)
            } catch {
                guard case .refused(let refusal) = error, refusal.knownCode == .busy,
                    let wait = refusal.retryMilliseconds
                else { throw Failure(error) }
                try PollWait.pause(milliseconds: Int32(clamping: max(1, wait)))
            }
        }
    }

    // MARK: Sending

    /// Sends standard input, no faster than it may be.
    ///
    /// - Parameter member: whom alone it is for; nil for all members.
    func send(isOrdered: Bool, member: String?) throws(Failure) {
        let stream = try self.open {
            $0.ordered = isOrdered ? true : nil
            $0.member = member
        }
        var packets: Int64 = 0
        do throws(Failure) { try self.sendAll(on: stream, &packets) } catch {
            var failure = error
            if error.isInterrupt || error.isLoss {
                failure.next =
                    "\(Self.sent(packets)), which nobody stores; to continue, run it again"
            }
            throw failure
        }
        _ = try Failure.of { () throws(ClientError) in
            try self.connection.call(
                CloseStreamMethod.self, CloseStreamMethod.Params { $0.stream = stream })
        }
        self.context.console.report("\(Self.sent(packets))\n")
    }

    private static func sent(_ packets: Int64) -> String {
        packets == 1 ? "sent 1 packet" : "sent \(packets) packets"
    }

    private func sendAll(on stream: Int64, _ packets: inout Int64) throws(Failure) {
        while let chunk = try self.context.console.readChunk() {
            var start = 0
            while start < chunk.count {
                let end = min(start + ControlLimits.streamPacketBytes, chunk.count)
                try self.send(Array(chunk[start..<end]), on: stream)
                packets += 1
                start = end
            }
        }
    }

    private func send(_ bytes: [UInt8], on stream: Int64) throws(Failure) {
        let params = SendStreamMethod.Params {
            $0.stream = stream
            $0.data = Base64(bytes)
        }
        _ = try self.patiently(SendStreamMethod.self, params)
    }

    // MARK: Receiving

    /// Writes packets to standard output as they come.
    ///
    /// - Parameter known: the devices whose packets count; nil for all.
    func receive(isFollowing: Bool, known: Set<String>?) throws(Failure) {
        do throws(Failure) {
            try self.receiveAll(isFollowing: isFollowing, known: known)
        } catch {
            guard error.isInterrupt || error.isLoss else { throw error }
            var failure = error
            failure.next = "packets are not stored, so none comes again; to continue, run it again"
            guard error.isInterrupt else { throw failure }
            self.context.console.report("stoa: stream: \(failure.why); \(failure.next)\n")
        }
    }

    private func receiveAll(isFollowing: Bool, known: Set<String>?) throws(Failure) {
        let stream = try self.open { $0.receive = true }
        let console = self.context.console
        var leftOut: Set<String> = []
        var events = try Failure.of { () throws(ClientError) in try self.connection.takeEvents() }
        while true {
            for event in events {
                guard let packet = Packet(event), packet.stream == stream else { continue }
                if let known, !known.contains(packet.peer) {
                    if leftOut.insert(packet.peer).inserted {
                        console.report(
                            "stoa: stream: \(packet.name) is not a contact of "
                                + "yours; their packets are left out (name them with --by)\n")
                    }
                    continue
                }
                if self.context.json { try console.print(event.params.json ?? .null) }
                switch packet {
                case .error(let error): self.report(error)
                case .data(let event):
                    if let data = event.data, !self.context.json {
                        try console.pass(data.bytes, toErrors: false)
                    }
                    if event.end == true, !isFollowing { return }
                }
            }
            let readable = [self.connection.descriptor]
            let pipe = console.outputPipeNumber
            let outcome = try PollWait.until(
                readable: readable, closed: pipe, millisecondsAtMost: nil)
            if outcome.pipeClosed { throw .outputClosed }
            events = try Failure.of { () throws(ClientError) in try self.connection.receive() }
        }
    }

    private func report(_ error: StreamErrorEvent) {
        let cached = error.cached
        let text =
            "\(error.missed) packets are missing"
            + (error.reason == .slow ? ", since this end did not read" : "")
        self.context.console.report(
            "stoa: stream: \(text)\(cached > 0 ? "; \(cached) follow" : "")\n")
    }
}

/// What comes on an open stream.
private enum Packet {
    case data(StreamEvent)
    case error(StreamErrorEvent)

    /// Nil where it is about something else.
    init?(_ notification: RPCRequest) {
        switch ServerEvent(notification) {
        case .stream(let event): self = .data(event)
        case .streamError(let event): self = .error(event)
        default: return nil
        }
    }

    var stream: Int64 {
        switch self {
        case .data(let event): event.stream
        case .error(let event): event.stream
        }
    }

    /// The sender's device; empty where several senders are meant.
    var peer: String {
        switch self {
        case .data(let event): event.peer
        case .error(let event): event.peer ?? ""
        }
    }

    /// How the sender is called.
    var name: String {
        switch self {
        case .data(let event): event.shownPeer.text
        case .error(let event): ShownPerson(name: "", id: event.peer ?? "").text
        }
    }
}
