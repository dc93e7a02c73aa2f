/// Which side opened the stream.
///
/// Noise section 2.1.
package enum HandshakeRole: UInt8, Hashable, Sendable {
    /// The side that dialled and writes first.
    case initiator = 0
    /// The side that was dialled.
    case responder = 1
}

/// What a signature inside a handshake payload can bind: where in which handshake it stands.
///
/// The writer gets it before the payload is made, the reader with the payload; both see the same
/// values, so a signature over them proves that its signer is in this very handshake.
package struct PayloadContext: Hashable, Sendable {
    /// Who sends the payload.
    package let sender: HandshakeRole
    /// Noise's `h` directly before the payload is encrypted or decrypted.
    package let handshakeHash: Bytes64
    /// The sender's X25519 static key; nil in the first message, which carries none.
    package let senderStatic: Bytes32?

    /// Says where a payload stands, so that a test can judge one that it did not see come.
    package init(sender: HandshakeRole, handshakeHash: Bytes64, senderStatic: Bytes32?) {
        self.sender = sender
        self.handshakeHash = handshakeHash
        self.senderStatic = senderStatic
    }
}

/// The payload of a handshake message that was read, and what its signature can bind.
package struct HandshakePayload: Hashable, Sendable {
    /// The payload.
    ///
    /// That of the first message anyone could have written, read or replayed who holds the
    /// pre-shared key.
    package let bytes: [UInt8]
    /// Where it stood.
    package let context: PayloadContext
}

