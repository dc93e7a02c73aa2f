import ControlAPI
import Glibc
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("files") struct FileTests {
        private static func newest(of node: Node, in place: String) throws -> String {
            let messages = try node.call("history", ["to": .string(place)])["messages"]?.arrayValue
            let file = messages?.last { $0["kind"] == "file" }
            guard let id = file?["id"]?.stringValue else { throw Broken("there is no file") }
            return id
        }

        private static func files(of node: Node) -> [String] {
            TestFiles.names(in: node.dataDirectory + "/files")
        }

        @Test("come whole, also from others once their author has left, and go with their message")
        func office() throws {
            let scratch = try Scratch()
            let (ada, ben, cleo) = try Node.three(in: "agora", scratch)
            let source = scratch.path + "/holiday.bin"
            let bytes = try TestFiles.make(source, bytes: 5_000_000)
            let sent = try ada.stoa("send", "agora", "--file", source, "look")
            #expect(sent.hasPrefix("sent"))
            for node in [ben, cleo] {
                try node.await("it has come") { node in
                    try node.stoa("history", "agora").contains("[holiday.bin, 5 MB: stoa fetch")
                }
            }
            let id = try Self.newest(of: ben, in: "agora")
            // On demand: nothing of it is on the others' disks before.
            #expect(Self.files(of: ben).isEmpty)
            let saved = scratch.path + "/saved"
            #expect(try ben.stoa("fetch", id, "-o", saved).hasPrefix("saved"))
            #expect(TestFiles.read(saved) == bytes)
            #expect(try ben.stoa("fetch", id, "-o", saved, expecting: 65).isEmpty)
            try ada.stop()
            let second = scratch.path + "/second"
            _ = try cleo.stoa("fetch", String(id.prefix(12)), "-o", second)
            #expect(TestFiles.read(second) == bytes)
            #expect(try cleo.stoa("transfers").contains("100% of 5 MB"))
            try ada.start()
            _ = try ada.stoa("delete", id)
            for node in [ada, ben, cleo] {
                try node.await("it is in no file") { Self.files(of: $0).isEmpty }
            }
            #expect(try ben.stoa("fetch", id, "-o", scratch.path + "/third", expecting: 77).isEmpty)
            for node in [ada, ben, cleo] {
                try node.stop()
                #expect(try node.stoad("--check").exit == .code(0))
            }
        }

        @Test("are told of with their message, from the first word to the last")
        func followed() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "agora", scratch)
            try ben.await("Ada's name has come") { node in
                try node.list("peers").contains { $0["name"] == "Ada" }
            }
            // The small files of those who are known come by themselves.
            try ben.know("@Ada")
            let follower = try ControlConnection(path: ben.socket)
            _ = try follower.call("transfers", ["follow": true])
            let watch = Stopwatch()
            var number = 0
            // Progress is held back for a quarter of a second, and must not be told after the last word.
            while number < 5 || watch.milliseconds < 1_000 {
                number += 1
                let source = scratch.path + "/file-\(number)"
                _ = try TestFiles.make(source, bytes: 300_000 + number)
                _ = try ada.stoa("send", "agora", "--file", source)
                try follower.awaitEvent("file \(number) has come") { event, params in
                    guard event.method == "transfer", let transfer = params["transfer"] else {
                        return false
                    }
                    #expect(transfer["id"]?.stringValue?.utf8.count == 52)
                    #expect(transfer["name"] == .string("file-\(number)"))
                    return transfer["state"] == "done"
                }
            }
        }

        @Test("come whole over kills of both ends, and what has come is not fetched again")
        func kills() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "agora", scratch)
            let address = try ada.address()
            ada.add(["--listen", address])
            let source = scratch.path + "/large"
            let bytes = try TestFiles.make(source, bytes: 96 << 20)
            _ = try ada.stoa("send", "agora", "--file", source)
            try ben.await("it has come") { try $0.stoa("history", "agora").contains("[large") }
            let id = try Self.newest(of: ben, in: "agora")
            _ = try ben.call("fetch", ["id": .string(id)])
            var stored: Int64 = 0
            for kill in 0..<4 {
                let least = stored + 4 << 20
                try ben.await("some of it comes") { node in
                    let found = try node.list("transfers").first { $0["id"]?.stringValue == id }
                    stored = found?["stored"]?.integerValue ?? stored
                    return stored >= least || found?["state"] == "done"
                }
                let victim = kill % 2 == 0 ? ben : ada
                try victim.kill()
                try victim.start()
                try ben.await("what had come is there") { node in
                    let found = try node.list("transfers").first
                    if found == nil {
                        return Self.files(of: node).allSatisfy { !$0.hasSuffix(".part") }
                    }
                    // But for what the last question did not know of.
                    return (found?["stored"]?.integerValue ?? 0) >= stored
                }
            }
            let saved = scratch.path + "/saved"
            _ = try ben.stoa("fetch", id, "-o", saved)
            #expect(TestFiles.read(saved) == bytes)
        }

        @Test("are given whole to a program that takes nothing until all of it is here")
        func slow() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "agora", scratch)
            let source = scratch.path + "/lines"
            let text = (0..<1_000_000).map { "line \($0)\n" }.joined()
            try Files.writeAtomically(Array(text.utf8), to: source)
            _ = try ada.stoa("send", "agora", "--file", source)
            try ben.await("it has come") { try $0.stoa("history", "agora").contains("[lines") }
            let id = try Self.newest(of: ben, in: "agora")
            let taker = try ben.startStoa("fetch", id, "-o", "-")
            try ben.await("all of it is here") { node in
                try node.list("transfers").last?["state"] == "done"
            }
            #expect(try taker.rest() == text)
            #expect(try taker.waitForExit() == .code(0))
        }

        // Shows: told.files
        @Test("to one person are sealed, and a third node has nothing of them")
        func direct() throws {
            let scratch = try Scratch()
            let (ada, ben, cleo) = try Node.three(in: "agora", scratch)
            for node in [ada, ben] {
                try node.await("they know one another") { node in
                    try Set(node.list("peers").compactMap { $0["name"]?.stringValue }).count == 2
                }
            }
            try ada.know("@ben")
            try ben.know("@ada")
            let source = scratch.path + "/letter.txt"
            let text = Array(String(repeating: "for ben alone\n", count: 4_000).utf8)
            try Files.writeAtomically(text, to: source)
            _ = try ada.stoa("send", "@ben", "--file", source)
            // A small file of somebody who is known comes by itself.
            try ben.await("it has come") { node in
                let names = Self.files(of: node)
                return !names.isEmpty && names.allSatisfy { !$0.hasSuffix(".part") }
            }
            for node in [ada, ben] {
                let stored = TestFiles.read(
                    "\(node.dataDirectory)/files/\(Self.files(of: node)[0])")
                #expect(stored?.count == text.count)
                #expect(stored?.firstRange(of: Array("for ben".utf8)) == nil)
            }
            let id = try Self.newest(of: ben, in: "@ada")
            let saved = scratch.path + "/saved"
            _ = try ben.stoa("fetch", id, "-o", saved)
            #expect(TestFiles.read(saved) == text)
            #expect(Self.files(of: cleo).isEmpty)
            #expect(try cleo.stoa("fetch", id, expecting: 65).isEmpty)
        }
    }
}
