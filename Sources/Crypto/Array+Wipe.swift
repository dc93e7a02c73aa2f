import CSodium

extension [UInt8] {
    /// Overwrites what is in the array, so that a secret does not stay in memory that is given back.
    ///
    /// Only where nobody else holds the array, and it has not grown since it holds the secret: else a
    /// copy stays. C function `sodium_memzero`.
    package mutating func wipe() {
        self.withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { sodium_memzero(base, bytes.count) }
        }
    }
}
