internal import Crypto

/// A person's word that a device is not theirs any longer, or is again: the value of a record of kind 2.
///
/// `Docs/Protocol/Entries.md` section 10. The device is the author of the record, so of each device each person's last word
/// stands; the person's key P signs it, since who has taken the device has its key.
package struct Revocation: Hashable, Sendable {
    /// That of the device.
    package let certificate: Certificate
    /// Whether the device is the person's again.
    package let stands: Bool

    package init(of certificate: Certificate, stands: Bool) {
        self.certificate = certificate
        self.stands = stands
    }

    private static let certificateType: UInt64 = 1
    private static let standsType: UInt64 = 3

    var encoded: [UInt8] {
        var writer = WireWriter(capacity: 2 * Certificate.byteCount)
        writer.field(Self.certificateType, self.certificate.encoded)
        if self.stands { writer.field(Self.standsType, []) }
        return writer.bytes
    }

    /// The most that it takes, with some room for fields that are not known yet: each device may bring one.
    private static let mostBytes = 256

    init?(decoding bytes: [UInt8]) {
        guard bytes.count <= Self.mostBytes, let fields = try? FieldList(decoding: bytes),
            fields.isUnderstood(by: [Self.certificateType, Self.standsType]),
            let certificate = fields.value(of: Self.certificateType),
            let certificate = try? Certificate(decoding: Array(certificate)),
            fields.value(of: Self.standsType).map({ $0.isEmpty }) ?? true
        else { return nil }
        self.init(of: certificate, stands: fields.value(of: Self.standsType) != nil)
    }
}

extension Record {
    /// What a revocation says; nil for other kinds, and where it cannot be read.
    package var revocation: Revocation? {
        self.kind == Kind.revocation ? Revocation(decoding: self.value) : nil
    }
}
