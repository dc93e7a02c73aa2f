import Engine
import Formats
import Crypto
import TestSupport
import Testing

/// Two daemons with one key: which pong shows that the older link lives.
@Suite("A link that is probed") struct ProbeTests {
    private static let peer = PeerID(signer(2).publicKey)
    private var node = Node(
        signer: signer(1), certificate: testCertificate(of: signer(1)),
        person: personKeys(40, 41), boot: 1,
        configuration: NodeConfiguration(name: "ada", staticPeers: [], buildTime: 0),
        snapshot: Snapshot(), random: .seeded(1))
    /// What the first ping of the older link carried, which nobody has answered.
    private let earlier: UInt64
    /// What the probe carried.
    private let probe: UInt64

    /// A node with a link, to whose peer another link came up that has another boot.
    init() throws {
        let now = Instant(monotonic: 1_000, wall: 1_000_000)
        _ = self.node.handle(.started, at: now)
        let first = self.node.handle(Self.opened(1, boot: 2), at: now)
        self.earlier = try #require(Self.ping(in: first))
        let second = self.node.handle(Self.opened(2, boot: 3), at: now)
        self.probe = try #require(Self.ping(in: second))
        #expect(second.contains(.arm(.probe(Self.peer), at: 1_000 + Limits.probeMilliseconds)))
    }

    private static func opened(_ link: UInt64, boot: UInt64) -> Event {
        let info = LinkInfo(to: Self.peer, boot: boot)
        return .linkOpened(LinkID(link), info, address: "192.0.2.\(link):4100", dial: nil)
    }

    private static func ping(in actions: [Action]) -> UInt64? {
        for case .send(LinkID(1), let frame) in actions {
            guard let received = try? ReceivedFrame(whole: frame.bytes),
                case .ping(let nonce, _) = received.frame
            else { continue }
            return nonce
        }
        return nil
    }

    /// The links that the node closes when the older one brings a pong.
    private mutating func closed(byPong nonce: UInt64) throws -> [LinkID] {
        let pong = try ReceivedFrame(
            whole: Frame.pong(nonce: nonce, clock: 1_000_000).encoded.bytes)
        let now = Instant(monotonic: 1_100, wall: 1_000_100)
        return self.node.handle(.received(LinkID(1), pong), at: now).compactMap { action in
            if case .close(let link, _, _) = action { link } else { nil }
        }
    }

    @Test("stays when it answers the probe")
    mutating func answered() throws {
        #expect(try self.closed(byPong: self.probe) == [LinkID(2)])
    }

    @Test("does not stay for a pong that answers an earlier ping, or none")
    mutating func stale() throws {
        var closed: [LinkID] = []
        for nonce in [self.earlier, 0, self.probe &+ 1] {
            closed += try self.closed(byPong: nonce)
        }
        #expect(closed.isEmpty)
    }
}
