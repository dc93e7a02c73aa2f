import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Handshakes by the secrets of realms")
struct RealmHandshakeTests {
    private static let office = realmSecret(0x0f, 1)
    private static let renewed = realmSecret(0x0f, 2)
    private static let club = realmSecret(0xc1, 3)

    @Test("the first secret of the dialling side that the other holds makes the link")
    func common() throws {
        let cases: [([RealmSecret], [RealmSecret], RealmID)] = [
            ([.open], [.open], .open),
            ([Self.office, .open], [.open, Self.office], Self.office.realm),
            ([Self.office, Self.club, .open], [Self.club, .open], Self.club.realm),
            ([Self.office, .open], [Self.club, .open], .open),
            ([Self.renewed, Self.office], [Self.office], Self.office.realm),
            ([Self.club], [Self.office, Self.club], Self.club.realm),
        ]
        for (ofInitiator, ofResponder, realm) in cases {
            for portion in [Int.max, 1, 17] {
                var dialogue = Dialogue(ofInitiator: ofInitiator, ofResponder: ofResponder)
                dialogue.run(portion: portion)
                #expect(dialogue.info(.initiator)?.realm == realm)
                #expect(dialogue.info(.responder)?.realm == realm)
                #expect(dialogue.info(.initiator)?.exporter == dialogue.info(.responder)?.exporter)
            }
        }
    }

    // Shows: wire.realms
    @Test("without a common secret the dialling side learns nothing but refusals")
    func none() {
        var dialogue = Dialogue(
            ofInitiator: [Self.office, .open], ofResponder: [Self.club, Self.renewed])
        var said: [UInt8] = []
        dialogue.run { side, _, bytes in
            if side == .responder { said += bytes }
            return bytes
        }
        #expect(said == [0xff, 0xff])
        #expect(dialogue.failure(.initiator) == .wrongRealm)
        #expect(dialogue.failure(.responder) == nil)
        #expect(dialogue.responder.failureWhenLeft == .wrongRealm)
        let isOpen = dialogue.initiator.isEstablished || dialogue.responder.isEstablished
        #expect(!isOpen)
    }

    // Shows: wire.realms
    @Test("another secret of the same realm is no secret of it")
    func renewed() {
        var dialogue = Dialogue(ofInitiator: [Self.office], ofResponder: [Self.renewed])
        dialogue.run()
        #expect(dialogue.failure(.initiator) == .wrongRealm)
    }

    @Test("a node in no realm refuses everybody")
    func nowhere() {
        var dialogue = Dialogue(ofInitiator: [Self.office, .open], ofResponder: [])
        dialogue.run()
        #expect(dialogue.failure(.initiator) == .wrongRealm)
    }

    @Test("a secret is found by its own tags only")
    func tags() {
        var random = SeededRandom(seed: 5)
        let secrets = [Self.office, Self.club, .open]
        for _ in 0..<3_000 {
            let (one, other) = (random.bytes32(), random.bytes32())
            for secret in secrets {
                #expect(secrets.secret(of: secret.handshakeTag(one), one) == secret)
                #expect(secrets.secret(of: secret.handshakeTag(one), other) == nil)
            }
            #expect(secrets.secret(of: Array(other.bytes.prefix(16)), one) == nil)
        }
    }

    @Test("each attempt has an ephemeral key and a tag of its own")
    func freshAttempts() {
        var dialogue = Dialogue(ofInitiator: [Self.office, Self.office], ofResponder: [Self.club])
        var attempts: [[UInt8]] = []
        dialogue.run { side, _, bytes in
            if side == .initiator {
                attempts.append(bytes.count > 67 ? Array(bytes[12...]) : bytes)
            }
            return bytes
        }
        #expect(attempts.count == 2)
        #expect(attempts[0].prefix(16) != attempts[1].prefix(16))
        #expect(attempts[0][18..<50] != attempts[1][18..<50])
    }

