internal import ControlAPI
internal import Loop
internal import Posix

/// One connection to the control socket: lines in, lines out, both bounded.
///
/// Lives on the loop. Requests are read only as long as there is room for their answers, so a client
/// that asks without reading stops itself. One that takes nothing of what waits for it is closed.
final class ControlConnection {
    private enum Phase {
        case open
        /// The client will send nothing more; what it asked for is still answered.
        case inputEnded
        /// The last line is said; what comes is dropped until the client closes.
        case lingering
        case closed
    }

    /// Names the client in tables.
    let number: UInt64
    /// What it may call.
    let access: MethodAccess
    private let descriptor: FileDescriptor
    private let bounds: ControlBounds
    private let buffer: ReadBuffer
    private let handler: (RPCRequest, Reply) -> Void
    /// Told once when the connection is over.
    private var closed: ((ControlConnection) -> Void)?
    /// Told when output waits, so that it is flushed at the end of the turn.
    private let dirtied: (ControlConnection) -> Void
    /// Told when the client has taken most of what waited for it.
    var drained: (() -> Void)?

    private var phase = Phase.open
    private var codec = LineCodec()
    private var watch: IOWatch?
    private var timer: LoopTimer?
    private var output: [UInt8] = []
    private var outputStart = 0
    private var promisedBytes = 0
    private var openReplies = 0
    private var isProcessing = false
    /// How many requests hold up those behind them.
    private var heldUp = 0
    /// Calls of a batch that wait for their turn.
    private var waitingCalls: [(request: RPCRequest, reply: Reply)] = []
    private var isDirty = false
    private var isStalled = false
    /// Descriptors that came with requests which are not yet taken up, oldest first.
    private var passed: [PassedDescriptor] = []
    /// How many of them a client may have waiting.
    private static let passedLimit = 16

    /// Takes over a connection.
    init(
        _ descriptor: consuming FileDescriptor, number: UInt64, access: MethodAccess,
        bounds: ControlBounds,
        loop: EventLoop, buffer: ReadBuffer, turn: @escaping (() -> Void) -> Void,
        handler: @escaping (RPCRequest, Reply) -> Void,
        dirtied: @escaping (ControlConnection) -> Void,
        closed: @escaping (ControlConnection) -> Void
    ) throws(SystemError) {
        self.number = number
        self.access = access
        self.descriptor = descriptor
        self.bounds = bounds
        self.buffer = buffer
        self.handler = handler
        self.dirtied = dirtied
        self.closed = closed
        self.watch = try loop.watch(self.descriptor.number, for: .readable) {
            [weak self] events in turn { self?.handle(events) }
        }
        self.timer = try loop.makeTimer { [weak self] in turn { self?.timerFired() } }
    }

    /// Bytes that wait to be read by the client.
    var waitingBytes: Int { self.output.count - self.outputStart }

    /// Whether a subscriber should be given more now rather than later.
    var hasRoom: Bool { self.isAlive && self.waitingBytes < self.bounds.highWaterBytes / 4 }

    /// Whether an event that is at hand may be given: otherwise it is read from the store later, and opened
    /// a second time.
    var hasRoomForEvents: Bool {
        self.isAlive && self.waitingBytes < self.bounds.highWaterBytes / 2
    }

    /// Whether lines still reach the client.
    var isAlive: Bool { self.phase == .open || self.phase == .inputEnded }

    /// Queues a line; it is written by ``flush()``.
    func write(_ line: [UInt8]) {
        guard self.isAlive else { return }
        self.output += line
        if self.waitingBytes > self.bounds.overflowBytes {
            self.overflow()
        } else if !self.isDirty {
            self.isDirty = true
            self.dirtied(self)
        }
    }

    /// Takes the descriptor that came with the oldest request that takes one; nil where none did.
    func takePassed() -> FileDescriptor? {
        self.passed.isEmpty ? nil : self.passed.removeFirst().take()
    }

    /// Counts an answer that is to come.
    func promise(_ bytes: Int) {
        self.promisedBytes += bytes
        self.openReplies += 1
    }

    /// Counts an answer that has come.
    func redeem(_ bytes: Int) {
        self.promisedBytes -= bytes
        self.openReplies -= 1
    }

    /// A request must reach the node before the next one is taken.
    func holdUp() { self.heldUp += 1 }

