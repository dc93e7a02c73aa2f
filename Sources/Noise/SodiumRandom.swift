import CSodium

/// The system's cryptographic random source, as a Swift generator.
///
/// C function `randombytes_buf`.
public struct SodiumRandom: RandomNumberGenerator, Sendable {
    /// Makes a generator; all of them draw from the one source.
    public init() {
        Sodium.initialize()
    }

    /// Draws eight random bytes.
    public mutating func next() -> UInt64 {
        var value: UInt64 = 0
        randombytes_buf(&value, MemoryLayout<UInt64>.size)
        return value
    }

    /// Draws `count` random bytes; `count` must not be negative.
    public static func bytes(count: Int) -> [UInt8] {
        Sodium.initialize()
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            if let base = buffer.baseAddress {
                randombytes_buf(base, count)
            }
            initialized = count
        }
    }

    /// Draws 32 random bytes.
    public static func bytes32() -> Bytes32 {
        Sodium.initialize()
        return Bytes32 { randombytes_buf($0, Bytes32.byteCount) }
    }
}
