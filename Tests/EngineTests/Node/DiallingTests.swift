import Engine
import Noise
import Testing

@Suite("Whom a node dials, and when") struct DiallingTests {
    @Test("a remembered peer is tried for ever, at most every quarter of an hour and some jitter")
    func remembered() throws {
        let peer = PeerID(SigningKey.generate().publicKey)
        var snapshot = Snapshot()
        snapshot.peers = [KnownPeer(id: peer, addresses: ["192.0.2.7:4100"], lastSeen: 1)]
        var node = Node(
            signer: Signer(.generate()), boot: 1,
            configuration: NodeConfiguration(name: "ada", staticPeers: [], buildTime: 0),
            snapshot: snapshot, random: SodiumRandom())
        var now = Instant(monotonic: 1_000, wall: 1_000_000)
        var actions = node.handle(.started, at: now)
        var waits: [UInt64] = []
        for _ in 1...20 {
            let dial = try #require(Self.dial(in: actions))
            actions = node.handle(.dialFailed(dial, nil, detail: "nobody there"), at: now)
            let due = try #require(Self.redial(of: peer, in: actions))
            waits.append(due - now.monotonic)
            now = Instant(monotonic: due, wall: now.wall + due - now.monotonic)
            actions = node.handle(.timer(.redial(.remembered(peer))), at: now)
        }
        #expect(waits[0] <= 1_250)
        #expect(waits.suffix(5).allSatisfy { (900_000...1_125_000).contains($0) }, "\(waits)")
    }

    @Test("a peer whose link ends is remembered only while there is room for what may be dialled")
    func targets() throws {
        var node = Node(
            signer: Signer(.generate()), boot: 1,
            configuration: NodeConfiguration(name: "ada", staticPeers: [], buildTime: 0),
            snapshot: Snapshot(), random: SodiumRandom())
        let now = Instant(monotonic: 1_000, wall: 1_000_000)
        _ = node.handle(.started, at: now)
        for number in 1...Limits.targets {
            let service = Service(name: "s\(number)", addresses: ["192.0.2.1:\(number)"])
            _ = node.handle(.found(service), at: now)
        }
        let info = LinkInfo(
            peer: PeerID(SigningKey.generate().publicKey), boot: 2, isInitiator: false, dial: 1,
            version: 1, listenPort: 4_100, handshakeHash: .zero)
        let opened = Event.linkOpened(LinkID(1), info, address: "192.0.2.7:50000", dial: nil)
        _ = node.handle(opened, at: now)
        _ = node.handle(.linkClosed(LinkID(1), nil), at: now)
        #expect(node.excess == nil)
    }

    private static func dial(in actions: [Action]) -> DialID? {
        for case .dial(let dial, _, _) in actions { return dial }
        return nil
    }

    private static func redial(of peer: PeerID, in actions: [Action]) -> UInt64? {
        for case .arm(.redial(.remembered(peer)), let due) in actions { return due }
        return nil
    }
}
