internal import Crypto

extension Entry {
    /// Puts a content into the entry, sealed with a key; nonce and salt come from `random`, which must
    /// not be predictable.
    ///
    /// Where `previous` is the entry before it, sealed a moment ago by the same node, the nonce is the one
    /// that follows, which a run need not say again.
    ///
    /// All else of the entry must be in place, since the payload is bound to it and to where the entry
    /// stands in its log.
    ///
    /// Gives the header's beginning, of which the entry's id is made.
    @discardableResult
    package mutating func seal(
        _ content: Content, with key: ConversationKey, at place: (LogKey, UInt64, EntryID?),
        following previous: Entry? = nil, using random: inout some RandomNumberGenerator
    ) -> [UInt8] {
        self.epoch = key.id
        let header = self.headerStart(key: place.0, seq: place.1, prev: place.2)
        self.payload = .present(
            SealedPayload.seal(
                content.body, with: key, header: header, following: previous?.payload,
                using: &random))
        return header
    }
}

/// How a sealed payload holds a body.
///
///     suite 1 = 01 ‖ nonce 24 ‖ XChaCha20-Poly1305(key, nonce, padded body)
///     suite 2 = 02 ‖ salt 32 ‖ AES-256-GCM(K(key, "stoa aes key", salt), zeros, padded body)
///
/// `Docs/Protocol/Entries.md` section 4. Both are bound to the header's bytes before the payload's
/// length, so to a place in a log and to a key.
enum SealedPayload {
    /// What is not zero ends a body.
    private static let end: UInt8 = 0x80
    /// Shorter bodies all look alike.
    private static let leastBytes = 64

    /// The length that a body of so many bytes, its end counted, is padded to.
    ///
    /// Padmé gives away O(log log) bits of it: Nikitin et al., *Reducing Metadata Leakage from
    /// Encrypted Files and Communication with PURBs* (2019).
    static func paddedBytes(_ count: Int) -> Int {
        guard count > self.leastBytes else { return self.leastBytes }
        let exponent = Int.bitWidth - 1 - count.leadingZeroBitCount
        let size = Int.bitWidth - exponent.leadingZeroBitCount
        let rest = 1 << (exponent - size) - 1
        let padded = (count + rest) & ~rest
        return min(padded, Limits.paddedBodyBytes)
    }

    /// How a payload of suite 1 begins: with the suite and the nonce.
    private static let startBytes = 1 + XChaCha20Poly1305.Nonce.byteCount

    /// The nonce of a payload of suite 1; nil where it is none.
    private static func nonce(of payload: [UInt8]) -> XChaCha20Poly1305.Nonce? {
        guard payload.count >= self.startBytes,
            payload[0] == ConversationKey.Suite.xchacha20Poly1305.rawValue
        else { return nil }
        return try? XChaCha20Poly1305.Nonce(payload.span.bytes.extracting(1..<self.startBytes))
    }

    /// What suite and nonce of the payload behind this one are, where its nonce is the one that follows; nil
    /// where this one is not of suite 1.
    ///
    /// With room for the rest of a short one. `Docs/Protocol/Entries.md` section 6, bit 4 of `form`.
    static func startFollowing(_ payload: Payload) -> [UInt8]? {
        guard case .present(let bytes) = payload, let nonce = self.nonce(of: bytes) else {
            return nil
        }
        var start: [UInt8] = []
        start.reserveCapacity(min(bytes.count, 256))
        start.append(bytes[0])
        nonce.next.append(to: &start)
        return start
    }

    /// How many bytes of a payload follow from the one before it in a run.
    static func bytesFollowing(_ previous: Payload?, in payload: [UInt8]) -> Int {
        guard case .present(let before)? = previous, let nonce = self.nonce(of: payload),
            self.nonce(of: before)?.next == nonce
        else { return 0 }
        return self.startBytes
    }

    /// Seals a body; nonce and salt come from `random`, which must not be predictable.
    ///
    /// The nonce is the one that follows that of `previous`, if there is such a payload: it must be of what
    /// the same node has sealed with the same key a moment ago, and may be given once.
    ///
    /// - Precondition: the body has less than ``Limits/paddedBodyBytes`` bytes.
    static func seal(
        _ body: [UInt8], with key: ConversationKey, header: [UInt8],
        following previous: Payload? = nil,
        using random: inout some RandomNumberGenerator
    ) -> [UInt8] {
        precondition(body.count < Limits.paddedBodyBytes, "whoever writes a body bounds it")
        let count = self.paddedBytes(body.count + 1)
        var padded = [UInt8](repeating: 0, count: count)
        padded.replaceSubrange(..<body.count, with: body)
        padded[body.count] = self.end
        var payload: [UInt8] = []
        payload.reserveCapacity(count + 64)
        payload.append(key.suite.rawValue)
        switch key.suite {
        case .xchacha20Poly1305:
            var following: XChaCha20Poly1305.Nonce?
            if case .present(let bytes)? = previous { following = self.nonce(of: bytes)?.next }
            let nonce = following ?? XChaCha20Poly1305.Nonce(using: &random)
            nonce.append(to: &payload)
            key.key.seal(
                padded.span.bytes, associatedData: header.span.bytes, nonce: nonce,
                appendingTo: &payload)
        case .aes256GCM:
            var writer = WireWriter(capacity: 32)
            for _ in 0..<4 { writer.u64(random.next()) }
            payload += writer.bytes
            key.key.sealAES256GCM(
                padded.span.bytes, associatedData: header.span.bytes,
                salt: writer.bytes.span.bytes, personal: .aesKey, appendingTo: &payload)
        }
        return payload
    }

    /// Opens a payload; nil where it is not what somebody sealed there with this key.
    static func open(
        _ payload: [UInt8], with key: ConversationKey, header: [UInt8]
    ) -> [UInt8]? {
        guard let suite = payload.first.flatMap({ ConversationKey.Suite(rawValue: $0) }),
            suite.isAvailable
        else { return nil }
        var body: [UInt8] = []
        do throws(CryptoError) {
            switch suite {
            case .xchacha20Poly1305:
                guard let nonce = self.nonce(of: payload) else { return nil }
                try key.key.open(
                    payload.span.bytes.extracting(self.startBytes..<payload.count),
                    associatedData: header.span.bytes, nonce: nonce, appendingTo: &body)
            case .aes256GCM:
                let start = 1 + AES256GCM.saltByteCount
                guard payload.count >= start else { return nil }
                try key.key.openAES256GCM(
                    payload.span.bytes.extracting(start..<payload.count),
                    associatedData: header.span.bytes,
                    salt: payload.span.bytes.extracting(1..<start), personal: .aesKey,
                    appendingTo: &body)
            }
        } catch { return nil }
        guard let last = body.lastIndex(where: { $0 != 0 }), body[last] == self.end,
            self.paddedBytes(last + 1) == body.count
        else { return nil }
        body.removeLast(body.count - last)
        return body
    }
}
