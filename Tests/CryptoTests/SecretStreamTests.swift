import Testing

@testable import Crypto

@Suite("Sealing in pieces") struct SecretStreamTests {
    private static let context = Array("context".utf8)

    private static func seal(_ plaintext: [UInt8], _ key: borrowing SecretKey) -> [UInt8] {
        var sealed: [UInt8] = [9]
        SecretStream.seal(
            plaintext.span.bytes, associatedData: self.context.span.bytes, key: key,
            appendingTo: &sealed)
        return sealed
    }

    private static func open(
        _ sealed: [UInt8], _ key: borrowing SecretKey, context: [UInt8] = Self.context
    ) throws(CryptoError) -> [UInt8] {
        var opened: [UInt8] = [8]
        try SecretStream.open(
            sealed.span.bytes.extracting(1..<sealed.count), associatedData: context.span.bytes,
            key: key, appendingTo: &opened)
        return opened
    }

    @Test(
        "gives back what was sealed, whatever its length",
        arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
    func whole(count: Int) throws {
        let key = SecretKey.generate()
        let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let sealed = Self.seal(plaintext, key)
        let pieces = max(1, (count + SecretStream.pieceByteCount - 1) / SecretStream.pieceByteCount)
        #expect(sealed.count == 1 + 24 + count + 17 * pieces)
        #expect(try Self.open(sealed, key) == [8] + plaintext)
        #expect(Self.seal(plaintext, key) != sealed)
    }

    @Test("refuses another key, other data beside it, and each changed part")
    func changed() throws {
        let key = SecretKey.generate()
        let sealed = Self.seal([UInt8](repeating: 3, count: 70_000), key)
        #expect(throws: CryptoError.decryptFailed) {
            try Self.open(sealed, SecretKey.generate())
        }
        #expect(throws: CryptoError.decryptFailed) { try Self.open(sealed, key, context: []) }
        for index in stride(from: 1, to: sealed.count, by: 997) {
            var other = sealed
            other[index] ^= 1
            #expect(throws: CryptoError.decryptFailed) { try Self.open(other, key) }
        }
    }

    // Shows: file.backup
    @Test("refuses what was cut, lengthened or put in another order, also between pieces")
    func cut() throws {
        let key = SecretKey.generate()
        let sealed = Self.seal([UInt8](repeating: 3, count: 150_000), key)
        let piece = SecretStream.pieceByteCount + 17
        let head = 1 + 24
        for count in [
            head + piece, head + 2 * piece, head + piece - 1, sealed.count - 1, head + 16,
        ] {
            #expect(throws: CryptoError.self) { try Self.open(Array(sealed[..<count]), key) }
        }
        for count in [1, 2, head - 1, head] {
            #expect(throws: CryptoError.self) { try Self.open(Array(sealed[..<count]), key) }
        }
        #expect(throws: CryptoError.decryptFailed) { try Self.open(sealed + [0], key) }
        let swapped =
            sealed[..<head] + sealed[(head + piece)..<(head + 2 * piece)]
            + sealed[head..<(head + piece)] + sealed[(head + 2 * piece)...]
        #expect(throws: CryptoError.decryptFailed) { try Self.open(Array(swapped), key) }
    }
}
