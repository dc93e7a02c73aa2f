import Engine
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
