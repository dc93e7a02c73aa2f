import Testing

@testable import Web

@Suite("WebSocket frames")
struct WebSocketTests {
    /// A frame as a browser sends it.
    private static func frame(
        _ kind: UInt8, _ content: [UInt8], isFinal: Bool = true, isMasked: Bool = true
    ) -> [UInt8] {
        var frame: [UInt8] = [(isFinal ? 0x80 : 0) | kind]
        let mask: UInt8 = isMasked ? 0x80 : 0
        switch content.count {
        case ..<126: frame.append(mask | UInt8(content.count))
        case ..<65_536:
            frame += [mask | 126, UInt8(content.count >> 8), UInt8(content.count & 255)]
        default: frame += [mask | 127] + (0..<8).map { UInt8(content.count >> (56 - 8 * $0) & 255) }
        }
        guard isMasked else { return frame + content }
        let key: [UInt8] = [1, 2, 3, 4]
        return frame + key + content.enumerated().map { $0.element ^ key[$0.offset % 4] }
    }

    private static func messages(
        _ bytes: [UInt8], step: Int
    ) throws(WebSocketError) -> [WebSocketReader.Message] {
        var reader = WebSocketReader(limit: 70_000)
        var found: [WebSocketReader.Message] = []
        for start in stride(from: 0, to: bytes.count, by: step) {
            reader.append(bytes[start..<min(start + step, bytes.count)])
            while let message = try reader.next() { found.append(message) }
        }
        return found
    }

    @Test("messages come whole, however the bytes arrive", arguments: [1, 2, 7, 100_000])
    func whole(step: Int) throws {
        let long = (0..<70_000).map { UInt8(truncatingIfNeeded: $0) }
        let bytes =
            Self.frame(1, Array("one".utf8)) + Self.frame(1, [], isFinal: false)
            + Self.frame(9, [7]) + Self.frame(0, Array("tw".utf8), isFinal: false)
            + Self.frame(10, []) + Self.frame(0, Array("o".utf8)) + Self.frame(1, long)
            + Self.frame(1, Array(long[..<300])) + Self.frame(8, [3, 232])
        #expect(
            try Self.messages(bytes, step: step) == [
                .text(Array("one".utf8)), .ping([7]), .text(Array("two".utf8)), .text(long),
                .text(Array(long[..<300])), .close,
            ])
    }

    @Test("what is no WebSocket ends the connection")
    func violations() {
        let cases: [([UInt8], WebSocketError)] = [
            (Self.frame(1, [1], isMasked: false), .protocolViolation),
            ([0xC1, 0x81, 0, 0, 0, 0, 0], .protocolViolation),
            (Self.frame(0, [1]), .protocolViolation),
            (Self.frame(1, [1], isFinal: false) + Self.frame(1, [1]), .protocolViolation),
            (Self.frame(9, [1], isFinal: false), .protocolViolation),
            (Self.frame(9, [UInt8](repeating: 1, count: 126)), .protocolViolation),
            (Self.frame(3, []), .protocolViolation), (Self.frame(2, [1]), .notText),
            ([0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0], .tooLarge),
            (
                Self.frame(1, [UInt8](repeating: 1, count: 60_000), isFinal: false)
                    + Self.frame(0, [UInt8](repeating: 1, count: 20_000)), .tooLarge
            ),
        ]
        for (bytes, error) in cases {
            #expect(throws: error) { try Self.messages(bytes, step: 100_000) }
        }
    }

    @Test("a frame that is too long is refused before its content has come")
    func early() {
        var reader = WebSocketReader(limit: 100)
        reader.append([0x81, 0xFE, 0x7F, 0xFF, 0, 0, 0, 0])
        #expect(throws: WebSocketError.tooLarge) { try reader.next() }
    }

    @Test("a server's frames have the shortest length, and no mask")
    func frames() {
        #expect(WebSocketFrame.text(Array("hi".utf8)) == [0x81, 2, 0x68, 0x69])
        #expect(
            WebSocketFrame.text([UInt8](repeating: 0, count: 126)).prefix(4) == [0x81, 126, 0, 126])
        #expect(
            WebSocketFrame.text([UInt8](repeating: 0, count: 65_536)).prefix(10)
                == [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0])
        #expect(WebSocketFrame.close(1_009) == [0x88, 2, 3, 0xF1])
    }

    @Test("SHA-1 is that of FIPS 180")
    func checksum() {
        let hex = { (bytes: [UInt8]) in
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        #expect(hex(SHA1.hash([])) == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
        #expect(hex(SHA1.hash(Array("abc".utf8))) == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(
            hex(SHA1.hash([UInt8](repeating: 0x61, count: 1_000)))
                == "291e9a6c66994949b57ba5e650361e98fc36b1ba")
    }

    @Test("pictures are known by their first bytes, and only by them")
    func pictures() {
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0]
        #expect(PictureKind(beginning: png) == .png)
        #expect(PictureKind(beginning: [0xFF, 0xD8, 0xFF, 0xE0]) == .jpeg)
        #expect(PictureKind(beginning: Array("GIF89a".utf8)) == .gif)
        #expect(PictureKind(beginning: Array("RIFF1234WEBP".utf8)) == .webp)
        for text in [
            "<svg xmlns=", "<html><script>", "RIFF1234WAVE", "GIF90a", " \u{89}PNG", "", "%PDF-1.7",
            "BM",
        ] {
            #expect(PictureKind(beginning: Array(text.utf8)) == nil, "\(text)")
        }
        #expect(PictureKind(beginning: Array(png.dropLast(5))) == nil)
    }
}
