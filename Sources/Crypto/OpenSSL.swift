import COpenSSL
import Synchronization

/// OpenSSL's libcrypto, where it is installed: it hashes and encrypts what is large three times as fast
/// as libsodium.
///
/// What comes out is the same bytes, so that nothing depends on whether it is there. It is not loaded
/// before ``load()``, because of the memory that it takes.
package enum OpenSSL {
    /// From how many bytes on it is faster, with what it takes to begin.
    static let leastBytes = 4_096

    // Safe, since it is made once and only read then; it comes from the library alone, never from input.
    nonisolated(unsafe) private static let functions: copenssl_functions? = {
        var functions = copenssl_functions()
        return copenssl_load(&functions) != 0 ? functions : nil
    }()
    private static let isWanted = Atomic(false)

    /// Loads the library for the rest of the process where that was not done, in milliseconds; nothing
    /// happens where there is none.
    ///
    /// May be called from any thread; others go on without it meanwhile.
    package static func load() {
        guard !self.isWanted.load(ordering: .relaxed) else { return }
        _ = self.functions
        self.isWanted.store(true, ordering: .releasing)
    }

    /// Calls what was loaded with an input that is large enough; false where there is none, it is not, or
    /// the call has failed.
    static func use(
        for byteCount: Int, _ call: (UnsafePointer<copenssl_functions>) -> Int32
    ) -> Bool {
        guard byteCount >= self.leastBytes, self.isWanted.load(ordering: .acquiring),
            let functions = self.functions
        else { return false }
        return withUnsafePointer(to: functions) { call($0) } != 0
    }
}
