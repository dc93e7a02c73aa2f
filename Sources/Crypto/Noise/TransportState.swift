/// The encrypted stream after a handshake: one cipher per direction.
///
/// Noise section 5.3, `Split`.
///
/// Each direction is rekeyed after every 2^16 messages, which both ends count for themselves.
/// After a thrown error the stream is broken for good and its connection must be closed: a lost or
/// changed message cannot be made up for.
package struct TransportState: ~Copyable, Sendable {
    /// The largest transport message with its tag, in bytes.
    ///
    /// Noise section 3.
    package static let messageByteLimit = 65_535
    /// The largest plaintext of one message, in bytes.
    package static let plaintextByteLimit = 65_535 - CipherState.tagByteCount
    /// What a message is longer than its plaintext, in bytes.
    package static let overheadByteCount = CipherState.tagByteCount
    /// A direction gets a new key after this many messages.
    package static let messagesPerKey: UInt64 = 1 << 16

    /// Which side of the handshake this was.
    package let role: HandshakeRole
    /// A key for what else the two ends tell each other; only they know it.
    ///
    /// The third output of the HKDF of `Split`, whose first two are the keys of the ciphers.
    package let exporter: Bytes64
    /// The peer's X25519 static key.
    package let remoteStatic: Bytes32

    private var sending: CipherState
    private var receiving: CipherState

    init(
        role: HandshakeRole, remoteStatic: Bytes32, ciphers: consuming SplitCiphers
    ) {
        self.role = role
        self.exporter = ciphers.exporter
        self.remoteStatic = remoteStatic
        switch role {
        case .initiator:
            self.sending = ciphers.first
            self.receiving = ciphers.second
        case .responder:
            self.sending = ciphers.second
            self.receiving = ciphers.first
        }
    }

    /// How many messages were encrypted so far.
    package var messagesSent: UInt64 {
        self.sending.nonce
    }

    /// How many messages were decrypted so far.
    package var messagesReceived: UInt64 {
        self.receiving.nonce
    }

    /// Goes on as if this many messages had been exchanged under the present keys; for tests.
    package mutating func setNonces(sending: UInt64, receiving: UInt64) {
        self.sending.setNonce(sending)
        self.receiving.setNonce(receiving)
    }

    /// Encrypts `plaintext` and appends the message, tag included, to `output`.
    ///
    /// Throws `messageTooLong` above `plaintextByteLimit` and `nonceExhausted` after 2^64 − 1
    /// messages; then nothing has changed.
    package mutating func encrypt(
        _ plaintext: RawSpan, appendingTo output: inout [UInt8]
    ) throws(CryptoError) {
        guard plaintext.byteCount <= Self.plaintextByteLimit else {
            throw .messageTooLong(limit: Self.plaintextByteLimit, got: plaintext.byteCount)
        }
        try self.sending.encrypt(plaintext, associatedData: RawSpan(), appendingTo: &output)
        Self.rekeyIfDue(&self.sending)
    }

    /// Encrypts `plaintext` and appends the message to `output`, as the other form does.
    package mutating func encrypt(
        _ plaintext: [UInt8], appendingTo output: inout [UInt8]
    ) throws(CryptoError) {
        try self.encrypt(plaintext.span.bytes, appendingTo: &output)
    }

    /// Verifies one whole message and appends its plaintext to `output`.
    ///
    /// Throws `messageTooShort`, `messageTooLong`, `decryptFailed` or `nonceExhausted`; then
    /// nothing has changed here, and the connection is to be closed.
    package mutating func decrypt(
        _ message: RawSpan, appendingTo output: inout [UInt8]
    ) throws(CryptoError) {
        guard message.byteCount <= Self.messageByteLimit else {
            throw .messageTooLong(limit: Self.messageByteLimit, got: message.byteCount)
        }
        try self.receiving.decrypt(message, associatedData: RawSpan(), appendingTo: &output)
        Self.rekeyIfDue(&self.receiving)
    }

    /// Verifies one whole message and appends its plaintext to `output`, as the other form does.
    package mutating func decrypt(
        _ message: [UInt8], appendingTo output: inout [UInt8]
    ) throws(CryptoError) {
        try self.decrypt(message.span.bytes, appendingTo: &output)
    }

    private static func rekeyIfDue(_ cipher: inout CipherState) {
        if cipher.nonce.isMultiple(of: self.messagesPerKey) {
            cipher.rekey()
        }
    }
}
