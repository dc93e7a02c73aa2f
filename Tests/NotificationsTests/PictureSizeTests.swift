import Notifications
import Testing

@Suite("The size of a picture") struct PictureSizeTests {
    private static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, 0x13, 0x88, 0, 0, 0, 9]
    private static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xC4, 0, 2, 0xFF, 0xC2, 0, 11, 8]
        + [0x12, 0x34, 0x56, 0x78]

    private static func webp(_ kind: String, _ rest: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP\(kind)".utf8) + [0, 0, 0, 0] + rest
    }

    private static let webps: [[UInt8]] = [
        webp("VP8X", [0, 0, 0, 0, 0x87, 0x13, 0, 8, 0, 0]),
        // 14 bits of 4999, then 14 of 8.
        webp("VP8L", [0x2F, 0x87, 0x13, 0x02, 0]),
        webp("VP8 ", [0, 0, 0, 0x9D, 1, 0x2A, 0x88, 0x13, 9, 0]),
    ]

    @Test("is read from the header of each format")
    func read() {
        for bytes in [Self.png] + Self.webps {
            let size = PictureSize(header: bytes)
            #expect(size?.width == 5_000 && size?.height == 9, "\(bytes)")
        }
        let jpeg = PictureSize(header: Self.jpeg)
        #expect(jpeg?.width == 0x5678 && jpeg?.height == 0x1234)
    }

    @Test("bounds what is shown, and what says none is not shown")
    func bound() {
        #expect(PictureSize(header: Self.png)?.isShown == true)
        #expect(PictureSize(header: Self.jpeg)?.isShown == false)
        var none = Self.png
        none[18] = 0
        none[19] = 0
        #expect(PictureSize(header: none)?.isShown == false)
        none.replaceSubrange(16..<24, with: [UInt8](repeating: 0xFF, count: 8))
        #expect(PictureSize(header: none)?.isShown == false)
        for bytes in [Self.png, Self.jpeg] + Self.webps {
            for count in 0..<bytes.count {
                #expect(PictureSize(header: Array(bytes.prefix(count))) == nil)
            }
        }
        #expect(PictureSize(header: Array("GIF89a".utf8)) == nil)
    }
}
