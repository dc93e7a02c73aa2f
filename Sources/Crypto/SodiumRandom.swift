import CSodium
import Glibc

/// The system's cryptographic random source, as a Swift generator.
///
/// C function `randombytes_buf`.
package struct SodiumRandom: RandomNumberGenerator, Sendable {
    /// Shared by all copies, so that no two of them ever give the same number.
    private let stock: Stock

    /// Makes a generator; all of them draw from the one source.
    package init() {
        Sodium.initialize()
        self.stock = Stock()
    }

    /// Draws eight random bytes.
    ///
    /// The source, which is a system call away, is asked for many at a time. What has been given out
    /// is erased.
    package mutating func next() -> UInt64 { self.stock.next() }

    /// Draws `count` random bytes; `count` must not be negative.
    package static func bytes(count: Int) -> [UInt8] {
        Sodium.initialize()
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            if let base = buffer.baseAddress {
                randombytes_buf(base, count)
            }
            initialized = count
        }
    }

    /// Numbers that were drawn and not yet given out.
    private final class Stock: @unchecked Sendable {  // all state is under the mutex
        private static let count = 64
        // They have fixed addresses: the C library keeps pointers to the mutex, and what is erased
        // must not have been copied elsewhere.
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let numbers = UnsafeMutablePointer<UInt64>.allocate(capacity: Stock.count)
        private var left = 0

        init() {
            pthread_mutex_init(self.mutex, nil)
            self.numbers.initialize(repeating: 0, count: Self.count)
        }

        deinit {
            sodium_memzero(self.numbers, Self.count * MemoryLayout<UInt64>.stride)
            self.numbers.deallocate()
            pthread_mutex_destroy(self.mutex)
            self.mutex.deallocate()
        }

        func next() -> UInt64 {
            pthread_mutex_lock(self.mutex)
            defer { pthread_mutex_unlock(self.mutex) }
            if self.left == 0 {
                randombytes_buf(self.numbers, Self.count * MemoryLayout<UInt64>.stride)
                self.left = Self.count
            }
            self.left -= 1
            let number = self.numbers[self.left]
            self.numbers[self.left] = 0
            return number
        }
    }

    /// Draws 32 random bytes.
    package static func bytes32() -> Bytes32 {
        Sodium.initialize()
        return Bytes32 { randombytes_buf($0, Bytes32.byteCount) }
    }
}
