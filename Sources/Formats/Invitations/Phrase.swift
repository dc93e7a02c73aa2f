package import Crypto
internal import Letters
internal import CWords

/// A phrase that people can say, of which a key is made, slowly: that of a secret room, or of a backup.
///
///     root = Argon2id(phrase, the first 16 bytes of
///                     H("stoa phrase salt", realm id 32 ‖ suite u8 ‖ name))
///
/// That is a room's; the key of a backup has a random salt. One that Stoa makes has six words of a list of 7,776. The sixth is a check on the others and on the
/// suite, so a slip is noticed at once and nobody has to say the suite. One that a user chose is any
/// text. `Docs/Protocol/Entries.md` section 1.
package struct Phrase: Hashable, Sendable {
    /// The one spelling of which the root is made: in small letters with one space between words where
    /// Stoa made it, else as it was typed, in normalization form C, but for spaces at its ends and
    /// several in a row.
    package let text: String
    /// How entries of its room are sealed, where the phrase says that, as those that Stoa makes do.
    package let suite: ConversationKey.Suite?

    /// The words of a phrase that Stoa makes.
    package static let wordCount = 6
    /// How many words there are to choose from.
    static let listCount = Int(CWORDS_COUNT)
    /// The longest phrase, in bytes.
    package static let limitBytes = 200
    /// So many words of the list are no accident: a slip in the others is told of.
    private static let wordsOfIntent = 4

    private init(text: String, suite: ConversationKey.Suite?) {
        self.text = text
        self.suite = suite
    }

    // MARK: Made

    /// Makes a phrase for a room with that suite; `random` must not be predictable.
    ///
    /// Five words have 64 bits.
    package static func generate(
        for suite: ConversationKey.Suite, using random: inout some RandomNumberGenerator
    ) -> Phrase {
        while true {
            let words = (0..<self.wordCount - 1).map { _ in
                self.word(Int.random(in: 0..<self.listCount, using: &random))
            }
            let checks = ConversationKey.Suite.allCases.map { self.check(words, $0) }
            // No phrase may say two suites.
            guard Set(checks).count == checks.count else { continue }
            let text = (words + [self.check(words, suite)]).joined(separator: " ")
            return Phrase(text: text, suite: suite)
        }
    }

    /// The word behind five others that checks them and says the suite.
    static func check(_ words: [String], _ suite: ConversationKey.Suite) -> String {
        let hash = BLAKE2b.hash256(
            [suite.rawValue] + Array(words.joined(separator: " ").utf8), personal: .phrase)
        let number = hash.bytes[0..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return self.word(Int(number % UInt64(self.listCount)))
    }

    // MARK: Typed

    /// Reads a phrase that somebody typed or chose.
    ///
    /// One that Stoa made may be written in capitals, with hyphens, commas or any other signs between its
    /// words. Throws where a phrase is empty or too long, and where it is meant to be one that Stoa made and
    /// lacks a word, has one that is not in the list, or words that do not belong together.
    package init(_ typed: String) throws(PhraseError) {
        let text = Self.spelt(typed)
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= Self.limitBytes else { throw .tooLong }
        let words = Self.words(of: typed)
        let strange = words.indices.filter { Self.place(of: words[$0]) == nil }
        guard (Self.wordCount - 1...Self.wordCount).contains(words.count),
            words.count - strange.count >= Self.wordsOfIntent
        else {
            self.init(text: text, suite: nil)
            return
        }
        if let first = strange.first { throw .unknownWord(words[first], number: first + 1) }
        guard words.count == Self.wordCount else { throw .missingWord }
        let own = Array(words.dropLast())
        guard
            let suite = ConversationKey.Suite.allCases.first(where: {
                Self.check(own, $0) == words.last
            })
        else { throw .check }
        self.init(text: words.joined(separator: " "), suite: suite)
    }

    /// Reads the phrase of a backup that somebody chose: also words of the list that were not drawn by Stoa, which no
    /// check word then goes with.
    ///
    /// Throws where it is empty or too long.
    package init(chosen typed: String) throws(PhraseError) {
        do throws(PhraseError) { self = try Phrase(typed) } catch {
            guard error != .empty, error != .tooLong else { throw error }
            self.init(text: Self.spelt(typed), suite: nil)
        }
    }

    /// Words with one space between them, in normalization form C: keyboards differ in how they put an accent on a
    /// letter.
    private static func spelt(_ typed: String) -> String {
        typed.composed.unicodeScalars.split { $0.properties.isWhitespace }.map(String.init)
            .joined(separator: " ")
    }

    /// What is typed as words of the list may be written: in small letters, without what stands between them.
    private static func words(of typed: String) -> [String] {
        let letters = typed.composed.lowercased().unicodeScalars.split {
            !$0.properties.isAlphabetic && $0.properties.numericType == nil
        }.map(String.init)
        var words: [String] = []
        for part in letters {
            // Some words of the list have a hyphen.
            if let last = words.last, self.place(of: "\(last)-\(part)") != nil {
                words[words.count - 1] = "\(last)-\(part)"
            } else {
                words.append(part)
            }
        }
        return words
    }

    /// The key of a room from the phrase; takes half a second and 256 MiB, so never on the event loop.
    ///
    /// Throws `outOfMemory` when that is not to be had.
    package func room(
        _ name: RoomName, in realm: RealmID, suite: ConversationKey.Suite
    ) throws(CryptoError) -> SecretRoom {
        var hasher = BLAKE2b.Hasher(personal: .phraseSalt)
        hasher.update(realm.hash)
        hasher.update([suite.rawValue].span.bytes)
        hasher.update(Array(name.key.utf8).span.bytes)
        let salt = Array(hasher.finalize().bytes.prefix(Argon2id.saltByteCount))
        let root = try self.key(salt: salt).withBytes { Bytes32($0) }
        guard let root else { preconditionFailure("a key has 32 bytes") }
        return SecretRoom(realm: realm, name: name, suite: suite, root: root)
    }

    /// The key of a phrase with a salt of 16 bytes; as slow as that of a room.
    ///
    /// Throws `outOfMemory` when 256 MiB are not to be had.
    func key(salt: [UInt8]) throws(CryptoError) -> SecretKey {
        var passphrase = Array(self.text.utf8)
        defer { passphrase.wipe() }
        return try Argon2id.deriveKey(passphrase: passphrase.span.bytes, salt: salt.span.bytes)
    }

    // MARK: The list

    /// All words, in alphabetical order.
    package static var list: [String] { (0..<self.listCount).map { self.word($0) } }

    static func word(_ place: Int) -> String { String(cString: cwords_at(UInt32(place))) }

    private static func place(of word: String) -> Int? {
        var (low, high) = (0, self.listCount)
        while low < high {
            let middle = (low + high) / 2
            let other = self.word(middle)
            if other == word { return middle }
            if other.utf8.lexicographicallyPrecedes(word.utf8) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return nil
    }
}

/// What is wrong with a phrase.
package enum PhraseError: Error, Hashable, Sendable {
    /// It has no word.
    case empty
    /// It is longer than ``Phrase/limitBytes``.
    case tooLong
    /// Its words are of the list, but for this one, which is the `number`th from 1.
    case unknownWord(String, number: Int)
    /// All words are of the list, and there are five of six.
    case missingWord
    /// All words are of the list, but they do not belong together.
    case check
}