    // Shows: wire.realms
    @Test("seventeen attempts are refused one by one, and the stream ends with the last refusal")
    func manyAttempts() throws {
        var dialogue = Dialogue(ofResponder: [Self.club])
        dialogue.deliver(Preface.ours.encoded, from: .initiator)
        for number in 1...17 {
            #expect(dialogue.failure(.responder) == nil)
            let attempt = try Attempts.make(Self.office).bytes
            dialogue.deliver(attempt, from: .initiator, portion: 40)
            let answer = dialogue.responder.output(limit: 1_000)
            #expect(answer == [0xff], "attempt \(number)")
        }
        #expect(dialogue.failure(.responder) == .wrongRealm)
        let right = try Attempts.make(Self.club).bytes
        dialogue.deliver(right, from: .initiator)
        let rest = dialogue.responder.output(limit: 1_000)
        #expect(rest.isEmpty)
    }

    @Test("all seventeen attempts of the largest size are within the bound of a handshake")
    func largeAttempts() throws {
        var dialogue = Dialogue(ofResponder: [Self.club])
        let payload = [0xfe, 0x0f] + [UInt8](repeating: 0, count: 2_046)
        var bytes = Preface.ours.encoded
        for _ in 1...16 { bytes += try Attempts.make(Self.office, payload: payload).bytes }
        bytes += try Attempts.make(Self.club).bytes
        #expect(bytes.count > 33_000)
        dialogue.deliver(bytes, from: .initiator)
        #expect(dialogue.failure(.responder) == nil)
        let answer = dialogue.responder.output(limit: 1_000)
        #expect(Array(answer.prefix(17)) == [UInt8](repeating: 0xff, count: 16) + [2])
    }

    @Test("refusals that nobody asked for end a dial as soon as its secrets are used up")
    func unasked() {
        var dialogue = Dialogue(ofInitiator: [Self.office, .open])
        dialogue.deliver([0xff, 0xff, 2], from: .responder)
        #expect(dialogue.failure(.initiator) == .wrongRealm)
    }

    // Shows: wire.replay
    @Test("who repeats an attempt that was heard hears that it was taken, and no more")
    func replay() throws {
        let heard = try Attempts.make(Self.club).bytes
        var dialogue = Dialogue(ofResponder: [Self.club])
        dialogue.deliver(Preface.ours.encoded + heard, from: .initiator)
        let answer = dialogue.responder.output(limit: 1_000)
        #expect(answer.first == 2)
        let key = Dialogue.bea.signer.publicKey.bytes
        #expect(!answer.indices.contains { answer[$0...].starts(with: key) })
        dialogue.deliver(
            GoldenHandshake.framed([UInt8](repeating: 1, count: 400)), from: .initiator)
        #expect(dialogue.failure(.responder) == .decryptFailed)
    }

    // Shows: wire.realms
    @Test("a tag that is right does not help who lacks the secret itself")
    func mirroredTag() throws {
        // The tag is of the right secret, the message of another one.
        var tag: [UInt8] = []
        var forger = HandshakeState(
            role: .initiator, static: keyPair(9), presharedKey: Self.office.presharedKey
        ) {
            tag = Self.club.handshakeTag($0)
            return Preface.ours.encoded + tag
        }
        let message = try forger.writeMessage(payload: [0])
        var dialogue = Dialogue(ofResponder: [Self.club])
        dialogue.deliver(
            Preface.ours.encoded + tag + GoldenHandshake.framed(message), from: .initiator)
        #expect(dialogue.failure(.responder) == .decryptFailed)
        let answer = dialogue.responder.output(limit: 1_000)
        #expect(answer.isEmpty)
    }

    @Test("secrets do not show in text")
    func hidden() {
        let text = "\(Self.office)"
        #expect(!text.contains(Self.office.bytes.description))
        #expect(!text.contains("0101010101"))
    }
}
