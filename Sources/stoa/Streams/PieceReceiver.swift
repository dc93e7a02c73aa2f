import ControlAPI
import ControlClient
import Posix

/// Writes a durable stream to standard output or into a file, over restarts of both ends.
struct PieceReceiver {
    private let context: CommandContext
    private let follower: MessageFollower
    private let isFollowing: Bool
    private let file: StreamFile?
    /// Whether its position outlives this run.
    private let isDurable: Bool
    /// The sending that is being written; nil between two.
    private var sending: StreamSending?
    /// The cursor through which all is written or left out, where that is not kept yet.
    private var written: Int64?
    /// The last cursor of these behind which no sending is under way.
    private var whole: Int64?
    /// Whose pieces were left out since a sending has ended, so that each is told once.
    private var leftOut: Set<String> = []
    /// The devices whose sendings count; nil for all.
    private let known: Set<String>?
    /// Whether the sending under way goes on, while another one waits; nil while none does.
    private var stall: StreamStall?

    /// - Parameter known: the devices whose sendings count; nil for all.
    init(
        _ context: CommandContext, _ params: SubscribeMethod.Params, known: Set<String>?,
        file: String?, isFollowing: Bool
    ) throws(Failure) {
        self.context = context
        self.known = known
        self.isFollowing = isFollowing
        var params = params
        let file = try file.map { (path) throws(Failure) in try StreamFile(path) }
        self.file = file
        self.isDurable = file != nil || params.consumer != nil
        if let position = file?.position {
            guard params.from == nil else {
                throw .usage("the file stores its own position", next: "leave --from out")
            }
            params.from = position.cursor
            self.sending = position.sending
        }
        let path = try context.socketPath()
        self.follower = try Failure.of { () throws(ClientError) in
            try MessageFollower(
                path: path, params: params,
                answerMilliseconds: context.options.timeoutMilliseconds)
        }
        // Where a new file begins is kept before anything comes, so that nothing is missed between.
        if let file, file.position == nil { try file.keep(self.follower.cursor, nil) }
    }

    /// Ends with the first sending that ends, unless it goes on following.
    mutating func run() throws(Failure) {
        do throws(Failure) { try self.receive() } catch {
            guard error.isInterrupt else { throw error }
            try? self.follower.finish()
            self.tellEnd(error)
        }
    }

    /// Says on a signal how to go on.
    private func tellEnd(_ failure: Failure) {
        let next =
            self.isDurable
            ? "the same command continues from there"
            : self.sending == nil
                ? "to continue from there: --from \(self.follower.cursor)"
                : "only part of a stream was written: receive it again from the beginning"
        self.context.console.report("stoa: stream: \(failure.why); \(next)\n")
    }

    private mutating func receive() throws(Failure) {
        let pipe = self.context.console.outputPipeNumber
        var events = try Failure.of { () throws(ClientError) in try self.follower.takeEvents() }
        while true {
            let hasEnded = try self.handle(events)
            try self.keep()
            if hasEnded, !self.isFollowing {
                return try Failure.of { () throws(ClientError) in try self.follower.finish() }
            }
            events = try self.follower.awaitEvents(
                whileOpen: pipe, millisecondsAtMost: self.stall?.millisecondsLeft())
            if let stall = self.stall, stall.isOver() { throw self.failure(stall) }
        }
    }

    /// Writes what has come; whether a sending has ended.
    private mutating func handle(_ events: [MessageFollower.Event]) throws(Failure) -> Bool {
        for event in events {
            switch event {
            case .piece(let piece):
                let hasEnded = try self.take(piece)
                if hasEnded, !self.isFollowing { return true }
            case .gap(let gap):
                throw Failure(
                    .inputOutput,
                    why: "the stream after cursor \(gap.from) is lost: "
                        + gap.reason.shown, next: "ask for it to be sent again")
            case .lost(let error):
                self.context.console.report(
                    "stoa: stream: \(error.reason); connecting again\n")
            case .connected: self.context.console.report("stoa: stream: connected again\n")
            case .message, .change, .missing: continue
            }
        }
        return false
    }

    /// Writes a piece, or leaves it out; whether its sending ends with it.
    private mutating func take(_ piece: Received<StreamPieceEvent>) throws(Failure) -> Bool {
        guard piece.hasData else { throw Failure(.garbled("a piece of a stream has no bytes")) }
        if let known = self.known, !known.contains(piece.peer) {
            self.report(
                "is not a contact of yours; their data is left out (name them with --by)",
                piece.value
            )
            self.written = piece.cursor
            if self.sending == nil { self.whole = self.written }
            return false
        }
        let verdict: StreamSending.Verdict
        do throws(StreamSending.Fault) {
            verdict = try StreamSending.judge(
                piece.value, behind: self.sending)
        } catch {
            throw self.failure(error, at: piece.value)
        }
        switch verdict {
        case .another:
            self.report(
                "sends this stream too; that is left out (name them with --by)", piece.value)
            if self.stall == nil { self.stall = StreamStall(waiting: piece.value) }
        case .beginningMissed:
            self.report("started sending before this; that is left out", piece.value)
        case .write(let sending):
            try self.write(piece)
            self.sending = sending
            self.stall?.note(piece.data.bytes.count)
            if sending == nil { self.stall = nil }
        }
        self.written = piece.cursor
        if self.sending == nil { self.whole = piece.cursor }
        guard verdict == .write(nil) else { return false }
        self.leftOut = []
        return true
    }

    private func write(_ piece: Received<StreamPieceEvent>) throws(Failure) {
        let bytes = piece.data.bytes
        if self.context.json { try self.context.console.print(piece.json) }
        if let file = self.file {
            try file.append(bytes)
        } else if !self.context.json {
            try self.context.console.pass(bytes, toErrors: false)
        }
    }

    /// Says of somebody that their data is left out: once, until a sending has ended.
    private mutating func report(_ what: String, _ piece: StreamPieceEvent) {
        guard self.leftOut.insert(piece.peer).inserted else { return }
        self.context.console.report(
            "stoa: stream: \(piece.shownPeer.quoted) \(what)\n")
    }

    private func failure(_ stall: StreamStall) -> Failure {
        Failure(
            .temporary,
            why:
                "the current sending stopped without an end, while \(stall.name) sends this stream too",
            next: "delete what was written, and receive theirs: --from \(stall.cursor - 1) --by "
                + "@\(stall.peer.prefix(16))")
    }

    private func failure(_ fault: StreamSending.Fault, at piece: StreamPieceEvent) -> Failure {
        let who = piece.shownPeer.quoted
        switch fault {
        case .missing(let after, let next):
            return Failure(
                .inputOutput,
                why:
                    "of what \(who) sends, the bytes from \(after) on are missing (then come those "
                    + "from \(next) on)", next: "ask for it to be sent again")
        case .begunAnew:
            return Failure(
                .inputOutput, why: "\(who) started again, and the earlier sending never ended",
                next: "delete what was written, and receive it with --from "
                    + "\(piece.cursor - 1)")
        }
    }

    /// What is written is done with: it does not come again, to a consumer once its sending is whole.
    private mutating func keep() throws(Failure) {
        guard let written = self.written else { return }
        try self.context.console.flush()
        try self.file?.keep(written, self.sending)
        let whole = self.whole
        try Failure.of { () throws(ClientError) in
            // The rest of a sending alone would never be written: a consumer gets it from its beginning.
            if let whole { try self.follower.settle(whole) }
            try self.follower.settle(written, acknowledging: false)
        }
        self.written = nil
        self.whole = nil
    }
}
