package import Crypto

/// The two keys of a person: P, which certifies devices, and X, for direct conversations.
package struct PersonKeys: Sendable {
    /// The length of what is kept of them: the seed of P, then the secret of X.
    package static let byteCount = SigningKey.seedByteCount + SecretKey.byteCount

    private let signer: Signer
    private let address: AgreementKey

    private init(signing: consuming SigningKey, address: consuming SecretKey) {
        self.signer = Signer(signing)
        self.address = AgreementKey(address)
    }

    package static func generate() -> PersonKeys {
        PersonKeys(signing: .generate(), address: .generate())
    }

    /// Takes over what ``withBytes(_:)`` has lent.
    ///
    /// Throws `wrongLength` for anything but 64 bytes.
    package init(_ bytes: RawSpan) throws(CryptoError) {
        guard bytes.byteCount == Self.byteCount else {
            throw .wrongLength(expected: Self.byteCount, got: bytes.byteCount)
        }
        let seed = bytes.extracting(0..<SigningKey.seedByteCount)
        let address = bytes.extracting(SigningKey.seedByteCount..<Self.byteCount)
        self.init(signing: try SigningKey(seed: seed), address: try SecretKey(address))
    }

    package var id: PersonID {
        PersonID(signing: self.signer.publicKey, address: self.address.publicKey)
    }

    /// What others need to write to this person.
    package var publicKeys: PublicPerson {
        PublicPerson(signing: self.signer.publicKey, address: self.address.publicKey)
    }

    /// The secret that this person and another one share.
    ///
    /// Throws `unusablePublicKey` for an X of small order.
    func agree(with address: Bytes32) throws(CryptoError) -> SecretKey {
        try self.address.agree(with: address)
    }

    /// Signs with P.
    func sign(_ message: [UInt8]) -> Bytes64 { self.signer.sign(message) }

    /// Whether a certificate is of this person.
    package func hasSigned(_ certificate: Certificate) -> Bool {
        certificate.person == self.signer.publicKey && certificate.address == self.address.publicKey
    }

    /// Certifies a device, from its identity key, at wall-clock milliseconds.
    package func certify(_ device: Signer, at added: UInt64) -> Certificate {
        Certificate(
            device: PeerID(device.publicKey), deviceAddress: DeviceAddress.publicKey(of: device),
            address: self.address.publicKey, added: added, by: self.signer)
    }

    /// Lends the 64 bytes that ``init(_:)`` takes: P's seed, then X's secret.
    ///
    /// Meant for writing the keys to their file; keep no other copy.
    package func withBytes<R, E: Error>(
        _ body: (_ seed: RawSpan, _ address: RawSpan) throws(E) -> R
    ) throws(E) -> R {
        try self.signer.withSeed { (seed) throws(E) -> R in
            try self.address.withSecret { (address) throws(E) -> R in try body(seed, address) }
        }
    }
}

/// The X25519 key E of a device, to which keys of conversations are wrapped.
///
/// It is made of the seed of the device's identity key, so it is the same after every start and needs
/// no file of its own: `K(seed, "stoa device addr", nothing)`.
package enum DeviceAddress {
    package static func secret(of device: Signer) -> SecretKey {
        device.withSeed { seed in
            guard let key = try? SecretKey(seed) else {
                preconditionFailure("a seed is as long as a secret")
            }
            return BLAKE2b.deriveKey(from: key, context: RawSpan(), personal: .deviceAddress)
        }
    }

    package static func publicKey(of device: Signer) -> Bytes32 {
        X25519.publicKey(of: Self.secret(of: device))
    }
}
