import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Two links to one peer") struct LinkContestTests {
    private static let (low, high) = {
        let keys = [Harness.ownKey, Harness.peer(2)].sorted()
        return (keys[0], keys[1])
    }()

    private static func info(
        _ peer: PeerID, isInitiator: Bool, dial: UInt64 = 1, boot: UInt64 = 7
    ) -> LinkInfo {
        LinkInfo(to: peer, boot: boot, role: isInitiator ? .initiator : .responder, dial: dial)
    }

    @Test("of two dials that crossed both ends keep the one of the smaller key")
    func crossed() {
        for (own, peer) in [(Self.low, Self.high), (Self.high, Self.low)] {
            let out = Self.info(peer, isInitiator: true)
            let back = Self.info(peer, isInitiator: false)
            let outIsNewer = LinkContest.verdict(own: own, older: back, newer: out)
            let backIsNewer = LinkContest.verdict(own: own, older: out, newer: back)
            #expect((outIsNewer == .newer) == (own == Self.low))
            #expect((backIsNewer == .newer) == (own == Self.high))
        }
    }

    @Test("of two dials of one side the later one stays")
    func redialled() {
        let first = Self.info(Self.high, isInitiator: false, dial: 1)
        let second = Self.info(Self.high, isInitiator: false, dial: 2)
        #expect(LinkContest.verdict(own: Self.low, older: first, newer: second) == .newer)
        #expect(LinkContest.verdict(own: Self.low, older: second, newer: first) != .newer)
    }

    @Test("from another start the older one stays if it lives")
    func otherStart() {
        let first = Self.info(Self.high, isInitiator: false)
        let second = Self.info(Self.high, isInitiator: false, dial: 2, boot: 8)
        guard
            case .olderIfAlive(.identityInUse, _) = LinkContest.verdict(
                own: Self.low, older: first, newer: second)
        else {
            Issue.record("the newer one won")
            return
        }
    }

    /// A contest of challengers, of whom the user knows the last one.
    private static func contest(of count: UInt8) -> LinkContest {
        var contest = LinkContest()
        let now = Instant(monotonic: 1, wall: 1)
        for number in 1...count {
            let link = Link(
                id: LinkID(UInt64(number)), info: LinkInfo(to: Harness.peer(number), boot: 1),
                address: "192.0.2.\(number):1", dial: nil, now: now)
            _ = contest.challenge(
                by: link, isKnown: number == count, .duplicate, "another link stays", probe: 9,
                at: now)
        }
        return contest
    }

    // Shows: daemon.peers
    @Test("a challenger that sends too much before it is decided is turned away")
    func tooMuch() throws {
        var contest = Self.contest(of: 1)
        let frame = try ReceivedFrame(whole: Frame.ping(nonce: 1, clock: 1).encoded.bytes)
        let most = Limits.heldBytesOfLink / (Limits.heldFrameBytes + frame.byteCount)
        let held = (0..<most).map { _ in contest.hold(frame, on: LinkID(1)).count }
        #expect(held.allSatisfy { $0 == 0 })
        let ended = contest.hold(frame, on: LinkID(1))
        #expect(ended.count == 2)
        #expect(contest.isEmpty)
    }

    // Shows: daemon.peers
    @Test("where strangers together send too much, who sent most is turned away, and nobody known")
    func tooMuchOfAll() throws {
        var contest = Self.contest(of: 20)
        let row = ClockRow(tag: 1, state: .open, seq: 0, headTag: 0)
        let rows = (0..<4_000).map { number in
            var row = row
            row.tag = UInt64(number)
            return row
        }
        let delta = Frame.delta(room("ops").conversation, rows).encoded.bytes
        let large = try ReceivedFrame(whole: delta)
        var turnedAway = 0
        for _ in 0..<8 {
            for number in UInt64(1)...20 {
                turnedAway += contest.hold(large, on: LinkID(number)).isEmpty ? 0 : 1
            }
        }
        let bytes = contest.challengers.values.filter { !$0.isKnown }.reduce(0) { $0 + $1.bytes }
        #expect(turnedAway > 5 && bytes <= Limits.heldBytes)
        #expect(contest.challengers[Harness.peer(20)] != nil)
    }
}
