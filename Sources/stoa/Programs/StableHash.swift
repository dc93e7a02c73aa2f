/// A short name for a list of words, the same in every run: FNV-1a, 64 bits.
///
/// <http://www.isthe.com/chongo/tech/comp/fnv/>
enum StableHash {
    /// Thirteen digits and letters.
    static func text(of words: [String]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for word in words {
            for byte in word.utf8 + [0] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        let text = String(hash, radix: 36)
        return String(repeating: "0", count: 13 - text.count) + text
    }
}
