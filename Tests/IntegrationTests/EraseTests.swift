import ControlAPI
import Testing

extension IntegrationTests {
    @Suite("a message that is taken back") struct EraseTests {
        // Shows: shown.deleted
        @Test("goes from the disks of all, also of who was away and of who was killed meanwhile")
        func erased() throws {
            let scratch = try Scratch()
            let (ada, ben, cleo) = try Node.three(in: "agora", scratch)
            let (slip, kept) = ("zyxw-slip-of-the-hand", "zyxw-to-be-kept")
            _ = try ada.stoa("send", "agora", slip, "--wait", "delivered", "--members", "2")
            _ = try ada.stoa("send", "agora", kept)
            for node in [ben, cleo] {
                try node.await("both have come") { try $0.texts(in: "agora") == [slip, kept] }
            }
            try cleo.stop()
            #expect(try cleo.hasOnDisk(slip))
            let line = try #require(
                try ada.stoa("history", "agora", "--ids").split(separator: "\n").first {
                    $0.contains(slip)
                })
            let id = try #require(line.split(separator: " ").dropFirst(2).first.map(String.init))
            #expect(try ada.stoa("delete", id).contains("deleted from agora"))
            try ben.await("it is taken back") { try $0.texts(in: "agora") == [kept] }
            // Its write-ahead log has the text still; the next start takes it out.
            try ben.kill()
            try ben.start()
            for node in [ada, ben] {
                try node.await("it is on no disk") { try !$0.hasOnDisk(slip) }
                #expect(try node.hasOnDisk(kept))
            }
            try cleo.start()
            try cleo.await("it is taken back there") { try $0.texts(in: "agora") == [kept] }
            try cleo.await("it is on no disk") { try !$0.hasOnDisk(slip) }
            #expect(try ben.stoa("delete", id, expecting: 77).isEmpty)
            #expect(try Set([ada, ben, cleo].map { try $0.stoa("history", "agora") }).count == 1)
            for node in [ada, ben, cleo] { try node.stop() }
            for node in [ada, ben, cleo] {
                #expect(try !node.hasOnDisk(slip) && node.hasOnDisk(kept))
                #expect(try node.stoad("--check").exit == .code(0))
            }
        }
    }
}
