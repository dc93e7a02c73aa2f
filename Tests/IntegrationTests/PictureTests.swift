import ControlAPI
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("pictures of people") struct PictureTests {
        private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

        /// A picture by its first bytes, with something else behind them.
        private static func make(_ path: String, _ first: [UInt8], bytes count: Int) throws
            -> [UInt8]
        {
            let bytes = first + (first.count..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try Files.writeAtomically(bytes, to: path)
            return bytes
        }

        private static func files(of node: Node) -> [String] {
            TestFiles.names(in: node.dataDirectory + "/files")
        }

        private static func picture(of person: String, at node: Node) throws -> JSON? {
            try node.call("whois", ["person": .string(person)])["picture"]
        }

        @Test(
            "come from others once their owner has left, go when replaced, and strangers see none")
        func away() throws {
            let scratch = try Scratch()
            let (ada, ben, cleo) = try Node.three(in: "agora", scratch)
            let address = try ada.address()
            ada.add(["--listen", address])
            // Shares no room with her.
            let dora = try Node.onLoopback(
                "Dora", in: scratch, peers: [address, try ben.address()])
            try dora.start()
            try dora.join("elsewhere")
            _ = try ada.send("here I am", to: "agora")
            for node in [ben, cleo] {
                try node.awaitNewest("here I am", in: "agora")
                try node.await("her name") { node in
                    try node.list("peers").contains { $0["name"] == "Ada" }
                }
                try node.know("@ada")
            }
            try cleo.stop()

            let path = scratch.path + "/ada.png"
            let bytes = try Self.make(path, Self.png, bytes: 200_000)
            #expect(try ada.stoa("profile", "--picture", path).contains("200 kB, png"))
            try ben.await("it has come") { try Self.picture(of: "@ada", at: $0)?["type"] == "png" }
            let key = try ada.identity()
            try ada.stop()
            try cleo.start()
            try cleo.await("it has come from Ben") {
                try Self.picture(of: "@ada", at: $0)?["type"] == "png"
            }
            let saved = scratch.path + "/saved.png"
            #expect(try cleo.stoa("picture", "@ada", "-o", saved).hasPrefix("saved"))
            #expect(TestFiles.read(saved) == bytes)
            // A file that is there is not overwritten.
            #expect(try cleo.stoa("picture", "@ada", "-o", saved, expecting: 65).isEmpty)
            try dora.await("a link") { try $0.linked().count == 1 }
            #expect(try dora.stoa("picture", "@\(key)", expecting: 65).isEmpty)
            #expect(Self.files(of: dora).isEmpty)

            try ada.start()
            let second = scratch.path + "/ada.webp"
            let riff = Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WEBP".utf8)
            _ = try Self.make(second, riff, bytes: 262_144)
            _ = try ada.stoa("profile", "--picture", second)
            for node in [ada, ben, cleo] {
                try node.await("the new one alone is there", .fiveTimes(12_000)) { node in
                    try Self.picture(of: "@\(key)", at: node)?["type"] == "webp"
                        && Self.files(of: node).count { !$0.hasSuffix(".tree") } == 1
                }
            }
            _ = try ada.stoa("profile", "--picture", "none")
            for node in [ada, ben, cleo] {
                try node.await("none is there") { node in
                    try Self.picture(of: "@\(key)", at: node) == nil && Self.files(of: node).isEmpty
                }
            }
        }

        @Test("are refused by what they are not, and the file is named")
        func refused() throws {
            let scratch = try Scratch()
            let ada = try Node.onLoopback("Ada", in: scratch)
            try ada.start()
            let (gif, large) = (scratch.path + "/ada.gif", scratch.path + "/large.png")
            _ = try Self.make(gif, Array("GIF89a".utf8), bytes: 3_000)
            _ = try Self.make(large, Self.png, bytes: 262_145)
            for path in [gif, large] {
                let child = try ada.startStoa("profile", "--picture", path)
                _ = try child.rest()
                #expect(try child.waitForExit() == .code(65))
                #expect(ada.log.contains("profile: \(path): "))
            }
            #expect(ada.log.contains("give a PNG, JPEG or WebP of at most 256 KiB"))
            #expect(try ada.stoa("profile", "--picture", "/nowhere", expecting: 65).isEmpty)
            #expect(try ada.stoa("picture", expecting: 65).isEmpty)
            #expect(Self.files(of: ada).isEmpty)
        }
    }
}
