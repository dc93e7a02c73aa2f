internal import Crypto
internal import Formats

/// What a session does before it is a link: preface, attempts, handshake messages, introductions.
///
/// `Docs/Protocol/Wire.md` sections 1 and 2.
struct SessionHandshake: ~Copyable, Sendable {
    /// What is awaited.
    private enum Step {
        case preface
        case attempt
        case answer
        case introduction
    }

    /// What a finished handshake leaves.
    struct Outcome: ~Copyable, Sendable {
        let info: LinkInfo
        var transport: TransportState
    }

    /// Stands for a version where there is none in common.
    private static let noVersion: UInt8 = 0
    /// Stands for a version where the responder does not hold the secret.
    private static let noRealm: UInt8 = 0xff

    private let identity: SessionIdentity
    private let staticKey: KeyPair
    private let expected: PeerID?
    private let role: LinkRole
    private let dial: UInt64
    private var step: Step
    private var preface: [UInt8]
    private var version: UInt8 = 0
    /// How many attempts were refused.
    private var refusals = 0
    /// The secret of the attempt that is under way.
    private var secret: RealmSecret?
    private var noise: HandshakeState?
    private var peer: Introduction?

    /// Starts the side that dialled, with what it says first appended to `output`.
    init(
        initiator identity: SessionIdentity, static staticKey: borrowing KeyPair,
        expecting expected: PeerID?, dial: UInt64, output: inout [UInt8]
    ) {
        self.identity = identity
        self.staticKey = staticKey.copy()
        self.expected = expected
        self.role = .initiator
        self.dial = dial
        self.step = .answer
        self.preface = Preface.ours.encoded
        output += self.preface
        self.attempt(with: identity.realms[0], &output)
    }

    /// Starts the side that was dialled.
    init(responder identity: SessionIdentity, static staticKey: borrowing KeyPair) {
        self.identity = identity
        self.staticKey = staticKey.copy()
        self.expected = nil
        self.role = .responder
        self.dial = 0
        self.step = .preface
        self.preface = []
    }

    /// Why there is no link when the peer leaves now; nil where it has not been told why.
    var failureWhenLeft: SessionFailure? {
        self.role == .responder && self.step == .attempt && self.refusals > 0 ? .wrongRealm : nil
    }

    /// Whether all is done, so that ``finish()`` may be called.
    var isFinished: Bool { self.peer != nil }

    /// Takes what comes next from `input`; false when it is not all there.
    mutating func advance(
        _ input: inout SessionInput, _ output: inout [UInt8]
    ) throws(SessionFailure) -> Bool {
        switch self.step {
        case .preface: try self.readPreface(&input, &output)
        case .attempt: try self.readAttempt(&input, &output)
        case .answer: try self.readAnswer(&input, &output)
        case .introduction: try self.readIntroduction(&input, &output)
        }
    }

    /// Gives the link; traps unless ``isFinished``.
    consuming func finish() -> Outcome {
        guard let noise = self.noise.take(), let peer = self.peer, let secret = self.secret else {
            preconditionFailure("a handshake is finished once, after its last message")
        }
        #if MUTANTS
            let hash = noise.handshakeHash
            let transport = noise.split()
            let exporter = Mutant.tagsFromPublicHash.isActive ? hash : transport.exporter
        #else
            let transport = noise.split()
            let exporter = transport.exporter
        #endif
        let info = LinkInfo(
            peer: peer.device, certificate: peer.certificate, boot: peer.boot, role: self.role,
            dial: self.role == .initiator ? self.dial : peer.dial, realm: secret.realm,
            version: self.version, features: peer.features, listenPort: peer.listenPort,
            exporter: exporter)
        return Outcome(info: info, transport: transport)
    }

    // MARK: The side that dialled

    /// Tries a secret, with a fresh ephemeral key.
    private mutating func attempt(with secret: RealmSecret, _ output: inout [UInt8]) {
        let preface = self.preface
        var tag: [UInt8] = []
        var noise = HandshakeState(
            role: .initiator, static: self.staticKey, presharedKey: secret.presharedKey
        ) { ephemeral in
            tag = secret.handshakeTag(ephemeral)
            return Attempt.prologue(preface, tag)
        }
        guard let first = try? noise.writeMessage(payload: OpeningPayload.empty) else {
            preconditionFailure("the first message needs nothing from the peer")
        }
        output += tag + Self.framed(first)
        self.secret = secret
        self.noise = consume noise
    }

