import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Calls") struct CallTests {
    private static let ops = EngineTests.room("ops")
    private static let den = SecretRoom(
        realm: .open, name: room("den").name, suite: .xchacha20Poly1305, root: fixed32(77))

    /// A node in a secret room with two devices of ben, and with cyn.
    private func linked(_ features: Features = .own) -> Harness {
        var harness = Harness()
        harness.join(Self.ops)
        harness.give(.request(RequestID(800), .joinSecret(Self.den)))
        harness.settle()
        let ben = personKeys(50, 51)
        for number in [UInt8(2), 3, 4] {
            let person = number == 3 ? nil : ben
            harness.link(number, of: person, in: [Self.ops], features: features)
            let info = LinkInfo(to: Harness.peer(number), of: person, boot: UInt64(number))
            let tags = LinkTags(exporter: info.exporter, role: info.role)
            var random = SeededRandom(seed: UInt64(number))
            harness.give(
                .shares(
                    LinkTags.filled(
                        [tags.share(Self.den.id, by: tags.peer)], to: Limits.shareTagCounts
                    ) { random.next() }), from: number)
        }
        harness.settle()
        for number in [UInt8(2), 3, 4] { _ = harness.take(from: number) }
        return harness
    }

    private func send(
        _ bytes: [UInt8], to member: UInt8, isDevice: Bool = false,
        in conversation: ConversationID = den.id, _ harness: inout Harness
    ) -> Answer? {
        let id = RequestID(900 + UInt64(harness.answers.count))
        harness.give(
            .request(
                id,
                .callSignal(conversation, Harness.peer(member), isDevice: isDevice, bytes)))
        return harness.answers(of: id).last
    }

    /// What a peer was sent, opened.
    private func signals(to number: UInt8, _ harness: inout Harness) -> [CallSignal] {
        let own = harness.node.id
        let key = harness.node.keyring.current(in: Self.den.id)
        return harness.take(from: number).compactMap { frame in
            guard case .ephemeral(let piece) = frame, let key,
                case .signal(let signal)? = EphemeralBody(sealed: piece, by: own, with: key)
            else { return nil }
            return signal
        }
    }

    private func give(
        _ signal: CallSignal, from number: UInt8, in conversation: ConversationID = den.id,
        stream: UInt64 = 0, _ harness: inout Harness
    ) {
        var random = SeededRandom(seed: 1)
        let piece = EphemeralBody.signal(signal).piece(
            in: conversation, stream: stream, by: Harness.peer(number),
            with: harness.node.keyring.current(in: conversation), using: &random)
        harness.give(.ephemeral(piece), from: number)
    }

    // Shows: calls.members
    @Test("a signal goes sealed to all devices of one member, or to the one that is named")
    func sent() {
        var harness = self.linked()
        #expect(self.send([1, 2], to: 2, &harness) == .callSignalled(told: 2))
        for number in [UInt8(2), 4] {
            #expect(
                self.signals(to: number, &harness)
                    == [CallSignal(to: Harness.peer(number), bytes: [1, 2])])
        }
        #expect(self.signals(to: 3, &harness).isEmpty)
        #expect(
            self.send([3], to: 4, isDevice: true, &harness) == .callSignalled(told: 1))
        #expect(self.signals(to: 2, &harness).isEmpty)
        #expect(self.signals(to: 4, &harness).count == 1)
    }

    // Shows: calls.members
    @Test("nobody rings in open rooms, and who is not linked or knows no calls is not told")
    func refused() {
        var harness = self.linked()
        #expect(
            self.send([1], to: 2, in: Self.ops.conversation, &harness)
                == .failed(.callInOpenRoom))
        #expect(
            self.send([1], to: 9, &harness) == .failed(.notInRoom([Harness.peer(9)])))
        harness = self.linked(Features([.ephemeral]))
        #expect(self.send([1], to: 2, &harness) == .callSignalled(told: 0))
        #expect(self.signals(to: 2, &harness).isEmpty)
    }

    // Shows: calls.bounds
    @Test("signals have 1 to 1,024 bytes, and share the rate of the conversation's streams")
    func limits() {
        var harness = self.linked()
        for count in [0, Limits.streamPacketBytes + 1] {
            #expect(
                self.send([UInt8](repeating: 1, count: count), to: 3, &harness)
                    == .failed(.packetSize(count, limit: Limits.streamPacketBytes)))
        }
        for _ in 0..<Limits.streamPacketsPerSecond {
            #expect(self.send([1], to: 3, &harness) == .callSignalled(told: 1))
        }
        guard case .failed(.tooFast(let wait))? = self.send([1], to: 3, &harness) else {
            Issue.record("more was sent than may be")
            return
        }
        harness.pass(milliseconds: wait)
        #expect(self.send([1], to: 3, &harness) == .callSignalled(told: 1))
    }

    // Shows: calls.members
    @Test("a signal is heard if it names this device, comes on stream 0 and is sealed")
    func heard() {
        var harness = self.linked()
        let own = CallSignal(to: harness.node.id, bytes: [1, 2])
        self.give(own, from: 2, &harness)
        let due = Signal.call(
            Harness.peer(2), Self.den.id, [1, 2], address: "192.0.2.2:4100")
        #expect(harness.signals.filter { if case .call = $0 { true } else { false } } == [due])
        self.give(CallSignal(to: Harness.peer(3), bytes: [1]), from: 2, &harness)
        self.give(own, from: 2, stream: 7, &harness)
        self.give(own, from: 2, in: Self.ops.conversation, &harness)
        #expect(harness.signals.count { if case .call = $0 { true } else { false } } == 1)
    }
}
