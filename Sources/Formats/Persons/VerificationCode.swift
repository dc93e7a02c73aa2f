internal import Crypto

/// What two people compare to know that each has the other's keys: the same on both sides, and another
/// one with anybody else.
///
///     H("stoa verify", both person ids, ascending)
///
/// It is read as thirty digits or as eight words. Somebody who wants to pass for another person needs keys
/// of which the hash has the same 99 bits, which nobody can find. `Docs/Protocol/Entries.md` section 1.
package struct VerificationCode: Hashable, Sendable {
    /// Thirty digits in groups of five.
    package let digits: String
    /// Eight words.
    package let words: String

    private static let groups = 6
    private static let wordCount = 8

    /// The code of two people.
    package init(_ one: PersonID, _ other: PersonID) {
        let persons = [one, other].sorted().map(\.hash)
        let hash = BLAKE2b.hash256(persons[0].bytes + persons[1].bytes, personal: .verify)
        self.digits = (0..<Self.groups).map { group in
            let text = "\(Self.number(group, of: hash) % 100_000)"
            return String(repeating: "0", count: 5 - text.count) + text
        }.joined(separator: " ")
        let second = BLAKE2b.hash256(hash.bytes, personal: .verify)
        self.words = (0..<Self.wordCount).map { place in
            Phrase.word(Self.number(place, of: second) % Phrase.listCount)
        }.joined(separator: " ")
    }

    /// The number in the four bytes at a place of a hash: each group and each word has its own.
    private static func number(_ place: Int, of hash: Bytes32) -> Int {
        hash.bytes[4 * place..<4 * place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Whether somebody typed this code, in digits or in words, with any spaces and in any case.
    package func matches(_ typed: String) -> Bool {
        let text = typed.lowercased().split { $0.isWhitespace }.map(String.init)
        return text.joined() == self.digits.filter { $0 != " " }
            || text.joined(separator: " ") == self.words
    }
}
