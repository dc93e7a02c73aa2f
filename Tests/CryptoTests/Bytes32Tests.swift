import Crypto
import Testing

@Suite("Fixed bytes")
struct Bytes32Tests {
    @Test("only exactly thirty-two or sixty-four bytes make one, from every kind of view")
    func length() {
        for count in 0...70 {
            let bytes = [UInt8](repeating: 7, count: count)
            #expect((Bytes32(bytes) != nil) == (count == 32))
            #expect((Bytes32(bytes[...]) != nil) == (count == 32))
            #expect((Bytes32(bytes.span) != nil) == (count == 32))
            #expect((Bytes32(bytes.span.bytes) != nil) == (count == 32))
            #expect((Bytes64(bytes) != nil) == (count == 64))
            #expect((Bytes64(bytes[...]) != nil) == (count == 64))
            #expect((Bytes64(bytes.span) != nil) == (count == 64))
            #expect((Bytes64(bytes.span.bytes) != nil) == (count == 64))
        }
    }

    @Test("the bytes come back in their order, whichever way they are taken")
    func order() throws {
        let bytes = [UInt8](10..<42)
        let value = try #require(Bytes32(([0, 0, 0] + bytes)[3...]))
        #expect(value.bytes == bytes)
        var output: [UInt8] = [1]
        value.append(to: &output)
        #expect(output == [1] + bytes)
        value.withBytes { span in
            #expect(span.byteCount == 32)
            #expect(Bytes32(span) == value)
        }
        #expect(
            value.description
                == "0a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20212223242526272829")
    }

    @Test("they are ordered as their bytes are")
    func comparison() throws {
        var random = SodiumRandom()
        for _ in 0..<2_000 {
            let shared = Int.random(in: 0...32, using: &random)
            let prefix = SodiumRandom.bytes(count: shared)
            // Few different values, so that equal bytes and whole equal values come up too.
            let left =
                prefix + (shared..<32).map { _ in UInt8.random(in: 254...255, using: &random) }
            let right =
                prefix + (shared..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
            let less = left.lexicographicallyPrecedes(right)
            let one = try #require(Bytes32(left))
            let other = try #require(Bytes32(right))
            #expect((one < other) == less)
            #expect((one == other) == (left == right))
            #expect((other < one) == (left != right && !less))
            let longOne = try #require(Bytes64(prefix + left + right.dropFirst(shared)))
            let longOther = try #require(Bytes64(prefix + right + left.dropFirst(shared)))
            #expect(
                (longOne < longOther) == longOne.bytes.lexicographicallyPrecedes(longOther.bytes))
        }
    }

    @Test("a value differs from each one that has another bit, also as a key of a set")
    func equality() {
        var values: Set<Bytes32> = [.zero]
        for bit in 0..<256 {
            var bytes = Bytes32.zero.bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            guard let value = Bytes32(bytes) else { continue }
            #expect(value != .zero)
            #expect(value > .zero)
            values.insert(value)
            values.insert(value)
        }
        #expect(values.count == 257)
    }
}
