package import Crypto

/// A person's word that a device is theirs.
///
/// It counts only where that device itself shows it: the device's key is no part of it.
/// `Docs/Protocol/Entries.md` section 1.
package struct Certificate: Hashable, Sendable {
    /// The length of every certificate, in bytes.
    package static let byteCount = 168

    private static let context = Array("stoa.device.v2\0".utf8)

    /// The person's Ed25519 key, which certifies devices: P.
    package let person: Bytes32
    /// The person's X25519 key, for direct conversations: X.
    package let address: Bytes32
    /// The device's X25519 key, to which keys of conversations are wrapped: E.
    package let deviceAddress: Bytes32
    /// When the device was certified, wall-clock milliseconds of who did.
    package let added: UInt64
    /// By the person, over the device's key and all of the above but the person's own.
    package let signature: Bytes64
    /// The person whose device this is: a hash of their two keys, asked for with each message.
    package let personID: PersonID

    /// Certifies a device.
    package init(
        device: PeerID, deviceAddress: Bytes32, address: Bytes32, added: UInt64,
        by personSigner: Signer
    ) {
        self.person = personSigner.publicKey
        self.address = address
        self.deviceAddress = deviceAddress
        self.added = added
        self.signature = personSigner.sign(
            Self.message(
                device: device, deviceAddress: deviceAddress, address: address, added: added))
        self.personID = PersonID(signing: self.person, address: address)
    }

    /// Whether the person says this of that device, under keys that can be used.
    ///
    /// Takes about 60 µs.
    package func isValid(for device: PeerID) -> Bool {
        #if MUTANTS
            if Mutant.acceptOtherCertificate.isActive { return true }
        #endif
        return !X25519.isOfSmallOrder(self.address)
            && !X25519.isOfSmallOrder(self.deviceAddress)
            && Ed25519.isAcceptable(publicKey: self.person)
            && Ed25519.verify(
                signature: self.signature,
                message: Self.message(
                    device: device, deviceAddress: self.deviceAddress, address: self.address,
                    added: self.added),
                publicKey: self.person)
    }

    static func message(
        device: PeerID, deviceAddress: Bytes32, address: Bytes32, added: UInt64
    ) -> [UInt8] {
        var writer = WireWriter(capacity: 128)
        writer.raw(Self.context)
        writer.raw(device.key)
        writer.raw(deviceAddress)
        writer.raw(address)
        writer.u64(added)
        return writer.bytes
    }

    /// The 168 bytes.
    package var encoded: [UInt8] {
        var writer = WireWriter(capacity: Self.byteCount)
        writer.raw(self.person)
        writer.raw(self.address)
        writer.raw(self.deviceAddress)
        writer.u64(self.added)
        writer.raw(self.signature)
        return writer.bytes
    }

    /// Reads exactly 168 bytes; whether they hold is for ``isValid(for:)`` to say.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        try self.init(from: &reader)
        try reader.finish("certificate")
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.person = try reader.bytes32("certificate person")
        self.address = try reader.bytes32("certificate address")
        self.deviceAddress = try reader.bytes32("certificate device address")
        self.added = try reader.u64("certificate added")
        self.signature = try reader.bytes64("certificate signature")
        self.personID = PersonID(signing: self.person, address: self.address)
    }
}
