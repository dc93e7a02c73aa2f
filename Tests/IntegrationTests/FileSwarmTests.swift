import ControlAPI
import Glibc
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("a file from several, some killed and one with a damaged copy") struct FileSwarmTests {
        /// What a process has written so far: files and sockets.
        private static func written(by node: Node) throws -> UInt64 {
            let text = String(
                decoding: TestFiles.read("/proc/\(try node.processID())/io") ?? [], as: UTF8.self)
            let line = text.split(separator: "\n").first { $0.hasPrefix("wchar: ") }
            guard let count = line.flatMap({ UInt64($0.dropFirst(7)) }) else {
                throw Broken("/proc/PID/io: \(text)")
            }
            return count
        }

        private static func stored(_ id: String, at node: Node) throws -> Int64 {
            let found = try node.list("transfers").first { $0["id"]?.stringValue == id }
            return found?["stored"]?.integerValue ?? 0
        }

        private static func isWhole(at node: Node) -> Bool {
            let names = TestFiles.names(in: node.dataDirectory + "/files")
            return !names.isEmpty && names.allSatisfy { !$0.hasSuffix(".part") }
        }

        private static func newest(of node: Node) throws -> String {
            try node.await("the message") { try $0.stoa("history", "agora").contains("[large") }
            let messages = try node.call("history", ["to": "agora"])["messages"]?.arrayValue
            let file = messages?.last { $0["kind"] == "file" }
            guard let id = file?["id"]?.stringValue else { throw Broken("there is no file") }
            return id
        }

        /// Kills a node once so much more of a file has come to another one; gives what that one wrote in
        /// its life, where it is over.
        private static func kill(
            _ victim: Node, while ben: Node, fetches id: String, after bytes: Int64
        ) throws -> UInt64 {
            let least = try Self.stored(id, at: ben) + bytes
            let patience = Stopwatch()
            while try Self.stored(id, at: ben) < least, !Self.isWhole(at: ben),
                patience.milliseconds < 3_000
            {}
            var written: UInt64 = 0
            if victim === ben {
                // Nothing is written between the count and the end.
                Glibc.kill(try ben.processID(), SIGSTOP)
                written = try Self.written(by: ben)
            }
            try victim.kill()
            try victim.start()
            return written
        }

        @Test(
            "is whole after kills of either end, and nothing is fetched twice but what was under way"
        )
        func kills() throws {
            let megabytes = Surroundings.number("FILE_MEGABYTES", long: 1_024, short: 48)
            let kills = Surroundings.number("FILE_KILLS", long: 20, short: 6)
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "agora", scratch)
            ada.add(["--listen", try ada.address()])
            let source = scratch.path + "/large"
            let bytes = try TestFiles.make(source, bytes: megabytes << 20)
            _ = try ada.stoa("send", "agora", "--file", source)
            let id = try Self.newest(of: ben)
            _ = try ben.call("fetch", ["id": .string(id)])
            var random = SeededRandom(seed: 4_711)
            var (written, killed): (UInt64, Int) = (0, 0)
            for kill in 0..<kills where !Self.isWhole(at: ben) {
                let more = Int64(random.next() % UInt64(2 * bytes.count / (kills + 1)))
                written += try Self.kill(
                    kill % 2 == 0 ? ben : ada, while: ben, fetches: id, after: more)
                killed += 1
            }
            let saved = scratch.path + "/saved"
            let child = try ben.startStoa("fetch", id, "-o", saved)
            #expect(
                try child.waitForExit(Deadline(afterMilliseconds: 1_200_000)) == .code(0))
            written += try Self.written(by: ben)
            #expect(TestFiles.read(saved) == bytes)
            // What the client was given was written once more; the rest is the store's and questions.
            let more = Int64(written) - 2 * Int64(bytes.count)
            print(
                "MEASURED \(megabytes) MiB over \(killed) kills: \(more) bytes written beside the "
                    + "file and its delivery")
            #expect(killed > 0)
            // Four parts are under way on a link.
            #expect(more < Int64(killed + 1) * (4 * 262_144 + 2 << 20))
        }

        @Test("is whole though one has half of it, the copy of one is damaged, and ends are killed")
        func damaged() throws {
            let megabytes = Surroundings.number("FILE_MEGABYTES", long: 1_024, short: 32)
            let kills = Surroundings.number("FILE_KILLS", long: 20, short: 4)
            let scratch = try Scratch()
            let (ada, ben, cleo) = try Node.three(in: "agora", scratch)
            for node in [ada, ben, cleo] { node.add(["--listen", try node.address()]) }
            let source = scratch.path + "/large"
            let bytes = try TestFiles.make(source, bytes: megabytes << 20)
            _ = try ada.stoa("send", "agora", "--file", source)
            // Cleo has all of it, and each chunk is wrong from here on.
            let id = try Self.newest(of: cleo)
            _ = try cleo.stoa("fetch", id, "-o", scratch.path + "/cleo")
            let folder = cleo.dataDirectory + "/files"
            let name = try #require(
                TestFiles.names(in: folder).first { !$0.hasSuffix(".tree") })
            let wrong = try RandomAccessFile(writing: "\(folder)/\(name)")
            for chunk in 0..<(bytes.count / 262_144) {
                let place = UInt64(chunk) * 262_144 + 1_000
                try wrong.write([bytes[Int(place)] ^ 0xFF], at: place)
            }
            // Ben has half of it.
            try cleo.stop()
            _ = try ben.call("fetch", ["id": .string(try Self.newest(of: ben))])
            try ben.await("half of it") { node in
                try Self.stored(id, at: node) >= Int64(bytes.count / 2) || Self.isWhole(at: node)
            }
            try ben.kill()
            try cleo.start()
            let eve = try Node.onLoopback(
                "Eve", in: scratch,
                peers: [try ada.address(), try cleo.address()])
            try eve.start()
            try eve.join("agora")
            _ = try Self.newest(of: eve)
            try ben.start()
            _ = try eve.call("connect", ["address": .string(try ben.address())])
            // Or all has come from the others before she is asked.
            try eve.await("linked to Cleo, too") { try $0.isLinked(to: ada, ben, cleo) }
            _ = try eve.call("fetch", ["id": .string(id)])
            var random = SeededRandom(seed: 815)
            for kill in 0..<kills where !Self.isWhole(at: eve) {
                let more = Int64(random.next() % UInt64(2 * bytes.count / (kills + 1)))
                _ = try Self.kill(
                    [eve, ada, ben][kill % 3], while: eve, fetches: id, after: more)
            }
            for node in [eve, ben] {
                let saved = "\(scratch.path)/saved-\(node === eve)"
                let child = try node.startStoa("fetch", id, "-o", saved)
                #expect(
                    try child.waitForExit(Deadline(afterMilliseconds: 1_200_000)) == .code(0))
                #expect(TestFiles.read(saved) == bytes)
            }
            // Who finds her copy damaged gives none of it.
            let accusations = (eve.log + ben.log).split(separator: "\n").filter {
                $0.contains("sent data that is not part of file")
            }
            #expect(accusations.isEmpty)
        }
    }
}
