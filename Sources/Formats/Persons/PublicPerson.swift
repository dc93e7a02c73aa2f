package import Crypto

/// The public keys of a person: what it takes to write to them.
///
/// `Docs/Protocol/Entries.md` section 1.
package struct PublicPerson: Hashable, Sendable {
    /// The Ed25519 key P, which certifies the person's devices.
    package let signing: Bytes32
    /// The X25519 key X, for direct conversations.
    package let address: Bytes32

    /// Puts two keys together.
    package init(signing: Bytes32, address: Bytes32) {
        self.signing = signing
        self.address = address
    }

    /// Reads ``encoded``; nil for anything else.
    package init?(decoding bytes: [UInt8]) {
        guard bytes.count == 64, let signing = Bytes32(bytes[..<32]),
            let address = Bytes32(bytes[32...])
        else { return nil }
        self.init(signing: signing, address: address)
    }

    /// P, then X: 64 bytes.
    package var encoded: [UInt8] { self.signing.bytes + self.address.bytes }

    /// Who these keys are.
    package var id: PersonID { PersonID(signing: self.signing, address: self.address) }
}

extension Certificate {
    /// The keys of the person whose device this is.
    package var keys: PublicPerson {
        PublicPerson(signing: self.person, address: self.address)
    }
}
