import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Fields of the wire")
struct WireReaderTests {
    @Test("every length of a varint is read back and counted right")
    func varints() throws {
        for bits in 0...63 {
            for value in [UInt64(1) << UInt64(bits), (UInt64(1) << UInt64(bits)) - 1] {
                var writer = WireWriter()
                writer.varint(value)
                #expect(writer.bytes.count == WireWriter.varintBytes(value), "\(value)")
                var reader = WireReader(writer.bytes)
                #expect(try reader.varint("n") == value)
                #expect(reader.remaining == 0)
            }
        }
        #expect(WireWriter.varintBytes(.max) == 10)
    }

    @Test(
        "a varint that is too long, too large or cut is refused",
        arguments: [
            [0x80, 0x00], [0xff, 0x80, 0x00],
            [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02],
            [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
            [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x81],
        ] as [[UInt8]])
    func badVarints(bytes: [UInt8]) {
        var reader = WireReader(bytes)
        #expect(throws: WireError.varint(field: "n")) { try reader.varint("n") }
        #expect(reader.position == 0)
    }

    @Test("a read that fails leaves the position where it was")
    func position() {
        // The length promises more than there is.
        var reader = WireReader([0x05, 0x61, 0x62])
        #expect(throws: WireError.truncated(field: "f")) { try reader.sized("f", limit: 9) }
        #expect(throws: WireError.truncated(field: "f")) { try reader.nested("f", limit: 9) }
        #expect(throws: WireError.truncated(field: "f")) { try reader.text("f", limit: 9) }
        #expect(throws: WireError.truncated(field: "f")) { try reader.u64("f") }
        #expect(throws: WireError.truncated(field: "f")) { try reader.raw("f", count: 4) }
        #expect(throws: WireError.truncated(field: "f")) { try reader.bytes32("f") }
        #expect(throws: WireError.truncated(field: "f")) { try reader.bytes64("f") }
        #expect(throws: WireError.limit(field: "f", limit: 4, got: 5)) {
            try reader.count("f", limit: 4)
        }
        #expect(throws: WireError.limit(field: "f", limit: 4, got: 5)) {
            try reader.sized("f", limit: 4)
        }
        #expect(reader.position == 0)
        var text = WireReader([0x02, 0xc3, 0x28])
        #expect(throws: WireError.text(field: "f")) { try text.text("f", limit: 9) }
        #expect(text.position == 0)
        var empty = WireReader([])
        #expect(throws: WireError.truncated(field: "f")) { try empty.byte("f") }
        #expect(throws: WireError.truncated(field: "f")) { try empty.u16("f") }
        #expect(throws: WireError.truncated(field: "f")) { try empty.varint("f") }
    }

    // Shows: daemon.decoders
    @Test("a length of 2^64 − 1 is over its limit, not fatal")
    func hugeLength() {
        let bytes: [UInt8] = [UInt8](repeating: 0xff, count: 9) + [0x01]
        var reader = WireReader(bytes)
        #expect(throws: WireError.limit(field: "f", limit: .max, got: .max)) {
            try reader.sized("f", limit: .max)
        }
    }

    @Test("fields are read in the order in which they were written")
    func fields() throws {
        var random = SeededRandom(seed: 1)
        let (small, large) = (random.bytes32(), random.bytes(64))
        var writer = WireWriter()
        writer.byte(7)
        writer.u16(0xabcd)
        writer.u64(0x0102_0304_0506_0708)
        writer.varint(300)
        writer.raw(small)
        writer.raw(large)
        writer.sized([1, 2, 3])
        writer.sized([9, 8])
        writer.text("\u{e9}")
        #expect(
            Array(writer.bytes.prefix(13)) == [
                7, 0xab, 0xcd, 1, 2, 3, 4, 5, 6, 7, 8, 0xac, 0x02,
            ])
        var reader = WireReader(writer.bytes)
        #expect(try reader.byte("a") == 7)
        #expect(try reader.u16("b") == 0xabcd)
        #expect(try reader.u64("c") == 0x0102_0304_0506_0708)
        #expect(try reader.count("d", limit: 300) == 300)
        #expect(try reader.bytes32("e") == small)
        #expect(try reader.bytes64("f") == Bytes64(large))
        #expect(try reader.sized("g", limit: 3) == [1, 2, 3])
        var inner = try reader.nested("h", limit: 2)
        #expect(try inner.raw("i", count: 2) == [9, 8])
        #expect(throws: WireError.truncated(field: "j")) { try inner.byte("j") }
        #expect(throws: WireError.trailing(field: "k", count: 3)) { try reader.finish("k") }
        #expect(try reader.text("l", limit: 2) == "\u{e9}")
        try reader.finish("m")
    }

    @Test("an error names its field")
    func descriptions() {
        let errors: [(WireError, String)] = [
            (.truncated(field: "run"), "run is cut short"),
            (.trailing(field: "run", count: 2), "2 extra bytes follow run"),
            (.varint(field: "seq"), "seq is not a shortest varint"),
            (.value(field: "form"), "form has a value that is not allowed"),
            (.limit(field: "deps", limit: 16, got: 17), "deps is 17, the limit is 16"),
            (.order(field: "deps"), "deps is not in ascending order without repeats"),
            (.text(field: "name"), "name is not UTF-8"),
            (.frameType(0x7f), "frame type 127 is unknown and must be understood"),
        ]
        for (error, text) in errors { #expect("\(error)" == text) }
    }
}
