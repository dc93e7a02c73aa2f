import Crypto

@testable import Engine
@testable import Formats

/// What an entry says, and what a reader of this version makes of it.
enum EntryBodyTarget {
    private static let conversation = ConversationID(Bytes32.zero)

    static func run(_ bytes: [UInt8]) throws -> Verdict {
        var feed = Feed(bytes)
        let flags = feed.byte()
        let raw = feed.remainder()
        guard let body = try? Body(decoding: raw) else { return .refused }
        let entryClass = flags & 3
        let isUnderstood = flags & 4 == 0
        guard let content = Content(body, in: entryClass, isUnderstood: isUnderstood) else {
            return .accepted
        }
        try demand(content.entryClass == entryClass, "content is read in another class")
        if case .fallback(let text) = content {
            try demand(
                (1...Limits.fallbackBytes).contains(text.utf8.count), "a fallback without bounds")
            return .accepted
        }
        try demand(isUnderstood, "what is not understood is read")
        try demand(content.kind?.rawValue == body.kind, "content changes its kind")
        let again = try Body(decoding: content.body)
        try demand(
            Content(again, in: entryClass, isUnderstood: true) == content,
            "content does not survive its encoding")
        try demand(content.body.count <= raw.count, "content grows when it is written again")
        if case .open(let opening) = content {
            try demand(
                opening.person(of: PeerID(Keys.ada.publicKey)) == nil
                    || opening.certificate.isValid(for: PeerID(Keys.ada.publicKey)),
                "a log is somebody's without a certificate")
        }
        return .accepted
    }
}

/// A payload that somebody says is sealed: as it comes, or made of a body that comes.
enum SealedTarget {
    private static let conversation = ConversationID(Bytes32.zero)

    private static func key(_ suite: ConversationKey.Suite) throws -> ConversationKey {
        let secret = [UInt8](repeating: 7, count: SecretKey.byteCount)
        return try ConversationKey(
            SecretKey(secret.span.bytes), suite: suite, of: Self.conversation)
    }

    static func run(_ bytes: [UInt8]) throws -> Verdict {
        var feed = Feed(bytes)
        let flags = feed.byte()
        let suite: ConversationKey.Suite =
            flags & 1 != 0 && AES256GCM.isAvailable ? .aes256GCM : .xchacha20Poly1305
        let key = try Self.key(suite)
        let raw = feed.remainder()
        var entry = Entry(
            entryClass: 2, time: HybridTime(1), deps: [], payload: .present(raw))
        entry.epoch = key.id
        let log = LogKey(
            conversation: Self.conversation, name: LogName(author: PeerID(.zero), incarnation: 1))
        var keyring = Keyring()
        keyring.use(key)
        guard flags & 2 != 0 else {
            let reading = keyring.read(Envelope(entry, key: log, seq: 1, prev: nil))
            try demand(reading.content == nil && reading.kind == nil, "a forgery is opened")
            return .refused
        }
        let body = Array(raw.prefix(Limits.paddedBodyBytes - 1))
        let header = entry.headerStart(key: log, seq: 1, prev: nil)
        var salts = Salts()
        let payload = SealedPayload.seal(body, with: key, header: header, using: &salts)
        try demand(payload.count <= Limits.payloadBytes, "what is sealed is no payload")
        try demand(
            SealedPayload.open(payload, with: key, header: header) == body,
            "what was sealed is not opened")
        try demand(
            SealedPayload.open(payload, with: key, header: header + [0]) == nil,
            "what was sealed is opened elsewhere")
        entry.payload = .present(payload)
        let envelope = Envelope(entry, key: log, seq: 1, prev: nil)
        try demand(Keyring().read(envelope).isLocked, "it does not show that a key is lacking")
        try demand(!keyring.read(envelope).isLocked, "the key is here")
        return .accepted
    }
}

/// Salts and nonces that are always the same.
private struct Salts: RandomNumberGenerator {
    mutating func next() -> UInt64 { 0x0102_0304_0506_0708 }
}
