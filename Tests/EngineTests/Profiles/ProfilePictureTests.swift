import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("The picture that a profile names") struct ProfilePictureTests {
    private static let blob = BlobID(size: 7, root: .zero)

    @Test("is one of three kinds by its first bytes, and nothing else")
    func types() {
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D]
        let webp = Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WEBPVP8 ".utf8)
        #expect(PictureType(beginning: png) == .png)
        #expect(PictureType(beginning: [0xFF, 0xD8, 0xFF, 0xE0]) == .jpeg)
        #expect(PictureType(beginning: webp) == .webp)
        for bytes in [
            [], Array("GIF89a......".utf8), Array("<svg xmlns=\"\"".utf8), Array(png.prefix(7)),
            Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WAVE".utf8), Array(webp.prefix(11)),
            Array("#!/bin/sh\n".utf8) + png,
        ] {
            #expect(PictureType(beginning: bytes) == nil)
        }
    }

    @Test(
        "has one to 262,144 bytes; any other size makes a profile that nobody takes",
        arguments: [1, 127, 262_144])
    func sizes(size: UInt64) throws {
        let picture = try #require(ProfilePicture(blob: Self.blob, size: size))
        let profile = Profile(name: "Ada", status: "", picture: picture)
        #expect(try Profile(decoding: profile.encoded) == profile)
        #expect(picture.layout.chunkCount == 1)
        #expect(ProfilePicture(blob: Self.blob, size: 0) == nil)
        #expect(ProfilePicture(blob: Self.blob, size: 262_145) == nil)
    }

    @Test("that cannot be read makes the whole profile one that nobody takes")
    func malformed() {
        func field(_ size: [UInt8]) -> [UInt8] {
            var writer = WireWriter()
            writer.field(1, text: "Ada")
            writer.field(6, Self.blob.hash.bytes + size)
            return writer.bytes
        }
        #expect(throws: Never.self) { try Profile(decoding: field([7])) }
        for size in [[], [0], [0x87, 0x00], [7, 0], [0x81, 0x80, 0x10]] as [[UInt8]] {
            #expect(throws: WireError.self) { try Profile(decoding: field(size)) }
        }
    }
}
