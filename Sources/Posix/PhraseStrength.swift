internal import Glibc

/// libzxcvbn, which is loaded only while a phrase is judged that somebody chose: dlopen(3).
///
/// <https://github.com/tsyrogit/zxcvbn-c>
package enum PhraseStrength {
    /// The library's file.
    package static let library = "libzxcvbn.so.0"

    private typealias Match =
        @convention(c) (
            UnsafePointer<CChar>, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
        ) -> Double

    /// Estimates how many bits of work guessing a phrase is; nil where the library is not installed.
    ///
    /// It looks for words, names, dates, repetitions and rows of keys, in milliseconds; of the text only
    /// what stands before a zero byte counts. C function `ZxcvbnMatch`.
    package static func bits(of phrase: String) -> Double? {
        guard let handle = dlopen(Self.library, RTLD_NOW | RTLD_LOCAL) else { return nil }
        defer { dlclose(handle) }
        guard let match = dlsym(handle, "ZxcvbnMatch") else { return nil }
        return unsafeBitCast(match, to: Match.self)(phrase, nil, nil)
    }
}
