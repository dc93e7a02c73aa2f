import Crypto
import Testing

@testable import Engine
@testable import Formats

/// A peer that speaks the handshake well but lies in its payload.
@Suite("Introductions that do not hold")
struct ForgedIntroductionTests {
    typealias Forgery = @Sendable (PayloadContext) -> [UInt8]

    private static let node = SessionIdentity(signer: signer(3), boot: 1, listenPort: nil)

    private static func good(
        _ context: PayloadContext, version: UInt8 = 2, dial: UInt64
    ) -> Introduction {
        Introduction(version: version, of: Self.node, dial: dial, context: context)
    }

    /// The same introduction, signed over other bytes than are due; without a role where it is nil.
    private static func signed(
        _ context: PayloadContext, dial: UInt64, role: UInt8?,
        purpose: String = "stoa.handshake.v2", hash: Bytes64? = nil, key: Bytes32? = nil
    ) -> [UInt8] {
        var message = WireWriter()
        message.raw(Array(purpose.utf8) + [0])
        if let role { message.byte(role) }
        message.raw(hash ?? context.handshakeHash)
        message.raw(key ?? context.senderStatic ?? .zero)
        var introduction = Self.good(context, dial: dial)
        introduction.signature = signer(3).sign(message.bytes)
        return introduction.encoded
    }

    private static func withArea(
        _ context: PayloadContext, dial: UInt64, _ area: [UInt8]
    ) -> [UInt8] {
        var writer = WireWriter()
        writer.raw(Array(Self.good(context, dial: dial).encoded.dropLast()))
        writer.sized(area)
        return writer.bytes
    }

    /// A responder that answers with a forged payload 2; what the session makes of it.
    private func asResponder(_ forge: Forgery) throws -> SessionFailure? {
        let key = keyPair(1)
        var session = Session(
            initiator: Dialogue.ada, static: key, expecting: nil, dial: 1)
        let hello = session.output(limit: 1_000)
        let prologue = Array(hello.prefix(28))
        var forger = HandshakeState(
            role: .responder, static: keyPair(9), presharedKey: .zero,
            prologue: prologue.span.bytes)
        _ = try forger.readMessage(Array(hello.dropFirst(30)))
        let answer = try forger.writeMessage { forge($0) }
        let events = session.receive([2] + GoldenHandshake.framed(answer))
        let rest = session.output(limit: 1_000)
        for event in events {
            if case .failed(let failure) = event {
                #expect(rest.isEmpty, "nothing of ours is shown to a liar")
                return failure
            }
        }
        #expect(events.count == 1)
        return nil
    }

    /// An initiator that ends with a forged payload 3; what the session makes of it.
    private func asInitiator(_ forge: Forgery) throws -> SessionFailure? {
        let key = keyPair(1)
        var session = Session(responder: Dialogue.bea, static: key)
        var forger = try Attempts.make()
        var events = session.receive(Preface.ours.encoded + forger.bytes)
        #expect(events.isEmpty)
        let answer = session.output(limit: 1_000)
        _ = try forger.state.readMessage(Array(answer.dropFirst(3)))
        let last = try forger.state.writeMessage { forge($0) }
        events = session.receive(GoldenHandshake.framed(last))
        for event in events {
            if case .failed(let failure) = event { return failure }
        }
        #expect(events.count == 1)
        return nil
    }

    @Test("an honest introduction is taken on either side")
    func honest() throws {
        #expect(try self.asResponder { Self.good($0, dial: 0).encoded } == nil)
        #expect(try self.asInitiator { Self.good($0, dial: 5).encoded } == nil)
        #expect(try self.asResponder { Self.signed($0, dial: 0, role: 2) } == nil)
        #expect(try self.asInitiator { Self.signed($0, dial: 1, role: 1) } == nil)
    }

    // Shows: wire.signed
    @Test("a signature over anything else is refused")
    func signatures() throws {
        let forgeries: [@Sendable (PayloadContext, UInt64, UInt8) -> [UInt8]] = [
            { Self.signed($0, dial: $1, role: 3 - $2) },
            { context, dial, _ in Self.signed(context, dial: dial, role: nil) },
            { Self.signed($0, dial: $1, role: $2, purpose: "stoa.handshake.v1") },
            { Self.signed($0, dial: $1, role: $2, hash: .zero) },
            { Self.signed($0, dial: $1, role: $2, key: .zero) },
            { context, dial, _ in
                var introduction = Self.good(context, dial: dial)
                introduction.device = PeerID(signer(4).publicKey)
                return introduction.encoded
            },
            { context, dial, _ in
                var introduction = Self.good(context, dial: dial)
                introduction.signature = .zero
                return introduction.encoded
            },
            // The neutral point signs everything by the bare equation.
            { context, dial, _ in
                var introduction = Self.good(context, dial: dial)
                let neutral = [1] + [UInt8](repeating: 0, count: 31)
                introduction.device = PeerID(fixed32(neutral))
                introduction.signature =
                    Bytes64(neutral + [UInt8](repeating: 0, count: 32)) ?? .zero
                return introduction.encoded
            },
        ]
        for forge in forgeries {
            #expect(try self.asResponder { forge($0, 0, 2) } == .badSignature)
            #expect(try self.asInitiator { forge($0, 1, 1) } == .badSignature)
        }
    }

    // Shows: wire.tampering
    @Test("the version in the payload is the one that was sent in clear")
    func version() throws {
        let failure = SessionFailure.wire(.value(field: "introduction version"))
        #expect(try self.asResponder { Self.good($0, version: 1, dial: 0).encoded } == failure)
        #expect(try self.asInitiator { Self.good($0, version: 0, dial: 1).encoded } == failure)
    }

