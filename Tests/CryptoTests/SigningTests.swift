import Crypto
import Testing

@Suite("Signing keys")
struct SigningTests {
    @Test(
        "keys, signatures and shared secrets are those of other code", arguments: IdentityVector.all
    )
    func vectors(vector: IdentityVector) throws {
        let key = try SigningKey(seed: vector.seed.span.bytes)
        #expect(key.publicKey.bytes == vector.publicKey)
        let signature = key.sign(vector.message)
        #expect(signature.bytes == vector.signature)
        #expect(
            Ed25519.verify(
                signature: signature, message: vector.message, publicKey: key.publicKey))
        let peer = try #require(Bytes32(vector.peer))
        #expect(Ed25519.isAcceptable(publicKey: peer))
        try key.x25519SharedSecret(with: peer).withBytes { secret in
            #expect(Bytes32(secret)?.bytes == vector.sharedSecret)
        }
    }

    @Test("a saved seed makes the same key again")
    func seed() throws {
        let key = SigningKey.generate()
        let again = try key.withSeed { seed in try SigningKey(seed: seed) }
        #expect(again.publicKey == key.publicKey)
        #expect(again.sign([1]) == key.sign([1]))
    }

    @Test("a seed of another length is refused")
    func seedLength() {
        for count in [0, 31, 33, 64] {
            let bytes = [UInt8](repeating: 1, count: count)
            #expect(
                failure { () throws(CryptoError) in _ = try SigningKey(seed: bytes.span.bytes) }
                    == .wrongLength(expected: 32, got: count))
        }
    }

    @Test("a signer shared between copies signs, shares secrets and lends its seed as its key does")
    func signer() throws {
        let key = SigningKey.generate()
        let publicKey = key.publicKey
        let signature = key.sign([1, 2])
        let signer = Signer(key)
        let other = Signer(SigningKey.generate())
        #expect(signer.publicKey == publicKey)
        #expect(signer.sign([1, 2]) == signature)
        let one = try signer.x25519SharedSecret(with: other.publicKey).withBytes { Bytes32($0) }
        let two = try other.x25519SharedSecret(with: signer.publicKey).withBytes { Bytes32($0) }
        #expect(one == two)
        let again = try signer.withSeed { seed in try SigningKey(seed: seed) }
        #expect(again.publicKey == publicKey)
    }

    @Test("a changed signature, message or key does not verify")
    func tampering() throws {
        let key = SigningKey.generate()
        let message: [UInt8] = [1, 2, 3]
        let signature = key.sign(message)
        for bit in 0..<512 {
            var bytes = signature.bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            let changed = try #require(Bytes64(bytes))
            #expect(
                !Ed25519.verify(signature: changed, message: message, publicKey: key.publicKey))
        }
        for bit in 0..<256 {
            var bytes = key.publicKey.bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            let changed = try #require(Bytes32(bytes))
            #expect(!Ed25519.verify(signature: signature, message: message, publicKey: changed))
        }
        #expect(
            !Ed25519.verify(signature: signature, message: [1, 2], publicKey: key.publicKey))
    }

    // Shows: wire.weak-keys
    @Test("a signature whose S is the same number in a second form is refused")
    func secondFormOfS() throws {
        let order = hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        let key = SigningKey.generate()
        var bytes = key.sign([1]).bytes
        var carry = 0
        for index in 0..<32 {
            let sum = Int(bytes[32 + index]) + Int(order[index]) + carry
            bytes[32 + index] = UInt8(sum & 0xff)
            carry = sum >> 8
        }
        #expect(carry == 0)
        let changed = try #require(Bytes64(bytes))
        #expect(!Ed25519.verify(signature: changed, message: [1], publicKey: key.publicKey))
    }

    // Shows: wire.weak-keys
    @Test("a key that may name nobody is refused everywhere", arguments: RefusedKeyVector.all)
    func refusedKeys(vector: RefusedKeyVector) throws {
        let publicKey = try #require(Bytes32(vector.key))
        #expect(!Ed25519.isAcceptable(publicKey: publicKey), "\(vector.reason)")
        let key = SigningKey.generate()
        #expect(
            failure { () throws(CryptoError) in _ = try key.x25519SharedSecret(with: publicKey) }
                == .unusablePublicKey, "\(vector.reason)")
    }

    // Shows: wire.weak-keys
    @Test("a key of small order verifies nothing", arguments: RefusedKeyVector.all.prefix(8))
    func smallOrderKeys(vector: RefusedKeyVector) throws {
        let publicKey = try #require(Bytes32(vector.key))
        // R is the neutral point and S zero: a lax verifier takes this for any message.
        let forged = try #require(
            Bytes64([1] + [UInt8](repeating: 0, count: 63)))
        for byte in UInt8.min...UInt8.max {
            #expect(!Ed25519.verify(signature: forged, message: [byte], publicKey: publicKey))
        }
    }

    @Test("an X25519 key of small order is refused", arguments: SmallOrderVector.all)
    func smallOrderX25519(vector: SmallOrderVector) throws {
        let publicKey = try #require(Bytes32(vector.key))
        let secret = SecretKey.generate()
        #expect(
            failure { () throws(CryptoError) in
                _ = try X25519.sharedSecret(secret, with: publicKey)
            } == .unusablePublicKey)
        #expect(X25519.isOfSmallOrder(publicKey))
        #expect(!X25519.isOfSmallOrder(X25519.publicKey(of: secret)))
    }
}
