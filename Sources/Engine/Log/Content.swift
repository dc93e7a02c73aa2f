/// How a payload holds a content: suite 0 is `00 ‖ salt 16 ‖ content`.
///
/// `Docs/Protocol/Entries.md` section 2.
extension Content {
    private static let saltBytes = 16

    /// The payload with a fresh salt from `random`, which must not be predictable.
    public func payload(using random: inout some RandomNumberGenerator) -> [UInt8] {
        let body = self.body
        var writer = WireWriter(capacity: 1 + Self.saltBytes + body.count)
        writer.byte(0)
        writer.u64(random.next())
        writer.u64(random.next())
        writer.raw(body)
        return writer.bytes
    }

    /// Reads the content of an entry; nil where this version cannot show it.
    public init?(of entry: Entry, in conversation: ConversationID) {
        guard case .present(let payload) = entry.payload, !entry.needsUnknownExtension else {
            return nil
        }
        self.init(kind: entry.kind, payload: payload, in: conversation)
    }

    /// Reads the content of a payload; nil where this version cannot show it.
    public init?(kind: UInt8, payload: [UInt8], in conversation: ConversationID) {
        guard let kind = EntryKind(rawValue: kind), payload.count > Self.saltBytes, payload[0] == 0
        else { return nil }
        self.init(kind, body: payload[(1 + Self.saltBytes)...], in: conversation)
    }
}

extension String {
    /// Copies a text; nil where the bytes are not UTF-8.
    ///
    /// The same as `String(validating:as:)`, which looks up types at run time for each text.
    init?(utf8 bytes: Span<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        self.init(copying: text)
    }
}