    /// It has.
    func goOn() {
        self.heldUp -= 1
        self.proceed()
    }

    /// Goes on with requests that waited for room, or for another one.
    func proceed() {
        guard !self.isProcessing, self.phase == .open || self.phase == .inputEnded else { return }
        self.process()
    }

    /// Writes what waits, as far as the client takes it.
    func flush() {
        self.isDirty = false
        guard self.phase != .closed else { return }
        let before = self.waitingBytes
        while self.waitingBytes > 0 {
            switch self.descriptor.send(self.output, from: self.outputStart) {
            case .bytes(let count): self.outputStart += count
            case .wouldBlock:
                self.compact()
                self.watchForStall(hasProgress: self.waitingBytes < before)
                self.settle(before: before)
                return
            case .failed:
                self.close()
                return
            }
        }
        self.output.removeAll(keepingCapacity: self.output.capacity <= ReadBuffer.byteCount)
        self.outputStart = 0
        if self.isStalled {
            self.isStalled = false
            self.timer?.clear()
        }
        self.settle(before: before)
    }

    /// Says a last line and closes, without waiting for open requests.
    func close(saying error: RPCError) {
        guard self.isAlive else { return }
        self.output += RPCResponse(error: error).line
        self.linger()
    }

    /// Writes what waits and closes.
    func finish() {
        guard self.isAlive else { return }
        self.linger()
    }

    /// Closes at once.
    func close() {
        guard self.phase != .closed else { return }
        self.phase = .closed
        self.watch?.cancel()
        self.watch = nil
        self.timer?.cancel()
        self.timer = nil
        self.drained = nil
        self.passed = []
        let closed = self.closed
        self.closed = nil
        closed?(self)
    }

    private func settle(before: Int) {
        let room = self.bounds.highWaterBytes / 4
        if before >= room, self.waitingBytes < room { self.drained?() }
        switch self.phase {
        case .open, .inputEnded: self.proceed()
        case .lingering:
            if self.waitingBytes == 0 { self.descriptor.finishSending() }
            self.updateInterest()
        case .closed: break
        }
    }

    private func handle(_ events: IOEvents) {
        if events.contains(.writable) { self.flush() }
        guard !events.isDisjoint(with: [.readable, .hangup, .error]) else { return }
        switch self.phase {
        case .open: self.read(events)
        case .inputEnded:
            // Both directions are closed: nobody is left to read the answers.
            if events.contains(.hangup) || events.contains(.error) { self.close() }
        case .lingering: self.discard()
        case .closed: break
        }
    }

    private func read(_ events: IOEvents) {
        let (result, passed) = self.descriptor.receive(into: &self.buffer.bytes)
        if let passed, self.passed.count < Self.passedLimit { self.passed.append(passed) }
        switch result {
        case .bytes(let count):
            self.codec.append(self.buffer.bytes[..<count])
            self.process()
        case .wouldBlock: break
        case .end:
            // A client that has closed both ways reads no answers.
            if events.contains(.hangup) {
                self.close()
                return
            }
            self.phase = .inputEnded
            self.process()
        case .failed: self.close()
        }
    }

    private var hasRoomForRequests: Bool {
        self.waitingBytes + self.promisedBytes < self.bounds.highWaterBytes
    }

    private func process() {
        self.isProcessing = true
        while self.isAlive, self.heldUp == 0 {
            if !self.waitingCalls.isEmpty {
                let next = self.waitingCalls.removeFirst()
                self.handler(next.request, next.reply)
                continue
            }
            guard self.hasRoomForRequests else { break }
            do throws(LineError) {
                guard let line = try self.codec.nextLine() else { break }
                self.take(line)
            } catch {
                switch error {
                case .lineTooLong(let limit): self.close(saying: .lineTooLong(limit: limit))
                }
            }
        }
        self.isProcessing = false
        guard self.isAlive else { return }
        if self.phase == .inputEnded, self.openReplies == 0, self.waitingBytes == 0,
            self.hasRoomForRequests
        {
            self.close()
            return
        }
        // What was answered now is written at the end of the turn; only what the client does not
        // take then has to be waited for.
        if !self.isDirty { self.updateInterest() }
    }

