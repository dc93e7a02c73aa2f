package import Crypto

/// A signed statement about a group: who is in it, and who may what.
///
/// Acts are no entries: they form a set that only grows, beside the logs, so that no fork of a log undoes one.
/// `Docs/Protocol/Groups.md` section 1. An act says nothing until ``isValid(knowing:)`` has held.
package struct Act: Hashable, Sendable {
    /// The group, or the conversation of two people of whom one has cut a device.
    package let group: ConversationID
    package let statement: ActStatement
    /// The hybrid time of which ``statement`` has the milliseconds.
    package let time: HybridTime
    /// The keys of its author.
    package let person: PublicPerson
    /// Of the device that signs; nil for a cut, which the person's own key signs.
    package let certificate: Certificate?
    package let id: ActID
    package let signature: Bytes64
    /// What is signed, as it came: fields of later versions stay in it.
    private let body: [UInt8]

    private static let context = Array("stoa.act.v1\0".utf8)
    private static let cutContext = Array("stoa.cut.v1\0".utf8)

    init(
        _ content: ActContent, body: [UInt8], signature: Bytes64
    ) {
        self.group = content.group
        self.statement = content.statement
        self.time = content.time
        self.person = content.person
        self.certificate = content.certificate
        self.body = body
        self.signature = signature
        self.id = ActID(BLAKE2b.hash256(body, personal: .act))
    }

    /// Signs what a device of a person does.
    ///
    /// - Precondition: it is no cut; `basis` is empty exactly for a founding, and at most ``Limits/actBasis``.
    package init(
        _ kind: ActKind, in group: ConversationID, basis: some Sequence<ActID>, time: HybridTime,
        certificate: Certificate, by device: Signer
    ) {
        let content = ActContent(
            group: group, device: PeerID(device.publicKey), person: certificate.keys,
            certificate: certificate, basis: basis.sorted(), time: time, kind: kind)
        let body = content.encoded
        self.init(content, body: body, signature: device.sign(Self.context + body))
    }

    /// Signs a person's word about one of their devices.
    ///
    /// Its basis is empty only as the first act of a conversation of two people.
    package init(
        cutting device: PeerID, number: UInt64, stands: Bool = false, in group: ConversationID,
        basis: some Sequence<ActID>, time: HybridTime, by person: PersonKeys
    ) {
        let content = ActContent(
            group: group, device: nil, person: person.publicKeys, certificate: nil,
            basis: basis.sorted(), time: time,
            kind: .cut(device, number: number, stands: stands))
        let body = content.encoded
        self.init(content, body: body, signature: person.sign(Self.cutContext + body))
    }

    /// The act as it is sent and stored.
    package var encoded: [UInt8] { self.body + self.signature.bytes }

    /// Whether its author signed it, by a device that is theirs, and whether a founding is that of its group.
    ///
    /// Takes about 120 µs, and half of it where the certificate was checked before: those of devices are given. Whether a
    /// join shows the line of its link is for ``GroupLink/isShown(by:as:)`` to say, since only the act that makes the link
    /// has its key.
    package func isValid(knowing checked: [PeerID: Certificate] = [:]) -> Bool {
        if case .create(let founded) = self.statement.kind, founded.id != self.group {
            return false
        }
        guard let device = self.statement.device, let certificate = self.certificate else {
            return Ed25519.isAcceptable(publicKey: self.person.signing)
                && Ed25519.verify(
                    signature: self.signature, message: Self.cutContext + self.body,
                    publicKey: self.person.signing)
        }
        return (certificate == checked[device] || certificate.isValid(for: device))
            && Ed25519.verify(
                signature: self.signature, message: Self.context + self.body,
                publicKey: device.key)
    }
}
