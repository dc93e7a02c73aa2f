internal import CSodium

/// The same cipher for short messages, with all of the key stream drawn at once.
///
/// libsodium computes four or eight blocks of the stream together, or one at a time: of 176 bytes, which
/// are the tag's key and a message of 112, it does the latter, and takes longer than for 256. So short
/// messages are put together from the parts as RFC 8439 section 2.8 says, with the key that
/// draft-irtf-cfrg-xchacha section 2.3 derives. C functions `crypto_core_hchacha20`,
/// `crypto_stream_chacha20_ietf` and `crypto_onetimeauth_poly1305`.
extension XChaCha20Poly1305 {
    /// The first block of the stream makes the tag's key.
    private static let blockByteCount = 64
    /// Four blocks, which suffice for most, and eight.
    private static let streamByteCounts = (short: 256, long: 512)

    /// The longest message that is short, in bytes.
    static let shortByteCount = Self.streamByteCounts.long - Self.blockByteCount

    /// What one message takes, in memory that is wiped behind it.
    private struct Room {
        /// The stream: the tag's key, then what the message is combined with.
        let stream: UnsafeMutablePointer<UInt8>
        /// What the tag is made of.
        let bound: UnsafeMutablePointer<UInt8>

        /// Writes the message combined with the stream.
        func combine(
            _ source: UnsafePointer<UInt8>, _ count: Int, into target: UnsafeMutablePointer<UInt8>
        ) {
            let pad = self.stream + blockByteCount
            for index in 0..<count { target[index] = source[index] ^ pad[index] }
        }

        /// Writes the tag of a ciphertext and of what is bound to it.
        func writeTag(
            of ciphertext: UnsafePointer<UInt8>, _ count: Int, associatedData: RawSpan,
            to tag: UnsafeMutablePointer<UInt8>
        ) {
            // Each part is filled up to sixteen bytes, and both are followed by their lengths.
            let length = boundByteCount(count, associatedData)
            self.bound.update(repeating: 0, count: length)
            associatedData.withPointer { associatedData, associatedCount in
                self.bound.update(from: associatedData, count: associatedCount)
            }
            let start = padded(associatedData.byteCount)
            (self.bound + start).update(from: ciphertext, count: count)
            let counts = UnsafeMutableRawPointer(self.bound + length - 16)
            counts.storeBytes(of: UInt64(associatedData.byteCount).littleEndian, as: UInt64.self)
            counts.storeBytes(of: UInt64(count).littleEndian, toByteOffset: 8, as: UInt64.self)
            crypto_onetimeauth_poly1305(tag, self.bound, UInt64(length), self.stream)
        }
    }

    /// The key that XChaCha20 derives from a key and the first 16 bytes of a nonce.
    ///
    /// draft-irtf-cfrg-xchacha section 2.2. Nonces that follow each other have those bytes in common, so it
    /// is kept for the next message.
    struct Subkey: ~Copyable, Sendable {
        private var start: (UInt64, UInt64)?
        private var bytes = SecretBytes(count: SecretKey.byteCount, .wiped) {
            $0.update(repeating: 0, count: SecretKey.byteCount)
        }

        /// Makes it that of a nonce; always with the same key.
        mutating func derive(from key: borrowing SecretKey, for nonce: Nonce) {
            let start = nonce.start
            if let known = self.start, known == start { return }
            nonce.withBytes { nonce in
                nonce.withPointer { nonce, _ in
                    key.storage.withPointer { key in
                        self.bytes.withMutablePointer {
                            _ = crypto_core_hchacha20($0, nonce, key, nil)
                        }
                    }
                }
            }
            self.start = start
        }

        func withPointer<R>(_ body: (UnsafePointer<UInt8>) -> R) -> R {
            self.bytes.withPointer(body)
        }
    }

    private static func padded(_ count: Int) -> Int { (count + 15) & ~15 }

    private static func boundByteCount(_ count: Int, _ associatedData: RawSpan) -> Int {
        self.padded(associatedData.byteCount) + self.padded(count) + 16
    }

    /// Draws the stream for a message and lends it, with room for what the tag is made of.
    private static func withRoom(
        for count: Int, _ associatedData: RawSpan, _ nonce: Nonce, _ subkey: borrowing Subkey,
        _ body: (Room) -> Int32
    ) -> Int32 {
        precondition(count <= self.shortByteCount, "the stream is as long as a short message")
        let isShort = self.blockByteCount + count <= self.streamByteCounts.short
        let drawn = isShort ? self.streamByteCounts.short : self.streamByteCounts.long
        let capacity = drawn + self.boundByteCount(count, associatedData)
        return withUnsafeTemporaryAllocation(
            byteCount: capacity, alignment: MemoryLayout<UInt64>.alignment
        ) { memory in
            let bytes = memory.bindMemory(to: UInt8.self)
            guard let stream = bytes.baseAddress else { preconditionFailure("there is room") }
            defer { sodium_memzero(stream, capacity) }
            nonce.withBytes { nonce in
                nonce.withPointer { nonce, _ in
                    // RFC 8439's nonce: four zeros, then what the derivation has left.
                    let rest: InlineArray<12, UInt8> = InlineArray { index in
                        index < 4 ? 0 : nonce[12 + index]
                    }
                    rest.span.bytes.withPointer { rest, _ in
                        subkey.withPointer {
                            _ = crypto_stream_chacha20_ietf(stream, UInt64(drawn), rest, $0)
                        }
                    }
                }
            }
            return body(Room(stream: stream, bound: stream + drawn))
        }
    }

    /// Writes the ciphertext and tag of a short message; gives 0, as libsodium's functions do.
    static func sealShort(
        _ plaintext: RawSpan, associatedData: RawSpan, nonce: Nonce, subkey: borrowing Subkey,
        to sealed: UnsafeMutablePointer<UInt8>
    ) -> Int32 {
        plaintext.withPointer { plaintext, count in
            self.withRoom(for: count, associatedData, nonce, subkey) { room in
                room.combine(plaintext, count, into: sealed)
                room.writeTag(of: sealed, count, associatedData: associatedData, to: sealed + count)
                return 0
            }
        }
    }

    /// Verifies a short message with its tag and writes its plaintext; gives −1 where the tag is another,
    /// and then nothing was written.
    static func openShort(
        _ ciphertext: RawSpan, associatedData: RawSpan, nonce: Nonce, subkey: borrowing Subkey,
        to opened: UnsafeMutablePointer<UInt8>
    ) -> Int32 {
        ciphertext.withPointer { sealed, sealedCount in
            let count = sealedCount - self.tagByteCount
            return self.withRoom(for: count, associatedData, nonce, subkey) { room in
                withUnsafeTemporaryAllocation(of: UInt8.self, capacity: self.tagByteCount) {
                    memory in
                    guard let tag = memory.baseAddress else { preconditionFailure("there is room") }
                    room.writeTag(of: sealed, count, associatedData: associatedData, to: tag)
                    // In a time that says nothing of where they differ.
                    guard crypto_verify_16(tag, sealed + count) == 0 else { return -1 }
                    room.combine(sealed, count, into: opened)
                    return 0
                }
            }
        }
    }
}
