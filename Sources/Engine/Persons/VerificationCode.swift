internal import Crypto

/// What two people compare to know that each has the other's keys: the same on both sides, and another
/// one with anybody else.
///
///     H("stoa verify", both person ids, ascending)
///
/// It is read as thirty digits or as eight words. Somebody who wants to pass for another person needs keys
/// of which the hash has the same 99 bits, which nobody can find. `Docs/Protocol/Entries.md` section 1.
public struct VerificationCode: Hashable, Sendable {
    /// Thirty digits in groups of five.
    public let digits: String
    /// Eight words.
    public let words: String

    private static let groups = 6
    private static let wordCount = 8

    /// The code of two people.
    public init(_ one: PersonID, _ other: PersonID) {
        let persons = [one, other].sorted().map(\.hash)
        let hash = BLAKE2b.hash256(persons[0].bytes + persons[1].bytes, personal: .verify)
        // Each group and each word is of two or four bytes of its own: no number is long.
        let bytes = hash.bytes
        self.digits = (0..<Self.groups).map { group in
            let part = bytes[4 * group..<4 * group + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let text = "\(part % 100_000)"
            return String(repeating: "0", count: 5 - text.count) + text
        }.joined(separator: " ")
        let second = BLAKE2b.hash256(hash.bytes, personal: .verify).bytes
        self.words = (0..<Self.wordCount).map { number in
            let part = second[4 * number..<4 * number + 4].reduce(UInt32(0)) {
                $0 << 8 | UInt32($1)
            }
            return RoomPhrase.word(Int(part) % RoomPhrase.listCount)
        }.joined(separator: " ")
    }

    /// Whether somebody typed this code, in digits or in words, with any spaces and in any case.
    public func matches(_ typed: String) -> Bool {
        let text = typed.lowercased().split { $0.isWhitespace }.map(String.init)
        return text.joined() == self.digits.filter { $0 != " " }
            || text.joined(separator: " ") == self.words
    }
}
