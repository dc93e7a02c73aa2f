import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("A link on which nothing comes back") struct DoubtTests {
    private static let ops = room("ops")
    private static let address = "192.0.2.2:4100"
    private var harness = Harness()

    /// A link that this node has dialled, and a message on it.
    init() throws {
        self.harness.join(Self.ops)
        self.harness.settle()
        self.harness.give(
            .request(RequestID(900), .connect(address: Self.address, expecting: nil, by: nil)))
        let dial = try #require(self.harness.dials.first?.dial)
        let info = LinkInfo(to: Harness.peer(2), boot: 2, role: .initiator)
        self.harness.give(.linkOpened(LinkID(2), info, address: Self.address, dial: dial))
        self.harness.give(.realms(Harness.realmTags(info)), from: 2)
        self.harness.give(.rooms(Harness.openTag(info), [Self.ops.name]), from: 2)
        self.harness.settle()
    }

    private mutating func wait(_ milliseconds: UInt64) {
        self.harness.now.monotonic += milliseconds
        self.harness.give(.timer(.pulse))
    }

    @Test("is doubted once a ping has had no answer, and its peer dialled beside it")
    func silent() {
        var test = self
        // What the node has of the room was told, and nothing has come since.
        let before = test.harness.dials.count
        test.wait(Limits.unansweredMilliseconds)
        #expect(test.harness.dials.count == before)
        test.wait(Limits.doubtMilliseconds - Limits.unansweredMilliseconds)
        #expect(test.harness.dials.count == before + 1)
        #expect(test.harness.dials.last?.address == Self.address)
        #expect(test.harness.closed.isEmpty)
    }

    @Test("on which large packets are lost is dialled beside it at once, with small ones")
    func narrow() {
        var test = self
        test.harness.flights[LinkID(2)] = Flight(bytes: 3_000, resends: 3, segmentBytes: 1_448)
        test.harness.say(String(repeating: "a long letter ", count: 100), in: Self.ops)
        test.harness.settle()
        let before = test.harness.dials.count
        test.wait(Limits.unansweredMilliseconds)
        #expect(test.harness.dials.count == before + 1)
        let usual = test.harness.dials.prefix(before).filter {
            test.harness.narrowDials.contains($0.dial)
        }
        #expect(usual.isEmpty)
        #expect(test.harness.dials.last.map { test.harness.narrowDials.contains($0.dial) } == true)
        // The peer's signs on the old link end no dial: they are small.
        test.harness.give(.pong(nonce: 0, clock: 0), from: 2)
        test.wait(Limits.pulseCheckMilliseconds)
        #expect(test.harness.dials.count == before + 1)
    }

    @Test("on which large packets are lost is told to who asks, where its peer cannot be dialled")
    func stuck() throws {
        var test = self
        test.harness.link(3, in: [Self.ops])
        test.harness.settle()
        test.harness.flights[LinkID(3)] = Flight(bytes: 3_000, resends: 3, segmentBytes: 1_448)
        test.harness.say(String(repeating: "a long letter ", count: 100), in: Self.ops)
        test.harness.settle()
        let before = test.harness.dials.count
        test.wait(Limits.unansweredMilliseconds)
        #expect(test.harness.dials.count == before)
        #expect(
            test.harness.logged.contains { $0.contains("no address is known at which to dial") })
        for link in [LinkID(2), LinkID(3)] { test.harness.packets[link] = PacketCounts() }
        let request = RequestID(901)
        test.harness.give(.request(request, .reach(port: 0, besides: [])))
        while let due = test.harness.packetsAt.take() {
            test.harness.now.monotonic = max(test.harness.now.monotonic, due)
            test.harness.give(.timer(.packets))
        }
        guard case .reach(_, let reports)? = test.harness.answers(of: request).first else {
            Issue.record("no answer")
            return
        }
        #expect(reports.filter(\.isStuck).map(\.peer) == [Harness.peer(3)])
    }

    @Test("is not dialled so where all that was sent has arrived")
    func wide() {
        var test = self
        test.harness.flights[LinkID(2)] = Flight(bytes: 0, resends: 0, segmentBytes: 1_448)
        test.harness.say(String(repeating: "a long letter ", count: 100), in: Self.ops)
        test.harness.settle()
        test.harness.give(.pong(nonce: 0, clock: 0), from: 2)
        test.wait(Limits.unansweredMilliseconds)
        test.wait(Limits.doubtMilliseconds)
        #expect(test.harness.narrowDials.isEmpty)
    }

    @Test("is not, where anything comes back")
    func heard() {
        var test = self
        test.harness.say("are you there?", in: Self.ops)
        test.harness.settle()
        let before = test.harness.dials.count
        test.wait(Limits.unansweredMilliseconds)
        test.harness.give(.pong(nonce: 0, clock: 0), from: 2)
        test.wait(Limits.doubtMilliseconds)
        test.wait(Limits.doubtMilliseconds)
        #expect(test.harness.dials.count == before)
    }

    @Test("is not, where nothing was sent, however long nothing comes")
    func idle() {
        var test = self
        test.harness.give(.pong(nonce: 0, clock: 0), from: 2)
        let before = test.harness.dials.count
        test.wait(30_000)
        test.wait(20_000)
        #expect(test.harness.dials.count == before)
    }

    // Shows: daemon.dial-back
    @Test("is not dialled beside it where it is a stranger's who has dialled")
    func stranger() {
        var test = self
        test.harness.link(3, in: [Self.ops])
        test.harness.settle()
        test.harness.give(.pong(nonce: 0, clock: 0), from: 2)
        test.harness.say("are you there?", in: Self.ops)
        test.harness.settle()
        test.harness.give(.pong(nonce: 0, clock: 0), from: 2)
        let before = test.harness.dials.count
        test.wait(Limits.unansweredMilliseconds)
        test.wait(Limits.doubtMilliseconds)
        #expect(test.harness.dials.count == before)
    }
}
