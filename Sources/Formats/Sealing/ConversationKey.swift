package import Crypto

package struct ConversationKey: Sendable {
    /// How payloads are sealed; the number is a payload's first byte.
    package enum Suite: UInt8, CaseIterable, Sendable {
        /// XChaCha20-Poly1305.
        case xchacha20Poly1305 = 1
        /// AES-256-GCM, under a key of its own for each payload.
        case aes256GCM = 2

        /// Whether this machine can seal and open so.
        package var isAvailable: Bool {
            switch self {
            case .xchacha20Poly1305: true
            case .aes256GCM: AES256GCM.isAvailable
            }
        }
    }

    /// What the key is for.
    package let conversation: ConversationID
    /// Names the key, in headers.
    package let id: Bytes32
    /// How own payloads are sealed with it.
    package let suite: Suite
    /// Whether it is one of several, which came one after another: that of an epoch.
    package let isEpoch: Bool
    let key: SealingKey

    /// Takes over one of the keys of a conversation whose keys come and go.
    ///
    /// Throws `unsupported` where this machine cannot do what the suite needs.
    package init(
        _ epoch: EpochKey, suite: Suite, of group: ConversationID
    ) throws(CryptoError) {
        guard suite.isAvailable else { throw .unsupported }
        self.id = epoch.id
        self.conversation = group
        self.suite = suite
        self.isEpoch = true
        self.key = SealingKey(try SecretKey(epoch.key.bytes.span.bytes))
    }

    /// Takes over the key of a whole conversation.
    ///
    /// Throws `unsupported` where this machine cannot do what the suite needs.
    package init(
        _ key: consuming SecretKey, suite: Suite, of conversation: ConversationID
    ) throws(CryptoError) {
        guard suite.isAvailable else { throw .unsupported }
        var hasher = BLAKE2b.Hasher(personal: .keyID)
        key.withBytes { hasher.update($0) }
        hasher.update(conversation.hash)
        self.id = hasher.finalize()
        self.conversation = conversation
        self.suite = suite
        self.isEpoch = false
        self.key = SealingKey(key)
    }
}
