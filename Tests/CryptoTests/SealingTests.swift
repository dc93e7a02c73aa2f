import CSodium
import Testing

@testable import Crypto

@Suite("Sealing")
struct SealingTests {
    @Test("XChaCha20-Poly1305 is that of other code, both ways", arguments: XChaChaVector.all)
    func vectors(vector: XChaChaVector) throws {
        let key = SealingKey(try SecretKey(vector.key.span.bytes))
        let nonce = try XChaCha20Poly1305.Nonce(vector.nonce.span.bytes)
        var sealed: [UInt8] = [9]
        key.seal(
            vector.plaintext.span.bytes, associatedData: vector.associatedData.span.bytes,
            nonce: nonce, appendingTo: &sealed)
        #expect(sealed == [9] + vector.sealed)
        var opened: [UInt8] = [8]
        try key.open(
            vector.sealed.span.bytes, associatedData: vector.associatedData.span.bytes,
            nonce: nonce, appendingTo: &opened)
        #expect(opened == [8] + vector.plaintext)
        var written: [UInt8] = []
        nonce.append(to: &written)
        #expect(written == vector.nonce)

        // Once more, with what was derived for the first.
        sealed = []
        key.seal(
            vector.plaintext.span.bytes, associatedData: vector.associatedData.span.bytes,
            nonce: nonce, appendingTo: &sealed)
        #expect(sealed == vector.sealed)
        opened = []
        try key.open(
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

    @Test("a message of any length opens again, and one of which a bit has changed does not")
    func lengths() throws {
        let secret = [UInt8](0..<32)
        let key = SealingKey(try SecretKey(secret.span.bytes))
        var nonce = try XChaCha20Poly1305.Nonce([UInt8](64..<88).span.bytes)
        for count in 0...130 {
            nonce = nonce.next
            let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + count) }
            let bound = (0..<count % 71 * 9).map { UInt8(truncatingIfNeeded: $0 * 5 + count) }
            var sealed: [UInt8] = []
            key.seal(
                message.span.bytes, associatedData: bound.span.bytes, nonce: nonce,
                appendingTo: &sealed)
            var opened: [UInt8] = []
            try key.open(
                sealed.span.bytes, associatedData: bound.span.bytes, nonce: nonce,
                appendingTo: &opened)
            #expect(opened == message)
            sealed[count * 31 % sealed.count] ^= 1
            #expect(
                failure { () throws(CryptoError) in
                    try key.open(
                        sealed.span.bytes, associatedData: bound.span.bytes, nonce: nonce,
                        appendingTo: &opened)
                } == .decryptFailed)
            #expect(opened == message)
        }
    }

    @Test("AES-256-GCM is that of NIST, under the key of one message")
    func aes256GCM() throws {
        try #require(AES256GCM.isAvailable)
        // Test cases 13 and 14 of McGrew and Viega, "The Galois/Counter Mode of Operation".
        let key = SecretBytes([UInt8](repeating: 0, count: 32).span.bytes)
        var sealed: [UInt8] = []
        AES256GCM.seal(RawSpan(), associatedData: RawSpan(), key: key, appendingTo: &sealed)
        #expect(sealed == hex("530f8afbc74536b9a963b4f1c4cb738b"))
        sealed = []
        AES256GCM.seal(
            [UInt8](repeating: 0, count: 16).span.bytes, associatedData: RawSpan(), key: key,
            appendingTo: &sealed)
        #expect(
            sealed == hex("cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"))
    }

    @Test("what AES-256-GCM has sealed is opened with the same key, salt and data only")
    func aes256GCMRoundTrip() throws {
        try #require(AES256GCM.isAvailable)
        let key = SealingKey(SecretKey.generate())
        let (text, data) = (Array("text".utf8), Array("data".utf8))
        let salt = [UInt8](repeating: 5, count: AES256GCM.saltByteCount)
        let personal = BLAKE2b.Personal("a test")
        func open(
            _ sealed: [UInt8], _ data: [UInt8], _ salt: [UInt8], by key: SealingKey,
            _ personal: BLAKE2b.Personal
        ) -> [UInt8]? {
            var opened: [UInt8] = []
            do throws(CryptoError) {
                try key.openAES256GCM(
                    sealed.span.bytes, associatedData: data.span.bytes, salt: salt.span.bytes,
                    personal: personal, appendingTo: &opened)
            } catch {
                #expect(opened.isEmpty)
                return nil
            }
            return opened
        }
        var sealed: [UInt8] = []
        key.sealAES256GCM(
            text.span.bytes, associatedData: data.span.bytes, salt: salt.span.bytes,
            personal: personal, appendingTo: &sealed)
        #expect(sealed.count == text.count + AES256GCM.tagByteCount)
        #expect(open(sealed, data, salt, by: key, personal) == text)
        #expect(open(sealed, data, salt, by: SealingKey(SecretKey.generate()), personal) == nil)
        #expect(open(sealed, data, salt, by: key, BLAKE2b.Personal("other")) == nil)
        #expect(open(sealed, text, salt, by: key, personal) == nil)
        #expect(open(sealed, data, Array(salt.dropLast()), by: key, personal) == nil)
        var otherSalt = salt
        otherSalt[31] ^= 1
        #expect(open(sealed, data, otherSalt, by: key, personal) == nil)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(open(changed, data, salt, by: key, personal) == nil)
            #expect(open(Array(sealed[..<index]), data, salt, by: key, personal) == nil)
        }
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

    @Test(
        "bytes of files are encrypted as libsodium does it, from any block on",
        arguments: [(4_095, 0), (4_096, 0), (262_144, 64), (5_000, 1 << 34)] as [(Int, UInt64)])
    func files(count: Int, offset: UInt64) throws {
        OpenSSL.load()
        let key = XChaCha20.makeKey()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let nonce = [UInt8](repeating: 0, count: 24)
        var other = [UInt8](repeating: 0, count: count)
        crypto_stream_xchacha20_xor_ic(
            &other, bytes, UInt64(count), nonce, offset / 64, key.bytes)
        #expect(XChaCha20.apply(key, to: bytes, at: offset) == other)
        #expect(XChaCha20.apply(key, to: other, at: offset) == bytes)
    }
}
