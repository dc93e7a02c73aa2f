package import Crypto

/// What a new device is handed once both codes were right: a certificate, X, and what a backup holds
/// beside the keys.
///
/// P is never part of it.
///
/// `Docs/Protocol/Wire.md`, "Linking a device".
package struct HandOver: Sendable {
    package var certificate: Certificate
    /// The person, without P.
    package var person: PersonKeys
    /// The realms that the user is in and that no administrator has installed.
    package var realms: [Realm]
    /// Whom the user knows, and where the user is.
    package var contacts: Contacts

    /// The most that it may take; as for a backup, many times what people have.
    package static let limitBytes = 32 << 20
    private static let format: UInt8 = 1

    package init(
        certificate: Certificate, person: PersonKeys, realms: [Realm], contacts: Contacts
    ) {
        self.certificate = certificate
        self.person = person
        self.realms = realms
        self.contacts = contacts
    }

    /// The bytes, which hold secrets.
    package var encoded: [UInt8] {
        var writer = WireWriter(capacity: 512 + Backup.mostBytes(of: self.realms, self.contacts))
        writer.byte(Self.format)
        writer.raw(self.certificate.encoded)
        self.person.withAddress { address in
            guard let secret = Bytes32(address) else { preconditionFailure("a key has 32 bytes") }
            writer.raw(secret)
        }
        Backup.write(self.realms, self.contacts, to: &writer)
        return writer.bytes
    }

    /// Reads what was handed over; whether the certificate holds is for ``isMeant(for:_:)`` to say.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        guard try reader.byte("hand-over format") == Self.format else {
            throw .value(field: "hand-over format")
        }
        self.certificate = try Certificate(from: &reader)
        var secret = try reader.raw("hand-over key", count: SecretKey.byteCount)
        defer { secret.wipe() }
        guard
            let person = try? PersonKeys(
                signing: self.certificate.person, address: secret.span.bytes),
            person.publicKeys == self.certificate.keys
        else { throw .value(field: "hand-over key") }
        self.person = person
        (self.realms, self.contacts) = try Backup.realmsAndContacts(from: &reader)
        try reader.finish("hand-over")
    }

    /// Whether it makes this device one of the person whose device the giver has shown to be.
    package func isMeant(for device: Signer, by giver: Certificate) -> Bool {
        self.certificate.keys == giver.keys
            && self.certificate.deviceAddress == DeviceAddress.publicKey(of: device)
            && self.certificate.isValid(for: PeerID(device.publicKey))
    }
}
