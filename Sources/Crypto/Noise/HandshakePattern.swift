/// A handshake pattern as data: the tokens of each message.
///
/// Noise section 7.
struct HandshakePattern: Sendable {
    /// What a message carries or mixes in, in order.
    enum Token: Sendable {
        /// The sender's ephemeral public key in clear.
        case e
        /// The sender's static public key, encrypted where there is a key.
        case s
        /// The shared secret of both ephemeral keys.
        case ee
        /// The shared secret of the initiator's ephemeral and the responder's static key.
        case es
        /// The shared secret of the initiator's static and the responder's ephemeral key.
        case se
        /// A secret that both sides hold beforehand.
        ///
        /// Noise section 9.
        case psk
    }

    /// The whole protocol name, which starts the handshake hash.
    let protocolName: StaticString
    /// The tokens of each message; the initiator writes the first.
    let messages: [[Token]]

    /// Both sides hold a secret and send their static key: `-> psk, e`, `<- e, ee, s, es`, `-> s, se`.
    static let xxpsk0 = HandshakePattern(
        protocolName: "Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b",
        messages: [[.psk, .e], [.e, .ee, .s, .es], [.s, .se]])
}