    @Test("who dialled counts its dials from 1, who was dialled sends 0")
    func dial() throws {
        let failure = SessionFailure.wire(.value(field: "introduction dial"))
        #expect(try self.asResponder { Self.good($0, dial: 1).encoded } == failure)
        #expect(try self.asInitiator { Self.good($0, dial: 0).encoded } == failure)
    }

    @Test("a payload that is cut, longer or empty is refused")
    func sizes() throws {
        let changes: [@Sendable ([UInt8]) -> [UInt8]] = [
            { $0 + [0] }, { Array($0.dropLast()) }, { _ in [] },
            { $0 + [UInt8](repeating: 0, count: 2_000) },
        ]
        for change in changes {
            let asResponder = try self.asResponder { change(Self.good($0, dial: 0).encoded) }
            let asInitiator = try self.asInitiator { change(Self.good($0, dial: 1).encoded) }
            for failure in [asResponder, asInitiator] {
                if case .wire = failure { continue }
                Issue.record("\(failure.debugDescription)")
            }
        }
    }

    @Test("the area: unknown even types are passed over, everything else that is odd is refused")
    func areas() throws {
        let fine: [[UInt8]] = [
            [], [2, 2, 0, 80], [4, 1, 9], [2, 2, 0, 80, 4, 0, 0xd8, 0x04, 0],
            [4, 0xfd, 0x07] + [UInt8](repeating: 0, count: 1_021),
        ]
        for area in fine {
            #expect(try self.asInitiator { Self.withArea($0, dial: 1, area) } == nil)
        }
        let refused: [[UInt8]] = [
            [3, 0], [2, 1, 80], [2, 3, 0, 0, 80], [2, 2, 0, 0], [4, 0, 2, 2, 0, 80],
            [4, 0, 4, 0], [4, 5, 0], [4], [0x84, 0x00, 0],
            [4, 0xfe, 0x07] + [UInt8](repeating: 0, count: 1_022),
        ]
        for area in refused {
            let failure = try self.asInitiator { Self.withArea($0, dial: 1, area) }
            guard case .wire = failure else {
                Issue.record("\(area.prefix(9)): \(failure.debugDescription)")
                continue
            }
        }
    }

    // Shows: wire.device
    @Test("a certificate that is not of that device ends the handshake")
    func certificates() throws {
        let changes: [@Sendable (inout Introduction) -> Void] = [
            { $0.certificate = testCertificate(of: signer(4)) },
            { $0.certificate = personKeys(40, 41).certify(signer(4), at: 0) },
            { introduction in
                // The person's word for the right device, under another's name.
                let one = introduction.certificate.encoded
                let other = personKeys(50, 51).certify(signer(3), at: 0).encoded
                let mixed = try? Certificate(decoding: Array(other.prefix(32) + one.dropFirst(32)))
                introduction.certificate = mixed ?? introduction.certificate
            },
        ]
        for change in changes {
            let forge: @Sendable (PayloadContext, UInt64) -> [UInt8] = { context, dial in
                var introduction = Self.good(context, dial: dial)
                change(&introduction)
                return introduction.encoded
            }
            #expect(try self.asResponder { forge($0, 0) } == .badCertificate)
            #expect(try self.asInitiator { forge($0, 1) } == .badCertificate)
        }
    }

    @Test("features that this version does not know are passed over, a longer form is refused")
    func features() throws {
        func introduced(_ features: [UInt8]) throws -> SessionFailure? {
            try self.asInitiator { context in
                let good = Self.good(context, dial: 1).encoded
                return Array(good.dropLast(2)) + [UInt8(features.count)] + features + [0]
            }
        }
        #expect(try introduced([]) == nil)
        #expect(try introduced([0, 0, 0x80]) == nil)
        #expect(try introduced([UInt8](repeating: 0xff, count: 32)) == nil)
        #expect(try introduced([0]) == .wire(.value(field: "features")))
        #expect(try introduced([1, 0]) == .wire(.value(field: "features")))
        #expect(
            try introduced([UInt8](repeating: 1, count: 33))
                == .wire(.limit(field: "features", limit: 32, got: 33)))
    }

    @Test("payload 1 is an area in which nothing has to be understood")
    func payload1() throws {
        func answer(_ payload: [UInt8]) throws -> [SessionEvent] {
            let key = keyPair(1)
            var session = Session(responder: Dialogue.bea, static: key)
            let attempt = try Attempts.make(payload: payload).bytes
            return session.receive(Preface.ours.encoded + attempt)
        }
        #expect(try answer([0]) == [])
        #expect(try answer([2, 4, 0]) == [])
        let longest = [4, 0xfa, 0x0f] + [UInt8](repeating: 0, count: 2_042)
        #expect(try answer([0xfd, 0x0f] + longest) == [])
        #expect(try answer([2, 3, 0]) == [.failed(.wire(.value(field: "payload 1")))])
        #expect(
            try answer([0, 0]) == [.failed(.wire(.trailing(field: "payload 1", count: 1)))])
    }

    // Shows: wire.weak-keys
    @Test("an ephemeral key of zeros or of order one ends the handshake", arguments: [UInt8(0), 1])
    func smallOrder(first: UInt8) throws {
        let key = keyPair(1)
        var session = Session(responder: Dialogue.bea, static: key)
        let point = fixed32([first] + [UInt8](repeating: 0, count: 31))
        let attempt = RealmSecret.open.handshakeTag(point) + [0, 49] + point.bytes
        let events = session.receive(
            Preface.ours.encoded + attempt + [UInt8](repeating: 0, count: 17))
        #expect(events == [.failed(.decryptFailed)])
    }
}
