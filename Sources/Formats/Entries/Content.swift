internal import Crypto

/// How an entry's payload holds a body: suite 0 is `00 ‖ salt 16 ‖ body`, the others are sealed.
///
/// `Docs/Protocol/Entries.md` section 3.
extension Content {
    private static let saltBytes = 16
    private static let plainSuite: UInt8 = 0

    /// The class of an entry with this content.
    package var entryClass: UInt8 { self.traits.entryClass.rawValue }

    /// The body: kind and fields.
    ///
    /// - Precondition: it is not a fallback text.
    var body: [UInt8] {
        guard let kind = self.kind else {
            preconditionFailure("what cannot be read is not written")
        }
        var writer = WireWriter(capacity: 32)
        writer.varint(kind.rawValue)
        self.write(to: &writer)
        return writer.bytes
    }

    /// The payload with a fresh salt from `random`, which must not be predictable.
    ///
    /// - Precondition: it is not a fallback text.
    package func payload(using random: inout some RandomNumberGenerator) -> [UInt8] {
        let body = self.body
        var writer = WireWriter(capacity: 1 + Self.saltBytes + body.count)
        writer.byte(Self.plainSuite)
        writer.u64(random.next())
        writer.u64(random.next())
        writer.raw(body)
        return writer.bytes
    }

    /// Whether a payload is not sealed.
    static func isPlain(_ payload: [UInt8]) -> Bool { payload.first == Self.plainSuite }

    /// The body of a payload that is not sealed; nil where it holds none.
    static func plainBody(of payload: [UInt8]) -> Body? {
        guard payload.count > Self.saltBytes, Self.isPlain(payload) else { return nil }
        return try? Body(decoding: payload, from: 1 + Self.saltBytes)
    }

    /// Reads a body; nil where nothing of it can be shown.
    ///
    /// - Parameter isUnderstood: whether all is known of the entry's header that must be.
    init?(_ body: Body, in entryClass: UInt8, isUnderstood: Bool) {
        let kind = EntryKind(rawValue: body.kind)
        if isUnderstood, let kind,
            kind.traits.entryClass.rawValue == entryClass,
            let content = Content(kind, body.fields)
        {
            self = content
        } else if entryClass == EntryClass.content.rawValue, let text = body.fallback {
            self = .fallback(text)
        } else {
            return nil
        }
    }
}
