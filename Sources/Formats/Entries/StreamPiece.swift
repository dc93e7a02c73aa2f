/// Bytes of a durable stream: an entry of class 3, which is no message.
///
/// `Docs/Protocol/Entries.md` section 3.
package struct StreamPiece: Hashable, Sendable {
    private static let nameType: UInt64 = 1
    private static let sessionType: UInt64 = 3
    private static let bytesType: UInt64 = 5
    private static let endType: UInt64 = 6
    private static let offsetType: UInt64 = 7
    static let mustKnow = [Self.nameType, Self.sessionType, Self.bytesType, Self.offsetType]

    package var name: StreamName
    /// Random per sending, so that two of one name are told apart; at most 63 bits, since it stands in JSON.
    package var session: UInt64
    /// How many bytes of the sending stand before it, so that a reader sees where some are missing; at most
    /// 63 bits, too.
    package var offset: UInt64
    /// What it carries, at most ``Limits/streamPieceBytes``; some but for the last piece.
    package var bytes: [UInt8]
    /// Whether the sending ends with it.
    package var isEnd: Bool

    /// Describes a piece; nil for one that is too large, for an empty one that is not the last, and for
    /// numbers of more than 63 bits.
    package init?(
        name: StreamName, session: UInt64, offset: UInt64, bytes: [UInt8], isEnd: Bool = false
    ) {
        guard bytes.count <= Limits.streamPieceBytes, isEnd || !bytes.isEmpty,
            session <= UInt64(Int64.max), offset <= UInt64(Int64.max)
        else { return nil }
        self.name = name
        self.session = session
        self.offset = offset
        self.bytes = bytes
        self.isEnd = isEnd
    }

    func write(to writer: inout WireWriter) {
        writer.field(Self.nameType, text: self.name.text)
        writer.field(Self.sessionType, Self.bytes(of: self.session))
        writer.field(Self.bytesType, self.bytes)
        if self.isEnd { writer.field(Self.endType, []) }
        writer.field(Self.offsetType, Self.bytes(of: self.offset))
    }

    init?(_ fields: FieldList) {
        guard let text = fields.text(of: Self.nameType, bytes: 1...Limits.nameBytes),
            let name = StreamName(text),
            let session = Self.number(fields.value(of: Self.sessionType)),
            let bytes = fields.value(of: Self.bytesType),
            let offset = Self.number(fields.value(of: Self.offsetType))
        else { return nil }
        self.init(
            name: name, session: session, offset: offset, bytes: Array(bytes),
            isEnd: fields.value(of: Self.endType).map { $0.isEmpty } ?? false)
    }

    private static func bytes(of number: UInt64) -> [UInt8] {
        var writer = WireWriter(capacity: 8)
        writer.u64(number)
        return writer.bytes
    }

    private static func number(_ bytes: ArraySlice<UInt8>?) -> UInt64? {
        guard let bytes, bytes.count == 8 else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
