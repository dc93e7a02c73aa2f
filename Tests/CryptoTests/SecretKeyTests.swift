import Crypto
import Testing

@Suite("Secret keys and randomness")
struct SecretKeyTests {
    @Test("a key of another length is refused")
    func length() {
        for count in [0, 31, 33] {
            let bytes = [UInt8](repeating: 1, count: count)
            #expect(
                failure { () throws(CryptoError) in _ = try SecretKey(bytes.span.bytes) }
                    == .wrongLength(expected: 32, got: count))
        }
    }

    @Test("a key lends the bytes it was made of, and so does its copy after the key is gone")
    func lending() throws {
        let bytes = [UInt8](0..<32)
        let copy = try SecretKey(bytes.span.bytes).copy()
        copy.withBytes { #expect(Bytes32($0)?.bytes == bytes) }
    }

    @Test("generated keys differ")
    func generated() {
        let keys = (0..<8).map { _ in SecretKey.generate().withBytes { Bytes32($0) } }
        #expect(Set(keys).count == 8)
    }

    // Shows: wire.forward-secrecy
    @Test("the memory of a key that is gone cannot be read")
    func goneKey() async {
        await #expect(processExitsWith: .failure) {
            let address = SecretKey.generate().withBytes { key in
                key.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            }
            print(UnsafePointer<UInt8>(bitPattern: address)?.pointee ?? 0)
        }
    }

    @Test("reading past the end of a key ends the process")
    func overrun() async {
        await #expect(processExitsWith: .failure) {
            let key = SecretKey.generate()
            key.withBytes { bytes in
                bytes.withUnsafeBytes { buffer in
                    // The guard page begins right behind the key.
                    print(buffer.baseAddress?.load(fromByteOffset: 32, as: UInt8.self) ?? 0)
                }
            }
        }
    }

    @Test("libsodium may be prepared again and again")
    func initialize() {
        Sodium.initialize()
        Sodium.initialize()
    }

    @Test("random bytes have the length asked for and differ")
    func random() {
        #expect(SodiumRandom.bytes(count: 0) == [])
        #expect(SodiumRandom.bytes(count: 33).count == 33)
        #expect(SodiumRandom.bytes(count: 32) != SodiumRandom.bytes(count: 32))
        #expect(SodiumRandom.bytes32() != SodiumRandom.bytes32())
        var generator = SodiumRandom()
        #expect(Set((0..<16).map { _ in generator.next() }).count == 16)
        #expect((0..<6).contains(Int.random(in: 0..<6, using: &generator)))
    }

    @Test("copies of a generator never give the same number, however many are drawn")
    func copies() {
        var one = SodiumRandom()
        _ = one.next()
        var other = one
        var seen: Set<UInt64> = []
        for _ in 0..<500 {
            #expect(seen.insert(one.next()).inserted)
            #expect(seen.insert(other.next()).inserted)
        }
    }
}
