import Crypto
import Testing

@testable import Engine

/// A peer that speaks the handshake well but lies in its payload.
@Suite("Introductions that do not hold")
struct ForgedIntroductionTests {
    typealias Forgery = @Sendable (PayloadContext) -> [UInt8]

    private static func good(
        _ context: PayloadContext, version: UInt8 = 1, dial: UInt64
    ) -> Introduction {
        Introduction(
            version: version, signer: signer(3), boot: 1, dial: dial, listenPort: nil,
            context: context)
    }

    /// The same introduction, signed over other bytes than are due; without a role where it is nil.
    private static func signed(
        _ context: PayloadContext, dial: UInt64, role: UInt8?,
        purpose: String = "stoa.handshake.v1", hash: Bytes64? = nil, key: Bytes32? = nil
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

    private static func withCapabilities(
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
        let prologue = Array(hello.prefix(12))
        var forger = HandshakeState(
            role: .responder, static: keyPair(9), prologue: prologue.span.bytes)
        _ = try forger.readMessage(Array(hello.dropFirst(14)))
        let answer = try forger.writeMessage { forge($0) }
        let events = session.receive([1] + GoldenHandshake.framed(answer))
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
        let preface = Preface.ours.encoded
        var forger = HandshakeState(
            role: .initiator, static: keyPair(9), prologue: preface.span.bytes)
        var events = session.receive(preface + GoldenHandshake.framed(try forger.writeMessage()))
        #expect(events.isEmpty)
        let answer = session.output(limit: 1_000)
        _ = try forger.readMessage(Array(answer.dropFirst(3)))
        let last = try forger.writeMessage { forge($0) }
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

    @Test("a signature over anything else is refused")
    func signatures() throws {
        let forgeries: [@Sendable (PayloadContext, UInt64, UInt8) -> [UInt8]] = [
            { Self.signed($0, dial: $1, role: 3 - $2) },
            { context, dial, _ in Self.signed(context, dial: dial, role: nil) },
            { Self.signed($0, dial: $1, role: $2, purpose: "stoa.handshake.v2") },
            { Self.signed($0, dial: $1, role: $2, hash: .zero) },
            { Self.signed($0, dial: $1, role: $2, key: .zero) },
            { context, dial, _ in
                var introduction = Self.good(context, dial: dial)
                introduction.identity = PeerID(signer(4).publicKey)
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
                introduction.identity = PeerID(fixed32(neutral))
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

    @Test("the version in the payload is the one that was sent in clear")
    func version() throws {
        let failure = SessionFailure.wire(.value(field: "introduction version"))
        #expect(try self.asResponder { Self.good($0, version: 2, dial: 0).encoded } == failure)
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

    @Test("capabilities: unknown even ones are passed over, everything else that is odd is refused")
    func capabilities() throws {
        let fine: [[UInt8]] = [
            [], [2, 2, 0, 80], [4, 1, 9], [2, 2, 0, 80, 4, 0, 0xd8, 0x04, 0],
            [4, 0xfd, 0x07] + [UInt8](repeating: 0, count: 1_021),
        ]
        for area in fine {
            #expect(try self.asInitiator { Self.withCapabilities($0, dial: 1, area) } == nil)
        }
        let refused: [[UInt8]] = [
            [3, 0], [2, 1, 80], [2, 3, 0, 0, 80], [2, 2, 0, 0], [4, 0, 2, 2, 0, 80],
            [4, 0, 4, 0], [4, 5, 0], [4], [0x84, 0x00, 0],
            [4, 0xfe, 0x07] + [UInt8](repeating: 0, count: 1_022),
        ]
        for area in refused {
            let failure = try self.asInitiator { Self.withCapabilities($0, dial: 1, area) }
            guard case .wire = failure else {
                Issue.record("\(area.prefix(9)): \(failure.debugDescription)")
                continue
            }
        }
    }

    @Test("message 1 carries nothing")
    func payloadInMessage1() throws {
        let key = keyPair(1)
        var session = Session(responder: Dialogue.bea, static: key)
        let preface = Preface.ours.encoded
        var forger = HandshakeState(
            role: .initiator, static: keyPair(9), prologue: preface.span.bytes)
        let message = try forger.writeMessage(payload: [1])
        let events = session.receive(preface + GoldenHandshake.framed(message))
        #expect(events == [.failed(.wire(.value(field: "payload 1")))])
    }

    @Test("an ephemeral key of zeros or of order one ends the handshake", arguments: [UInt8(0), 1])
    func smallOrder(first: UInt8) throws {
        let key = keyPair(1)
        var session = Session(responder: Dialogue.bea, static: key)
        let point = [first] + [UInt8](repeating: 0, count: 31)
        let events = session.receive(
            Preface.ours.encoded + GoldenHandshake.framed(point))
        #expect(events == [.failed(.decryptFailed)])
    }
}
