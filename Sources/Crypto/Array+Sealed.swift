extension [UInt8] {
    /// Appends a copy of `bytes`.
    mutating func append(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { self.append(contentsOf: $0) }
    }

    /// Grows by what a C function encrypts straight into the new room.
    mutating func appendSealed(
        byteCount: Int, _ seal: (UnsafeMutablePointer<UInt8>) -> Int32
    ) {
        let sealed = self.appendOpened(byteCount: byteCount, seal)
        precondition(sealed, "encryption of a bounded input cannot fail")
    }

    /// Grows by what a C function decrypts straight into the new room; on false it has not grown.
    mutating func appendOpened(
        byteCount: Int, _ open: (UnsafeMutablePointer<UInt8>) -> Int32
    ) -> Bool {
        var opened = false
        // One more byte than needed, so that there is an address also for an empty plaintext.
        self.append(addingCapacity: byteCount + 1) { room in
            room.withUnsafeMutableBufferPointer { buffer, initialized in
                guard let base = buffer.baseAddress else { return }
                opened = open(base) == 0
                initialized = opened ? byteCount : 0
            }
        }
        return opened
    }
}