/// One side of a `Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b` handshake.
///
/// Noise sections 5.3 and 9.
///
/// The initiator writes, reads, writes; the responder reads, writes, reads; then `split()`. A call
/// that throws has changed nothing: it works on a copy, which it keeps only at the end.
package struct HandshakeState: ~Copyable, Sendable {
    /// The largest Noise message, in bytes.
    ///
    /// Noise section 3.
    package static let messageByteLimit = 65_535

    /// Which side this is.
    package let role: HandshakeRole
    /// The peer's X25519 static key, once its message was read: `rs`.
    package private(set) var remoteStatic: Bytes32?

    private let pattern = HandshakePattern.xxpsk0
    private let presharedKey: SecretKey  // `psk`
    private let localStatic: KeyPair  // `s`
    private let ephemeral: KeyPair  // `e`
    private var remoteEphemeral: Bytes32?  // `re`
    private var symmetric: SymmetricState
    private var messagesDone = 0

    /// Starts a handshake.
    ///
    /// `Initialize`.
    ///
    /// The static key is copied into this handshake's own guarded memory, and a fresh ephemeral key
    /// is made. Both sides must give the same pre-shared key and prologue, or the first message does
    /// not decrypt.
    package init(
        role: HandshakeRole, static staticKey: borrowing KeyPair, presharedKey: Bytes32,
        prologue: RawSpan = RawSpan()
    ) {
        self.init(
            role: role, static: staticKey, ephemeral: .generate(.wiped),
            presharedKey: presharedKey, prologue: prologue)
    }

    /// Starts a handshake whose prologue depends on this side's ephemeral public key.
    ///
    /// `Initialize`.
    package init(
        role: HandshakeRole, static staticKey: borrowing KeyPair, presharedKey: Bytes32,
        prologue: (_ ephemeral: Bytes32) -> [UInt8]
    ) {
        let ephemeral = KeyPair.generate(.wiped)
        let prologue = prologue(ephemeral.publicKey)
        self.init(
            role: role, static: staticKey, ephemeral: ephemeral, presharedKey: presharedKey,
            prologue: prologue.span.bytes)
    }

    /// Starts a handshake with a given ephemeral key, so that a test can replay it.
    ///
    /// An ephemeral key that is used twice breaks both handshakes.
    package init(
        role: HandshakeRole, static staticKey: borrowing KeyPair,
        ephemeral: consuming KeyPair, presharedKey: Bytes32, prologue: RawSpan = RawSpan()
    ) {
        self.role = role
        self.presharedKey = SecretKey(.wiped) { key in
            presharedKey.withPointer { key.update(from: $0, count: Bytes32.byteCount) }
        }
        self.localStatic = staticKey.copy()
        self.ephemeral = ephemeral
        self.symmetric = SymmetricState(protocolName: self.pattern.protocolName)
        self.symmetric.mixHash(prologue)
    }

    /// Whether all messages were exchanged, so that `split()` may be called.
    package var isFinished: Bool {
        self.messagesDone == self.pattern.messages.count
    }

    /// What this side may do next; nil when the handshake is finished.
    package var turn: HandshakeTurn? {
        guard !self.isFinished else { return nil }
        let initiatorWrites = self.messagesDone.isMultiple(of: 2)
        return initiatorWrites == (self.role == .initiator) ? .write : .read
    }

    /// The hash of all that was exchanged so far; after the last message it names this stream.
    ///
    /// Noise section 11.2.
    package var handshakeHash: Bytes64 {
        self.symmetric.handshakeHash
    }

    /// The X25519 static key that this side sends.
    package var localStaticKey: Bytes32 {
        self.localStatic.publicKey
    }

    /// Writes the next handshake message with a payload that depends on its place.
    ///
    /// `makePayload` is called once, when everything before the payload is known. Throws
    /// `outOfTurn` or `handshakeFinished` without calling it, `unusablePublicKey` when the peer's
    /// key gives a zero secret, and `messageTooLong` when the payload does not fit. `WriteMessage`.
    package mutating func writeMessage(
        _ makePayload: (PayloadContext) -> [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try self.check(.write)
        let tokens = self.pattern.messages[self.messagesDone]
        var next = self.symmetric.fork()
        var message: [UInt8] = []
        for token in tokens {
            switch token {
            case .e:
                self.ephemeral.publicKey.append(to: &message)
                self.ephemeral.publicKey.withBytes {
                    next.mixHash($0)
                    next.mixKey($0)
                }
            case .psk: next.mixKeyAndHash(self.presharedKey)
            case .s:
                try self.localStatic.publicKey.withBytes { (key) throws(CryptoError) in
                    try next.encryptAndHash(key, appendingTo: &message)
                }
            case .ee, .es, .se:
                next.mixKey(
                    try self.sharedSecret(
                        token, remoteEphemeral: self.remoteEphemeral,
                        remoteStatic: self.remoteStatic))
            }
        }
        let payload = makePayload(
            PayloadContext(
                sender: self.role, handshakeHash: next.handshakeHash,
                senderStatic: tokens.contains(.s) ? self.localStatic.publicKey : nil))
        let byteCount = message.count + payload.count + next.overheadByteCount
        guard byteCount <= Self.messageByteLimit else {
            throw .messageTooLong(limit: Self.messageByteLimit, got: byteCount)
        }
        try next.encryptAndHash(payload.span.bytes, appendingTo: &message)

        self.symmetric = next
        self.messagesDone += 1
        return message
    }

    /// Writes the next handshake message with a payload that is known beforehand.
    ///
    /// Throws as the other form does.
    package mutating func writeMessage(payload: [UInt8] = []) throws(CryptoError) -> [UInt8] {
        try self.writeMessage { _ in payload }
    }

    /// Reads the peer's next handshake message and returns its payload.
    ///
    /// Throws `outOfTurn` or `handshakeFinished` when no message is due, `messageTooShort` or
    /// `messageTooLong` before anything is computed, `unusablePublicKey` for a key of small order
    /// and `decryptFailed` when a tag does not verify. On error nothing has changed. `ReadMessage`.
    package mutating func readMessage(_ message: RawSpan) throws(CryptoError) -> HandshakePayload {
        try self.check(.read)
        let tokens = self.pattern.messages[self.messagesDone]
        try self.checkLength(of: message, tokens)
        var next = self.symmetric.fork()
        var remoteEphemeral = self.remoteEphemeral
        var remoteStatic = self.remoteStatic
        var position = 0
        for token in tokens {
            switch token {
            case .e:
                let key = message.extracting(position..<position + Bytes32.byteCount)
                remoteEphemeral = Bytes32(key)
                next.mixHash(key)
                next.mixKey(key)
                position += key.byteCount
            case .s:
                let count = Bytes32.byteCount + next.overheadByteCount
                let key = message.extracting(position..<position + count)
                remoteStatic = Bytes32(try next.decryptAndHash(key))
                position += count
            case .psk: next.mixKeyAndHash(self.presharedKey)
            case .ee, .es, .se:
                next.mixKey(
                    try self.sharedSecret(
                        token, remoteEphemeral: remoteEphemeral, remoteStatic: remoteStatic))
            }
        }
        let context = PayloadContext(
            sender: self.role == .initiator ? .responder : .initiator,
            handshakeHash: next.handshakeHash,
            senderStatic: tokens.contains(.s) ? remoteStatic : nil)
        let payload = try next.decryptAndHash(
            message.extracting(position..<message.byteCount))

        self.symmetric = next
        self.remoteEphemeral = remoteEphemeral
        self.remoteStatic = remoteStatic
        self.messagesDone += 1
        return HandshakePayload(bytes: payload, context: context)
    }

    /// Reads the peer's next handshake message, as the other form does.
    package mutating func readMessage(_ message: [UInt8]) throws(CryptoError) -> HandshakePayload {
        try self.readMessage(message.span.bytes)
    }

    /// Ends the handshake and gives the ciphers of the stream; there is no way back.
    ///
    /// `Split`.
    ///
    /// Traps unless `isFinished`.
    package consuming func split() -> TransportState {
        precondition(self.isFinished, "a handshake is split after its last message")
        guard let remoteStatic = self.remoteStatic else {
            preconditionFailure("both static keys are exchanged in XX")
        }
        return TransportState(
            role: self.role, remoteStatic: remoteStatic, ciphers: self.symmetric.split())
    }

    private borrowing func check(_ wanted: HandshakeTurn) throws(CryptoError) {
        guard let turn = self.turn else { throw .handshakeFinished }
        guard turn == wanted else { throw .outOfTurn(due: turn) }
    }

    /// Checks the length before any costly computation is spent on the message.
    private borrowing func checkLength(
        of message: RawSpan, _ tokens: [HandshakePattern.Token]
    ) throws(CryptoError) {
        guard message.byteCount <= Self.messageByteLimit else {
            throw .messageTooLong(limit: Self.messageByteLimit, got: message.byteCount)
        }
        var overhead = self.symmetric.overheadByteCount
        var needed = 0
        for token in tokens {
            switch token {
            case .e: needed += Bytes32.byteCount
            case .s: needed += Bytes32.byteCount + overhead
            case .ee, .es, .se, .psk: overhead = CipherState.tagByteCount
            }
        }
        needed += overhead
        guard message.byteCount >= needed else {
            throw .messageTooShort(expected: needed, got: message.byteCount)
        }
    }

    /// The Diffie–Hellman result that `token` asks for, from this side's view.
    private borrowing func sharedSecret(
        _ token: HandshakePattern.Token, remoteEphemeral: Bytes32?, remoteStatic: Bytes32?
    ) throws(CryptoError) -> SecretKey {
        let ownIsStatic: Bool
        switch token {
        case .ee: ownIsStatic = false
        case .es: ownIsStatic = self.role == .responder
        case .se: ownIsStatic = self.role == .initiator
        case .e, .s, .psk: preconditionFailure("only two keys make a secret")
        }
        let remoteIsStatic = token != .ee && !ownIsStatic
        guard let remote = remoteIsStatic ? remoteStatic : remoteEphemeral else {
            preconditionFailure("the pattern sends a key before it uses it")
        }
        return ownIsStatic
            ? try X25519.sharedSecret(self.localStatic.secret, with: remote, .wiped)
            : try X25519.sharedSecret(self.ephemeral.secret, with: remote, .wiped)
    }
}
