/// What can go wrong in this module.
///
/// The details are for one's own log: never show them to a peer, who could learn from them which
/// part of a forged message was right.
package enum CryptoError: Error, Equatable, Sendable {
    // Input of the wrong size.

    /// The message holds fewer bytes than its pattern or its tag needs.
    case messageTooShort(expected: Int, got: Int)
    /// The message or its payload does not fit into a Noise message.
    case messageTooLong(limit: Int, got: Int)
    /// A key, seed or nonce does not have its fixed length.
    case wrongLength(expected: Int, got: Int)

    // Input that does not verify.

    /// The tag did not verify: wrong key, tampering or a lost message.
    case decryptFailed
    /// The public key is no usable point: of small order, not canonical or not on the curve.
    case unusablePublicKey

    // Calls that the state does not allow.

    /// The handshake waits for the other direction: `due` is what may be called.
    case outOfTurn(due: HandshakeTurn)
    /// All handshake messages were exchanged; what follows belongs to the transport.
    case handshakeFinished
    /// The cipher has used every nonce of its key.
    case nonceExhausted

    // What the machine does not allow.

    /// The system has not the memory that the key derivation needs.
    case outOfMemory
    /// The processor lacks the instructions of the cipher.
    case unsupported
}

/// Which side of a handshake acts next.
package enum HandshakeTurn: Equatable, Sendable {
    /// This side writes.
    case write
    /// This side reads.
    case read
}
