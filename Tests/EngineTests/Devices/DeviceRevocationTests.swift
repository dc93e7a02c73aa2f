import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("A device that its person has revoked")
struct DeviceRevocationTests {
    private static let ops = room("ops")
    private static let device: UInt8 = 9
    private static let own = personKeys(40, 41)
    private let log = TestLog(signer(device), in: ops.conversation)
    private var harness = Harness()
    private var last: VerifiedRun
    private var request: UInt64 = 100

    /// In a room with another device of the user that has written there, and somebody else.
    init() {
        self.last = self.log.opening()
        self.harness.join(Self.ops)
        self.harness.settle()
        self.harness.link(2, in: [Self.ops])
        self.harness.link(Self.device, of: Self.own, in: [Self.ops])
        self.harness.give(.liveRun(self.last.run), from: Self.device)
        self.harness.settle()
    }

    /// The device writes, so long after now, and a peer brings it.
    private mutating func write(_ text: String, in milliseconds: UInt64, by peer: UInt8) {
        let time = HybridTime(wallMilliseconds: self.harness.now.wall + milliseconds)
        self.last = self.log.run(
            [TestLog.text(text, at: time.rawValue)], first: self.last.run.last + 1,
            prev: self.last.ids.last)
        self.harness.give(.liveRun(self.last.run), from: peer)
        self.harness.settle()
    }

    private mutating func revoke(_ peer: PeerID) -> [Answer] {
        self.request += 1
        self.harness.give(.request(RequestID(self.request), .revokeDevice(peer)))
        self.harness.settle()
        return self.harness.answers(of: RequestID(self.request))
    }

    private var texts: [String] {
        self.harness.shown.compactMap {
            if case .message(let message) = $0 { message.content.text } else { nil }
        }
    }

    // Shows: device.revoked
    @Test("has no link, and what it dates later is kept and not shown, whoever brings it")
    func later() {
        var test = self
        test.write("before", in: 0, by: Self.device)
        test.harness.now.wall += 1_000
        #expect(test.revoke(Harness.peer(Self.device)) == [.revoked(Harness.peer(Self.device))])
        #expect(test.harness.closed == [LinkID(UInt64(Self.device)): .blocked])
        let info = LinkInfo(to: Harness.peer(Self.device), of: Self.own, boot: 77)
        test.harness.give(.linkOpened(LinkID(90), info, address: "192.0.2.9:4100", dial: nil))
        #expect(test.harness.closed[LinkID(90)] == .blocked)
        #expect(test.harness.node.tier(of: Harness.peer(Self.device)) == .stranger)

        test.write("after", in: 1_000, by: 2)
        #expect(test.texts == ["before"])
        let log = test.harness.node.conversations.table[known: Self.ops.conversation]
            .log(test.log.key.name)
        #expect(log.head.seq == 3)
        #expect(test.harness.node.ownDevices.map(\.id).contains(Harness.peer(Self.device)))
    }

    @Test("may become somebody else's, who then links")
    func another() {
        var test = self
        _ = test.revoke(Harness.peer(Self.device))
        let info = LinkInfo(to: Harness.peer(Self.device), of: personKeys(70, 71), boot: 77)
        test.harness.give(.linkOpened(LinkID(90), info, address: "192.0.2.9:4100", dial: nil))
        #expect(test.harness.closed[LinkID(90)] == nil)
    }

    // Shows: device.key
    @Test("is revoked by a device that holds the person's key, and none but the person's own")
    func others() throws {
        var test = self
        let failed: (DeviceFailure) -> [Answer] = { [.failed(.device($0))] }
        for peer in [Harness.peer(2), Harness.ownKey] {
            #expect(test.revoke(peer) == failed(.notOwn(peer)))
        }
        let secret = [UInt8](repeating: 41, count: 32)
        let linked = try PersonKeys(
            signing: Self.own.publicKeys.signing, address: secret.span.bytes)
        var node = Node(
            signer: signer(1), certificate: testCertificate(of: signer(1)), person: linked, boot: 1,
            configuration: NodeConfiguration(name: "ada", staticPeers: [], buildTime: 0),
            snapshot: Snapshot(), random: .seeded(1))
        let now = Instant(monotonic: 1, wall: 1)
        _ = node.handle(.started, at: now)
        #expect(!node.canCertify)
        for request in [Request.revokeDevice(Harness.peer(9)), .approveDevice(code: "12345678")] {
            let actions = node.handle(.request(RequestID(1), request), at: now)
            #expect(actions.contains(.answer(RequestID(1), .failed(.device(.noPersonKey)))))
        }
    }

    // Shows: device.key
    @Test("is revoked only while the person's key is here, which may go and come back")
    func moved() {
        var test = self
        let device = Harness.peer(Self.device)
        test.harness.give(.personKeys(Self.own.withoutP))
        #expect(!test.harness.node.canCertify)
        #expect(test.revoke(device) == [.failed(.device(.noPersonKey))])
        test.harness.give(.personKeys(Self.own))
        #expect(test.revoke(device) == [.revoked(device)])
    }
}
