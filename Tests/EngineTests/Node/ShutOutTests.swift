import Engine
import Formats
import Testing

@Suite("A daemon whose key runs in another one") struct ShutOutTests {
    private static func shutOut() -> Harness {
        var harness = Harness()
        harness.link(2, in: [room("ops")])
        harness.give(.goaway(.identityInUse, "the same key is linked from another start"), from: 2)
        return harness
    }

    @Test("knows that it is shut out when peers turn it away, and says what to do")
    func told() {
        let harness = Self.shutOut()
        let status = harness.node.status(at: harness.now)
        #expect(status.isShutOut)
        let alert = status.alerts.first { $0.code == .shutOut }
        #expect(alert?.text.contains("reaches nobody") == true)
        #expect(alert?.text.contains("stop one of the two") == true)
    }

    // Shows: daemon.alarms
    @Test("does not believe a stranger while another peer takes its link")
    func strangersWord() throws {
        var harness = Harness()
        for peer: UInt8 in [2, 3] { harness.link(peer, in: [room("ops")]) }
        try Self.answerPing(from: 3, &harness)
        harness.give(.goaway(.identityInUse, "so they say"), from: 2)
        var status = harness.node.status(at: harness.now)
        #expect(!status.isShutOut && status.alerts.isEmpty)
        #expect(harness.node.refusals.count == 1)
        // Once nobody else is linked nothing reaches anybody, whatever the reason.
        harness.give(.linkClosed(LinkID(3), nil))
        harness.give(.goaway(.identityInUse, "so they say"), from: 2)
        harness.link(2, in: [room("ops")])
        harness.give(.goaway(.identityInUse, "so they say"), from: 2)
        status = harness.node.status(at: harness.now)
        #expect(status.isShutOut && status.alerts.map(\.code) == [.shutOut])
    }

    @Test("believes whom the user knows, and for an hour")
    func knownWord() throws {
        var harness = Harness()
        harness.link(2, in: [room("ops")])
        harness.give(.request(RequestID(77), .stand(Harness.peer(2), .known)))
        harness.settle()
        harness.link(3, in: [room("ops")])
        try Self.answerPing(from: 3, &harness)
        harness.give(.goaway(.identityInUse, "so they say"), from: 2)
        #expect(harness.node.status(at: harness.now).alerts.map(\.code) == [.shutOut])
        harness.now = Instant(
            monotonic: harness.now.monotonic + Limits.alertMilliseconds, wall: harness.now.wall)
        harness.give(.timer(.alerts))
        #expect(harness.node.status(at: harness.now).alerts.isEmpty)
        #expect(!harness.node.isShutOut)
    }

    // Shows: daemon.alarms
    @Test("says that its key runs twice only when another holder of the key has shown itself")
    func ownEvidence() {
        var harness = Self.shutOut()
        #expect(!harness.node.status(at: harness.now).alerts.contains { $0.code == .identityInUse })
        let twin = LinkInfo(to: Harness.ownKey, boot: 99)
        harness.give(.linkOpened(LinkID(9), twin, address: "192.0.2.9:4100", dial: nil))
        let alerts = harness.node.status(at: harness.now).alerts
        #expect(alerts.contains { $0.code == .identityInUse && $0.text.contains("192.0.2.9)") })
    }

    private static func answerPing(from number: UInt8, _ harness: inout Harness) throws {
        let nonces = harness.take(from: number).compactMap { frame -> UInt64? in
            if case .ping(let nonce, _) = frame { nonce } else { nil }
        }
        harness.give(.pong(nonce: try #require(nonces.last), clock: harness.now.wall), from: number)
    }

    @Test("is shut out no longer once the peer answers a ping on a new link")
    func over() throws {
        var harness = Self.shutOut()
        harness.link(2, in: [room("ops")])
        #expect(harness.node.status(at: harness.now).isShutOut)
        let pings = harness.take(from: 2).compactMap { frame -> UInt64? in
            if case .ping(let nonce, _) = frame { nonce } else { nil }
        }
        let nonce = try #require(pings.last)
        harness.give(.pong(nonce: nonce, clock: harness.now.wall), from: 2)
        let status = harness.node.status(at: harness.now)
        #expect(!status.isShutOut)
        #expect(!status.alerts.contains { $0.code == .shutOut })
    }
}
