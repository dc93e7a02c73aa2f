internal import Crypto

/// What an act says, between its bytes and its parts.
///
///     body = format u8 ‖ kind u8 ‖ group 32 ‖ device 32 ‖ certificate ‖ hlc u64 ‖
///            count u8 ‖ basis 32 * ‖ length varint ‖ fields
///
/// `Docs/Protocol/Groups.md` section 1.
struct ActContent {
    var group: ConversationID
    /// Nil for a cut.
    var device: PeerID?
    var person: PublicPerson
    /// Nil for a cut.
    var certificate: Certificate?
    /// Ascending.
    var basis: [ActID]
    var time: HybridTime
    var kind: ActKind

    private static let format: UInt8 = 1
    private static let cut: UInt8 = 11

    var statement: ActStatement {
        ActStatement(
            author: self.person.id, device: self.device, basis: self.basis,
            time: self.time.milliseconds, kind: self.kind)
    }

    /// Whether an act of a kind may have so many acts for its basis.
    ///
    /// Each follows something but the founding, and the first cut of a conversation of two people, which has none.
    private static func mayFollow(_ count: Int, _ kind: UInt8) -> Bool {
        switch kind {
        case 1: count == 0
        case Self.cut: count <= Limits.actBasis
        default: (1...Limits.actBasis).contains(count)
        }
    }

    /// What is signed.
    ///
    /// - Precondition: the basis ascends, and has as many acts as one of its kind may.
    var encoded: [UInt8] {
        precondition(
            Self.mayFollow(self.basis.count, self.kind.number), "whoever acts ties heads first")
        precondition(zip(self.basis, self.basis.dropFirst()).allSatisfy(<), "a basis ascends")
        var fields = WireWriter(capacity: 64)
        self.kind.write(to: &fields)
        precondition(fields.bytes.count <= Limits.actFieldBytes, "every kind bounds its fields")
        var writer = WireWriter(capacity: 256 + 32 * self.basis.count + fields.bytes.count)
        writer.byte(Self.format)
        writer.byte(self.kind.number)
        writer.raw(self.group.hash)
        writer.raw(self.device?.key ?? .zero)
        writer.raw(self.certificate?.encoded ?? self.person.encoded)
        writer.u64(self.time.rawValue)
        writer.byte(UInt8(self.basis.count))
        for id in self.basis { writer.raw(id.hash) }
        writer.sized(fields.bytes)
        return writer.bytes
    }

    init(
        group: ConversationID, device: PeerID?, person: PublicPerson, certificate: Certificate?,
        basis: [ActID], time: HybridTime, kind: ActKind
    ) {
        self.group = group
        self.device = device
        self.person = person
        self.certificate = certificate
        self.basis = basis
        self.time = time
        self.kind = kind
    }

    init(from reader: inout WireReader) throws(WireError) {
        guard try reader.byte("act format") == Self.format else {
            throw .value(field: "act format")
        }
        let number = try reader.byte("act kind")
        self.group = ConversationID(try reader.bytes32("act group"))
        let device = try reader.bytes32("act device")
        if number == Self.cut {
            guard device == .zero else { throw .value(field: "act device") }
            self.person = PublicPerson(
                signing: try reader.bytes32("act person"),
                address: try reader.bytes32("act address"))
        } else {
            let certificate = try Certificate(from: &reader)
            self.device = PeerID(device)
            self.certificate = certificate
            self.person = certificate.keys
        }
        self.time = HybridTime(try reader.u64("act hlc"))
        let count = Int(try reader.byte("act basis count"))
        guard Self.mayFollow(count, number) else { throw .value(field: "act basis count") }
        self.basis = []
        for _ in 0..<count {
            let id = ActID(try reader.bytes32("act basis"))
            if let last = self.basis.last, id <= last { throw .order(field: "act basis") }
            self.basis.append(id)
        }
        let fields = try FieldList(
            decoding: try reader.sized("act fields", limit: Limits.actFieldBytes))
        guard let kind = ActKind(number, fields, by: self.person) else {
            throw .value(field: "act fields")
        }
        self.kind = kind
    }
}

extension Act {
    /// Reads an act; whether it holds is for ``isValid(knowing:)`` to say.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        guard bytes.count <= Limits.actBytes else {
            throw .limit(field: "act", limit: Limits.actBytes, got: UInt64(bytes.count))
        }
        var reader = WireReader(bytes)
        let content = try ActContent(from: &reader)
        let body = Array(bytes[..<reader.position])
        let signature = try reader.bytes64("act signature")
        try reader.finish("act")
        self.init(content, body: body, signature: signature)
    }
}
