import Crypto
import Testing

@Suite("Sealing")
struct SealingTests {
    @Test("XChaCha20-Poly1305 is that of other code, both ways", arguments: XChaChaVector.all)
    func vectors(vector: XChaChaVector) throws {
        let key = try SecretKey(vector.key.span.bytes)
        let nonce = try XChaCha20Poly1305.Nonce(vector.nonce.span.bytes)
        var sealed: [UInt8] = [9]
        XChaCha20Poly1305.seal(
            vector.plaintext.span.bytes, associatedData: vector.associatedData.span.bytes,
            nonce: nonce, key: key, appendingTo: &sealed)
        #expect(sealed == [9] + vector.sealed)
        var opened: [UInt8] = [8]
        try XChaCha20Poly1305.open(
            vector.sealed.span.bytes, associatedData: vector.associatedData.span.bytes,
            nonce: nonce, key: key, appendingTo: &opened)
        #expect(opened == [8] + vector.plaintext)
        var written: [UInt8] = []
        nonce.append(to: &written)
        #expect(written == vector.nonce)

        let sharedKey = SealingKey(key)
        sealed = []
        sharedKey.seal(
            vector.plaintext.span.bytes, associatedData: vector.associatedData.span.bytes,
            nonce: nonce, appendingTo: &sealed)
        #expect(sealed == vector.sealed)
        opened = []
        try sharedKey.open(
            sealed.span.bytes, associatedData: vector.associatedData.span.bytes, nonce: nonce,
            appendingTo: &opened)
        #expect(opened == vector.plaintext)
    }

    @Test("what was changed, cut or bound to other data is not opened")
    func tampering() throws {
        let vector = XChaChaVector.all[1]
        let key = SealingKey(try SecretKey(vector.key.span.bytes))
        let nonce = try XChaCha20Poly1305.Nonce(vector.nonce.span.bytes)
        var opened: [UInt8] = []
        for bit in 0..<vector.sealed.count * 8 {
            var changed = vector.sealed
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(
                failure { () throws(CryptoError) in
                    try key.open(
                        changed.span.bytes, associatedData: vector.associatedData.span.bytes,
                        nonce: nonce, appendingTo: &opened)
                } == .decryptFailed)
        }
        for count in 0..<vector.sealed.count {
            #expect(
                failure { () throws(CryptoError) in
                    try key.open(
                        vector.sealed.span.bytes.extracting(0..<count),
                        associatedData: vector.associatedData.span.bytes, nonce: nonce,
                        appendingTo: &opened)
                } == (count < 16 ? .messageTooShort(expected: 16, got: count) : .decryptFailed))
        }
        let other: [UInt8] = [1]
        #expect(
            failure { () throws(CryptoError) in
                try key.open(
                    vector.sealed.span.bytes, associatedData: other.span.bytes, nonce: nonce,
                    appendingTo: &opened)
            } == .decryptFailed)
        #expect(opened == [])
    }

    @Test("a nonce of another length is refused")
    func nonceLength() {
        for count in [0, 12, 23, 25] {
            let bytes = [UInt8](repeating: 0, count: count)
            #expect(
                failure { () throws(CryptoError) in
                    _ = try XChaCha20Poly1305.Nonce(bytes.span.bytes)
                } == .wrongLength(expected: 24, got: count))
        }
    }

    @Test("a seeded generator gives the same nonce each time, and the next one is another")
    func drawnNonces() {
        struct Counter: RandomNumberGenerator {
            var value: UInt64 = 0
            mutating func next() -> UInt64 {
                self.value += 1
                return self.value
            }
        }
        var counter = Counter()
        var written: [UInt8] = []
        XChaCha20Poly1305.Nonce(using: &counter).append(to: &written)
        #expect(written == hex("010000000000000002000000000000000300000000000000"))
        written = []
        XChaCha20Poly1305.Nonce(using: &counter).append(to: &written)
        #expect(written == hex("040000000000000005000000000000000600000000000000"))
    }

    @Test("Argon2id is that of other code", arguments: Argon2idVector.all)
    func argon2id(vector: Argon2idVector) throws {
        let key = try Argon2id.deriveKey(
            passphrase: vector.passphrase.span.bytes, salt: vector.salt.span.bytes)
        key.withBytes { #expect(Bytes32($0)?.bytes == vector.key) }
    }

    @Test("Argon2id refuses a salt of another length and an endless passphrase")
    func argon2idLimits() {
        let bytes = [UInt8](repeating: 0, count: Argon2id.passphraseByteLimit + 1)
        #expect(
            failure { () throws(CryptoError) in
                _ = try Argon2id.deriveKey(
                    passphrase: RawSpan(), salt: bytes.span.bytes.extracting(0..<15))
            } == .wrongLength(expected: 16, got: 15))
        #expect(
            failure { () throws(CryptoError) in
                _ = try Argon2id.deriveKey(
                    passphrase: bytes.span.bytes, salt: bytes.span.bytes.extracting(0..<16))
            } == .messageTooLong(limit: 4_096, got: 4_097))
    }
}
