import CSodium

/// The libsodium library that every type of this module stands on.
package enum Sodium {
    /// Prepares libsodium for use; every type of this module calls it before its own first C call.
    ///
    /// May be called any number of times and from any thread; only the first call does work. Traps
    /// when libsodium cannot be prepared, because nothing here is safe without its random source.
    /// C function `sodium_init`.
    package static func initialize() {
        self.prepared
    }

    private static let prepared: Void = {
        precondition(sodium_init() >= 0, "libsodium found no usable source of randomness")
    }()
}
