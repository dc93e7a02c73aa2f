import Crypto
import Testing

@Suite("Hashes")
struct HashTests {
    @Test(
        "BLAKE2b-256 is hashlib's, with any key and personalisation", arguments: BLAKE2bVector.all)
    func blake2b(vector: BLAKE2bVector) {
        let personal = BLAKE2b.Personal(vector.personal)
        let data = vector.data.span.bytes
        if vector.key.isEmpty {
            #expect(BLAKE2b.hash256(vector.data, personal: personal).bytes == vector.hash)
        } else {
            #expect(
                BLAKE2b.hash256(data, key: vector.key.span.bytes, personal: personal).bytes
                    == vector.hash)
        }
    }

    @Test("a hash depends on the bytes, not on their cut", arguments: BLAKE2bVector.all)
    func parts(vector: BLAKE2bVector) {
        let personal = BLAKE2b.Personal(vector.personal)
        for step in [1, 7, 64, 127, 128, 129, 400] {
            var hasher =
                vector.key.isEmpty
                ? BLAKE2b.Hasher(personal: personal)
                : BLAKE2b.Hasher(key: vector.key.span.bytes, personal: personal)
            for start in stride(from: 0, to: vector.data.count, by: step) {
                hasher.update(Array(vector.data[start...].prefix(step)))
            }
            #expect(hasher.finalize().bytes == vector.hash)
        }
    }

    @Test("a copied hasher goes on by itself")
    func copies() {
        var one = BLAKE2b.Hasher()
        one.update([1])
        var other = one
        one.update([2])
        other.update([3])
        #expect(one.finalize() == BLAKE2b.hash256([1, 2]))
        #expect(other.finalize() == BLAKE2b.hash256([1, 3]))
    }

    @Test("fixed values are hashed as their bytes")
    func fixedValues() throws {
        let short = try #require(Bytes32([UInt8](0..<32)))
        let long = try #require(Bytes64([UInt8](0..<64)))
        var hasher = BLAKE2b.Hasher()
        hasher.update(short)
        hasher.update(long)
        #expect(hasher.finalize() == BLAKE2b.hash256(short.bytes + long.bytes))
    }

    @Test("derived keys differ by source, context and personalisation")
    func derivedKeys() throws {
        let key = try SecretKey([UInt8](repeating: 1, count: 32).span.bytes)
        let other = try SecretKey([UInt8](repeating: 2, count: 32).span.bytes)
        let context: [UInt8] = [1]
        let personal = BLAKE2b.Personal("a")
        let derived = [
            BLAKE2b.deriveKey(from: key, context: context.span.bytes, personal: personal)
                .withBytes { Bytes32($0) },
            BLAKE2b.deriveKey(from: other, context: context.span.bytes, personal: personal)
                .withBytes { Bytes32($0) },
            BLAKE2b.deriveKey(from: key, context: RawSpan(), personal: personal)
                .withBytes { Bytes32($0) },
            BLAKE2b.deriveKey(from: key, context: context.span.bytes, personal: .init("b"))
                .withBytes { Bytes32($0) },
        ]
        #expect(Set(derived).count == 4)
        #expect(derived[0] == BLAKE2b.hash256(context.span.bytes, key: key, personal: personal))
    }

    @Test("a personalisation of seventeen bytes traps")
    func longPersonal() async {
        await #expect(processExitsWith: .failure) {
            _ = BLAKE2b.Personal("seventeen bytes!!")
        }
    }

    @Test("a hash key of no or too many bytes traps")
    func badKey() async {
        await #expect(processExitsWith: .failure) {
            _ = BLAKE2b.hash256(RawSpan(), key: RawSpan())
        }
        await #expect(processExitsWith: .failure) {
            _ = BLAKE2b.Hasher(key: [UInt8](repeating: 0, count: 65).span.bytes)
        }
    }

    @Test("HMAC is RFC 2104 with a block of 128 bytes", arguments: HMACVector.all)
    func hmac(vector: HMACVector) {
        #expect(
            HMACBLAKE2b.authenticationCode(of: vector.data.span.bytes, key: vector.key.span.bytes)
                .bytes == vector.code)
        var code = HMACBLAKE2b(key: vector.key.span.bytes)
        let half = vector.data.count / 2
        code.update(vector.data.span.bytes.extracting(0..<half))
        code.update(vector.data.span.bytes.extracting(half..<vector.data.count))
        #expect(code.finalize().bytes == vector.code)
    }

    @Test("HKDF is what the specification makes of HMAC", arguments: HKDFVector.all)
    func hkdf(vector: HKDFVector) {
        let two = HKDF.twoOutputs(
            chainingKey: vector.chainingKey.span.bytes, inputKeyMaterial: vector.material.span.bytes
        )
        #expect([two.0.bytes, two.1.bytes] == Array(vector.outputs.prefix(2)))
        let three = HKDF.threeOutputs(
            chainingKey: vector.chainingKey.span.bytes, inputKeyMaterial: vector.material.span.bytes
        )
        #expect([three.0.bytes, three.1.bytes, three.2.bytes] == vector.outputs)
    }

    @Test(
        "SHA-256 is OpenSSL's and libsodium's, of a byte and what follows it",
        arguments: [
            (1, "ca6c6588fa01171b200740344d354e8548b7470061fb32a34f4feee470ec281f"),
            (4_095, "366e318293eed53c3e695520d65024a712bc9fd3d6b4e971e5600fe5d4611680"),
            (4_096, "323ad511282e30894ebfa7d5b768fed8312ab1e86aefe968ea03cabb07f35edf"),
            (262_144, "65f0fa89895bb5612f663a71fb5e14c65c4f0e34ff9718bea75b6faca84512d4"),
        ])
    func sha256(count: Int, hash: String) {
        let bytes = [UInt8](repeating: 7, count: count)
        var found = [SHA256.hash(1, bytes.span.bytes)]
        OpenSSL.load()
        found.append(SHA256.hash(1, bytes.span.bytes))
        #expect(found.map { $0.description } == [hash, hash])
    }
}
