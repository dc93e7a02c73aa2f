import Testing

@testable import Crypto

@Suite("A safe")
struct SafeTests {
    private static let place = Array("here".utf8)

    private static func open(
        _ safe: Safe, _ sealed: [UInt8], as kind: Safe.Kind = Safe.Kind("one"),
        at place: [UInt8] = Self.place
    ) throws(CryptoError) -> [UInt8] {
        try safe.open(sealed.span.bytes, as: kind, at: place.span.bytes)
    }

    @Test("seals as other code does, and opens what that sealed", arguments: SafeVector.all)
    func vectors(vector: SafeVector) throws {
        let safe = Safe(try SecretKey(vector.key.span.bytes))
        let kind = Safe.Kind(String(decoding: vector.kind, as: UTF8.self))
        let sealed = safe.seal(
            vector.value.span.bytes, as: kind, at: vector.place.span.bytes,
            nonce: try XChaCha20Poly1305.Nonce(vector.nonce.span.bytes))
        #expect(sealed == vector.sealed)
        #expect(try Self.open(safe, vector.sealed, as: kind, at: vector.place) == vector.value)
        #expect(sealed.count == vector.value.count + Safe.addedByteCount)
    }

    @Test("opens a value only in its own place, as its own kind, with its own key")
    func bound() throws {
        let safe = Safe.generate()
        let value: [UInt8] = [1, 2, 3]
        let sealed = safe.seal(
            value.span.bytes, as: Safe.Kind("one"), at: Self.place.span.bytes)
        #expect(try Self.open(safe, sealed) == value)
        #expect(
            safe.seal(value.span.bytes, as: Safe.Kind("one"), at: Self.place.span.bytes) != sealed)
        #expect(throws: CryptoError.decryptFailed) { try Self.open(Safe.generate(), sealed) }
        #expect(throws: CryptoError.decryptFailed) {
            try Self.open(safe, sealed, as: Safe.Kind("two"))
        }
        #expect(throws: CryptoError.decryptFailed) {
            try Self.open(safe, sealed, at: Array("there".utf8))
        }
        // What ends the kind and begins the place cannot move from one to the other.
        #expect(throws: CryptoError.decryptFailed) {
            try Self.open(safe, sealed, as: Safe.Kind("oneh"), at: Array("ere".utf8))
        }
    }

    @Test("refuses what was changed in any bit or cut anywhere")
    func changed() throws {
        let safe = Safe.generate()
        let sealed = safe.seal(
            Self.place.span.bytes, as: Safe.Kind("one"), at: Self.place.span.bytes)
        for bit in 0..<sealed.count * 8 {
            var other = sealed
            other[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: CryptoError.decryptFailed) { try Self.open(safe, other) }
        }
        for count in 0..<sealed.count {
            #expect(throws: CryptoError.self) { try Self.open(safe, Array(sealed[..<count])) }
        }
    }
}
