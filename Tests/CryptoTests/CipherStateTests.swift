import CSodium
import Testing

@testable import Crypto

@Suite("CipherState")
struct CipherStateTests {
    @Test("without a key, bytes pass through and no nonce is used")
    func noKey() throws {
        var cipher = CipherState()
        var output: [UInt8] = [1]
        let input: [UInt8] = [2, 3]
        try cipher.encrypt(input.span.bytes, associatedData: RawSpan(), appendingTo: &output)
        try cipher.decrypt(input.span.bytes, associatedData: RawSpan(), appendingTo: &output)
        #expect(output == [1, 2, 3, 2, 3])
        #expect(cipher.hasKey == false)
        #expect(cipher.nonce == 0)
    }

    @Test("the associated data must be the same on both sides")
    func associatedData() throws {
        let key = SecretKey.generate()
        var sender = CipherState(key: key)
        var receiver = CipherState(key: key)
        let plaintext: [UInt8] = [1, 2, 3]
        let right: [UInt8] = [4]
        let wrong: [UInt8] = [5]
        var wire: [UInt8] = []
        try sender.encrypt(
            plaintext.span.bytes, associatedData: right.span.bytes, appendingTo: &wire)
        var read: [UInt8] = []
        #expect(
            failure { () throws(CryptoError) in
                try receiver.decrypt(
                    wire.span.bytes, associatedData: wrong.span.bytes, appendingTo: &read)
            } == .decryptFailed)
        #expect(receiver.nonce == 0)
        try receiver.decrypt(
            wire.span.bytes, associatedData: right.span.bytes, appendingTo: &read)
        #expect(read == plaintext)
        #expect(receiver.nonce == 1)
    }

    @Test("a rekey changes the key and keeps the nonce")
    func rekey() throws {
        let key = SecretKey.generate()
        var rekeyed = CipherState(key: key)
        var other = CipherState(key: key)
        var one: [UInt8] = []
        var two: [UInt8] = []
        try rekeyed.encrypt(RawSpan(), associatedData: RawSpan(), appendingTo: &one)
        try other.encrypt(RawSpan(), associatedData: RawSpan(), appendingTo: &two)
        #expect(one == two)
        rekeyed.rekey()
        #expect(rekeyed.nonce == 1)
        try rekeyed.encrypt(RawSpan(), associatedData: RawSpan(), appendingTo: &one)
        try other.encrypt(RawSpan(), associatedData: RawSpan(), appendingTo: &two)
        #expect(one != two)
    }

    @Test("a rekey without a key traps")
    func rekeyWithoutKey() async {
        await #expect(processExitsWith: .failure) {
            var cipher = CipherState()
            cipher.rekey()
        }
    }

    @Test(
        "what is large is the same message with OpenSSL and without, and a changed one is refused",
        arguments: [4_095, 4_096, 4_097, 16_384, TransportState.plaintextByteLimit])
    func large(count: Int) throws {
        OpenSSL.load()
        let key = SecretKey.generate()
        let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
        var sender = CipherState(key: key)
        var receiver = CipherState(key: key)
        sender.setNonce(1 << 33)
        receiver.setNonce(1 << 33)
        var wire: [UInt8] = []
        try sender.encrypt(plaintext.span.bytes, associatedData: RawSpan(), appendingTo: &wire)
        var nonce = [UInt8](repeating: 0, count: 12)
        nonce[8] = 2
        var other = [UInt8](repeating: 0, count: count + 16)
        _ = key.storage.withPointer {
            crypto_aead_chacha20poly1305_ietf_encrypt(
                &other, nil, plaintext, UInt64(count), nil, 0, nil, nonce, $0)
        }
        #expect(wire == other)
        var read: [UInt8] = []
        wire[count / 2] ^= 1
        #expect(
            failure { () throws(CryptoError) in
                try receiver.decrypt(
                    wire.span.bytes, associatedData: RawSpan(), appendingTo: &read)
            } == .decryptFailed)
        #expect(read == [])
        wire[count / 2] ^= 1
        try receiver.decrypt(wire.span.bytes, associatedData: RawSpan(), appendingTo: &read)
        #expect(read == plaintext)
    }
}
