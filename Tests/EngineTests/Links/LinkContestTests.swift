import Crypto
import Testing

@testable import Engine

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

    @Test("a challenger that sends too much before it is decided is turned away")
    func tooMuch() throws {
        var contest = LinkContest()
        let now = Instant(monotonic: 1, wall: 1)
        let link = Link(
            id: LinkID(2), info: Self.info(Self.high, isInitiator: false), address: "192.0.2.2:1",
            dial: nil, now: now)
        _ = contest.challenge(by: link, .duplicate, "another link stays", probe: 9, at: now)
        let frame = try ReceivedFrame(whole: Frame.ping(nonce: 1, clock: 1).encoded.bytes)
        let held = (0..<Limits.heldFrames).map { _ in contest.hold(frame, on: link.id).count }
        #expect(held.allSatisfy { $0 == 0 })
        let ended = contest.hold(frame, on: link.id)
        #expect(ended.count == 2)
        #expect(contest.isEmpty)
    }
}
