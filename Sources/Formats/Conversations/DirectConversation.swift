package import Crypto

/// The conversation of two people, of which there is one: both make the same id and key of their own
/// keys, whoever begins, and nobody else can.
///
///     dh   = X25519(own X, the other's X)
///     id   = K(dh, "stoa direct id 2", both persons, ascending)
///     root = K(dh, "stoa direct root", both persons, ascending)
///
/// `Docs/Protocol/Entries.md` section 1. With the own person it is that person's notes.
package struct DirectConversation: Hashable, Sendable {
    package let id: ConversationID
    /// The other person's keys; the own ones for notes.
    package let person: PublicPerson
    /// The device by which the user named the other person.
    package let device: PeerID
    /// The key that its entries are sealed with, 32 bytes.
    package let root: Bytes32

    /// Takes over what a store has kept.
    package init(id: ConversationID, person: PublicPerson, device: PeerID, root: Bytes32) {
        self.id = id
        self.person = person
        self.device = device
        self.root = root
    }

    /// The conversation of `own` with another person; takes about 60 µs.
    ///
    /// Throws `unusablePublicKey` where the other's X is of small order, which no valid certificate has.
    package init(
        of own: PersonKeys, with person: PublicPerson, at device: PeerID
    ) throws(CryptoError) {
        let shared = try own.agree(with: person.address)
        let persons = [own.id, person.id].sorted().map(\.hash)
        let context = persons[0].bytes + persons[1].bytes
        self.init(
            id: ConversationID(
                BLAKE2b.hash256(context.span.bytes, key: shared, personal: .directID)),
            person: person, device: device,
            root: BLAKE2b.hash256(context.span.bytes, key: shared, personal: .directRoot))
    }

    /// Whether somebody's devices take part, for one of the two people.
    package func isOf(_ other: PersonID, own: PersonID) -> Bool {
        other == own || other == self.person.id
    }

    var key: ConversationKey? {
        ConversationKey(root: self.root, suite: .xchacha20Poly1305, of: self.id)
    }
}

extension DirectConversation: CustomStringConvertible {
    /// With whom; the key is never shown.
    package var description: String { "direct conversation with \(self.device)" }
}

extension ConversationKey {
    /// The key of a whole conversation from its 32 bytes; nil where this machine cannot do what the
    /// suite needs.
    init?(root: Bytes32, suite: Suite, of conversation: ConversationID) {
        let secret = root.withBytes { try? SecretKey($0) }
        guard let secret, let key = try? ConversationKey(secret, suite: suite, of: conversation)
        else { return nil }
        self = key
    }
}
