/// What a payload says, once its suite is undone.
///
/// `Docs/Protocol/Entries.md` section 2: suite 0 is `00 ‖ salt 16 ‖ content`.
public enum Content: Hashable, Sendable {
    /// A message.
    case text(String)
    /// The author joined the room of that name.
    case join(RoomName)
    /// The author left.
    case leave

    /// The kind byte of an entry with this content.
    public var kind: UInt8 {
        switch self {
        case .text: Entry.Kind.text
        case .join: Entry.Kind.join
        case .leave: Entry.Kind.leave
        }
    }

    private var bytes: [UInt8] {
        switch self {
        case .text(let text): Array(text.utf8)
        case .join(let name): Array(name.text.utf8)
        case .leave: []
        }
    }

    private static let saltBytes = 16

    /// The payload with a fresh salt from `random`, which must not be predictable.
    public func payload(using random: inout some RandomNumberGenerator) -> [UInt8] {
        var writer = WireWriter(capacity: 1 + Self.saltBytes + self.bytes.count)
        writer.byte(0)
        writer.u64(random.next())
        writer.u64(random.next())
        writer.raw(self.bytes)
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
        guard payload.count > Self.saltBytes, payload[0] == 0 else { return nil }
        let content = payload[(1 + Self.saltBytes)...]
        guard let text = String(utf8: content.span) else { return nil }
        switch kind {
        case Entry.Kind.text where !text.isEmpty:
            self = .text(text)
        case Entry.Kind.join:
            guard let name = RoomName(text), name.conversation == conversation else { return nil }
            self = .join(name)
        case Entry.Kind.leave where content.isEmpty:
            self = .leave
        default:
            return nil
        }
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
