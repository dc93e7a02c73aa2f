/// What the first entry of every log says: whose device writes it, and which own logs it closes.
///
/// `Docs/Protocol/Entries.md` section 3. It is attested by itself, so that it can be sent alone.
package struct LogOpening: Hashable, Sendable {
    /// Of the log's author, by the person whose device that is.
    package let certificate: Certificate
    /// The incarnations of the author's own logs of this conversation that it will not continue;
    /// ascending, at most ``Limits/closedLogs``.
    ///
    /// A hint for whoever must make room; it changes nothing about what is valid or shown.
    package let closes: [UInt64]

    /// Opens a log.
    ///
    /// - Precondition: `closes` ascends and is within its limit.
    package init(certificate: Certificate, closes: [UInt64]) {
        precondition(
            closes.count <= Limits.closedLogs, "whoever opens a log bounds what it closes")
        precondition(zip(closes, closes.dropFirst()).allSatisfy(<), "closed logs ascend")
        self.certificate = certificate
        self.closes = closes
    }

    private static let certificateType: UInt64 = 1
    private static let closesType: UInt64 = 4
    static let mustKnow = [Self.certificateType]

    func write(to writer: inout WireWriter) {
        writer.field(Self.certificateType, self.certificate.encoded)
        guard !self.closes.isEmpty else { return }
        var list = WireWriter(capacity: 8 * self.closes.count)
        for incarnation in self.closes { list.u64(incarnation) }
        writer.field(Self.closesType, list.bytes)
    }

    /// Reads what was written; whether the certificate holds is for ``person(of:)`` to say.
    init?(_ fields: FieldList) {
        guard let certificate = fields.value(of: Self.certificateType),
            let read = try? Certificate(decoding: Array(certificate)),
            let closes = Self.incarnations(fields.value(of: Self.closesType))
        else { return nil }
        self.certificate = read
        self.closes = closes
    }

    private static func incarnations(_ value: ArraySlice<UInt8>?) -> [UInt64]? {
        guard let value else { return [] }
        guard !value.isEmpty, value.count % 8 == 0, value.count / 8 <= Limits.closedLogs else {
            return nil
        }
        var reader = WireReader(Array(value))
        var incarnations: [UInt64] = []
        while let incarnation = try? reader.u64("closed incarnation") {
            if let last = incarnations.last, incarnation <= last { return nil }
            incarnations.append(incarnation)
        }
        return incarnations
    }

    /// The person whose log an author opens with this; nil where the certificate is not for it.
    package func person(of author: PeerID) -> PersonID? {
        self.certificate.isValid(for: author) ? self.certificate.personID : nil
    }
}

/// An opening of which it has been found out whether its certificate holds, which takes as long as
/// to check a signature.
package struct CheckedOpening: Sendable {
    /// What is certified; nil where the certificate is not for the log's author.
    package let certificate: Certificate?
    package let closes: [UInt64]

    package var person: PersonID? { self.certificate?.personID }

    /// - Parameter linked: the certificate that the author has shown on a link, where it was checked.
    package init(_ opening: LogOpening, of author: PeerID, linked: Certificate?) {
        let holds =
            opening.certificate == linked || opening.person(of: author) != nil
        self.certificate = holds ? opening.certificate : nil
        self.closes = opening.closes
    }
}
