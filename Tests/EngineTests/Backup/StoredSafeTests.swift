import Crypto
import TestSupport
import Testing

@testable import Formats

@Suite("The file of the safe key")
struct StoredSafeTests {
    private static func key(_ safe: Safe) -> [UInt8] {
        safe.withKey { key in key.withUnsafeBytes { [UInt8]($0) } }
    }

    private static func hex(_ text: String) -> [UInt8] {
        let digits = text.compactMap { $0.hexDigitValue.map { UInt8($0) } }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    @Test("has the key in the open where there is no lock")
    func open() throws {
        let safe = Safe.generate()
        let bytes = StoredSafe.open(safe).encoded
        #expect(bytes.count == 33 && bytes[0] == 0)
        guard case .open(let read) = try StoredSafe(decoding: bytes) else {
            Issue.record("what is open is read as open")
            return
        }
        #expect(Self.key(read) == Self.key(safe))
    }

    @Test("locked, opens by its passphrase, however that is typed, by no other and in no part")
    func locked() throws {
        var random = SeededRandom(seed: 5)
        let safe = Safe.generate()
        let phrase = try Phrase(chosen: "caf\u{E9} on the corner")
        let bytes = StoredSafe.locked(try LockedSafe(safe, by: phrase, using: &random)).encoded
        #expect(bytes.count == StoredSafe.limitBytes)
        guard case .locked(let read) = try StoredSafe(decoding: bytes) else {
            Issue.record("what is locked is read as locked")
            return
        }
        let typed = try Phrase(chosen: "  cafe\u{301}  on the corner ")
        #expect(Self.key(try read.open(by: typed)) == Self.key(safe))
        #expect(throws: CryptoError.decryptFailed) {
            try read.open(by: Phrase(chosen: "caf\u{E9} on the square"))
        }
        // The salt makes the key, and each byte of the rest is bound to it.
        for place in [1, 17, 88] {
            var other = bytes
            other[place] ^= 1
            guard case .locked(let changed) = try StoredSafe(decoding: other) else { continue }
            #expect(throws: CryptoError.decryptFailed) { try changed.open(by: phrase) }
        }
        #expect(!bytes.indices.contains { bytes[$0...].starts(with: Self.key(safe)) })
    }

    @Test("that other code has locked is opened")
    func vector() throws {
        let file = Self.hex(
            """
            0194b48e714dd9ade705a605120cf7bf710c1482dd03a5e18c53bb07ccd8a077e178dc56145432e8e484ad63
            e8f48b4236ea696875207623f865fea8b9022b16d8b7485344eb7256e22d881652d11984be680f51f512d194
            59
            """)
        guard case .locked(let locked) = try StoredSafe(decoding: file) else {
            Issue.record("the vector is of a locked one")
            return
        }
        let safe = try locked.open(by: Phrase(chosen: "correct horse battery staple"))
        let key = "204f5d3dbc7f289e9eb7a2d278d5baee27779fdd6d25afe2bdaf85acbd4f8c62"
        #expect(Self.key(safe) == Self.hex(key))
    }

    @Test("that is cut, longer or of a later version is refused before the slow part")
    func refused() {
        for form: UInt8 in [0, 1] {
            for count in 0..<120 where count != (form == 0 ? 32 : 88) {
                #expect(throws: StoredSafeError.wrongLength(count + 1)) {
                    try StoredSafe(decoding: [form] + [UInt8](repeating: 1, count: count))
                }
            }
        }
        #expect(throws: StoredSafeError.wrongLength(0)) { try StoredSafe(decoding: []) }
        #expect(throws: StoredSafeError.later) {
            try StoredSafe(decoding: [2] + [UInt8](repeating: 1, count: 32))
        }
    }
}
