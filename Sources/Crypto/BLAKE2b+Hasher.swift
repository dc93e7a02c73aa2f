import CSodium

extension BLAKE2b {
    /// A BLAKE2b hash over parts that come one after the other.
    ///
    /// A value: a copy goes on from the same point by itself. The result depends on the bytes only,
    /// not on how they were cut into parts. C functions
    /// `crypto_generichash_blake2b_init_salt_personal`, `…_update`, `…_final`.
    package struct Hasher: Sendable {
        private var state = csodium_blake2b_state()
        private let outputByteCount: Int

        /// Starts a hash of 32 bytes.
        package init(personal: Personal = .none) {
            self.init(outputByteCount: Bytes32.byteCount, personal: personal, key: nil, keyCount: 0)
        }

        /// Starts a hash of 32 bytes under a key of 1 to 64 bytes; traps on another length.
        package init(key: RawSpan, personal: Personal = .none) {
            BLAKE2b.checkKey(key)
            self = key.withPointer { key, count in
                Hasher(
                    outputByteCount: Bytes32.byteCount, personal: personal, key: key,
                    keyCount: count)
            }
        }

        /// Starts a plain hash of 64 bytes, as Noise uses it.
        init(outputByteCount: Int) {
            self.init(outputByteCount: outputByteCount, personal: .none, key: nil, keyCount: 0)
        }

        private init(
            outputByteCount: Int, personal: Personal, key: UnsafePointer<UInt8>?, keyCount: Int
        ) {
            Sodium.initialize()
            self.outputByteCount = outputByteCount
            let status = personal.withPointer { personal in
                csodium_blake2b_init(&self.state, key, keyCount, outputByteCount, personal)
            }
            precondition(status == 0, "the lengths given to BLAKE2b are right")
        }

        /// Adds `bytes` to what is hashed.
        package mutating func update(_ bytes: RawSpan) {
            bytes.withPointer { bytes, count in
                _ = csodium_blake2b_update(&self.state, bytes, UInt64(count))
            }
        }

        /// Adds `bytes` to what is hashed.
        package mutating func update(_ bytes: [UInt8]) {
            self.update(bytes.span.bytes)
        }

        /// Adds the 32 bytes to what is hashed.
        package mutating func update(_ bytes: Bytes32) {
            bytes.withBytes { self.update($0) }
        }

        /// Adds the 64 bytes to what is hashed.
        package mutating func update(_ bytes: Bytes64) {
            bytes.withBytes { self.update($0) }
        }

        /// The hash of all parts.
        package consuming func finalize() -> Bytes32 {
            precondition(self.outputByteCount == Bytes32.byteCount)
            return Bytes32 { self.write(to: $0) }
        }

        /// The hash of all parts, for a hash of 64 bytes.
        consuming func finalize512() -> Bytes64 {
            precondition(self.outputByteCount == Bytes64.byteCount)
            return Bytes64 { self.write(to: $0) }
        }

        private mutating func write(to hash: UnsafeMutablePointer<UInt8>) {
            let status = csodium_blake2b_final(&self.state, hash, self.outputByteCount)
            precondition(status == 0, "a hash is finalized once")
        }

        /// Overwrites a state that a secret went into.
        mutating func wipe() {
            sodium_memzero(&self.state, MemoryLayout.size(ofValue: self.state))
        }
    }
}
