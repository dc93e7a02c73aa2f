import ControlAPI
import TestSupport
import Testing

@Suite("Line codec")
struct LineCodecTests {
    private static func lines(_ codec: inout LineCodec) throws -> [String] {
        var lines: [String] = []
        while let line = try codec.nextLine() {
            lines.append(String(decoding: line, as: UTF8.self))
        }
        return lines
    }

    @Test("lines are the same whole, byte by byte, glued and cut at random")
    func cuts() throws {
        let expected = ["one", "", "three\r", "\u{E9}\0x", String(repeating: "y", count: 5_000)]
        let bytes = Array((expected.joined(separator: "\n") + "\n").utf8)

        var whole = LineCodec()
        whole.append(bytes)
        #expect(try Self.lines(&whole) == expected)
        #expect(!whole.hasPartialLine)

        var single = LineCodec()
        var found: [String] = []
        for byte in bytes {
            single.append([byte])
            found += try Self.lines(&single)
        }
        #expect(found == expected)

        for seed in UInt64(0)..<50 {
            var random = SeededRandom(seed: seed)
            var codec = LineCodec()
            var found: [String] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = min(rest.count, Int.random(in: 0...900, using: &random))
                codec.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
                // Not always drained at once.
                if Bool.random(using: &random) { found += try Self.lines(&codec) }
            }
            found += try Self.lines(&codec)
            #expect(found == expected)
        }
    }

    @Test("a line without its newline is not given out, and is told of")
    func partial() throws {
        var codec = LineCodec()
        #expect(!codec.hasPartialLine)
        codec.append(Array("abc".utf8))
        #expect(try codec.nextLine() == nil)
        #expect(codec.hasPartialLine)
        codec.append(Array("\nd".utf8))
        #expect(try codec.nextLine() == Array("abc".utf8))
        #expect(try codec.nextLine() == nil)
        #expect(codec.hasPartialLine)
    }

    @Test("a line of the limit passes, one more byte ends the codec after the lines before it")
    func limit() throws {
        var codec = LineCodec(limit: 4)
        codec.append(Array("1234\nab\n12345\nlater\n".utf8))
        #expect(try codec.nextLine() == Array("1234".utf8))
        #expect(try codec.nextLine() == Array("ab".utf8))
        for _ in 0..<2 {
            #expect(throws: LineError.lineTooLong(limit: 4)) { try codec.nextLine() }
            codec.append(Array("x\n".utf8))
        }
    }

    @Test("the limit holds byte by byte, before the newline comes")
    func limitByByte() throws {
        var codec = LineCodec(limit: 4)
        for byte in "1234".utf8 {
            codec.append([byte])
            #expect(try codec.nextLine() == nil)
        }
        codec.append(Array("5".utf8))
        #expect(throws: LineError.lineTooLong(limit: 4)) { try codec.nextLine() }
    }

    @Test("ten mebibytes without a newline are refused and not kept")
    func hugeLine() {
        var codec = LineCodec()
        let chunk = [UInt8](repeating: UInt8(ascii: "a"), count: 65_536)
        for _ in 0..<160 { codec.append(chunk) }
        #expect(throws: LineError.lineTooLong(limit: ControlLimits.lineBytes)) {
            try codec.nextLine()
        }
        #expect(!codec.hasPartialLine)
    }

    @Test("a mebibyte one byte at a time takes linear time")
    func linear() throws {
        var codec = LineCodec()
        var count = 0
        for index in 0..<(1 << 20) {
            codec.append([index % 64 == 63 ? 0x0A : 0x61])
            if try codec.nextLine() != nil { count += 1 }
        }
        #expect(count == 1 << 14)
    }

    @Test("a limit of zero traps")
    func zeroLimit() async {
        await #expect(processExitsWith: .failure) { _ = LineCodec(limit: 0) }
    }
}
