import Engine
import Crypto
import TestSupport

/// A node with a disk that writes when it is told to, and peers that are played by the test.
struct Harness {
    var node: Node<SeededRandom>
    var now = Instant(monotonic: 1_000, wall: 1_000_000)
    /// What the node has sent on each link, in order.
    var sent: [LinkID: [Frame]] = [:]
    /// The batch that is not yet written.
    var batch: Batch?
    /// Reads that are not yet answered.
    var reads: [(read: ReadID, key: LogKey, from: UInt64, through: UInt64, byteLimit: Int)] = []
    /// Look-ups of idempotency keys that are not yet answered.
    private var lookUps: [(RequestID, ConversationID, key: String)] = []
    /// What users were answered, in order.
    private(set) var answers: [(request: RequestID, answer: Answer)] = []
    var deltaAt: UInt64?
    private var disk: [LogKey: [Run]] = [:]
    private var cursor: Int64 = 0
    private var request: UInt64 = 0

    static var ownKey: PeerID { PeerID(signer(1).publicKey) }

    init(_ number: UInt8 = 1) {
        self.node = Node(
            signer: signer(number), boot: 1,
            configuration: NodeConfiguration(name: "ada", staticPeers: [], buildTime: 0),
            snapshot: Snapshot(), random: SeededRandom(seed: 1))
        self.give(.started)
        self.settle()
    }

    static func peer(_ number: UInt8) -> PeerID { PeerID(signer(number).publicKey) }

    /// Links a peer that is in these rooms.
    mutating func link(_ number: UInt8, in rooms: [RoomName]) {
        let info = LinkInfo(
            peer: Self.peer(number), boot: UInt64(number), isInitiator: false, dial: 1, version: 1,
            listenPort: nil, handshakeHash: Bytes64.zero)
        let link = LinkID(UInt64(number))
        self.give(.linkOpened(link, info, address: "192.0.2.\(number):4100", dial: nil))
        self.give(.rooms(rooms), from: number)
    }

    mutating func join(_ room: RoomName) {
        self.request += 1
        self.give(.request(RequestID(self.request), .join(room)))
    }

    mutating func say(_ text: String, in room: RoomName) {
        self.request += 1
        let outgoing = Outgoing(
            conversation: room.conversation, text: text, idempotencyKey: nil, deliverBy: nil)
        self.give(.request(RequestID(self.request), .send(outgoing)))
    }

    mutating func give(_ frame: Frame, from number: UInt8) {
        guard let received = try? ReceivedFrame(whole: frame.encoded.bytes) else {
            preconditionFailure("a frame that was encoded decodes")
        }
        self.give(.received(LinkID(UInt64(number)), received))
    }

    mutating func give(_ event: Event) {
        for action in self.node.handle(event, at: self.now) {
            switch action {
            case .send(let link, let frame):
                guard let sent = try? ReceivedFrame(whole: frame.bytes).frame else {
                    preconditionFailure("the node sends what it can read")
                }
                self.sent[link, default: []].append(sent)
            case .commit(let batch): self.batch = batch
            case .readRuns(let read, let key, let from, let through, let byteLimit):
                self.reads.append((read, key, from, through, byteLimit))
            case .arm(.delta, let at): self.deltaAt = at
            case .lookUp(let request, let conversation, let key):
                self.lookUps.append((request, conversation, key))
            case .answer(let request, let answer): self.answers.append((request, answer))
            default: break
            }
        }
    }

    /// The look-ups that wait for an answer, once.
    mutating func takeLookUps() -> [(RequestID, ConversationID, key: String)] {
        defer { self.lookUps = [] }
        return self.lookUps
    }

    /// What a request was answered.
    func answers(of request: RequestID) -> [Answer] {
        self.answers.filter { $0.request == request }.map(\.answer)
    }

    /// Writes what is to be written.
    mutating func write() {
        guard let batch = self.batch.take() else { return }
        let cursors = batch.appends.map { append in
            append.run.ids.map { _ in
                self.cursor += 1
                return Cursor(self.cursor)
            }
        }
        for append in batch.appends {
            self.disk[append.run.run.key, default: []].append(append.run.run)
        }
        self.give(
            .committed(
                BatchOutcome(
                    number: batch.number, cursors: cursors, released: [],
                    held: HeldEntries(count: 0, first: nil))))
    }

    /// Answers a read as the store does, one run for each that was written.
    mutating func answer(_ index: Int) {
        let asked = self.reads.remove(at: index)
        var runs: [Run] = []
        var left = asked.byteLimit
        for run in self.disk[asked.key] ?? []
        where run.first >= asked.from && run.first <= asked.through {
            guard runs.isEmpty || left >= Limits.runFrameBytes else { break }
            runs.append(run)
            left -= run.frameBytes
        }
        self.give(.runsRead(asked.read, runs))
    }

    /// Writes and reads until nothing is left to be.
    mutating func settle() {
        while self.batch != nil || !self.reads.isEmpty {
            self.write()
            if !self.reads.isEmpty { self.answer(0) }
        }
    }

    /// Lets so much time pass, and what waits in asking be asked.
    mutating func pass(milliseconds: UInt64) {
        self.now = Instant(
            monotonic: self.now.monotonic + milliseconds, wall: self.now.wall + milliseconds)
        self.give(.timer(.fetch))
        self.settle()
    }

    /// What was sent on a link since this was called last.
    mutating func take(from number: UInt8) -> [Frame] {
        self.sent.removeValue(forKey: LinkID(UInt64(number))) ?? []
    }

    /// Lets the time pass until the next clock deltas.
    mutating func passDelta() {
        guard let at = self.deltaAt.take() else { return }
        self.now = Instant(monotonic: at, wall: self.now.wall + at - self.now.monotonic)
        self.give(.timer(.delta))
    }

    /// The runs that were pushed on a link.
    func pushed(to number: UInt8) -> [Run] {
        (self.sent[LinkID(UInt64(number))] ?? []).compactMap {
            if case .liveRun(let run) = $0 { run } else { nil }
        }
    }

    /// How often a link was told of the own clock by deltas.
    func deltas(to number: UInt8) -> Int {
        (self.sent[LinkID(UInt64(number))] ?? []).count {
            if case .clock(_, false, _) = $0 { true } else { false }
        }
    }
}
