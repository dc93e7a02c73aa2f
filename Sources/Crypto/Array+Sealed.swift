extension [UInt8] {
    /// Appends a copy of `bytes`.
    package mutating func append(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { self.append(contentsOf: $0) }
    }

    /// Appends the eight bytes of a number, the highest first.
    @inlinable
    package mutating func append(bigEndian number: UInt64) {
        Swift.withUnsafeBytes(of: number.bigEndian) { self.append(contentsOf: $0) }
    }

    /// Grows by what a C function encrypts straight into the new room.
    mutating func appendSealed(
        byteCount: Int, _ seal: (UnsafeMutablePointer<UInt8>) -> Int32
    ) {
        let sealed = self.grow(by: byteCount, seal)
        precondition(sealed, "encryption of a bounded input cannot fail")
    }

    /// Grows by what a C function decrypts straight into the new room.
    ///
    /// Throws `messageTooShort` where what is sealed has no room for a tag and `decryptFailed` where
    /// it does not verify; then it has not grown.
    mutating func appendOpened(
        sealedByteCount: Int, tagByteCount: Int, _ open: (UnsafeMutablePointer<UInt8>) -> Int32
    ) throws(CryptoError) {
        guard sealedByteCount >= tagByteCount else {
            throw .messageTooShort(expected: tagByteCount, got: sealedByteCount)
        }
        guard self.grow(by: sealedByteCount - tagByteCount, open) else { throw .decryptFailed }
    }

    /// Grows by what a C function writes; on false it has not grown.
    private mutating func grow(
        by byteCount: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int32
    ) -> Bool {
        var written = false
        // One more byte than needed, so that there is an address also for an empty plaintext.
        self.append(addingCapacity: byteCount + 1) { room in
            room.withUnsafeMutableBufferPointer { buffer, initialized in
                guard let base = buffer.baseAddress else { return }
                written = write(base) == 0
                initialized = written ? byteCount : 0
            }
        }
        return written
    }
}
