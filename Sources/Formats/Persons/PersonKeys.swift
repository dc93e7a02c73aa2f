package import Crypto

/// The two keys of a person as one of their devices has them: X, for direct conversations, and where
/// the device may certify others, P.
package struct PersonKeys: Sendable {
    /// The length of both together: the seed of P, then the secret of X.
    package static let byteCount = SigningKey.seedByteCount + SecretKey.byteCount

    /// Nil on a device that was linked, or gave it up: P leaves the machine that made it only in a backup.
    private var signer: Signer?
    private let address: AgreementKey
    /// What others need to write to this person.
    package let publicKeys: PublicPerson

    private init(signing: consuming SigningKey, address: consuming SecretKey) {
        let (signer, address) = (Signer(signing), AgreementKey(address))
        self.signer = signer
        self.address = address
        self.publicKeys = PublicPerson(signing: signer.publicKey, address: address.publicKey)
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
        try self.init(
            seed: bytes.extracting(0..<SigningKey.seedByteCount),
            address: bytes.extracting(SigningKey.seedByteCount..<Self.byteCount))
    }

    /// Takes over the seed of P and the secret of X.
    package init(seed: RawSpan, address: RawSpan) throws(CryptoError) {
        self.init(signing: try SigningKey(seed: seed), address: try SecretKey(address))
    }

    /// Takes over the secret of X on a device that knows only the public key of P.
    package init(signing: Bytes32, address: RawSpan) throws(CryptoError) {
        self.signer = nil
        self.address = AgreementKey(try SecretKey(address))
        self.publicKeys = PublicPerson(signing: signing, address: self.address.publicKey)
    }

    package var id: PersonID { self.publicKeys.id }

    /// Whether P is here, so that devices can be certified and revoked.
    package var canCertify: Bool { self.signer != nil }

    /// The same keys as a device has them that may not certify others.
    package var withoutP: PersonKeys {
        var keys = self
        keys.signer = nil
        return keys
    }

    /// P.
    ///
    /// - Precondition: ``canCertify``.
    private var certifier: Signer {
        guard let signer else {
            preconditionFailure("whoever needs P asks first whether it is here")
        }
        return signer
    }

    /// The secret that this person and another one share.
    ///
    /// Throws `unusablePublicKey` for an X of small order.
    func agree(with address: Bytes32) throws(CryptoError) -> SecretKey {
        try self.address.agree(with: address)
    }

    /// Signs with P.
    ///
    /// - Precondition: ``canCertify``.
    func sign(_ message: [UInt8]) -> Bytes64 { self.certifier.sign(message) }

    /// Whether a certificate is of this person.
    package func hasSigned(_ certificate: Certificate) -> Bool {
        certificate.keys == self.publicKeys
    }

    /// Certifies a device, from its identity key, at wall-clock milliseconds.
    ///
    /// - Precondition: ``canCertify``.
    package func certify(_ device: Signer, at added: UInt64) -> Certificate {
        self.certify(
            PeerID(device.publicKey), deviceAddress: DeviceAddress.publicKey(of: device), at: added)
    }

    /// Certifies a device, from its public keys, at wall-clock milliseconds.
    ///
    /// - Precondition: ``canCertify``.
    package func certify(
        _ device: PeerID, deviceAddress: Bytes32, at added: UInt64
    ) -> Certificate {
        Certificate(
            device: device, deviceAddress: deviceAddress, address: self.publicKeys.address,
            added: added, by: self.certifier)
    }

    /// Lends the 64 bytes that ``init(_:)`` takes: P's seed, then X's secret.
    ///
    /// Meant for writing the keys to their files; keep no other copy.
    ///
    /// - Precondition: ``canCertify``.
    package func withBytes<R, E: Error>(
        _ body: (_ seed: RawSpan, _ address: RawSpan) throws(E) -> R
    ) throws(E) -> R {
        try self.certifier.withSeed { (seed) throws(E) -> R in
            try self.withAddress { (address) throws(E) -> R in try body(seed, address) }
        }
    }

    /// Lends X's secret, for writing it to its file or for handing it to a linked device.
    package func withAddress<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try self.address.withSecret(body)
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
