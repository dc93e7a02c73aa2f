import ControlAPI
import Glibc
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    /// The rows of the table in `Docs/Testing/Files.md`.
    @Suite("what becomes of a file when something is wrong") struct FileTableTests {
        private static func files(of node: Node) -> [String] {
            TestFiles.names(in: node.dataDirectory + "/files")
        }

        /// A file of zeros with its last bytes written, which takes next to nothing of the disk.
        private static func sparse(_ path: String, bytes: UInt64) throws {
            try Files.remove(path)
            let file = try RandomAccessFile(writing: path)
            try file.setSize(bytes)
            if bytes >= 8 { try file.write([1, 2, 3, 4, 5, 6, 7, 8], at: bytes - 8) }
        }

        /// Runs `stoa` and gives how it ended, and what it said on standard error.
        private static func run(
            _ node: Node, _ arguments: String..., prefix: [String] = []
        ) throws -> (exit: ChildProcess.Exit, said: String) {
            let errors = "\(node.dataDirectory)-said"
            try Files.remove(errors)
            let child = try ChildProcess(
                prefix + ["\(Surroundings.programs())/stoa", "--socket", node.socket] + arguments,
                environment: node.environment, errors: errors)
            _ = try child.rest()
            let exit = try child.waitForExit()
            return (exit, String(decoding: TestFiles.read(errors) ?? [], as: UTF8.self))
        }

        /// How the last transfer has ended, as its event says it.
        private static func ended(_ node: Node) throws -> String {
            let last = try node.list("transfers").last
            return "\(last?["state"]?.stringValue ?? "") \(last?["reason"]?.stringValue ?? "")"
        }

        /// Waits until the last transfer has ended like that: a client may have all of it a little before.
        private static func awaitEnd(_ node: Node, _ end: String) throws {
            try node.await("it has ended") { try Self.ended($0) == end }
        }

        /// Sends a file from one node and gives the message's id at the other.
        private static func sent(_ path: String, from ada: Node, to ben: Node) throws -> String {
            let said = try ada.stoa("--json", "send", "agora", "--file", path)
            let line = Array((said.split(separator: "\n").last ?? "").utf8)
            let id = try #require(JSON(parsing: line)["id"]?.stringValue)
            try ben.await("the message") { node in
                try node.history(of: "agora").contains { $0["id"]?.stringValue == id }
            }
            return id
        }

        /// The id of the message that tells of a file, once it is there.
        private static func message(of path: String, at ben: Node) throws -> String {
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            var id = ""
            try ben.await("the message") { node in
                let all = try node.call("history", ["to": "agora"])["messages"]?.arrayValue ?? []
                id = all.last { $0["file"]?["name"]?.stringValue == name }?["id"]?.stringValue ?? ""
                return !id.isEmpty
            }
            return id
        }

        /// Messages go on, both ways.
        private static func expectTalk(_ ada: Node, _ ben: Node) throws {
            for (from, to) in [(ada, ben), (ben, ada)] {
                let text = "still here \(UInt64.random(in: 0...(.max)))"
                try from.send(text, to: "agora")
                try to.awaitNewest(text, in: "agora")
            }
        }

        @Test("files may take no more: 77, fileQuota, nothing is left, at either end")
        func quota() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "agora", scratch)
            let path = scratch.path + "/large"
            try Self.sparse(path, bytes: 2 << 20)
            try ben.stop()
            ben.add(["--file-limit", "1M"])
            try ben.start()
            let refused = try Self.run(ben, "send", "agora", "--file", path)
            #expect(refused.exit == .code(77) && refused.said.contains("raise FileLimit"))
            #expect(Self.files(of: ben).isEmpty)
            let id = try Self.sent(path, from: ada, to: ben)
            let output = scratch.path + "/saved"
            let fetched = try Self.run(ben, "fetch", id, "-o", output)
            #expect(fetched.exit == .code(77) && fetched.said.contains("raise FileLimit"))
            #expect(try Self.ended(ben) == "failed fileQuota")
            #expect(Self.files(of: ben).isEmpty && !Files.exists(output))
            try Self.expectTalk(ada, ben)
        }

        @Test("a pipe is read no further than files may take: 77, and nothing is left")
        func pipe() throws {
            let scratch = try Scratch()
            let ada = try Node.onLoopback("Ada", in: scratch)
            ada.add(["--file-limit", "1M"])
            try ada.start()
            try ada.join("agora")
            let stoa = "\(try Surroundings.programs())/stoa --socket \(ada.socket)"
            // Endless: it ends because nobody reads it any longer.
            let said = try ChildProcess.run(
                ["sh", "-c", "yes | \(stoa) send agora --file - --name endless 2>&1"],
                environment: ada.environment, expecting: 77)
            #expect(said.contains("raise FileLimit"))
            _ = try ChildProcess.run(
                ["sh", "-c", "yes | head -c 1048576 | \(stoa) send agora --file - --name fits"],
                environment: ada.environment)
        }

        @Test("what does not say how large it is, is sent to its end")
        func withoutSize() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "agora", scratch)
            let id = try Self.sent("/proc/version", from: ada, to: ben)
            let output = scratch.path + "/saved"
            _ = try ben.stoa("fetch", id, "-o", output)
            #expect(TestFiles.read(output) == TestFiles.read("/proc/version"))
            #expect(TestFiles.read(output)?.isEmpty == false)
        }

        @Test(
            "the disk is full: 74, diskFull, nothing is left but what had come, which is gone on with",
            Surroundings.labs)
        func disk() throws {
            let scratch = try Scratch()
            let disk = try SmallDisk(megabytes: 24, in: scratch)
            let ada = try Node.onLoopback("Ada", in: scratch)
            try ada.start()
            let ben = try Node.onLoopback("Ben", in: scratch, peers: [try ada.address()])
            ada.add(["--listen", try ada.address()])
            ben.add(["--file-limit", "1G"])
            ben.wrap(in: disk.prefix)
            ben.useDataDirectory(disk.path + "/data")
            try ben.start()
            for node in [ada, ben] { try node.join("agora") }
            func left() throws -> [String] {
                let listed = try ChildProcess.run(disk.prefix + ["ls", disk.path + "/data/files"])
                return listed.split(separator: "\n").map(String.init)
            }
            let (large, small) = (scratch.path + "/large", scratch.path + "/small")
            try Self.sparse(large, bytes: 32 << 20)
            // Where it is sent.
            let refused = try Self.run(ben, "send", "agora", "--file", large)
            #expect(refused.exit == .code(74) && refused.said.contains("the disk is full"))
            #expect(try left().isEmpty)
            // Where it is too large from the beginning.
            let id = try Self.sent(large, from: ada, to: ben)
            let output = scratch.path + "/saved"
            #expect(try Self.run(ben, "fetch", id, "-o", output).exit == .code(74))
            #expect(try Self.ended(ben) == "failed diskFull")
            #expect(try left().isEmpty && !Files.exists(output))
            try Self.expectTalk(ada, ben)
            // Where it fills up while some has come: that stays.
            try Self.sparse(small, bytes: 12 << 20)
            let other = try Self.sent(small, from: ada, to: ben)
            try ada.stop()
            _ = try ben.call("fetch", ["id": .string(other)])
            try ben.await("a place is made for it") { _ in try left().count > 0 }
            try disk.fill()
            try ada.start()
            try Self.awaitEnd(ben, "failed diskFull")
            #expect(try left().contains { $0.hasSuffix(".part") })
            try disk.empty()
            #expect(try Self.run(ben, "fetch", other, "-o", output).exit == .code(0))
            #expect(TestFiles.read(output) == TestFiles.read(small))
            // Where a client saves it.
            let shell = try
                "exec \(Surroundings.programs())/stoa --socket \(ben.socket) fetch \(other)"
            _ = try ChildProcess.run(
                ["sh", "-c", "\(shell) -o - > /dev/full"], environment: ben.environment,
                expecting: 74)
            try disk.fill()
            let place = disk.path + "/saved"
            let saved = try Self.run(ben, "fetch", other, "-o", place, prefix: disk.prefix)
            #expect(saved.exit == .code(74))
            _ = try ChildProcess.run(disk.prefix + ["test", "!", "-e", place])
        }

        @Test("its source is gone: 75, seeking; taken back: 65, gone, nothing is left")
        func source() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "agora", scratch)
            ada.add(["--listen", try ada.address()])
            #expect(try Self.run(ada, "send", "agora", "--file", "/nowhere").exit == .code(65))
            let path = scratch.path + "/large"
            try Self.sparse(path, bytes: 384 << 20)
            let id = try Self.sent(path, from: ada, to: ben)
            try ada.stop()
            let output = scratch.path + "/saved"
            let waited = try Self.run(ben, "--timeout", "1", "fetch", id, "-o", output)
            #expect(waited.exit == .code(75) && waited.said.contains("goes on when a peer"))
            #expect(try Self.ended(ben) == "seeking " && !Files.exists(output))
            let taker = try ben.startStoa("fetch", id, "-o", output)
            try ada.start()
            try ben.await("some of it comes") { node in
                (try node.list("transfers").last?["stored"]?.integerValue ?? 0) > 0
            }
            _ = try ada.stoa("delete", id)
            #expect(try taker.waitForExit() == .code(65))
            #expect(try Self.ended(ben) == "failed gone")
            for node in [ada, ben] {
                try node.await("nothing is left") { Self.files(of: $0).isEmpty }
            }
            #expect(!Files.exists(output))
            try Self.expectTalk(ada, ben)
        }

        @Test("its conversation is left: 77, and what to do is said; joined again, it comes")
        func left() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "agora", scratch)
            let path = scratch.path + "/large"
            try Self.sparse(path, bytes: 8 << 20)
            let id = try Self.sent(path, from: ada, to: ben)
            let output = scratch.path + "/saved"
            _ = try ben.stoa("leave", "agora")
            let refused = try Self.run(ben, "fetch", id, "-o", output)
            #expect(refused.exit == .code(77) && refused.said.contains("join it: stoa join"))
            #expect(!Files.exists(output))
            _ = try ben.stoa("join", "agora")
            #expect(try Self.run(ben, "fetch", id, "-o", output).exit == .code(0))
            _ = try ben.stoa("leave", "agora")
            // What is here needs nobody.
            #expect(try Self.run(ben, "fetch", id, "-o", output + "2").exit == .code(0))
            _ = try ben.stoa("join", "agora")
            try Self.expectTalk(ada, ben)
        }

        @Test("permission is denied: 74, what could not be done is named, nothing is left")
        func permission() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "agora", scratch)
            // Root without its powers.
            let bare = Surroundings.isRoot ? ["setpriv", "--bounding-set=-all"] : []
            let (path, folder) = (scratch.path + "/letter", try scratch.folder("closed"))
            try Self.sparse(path, bytes: 10_000)
            let id = try Self.sent(path, from: ada, to: ben)
            chmod(path, 0)
            let unread = try Self.run(ada, "send", "agora", "--file", path, prefix: bare)
            #expect(unread.exit == .code(74) && unread.said.contains("letter"))
            chmod(folder, 0o500)
            let place = folder + "/saved"
            let unsaved = try Self.run(ben, "fetch", id, "-o", place, prefix: bare)
            #expect(unsaved.exit == .code(74) && unsaved.said.contains("closed"))
            #expect(TestFiles.names(in: folder).isEmpty)
            // The daemon's own folder.
            try ben.stop()
            ben.wrap(in: bare)
            chmod(ben.dataDirectory + "/files", 0o500)
            try ben.start()
            chmod(path, 0o600)
            #expect(try Self.run(ben, "send", "agora", "--file", path).exit == .code(74))
            // Not the file of before, which may have come by itself.
            try Self.sparse(path, bytes: 20_000)
            let other = try Self.sent(path, from: ada, to: ben)
            let saved = scratch.path + "/saved"
            #expect(try Self.run(ben, "fetch", other, "-o", saved).exit == .code(75))
            #expect(try Self.ended(ben) == "failed fileFailed" && !Files.exists(saved))
            try Self.expectTalk(ada, ben)
            chmod(ben.dataDirectory + "/files", 0o700)
        }

        @Test("a name that leads elsewhere: 64 where it is sent, 65 by the API")
        func names() throws {
            let scratch = try Scratch()
            let ada = try Node.onLoopback("Ada", in: scratch)
            try ada.start()
            try ada.join("agora")
            let path = scratch.path + "/letter"
            try Self.sparse(path, bytes: 10)
            for name in ["../letter", "/etc/passwd", "..", "a/b"] {
                let refused = try Self.run(ada, "send", "agora", "--file", path, "--name", name)
                #expect(refused.exit == .code(64) && refused.said.contains("cannot be the name"))
            }
            let control = try ada.control()
            let file: JSON = ["name": "../letter"]
            let outcome = try control.outcome(
                of: control.post("send", ["to": "agora", "text": "", "file": file]))
            guard case .failure(let error)? = outcome else {
                Issue.record("a path is taken for a name")
                return
            }
            #expect(error.reason == "badFileName")
            #expect(Self.files(of: ada).isEmpty)
        }

        @Test("empty and sparse files are whole: 0, done", arguments: [0, 1, 5 << 20])
        func sparse(bytes: Int) throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "agora", scratch)
            let (path, output) = (scratch.path + "/source", scratch.path + "/saved")
            try Self.sparse(path, bytes: UInt64(bytes))
            let id = try Self.sent(path, from: ada, to: ben)
            #expect(try Self.run(ben, "fetch", id, "-o", output).exit == .code(0))
            try Self.awaitEnd(ben, "done ")
            #expect(TestFiles.read(output) == TestFiles.read(path))
            #expect(Self.files(of: ben).allSatisfy { !$0.hasSuffix(".part") })
        }

        @Test(
            "16 GiB go through, in the long form; a byte more is refused at once: 65, fileTooLarge")
        func largest() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "agora", scratch)
            ada.add(["--listen", try ada.address()])
            for node in [ada, ben] {
                try node.stop()
                node.add(["--file-limit", "64G"])
                try node.start()
            }
            let path = scratch.path + "/largest"
            try Self.sparse(path, bytes: (1 << 34) + 1)
            let refused = try Self.run(ada, "send", "agora", "--file", path)
            #expect(refused.exit == .code(65) && refused.said.contains("larger than 16 GiB"))
            #expect(Self.files(of: ada).isEmpty)
            let megabytes = Surroundings.number("FILE_LARGEST", long: 16_384, short: 0)
            guard megabytes > 0 else { return }
            try Self.sparse(path, bytes: UInt64(megabytes) << 20)
            let sending = Stopwatch()
            let patience = Deadline(afterMilliseconds: 3_600_000)
            let sender = try ada.startStoa("send", "agora", "--file", path)
            #expect(try sender.waitForExit(patience) == .code(0))
            let sent = sending.milliseconds
            let id = try Self.message(of: path, at: ben)
            let fetching = Stopwatch()
            let shell =
                try
                "\(Surroundings.programs())/stoa --socket \(ben.socket) fetch \(id) -o - | cmp - \(path)"
            let child = try ChildProcess(
                ["bash", "-o", "pipefail", "-c", shell], environment: ben.environment)
            #expect(try child.waitForExit(patience) == .code(0))
            print(
                "MEASURED a sparse file of \(megabytes) MiB: sent in \(sent) ms, fetched and "
                    + "compared in \(fetching.milliseconds) ms; memory of the receiver "
                    + "\(try ben.residentKilobytes()) KiB")
        }

        @Test("many small files all come by themselves, whole")
        func many() throws {
            let count = Surroundings.number("FILE_COUNT", long: 10_000, short: 200)
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "agora", scratch)
            try ben.await("her name") { node in
                try node.list("peers").contains { $0["name"] == "Ada" }
            }
            try ada.send("hello", to: "agora")
            try ben.awaitNewest("hello", in: "agora")
            try ben.know("@ada")
            let folder = try scratch.folder("small")
            var arguments: [String] = []
            for number in 0..<count {
                let path = "\(folder)/\(number).txt"
                try Files.writeAtomically(Array("file \(number)\n".utf8), to: path)
                arguments += ["--file", path]
            }
            let stopwatch = Stopwatch()
            let child = try ChildProcess(
                ["\(Surroundings.programs())/stoa", "--socket", ada.socket, "send", "agora"]
                    + arguments, environment: ada.environment)
            let patience = Deadline(afterMilliseconds: 600_000)
            _ = try child.rest(patience)
            #expect(try child.waitForExit(patience) == .code(0))
            let sent = stopwatch.milliseconds
            try ben.await("all have come", patience) { node in
                let names = Self.files(of: node)
                let isPartial = names.contains { $0.hasSuffix(".part") }
                return !isPartial && names.count { !$0.hasSuffix(".tree") } == count
            }
            print(
                "MEASURED \(count) small files: sent in \(sent) ms, all there after "
                    + "\(stopwatch.milliseconds) ms")
            #expect(Self.files(of: ada) == Self.files(of: ben))
            try Self.expectTalk(ada, ben)
        }
    }
}