    private func take(_ line: [UInt8]) {
        // An empty line is no message; it is what a person types.
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { return }
        switch Incoming(parsing: line) {
        case .single(.invalid(let error)): self.write(RPCResponse(error: error).line)
        case .single(.request(let id, let request)):
            self.handler(request, self.reply(id: id, to: request))
        case .single(.notification(let request)):
            self.handler(request, self.reply(id: nil, to: request))
        case .batch(let calls): self.take(calls)
        }
    }

    private func reply(id: RPCRequestID?, to request: RPCRequest) -> Reply {
        Reply(
            id: id,
            byteBudget: Self.isLarge(request)
                ? self.bounds.highWaterBytes : self.bounds.answerBytes,
            client: self)
    }

    private func take(_ calls: [RPCCall]) {
        let batch = PendingBatch(calls)
        var largeAnswers = 0
        for call in calls where call.request.map(Self.isLarge) ?? false { largeAnswers += 1 }
        let share =
            self.bounds.highWaterBytes / max(1, min(largeAnswers, self.bounds.largeAnswersPerBatch))
        var largeSeen = 0
        for (position, call) in calls.enumerated() {
            guard let request = call.request else { continue }
            let isLarge = Self.isLarge(request)
            let reply = Reply(
                batch: batch, position: call.isNotification ? nil : position,
                byteBudget: isLarge ? share : self.bounds.answerBytes, client: self)
            if isLarge { largeSeen += 1 }
            if isLarge, largeSeen > self.bounds.largeAnswersPerBatch {
                reply.fail(
                    .busy(
                        "a batch may hold \(self.bounds.largeAnswersPerBatch) requests "
                            + "with large answers"))
            } else {
                self.waitingCalls.append((request, reply))
            }
        }
        // With nothing but invalid elements no reply comes that would send the answers.
        if calls.allSatisfy({ $0.request == nil }) { batch.finish(for: self) }
    }

    /// Whether the answer may be as large as a line; all other answers have a small bound.
    private static func isLarge(_ request: RPCRequest) -> Bool {
        ControlMethods.withLargeAnswers.contains(request.method)
    }

    private func updateInterest() {
        guard let watch = self.watch else { return }
        var wanted: IOEvents = []
        switch self.phase {
        case .open:
            if self.hasRoomForRequests, self.heldUp == 0 { wanted.insert(.readable) }
        case .lingering: wanted.insert(.readable)
        case .inputEnded, .closed: break
        }
        if self.waitingBytes > 0 { wanted.insert(.writable) }
        if watch.interest != wanted { watch.set(wanted) }
    }

    /// Moves the rest to the front once that costs less than it has saved.
    private func compact() {
        guard self.outputStart > self.waitingBytes else { return }
        self.output.removeSubrange(..<self.outputStart)
        self.outputStart = 0
    }

    private func watchForStall(hasProgress: Bool) {
        guard self.phase != .lingering, hasProgress || !self.isStalled else { return }
        self.isStalled = true
        self.timer?.set(afterMilliseconds: self.bounds.stallMilliseconds)
    }

    private func timerFired() {
        if self.phase == .lingering {
            self.close()
        } else {
            self.overflow()
        }
    }

    /// Drops all but the rest of a line that is partly written, and says why.
    private func overflow() {
        guard self.isAlive else { return }
        let waiting = self.waitingBytes
        let rest = self.output[self.outputStart...]
        let isMidLine = self.outputStart > 0 && self.output[self.outputStart - 1] != 0x0A
        if isMidLine, let end = rest.firstIndex(of: 0x0A) {
            self.output = Array(rest[...end])
        } else {
            self.output = []
        }
        self.outputStart = 0
        self.close(saying: .overflow(queuedBytes: waiting))
    }

    private func linger() {
        self.phase = .lingering
        self.codec = LineCodec()
        self.drained = nil
        self.timer?.set(afterMilliseconds: self.bounds.lingerMilliseconds)
        if !self.isDirty {
            self.isDirty = true
            self.dirtied(self)
        }
    }

    private func discard() {
        switch self.descriptor.read(into: &self.buffer.bytes) {
        case .bytes, .wouldBlock: break
        case .end, .failed: self.close()
        }
    }
}

extension RPCCall {
    /// The request or notification; nil for what is invalid.
    fileprivate var request: RPCRequest? {
        switch self {
        case .request(_, let request), .notification(let request): request
        case .invalid: nil
        }
    }

    fileprivate var isNotification: Bool {
        if case .notification = self { true } else { false }
    }
}
