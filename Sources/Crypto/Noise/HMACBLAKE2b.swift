import CSodium

/// HMAC over BLAKE2b-512 with its block of 128 bytes.
///
/// RFC 2104; Noise section 4.3, `HMAC-HASH`.
///
/// BLAKE2b's own keyed mode gives other values and is not what Noise asks for.
package struct HMACBLAKE2b: Sendable {
    /// The block of BLAKE2b that HMAC pads its key to, in bytes.
    package static let blockByteCount = 128

    private var inner = BLAKE2b.Hasher(outputByteCount: Bytes64.byteCount)
    private var outer = BLAKE2b.Hasher(outputByteCount: Bytes64.byteCount)

    /// Starts a code under a key of any length.
    package init(key: RawSpan) {
        var block = InlineArray<128, UInt8>(repeating: 0)
        if key.byteCount > Self.blockByteCount {
            BLAKE2b.hash512(key).withBytes { Self.copy($0, to: &block) }
        } else {
            Self.copy(key, to: &block)
        }
        for index in block.indices { block[index] ^= 0x36 }
        self.inner.update(block.span.bytes)
        for index in block.indices { block[index] ^= 0x36 ^ 0x5c }
        self.outer.update(block.span.bytes)
        withUnsafeMutableBytes(of: &block) { sodium_memzero($0.baseAddress, $0.count) }
    }

    /// Adds `bytes` to what is authenticated.
    package mutating func update(_ bytes: RawSpan) {
        self.inner.update(bytes)
    }

    /// The code of all bytes.
    package consuming func finalize() -> Bytes64 {
        var digest = self.inner.finalize512()
        self.outer.update(digest)
        let code = self.outer.finalize512()
        digest.wipe()
        self.inner.wipe()
        self.outer.wipe()
        return code
    }

    /// The code of `bytes` under `key`.
    package static func authenticationCode(of bytes: RawSpan, key: RawSpan) -> Bytes64 {
        var code = HMACBLAKE2b(key: key)
        code.update(bytes)
        return code.finalize()
    }

    private static func copy(_ bytes: RawSpan, to block: inout InlineArray<128, UInt8>) {
        for index in 0..<bytes.byteCount {
            // A byte is a byte, and the load checks its bounds.
            block[index] = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
        }
    }
}
