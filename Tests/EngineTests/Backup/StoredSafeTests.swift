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
        #expect(bytes.count == 89)
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

    private static let withKeyring = Self.hex(
        """
        0294b48e714dd9ade705a605120cf7bf710c1482dd03a5e18c53bb07ccd8a077e178dc56145432e8e484ad63
        e8f48b4236ea696875207623f865fea8b9022b16d8b7485344eb7256e22d881652d11984be680f51f512d194
        59dc30cdd15a1ffad2fd63075b568d3d80718d65e8b00346d75e0ca5e7aaba216f00b4214dc7223053f7222d
        50bd159659b975cf4266c10ac596103ed2eb3f9dc72ed31bc0b1481c11f97a1513e7e87a4d194ce67c6fdd81
        e7
        """)

    @Test("that other code has sealed for the desktop's keyring too is opened either way")
    func keyringVector() throws {
        guard case .locked(let locked) = try StoredSafe(decoding: Self.withKeyring) else {
            Issue.record("the vector is of a locked one")
            return
        }
        #expect(locked.encoded == Self.withKeyring)
        let slot = try #require(locked.keyring)
        #expect(slot.id == "dc30cdd15a1ffad2fd63075b568d3d80")
        let item = "8993d67536277210f482e51a7314fe7bc6fc19795f6f0001e92eb5901da4d2b3"
        let key = Self.hex("204f5d3dbc7f289e9eb7a2d278d5baee27779fdd6d25afe2bdaf85acbd4f8c62")
        #expect(Self.key(try slot.open(by: Array(item.utf8))) == key)
        let phrase = try Phrase(chosen: "correct horse battery staple")
        #expect(Self.key(try locked.open(by: phrase)) == key)
    }

    @Test("opens by an item of the keyring only whole, and as it was made")
    func keyring() throws {
        var random = SeededRandom(seed: 7)
        let safe = Safe.generate()
        let (slot, item) = KeyringSlot.make(for: safe, using: &random)
        #expect(slot.encoded.count == KeyringSlot.byteCount && slot.id.utf8.count == 32)
        #expect(item.count == KeyringSlot.itemByteCount)
        #expect(Self.key(try slot.open(by: item)) == Self.key(safe))
        let (other, _) = KeyringSlot.make(for: safe, using: &random)
        #expect(other.id != slot.id)
        #expect(throws: CryptoError.decryptFailed) { try other.open(by: item) }
        let wrong = [
            [], item.dropLast(), item + item, Array("Z".utf8) + item.dropFirst(),
            item.map { (0x61...0x66).contains($0) ? $0 - 32 : $0 },
        ]
        for wrong in wrong {
            #expect(throws: CryptoError.decryptFailed) { try slot.open(by: Array(wrong)) }
        }
        // The name of the item and each byte of what is sealed are bound.
        for place in [0, 15, 16, 87] {
            var bytes = slot.encoded
            bytes[place] ^= 1
            #expect(throws: CryptoError.decryptFailed) {
                try KeyringSlot(encoded: bytes).open(by: item)
            }
        }
    }

    @Test("forgets the keyring without the passphrase, and takes a new slot so")
    func slots() throws {
        guard case .locked(var locked) = try StoredSafe(decoding: Self.withKeyring) else {
            Issue.record("the vector is of a locked one")
            return
        }
        locked.keyring = nil
        #expect(locked.encoded == [1] + Self.withKeyring[1..<89])
        var random = SeededRandom(seed: 8)
        locked.keyring = KeyringSlot.make(for: .generate(), using: &random).slot
        #expect(locked.encoded.prefix(89) == Self.withKeyring.prefix(89))
        #expect(try StoredSafe(decoding: locked.encoded).encoded == locked.encoded)
    }

    @Test("that is cut, longer or of a later version is refused before the slow part")
    func refused() {
        for (form, right) in [(0, 32), (1, 88), (2, 176)] as [(UInt8, Int)] {
            for count in 0..<200 where count != right {
                #expect(throws: StoredSafeError.wrongLength(count + 1)) {
                    try StoredSafe(decoding: [form] + [UInt8](repeating: 1, count: count))
                }
            }
        }
        #expect(throws: StoredSafeError.wrongLength(0)) { try StoredSafe(decoding: []) }
        #expect(throws: StoredSafeError.later) {
            try StoredSafe(decoding: [3] + [UInt8](repeating: 1, count: 32))
        }
    }
}