    private mutating func readAnswer(
        _ input: inout SessionInput, _ output: inout [UInt8]
    ) throws(SessionFailure) -> Bool {
        switch input.first {
        case nil: return false
        case Self.noVersion:
            guard let refusal = input.take(3) else { return false }
            throw .version(lowest: refusal[1], highest: refusal[2])
        case Self.noRealm:
            _ = input.take(1)
            self.refusals += 1
            guard self.refusals < self.identity.realms.count else { throw .wrongRealm }
            self.attempt(with: self.identity.realms[self.refusals], &output)
            return true
        case let version?:
            guard (Preface.ours.lowest...Preface.ours.highest).contains(version) else {
                throw .notStoa
            }
            _ = input.take(1)
            self.version = version
            self.step = .introduction
            return true
        }
    }

    /// Throws where another key than the expected one has answered.
    private func admit(_ peer: PeerID) throws(SessionFailure) {
        #if MUTANTS
            if Mutant.acceptAnotherKey.isActive { return }
        #endif
        guard let expected = self.expected, peer != expected else { return }
        throw .otherKey(expected: expected, got: peer)
    }

    // MARK: The side that was dialled

    private mutating func readPreface(
        _ input: inout SessionInput, _ output: inout [UInt8]
    ) throws(SessionFailure) -> Bool {
        guard let bytes = input.take(Preface.byteCount) else { return false }
        guard let preface = Preface(bytes) else { throw .notStoa }
        guard let version = preface.common(with: .ours) else {
            output += [Self.noVersion, Preface.ours.lowest, Preface.ours.highest]
            throw .version(lowest: preface.lowest, highest: preface.highest)
        }
        self.preface = bytes
        self.version = version
        self.step = .attempt
        return true
    }

    private mutating func readAttempt(
        _ input: inout SessionInput, _ output: inout [UInt8]
    ) throws(SessionFailure) -> Bool {
        var ahead = input
        guard let tag = ahead.take(RealmSecret.tagBytes),
            let message = try ahead.takeMessage(Attempt.messageBytes)
        else { return false }
        input = ahead
        // The tag says which key to use. Nothing is computed for who does not hold it.
        guard let secret = self.identity.realms.secret(of: tag, Attempt.ephemeral(of: message))
        else {
            self.refusals += 1
            output.append(Self.noRealm)
            guard self.refusals < Limits.handshakeAttempts else { throw .wrongRealm }
            return true
        }
        let prologue = Attempt.prologue(self.preface, tag)
        self.noise = HandshakeState(
            role: .responder, static: self.staticKey, presharedKey: secret.presharedKey,
            prologue: prologue.span.bytes)
        self.secret = secret
        let payload = try self.readMessage(message)
        do throws(WireError) { try OpeningPayload.check(payload.bytes) } catch {
            throw .wire(error)
        }
        output.append(self.version)
        try self.writeIntroduction(&output)
        self.step = .introduction
        return true
    }

    // MARK: Both sides

    private mutating func readIntroduction(
        _ input: inout SessionInput, _ output: inout [UInt8]
    ) throws(SessionFailure) -> Bool {
        guard let message = try input.takeMessage(1...Limits.handshakeBytes - 2) else {
            return false
        }
        let payload = try self.readMessage(message)
        let introduction = try self.introduction(in: payload)
        if self.role == .initiator {
            // Nothing of ours has been shown yet: a stranger at this address learns no key.
            try self.admit(introduction.device)
            try self.writeIntroduction(&output)
        }
        self.peer = introduction
        return true
    }

    private mutating func readMessage(
        _ message: [UInt8]
    ) throws(SessionFailure) -> HandshakePayload {
        do throws(CryptoError) {
            guard let payload = try self.noise?.readMessage(message) else {
                preconditionFailure("messages are read while there is a handshake")
            }
            return payload
        } catch { throw .decryptFailed }
    }

    private func introduction(
        in payload: HandshakePayload
    ) throws(SessionFailure) -> Introduction {
        let introduction: Introduction
        do throws(WireError) {
            introduction = try Introduction(decoding: payload.bytes)
            guard introduction.version == self.version else {
                throw .value(field: "introduction version")
            }
            guard (introduction.dial == 0) == (self.role == .initiator) else {
                throw .value(field: "introduction dial")
            }
        } catch { throw .wire(error) }
        guard introduction.isSigned(in: payload.context) else { throw .badSignature }
        guard introduction.certificate.isValid(for: introduction.device) else {
            throw .badCertificate
        }
        return introduction
    }

    private mutating func writeIntroduction(_ output: inout [UInt8]) throws(SessionFailure) {
        let (identity, version, dial) = (self.identity, self.version, self.dial)
        do throws(CryptoError) {
            let message = try self.noise?.writeMessage { context in
                Introduction(version: version, of: identity, dial: dial, context: context).encoded
            }
            output += Self.framed(message ?? [])
        } catch { throw .decryptFailed }
    }

    private static func framed(_ message: [UInt8]) -> [UInt8] {
        [UInt8(message.count >> 8), UInt8(message.count & 0xff)] + message
    }
}
