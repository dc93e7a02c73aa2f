import ControlAPI
import Glibc
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("streams") struct StreamTests {
        private static func bytes(_ count: Int) -> [UInt8] {
            var random = SeededRandom(seed: 7)
            var bytes: [UInt8] = []
            bytes.reserveCapacity(count + 8)
            while bytes.count < count {
                withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) }
            }
            bytes.removeLast(bytes.count - count)
            return bytes
        }

        private static func size(of path: String) -> Int {
            var status = stat()
            return stat(path, &status) == 0 ? Int(status.st_size) : 0
        }

        @Test(
            "64 MiB come whole through a durable one, though daemons and reader are killed meanwhile"
        )
        func durable() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "ops", scratch)
            let address = try ada.address()
            ada.add(["--listen", address])
            let sent = Self.bytes(64 << 20)
            let source = scratch.path + "/source"
            try Files.writeAtomically(sent, to: source)
            let saved = scratch.path + "/saved"
            let began = SystemClock.monotonicMilliseconds()
            var receiver = try ben.startStoa("stream", "recv", "ops", "dump", "-o", saved)
            try ben.await("it receives") { _ in Files.exists("\(saved).position") }
            let sender = try ChildProcess(
                [
                    "/bin/sh", "-c", "exec \"$0\" \"$@\" < \(source)",
                    "\(Surroundings.programs())/stoa", "--socket", ada.socket, "stream", "send",
                    "ops", "dump",
                ], environment: ada.environment)
            for (node, least) in [(ada, 4 << 20), (ben, 16 << 20)] {
                try ben.await("some of it has come") { _ in
                    Self.size(of: saved) >= least
                }
                try node.kill()
                try node.start()
            }
            // It goes on where its file is.
            try receiver.kill()
            receiver = try ben.startStoa("stream", "recv", "ops", "dump", "-o", saved)
            #expect(try sender.waitForExit(Deadline(afterMilliseconds: 300_000)) == .code(0))
            #expect(try receiver.waitForExit(Deadline(afterMilliseconds: 300_000)) == .code(0))
            print("MEASURED stream \(SystemClock.monotonicMilliseconds() - began) ms for 64 MiB")
            #expect(TestFiles.read(saved) == sent)
            // It is no chat.
            for node in [ada, ben] {
                #expect(try !node.stoa("history", "ops").contains("dump"))
                let rooms = try node.list("conversations")
                #expect(rooms.allSatisfy { $0["unread"]?.integerValue == 0 })
            }
            try ben.stop()
            #expect(try ben.stoad("--check").exit == .code(0))
        }

        @Test("what a durable one brought leaves its sender's disk once the others have it")
        func received() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "ops", scratch)
            let source = scratch.path + "/source"
            try Files.writeAtomically(Self.bytes(1 << 20), to: source)
            let line = "exec \"$0\" \"$@\" < \(source)"
            let sender = try ChildProcess(
                [
                    "/bin/sh", "-c", line, "\(Surroundings.programs())/stoa", "--socket",
                    ada.socket, "stream", "send", "ops", "dump",
                ], environment: ada.environment)
            #expect(try sender.waitForExit(Deadline(afterMilliseconds: 60_000)) == .code(0))
            func used(_ node: Node) throws -> Int64 {
                try node.control().call("usage", [:])["streams"]?.integerValue ?? -1
            }
            try ada.await("the sender gives it up") { _ in try used(ada) == 0 }
            // A receiver still gets all of it, later too.
            #expect(try used(ben) > 1 << 20)
            let saved = scratch.path + "/saved"
            _ = try ben.stoa("stream", "recv", "ops", "dump", "--from", "0", "-o", saved)
            #expect(TestFiles.read(saved) == Self.bytes(1 << 20))
            #expect(try ben.stoa("usage").contains("streams"))
        }

        @Test(
            "an ephemeral one is a pipe between machines; given and missed add up to what was sent")
        func ephemeral() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "ops", scratch)
            let receiver = try ben.control()
            let opened = try receiver.call(
                "openStream", ["to": "ops", "name": "beat", "receive": .bool(true)])
            let sender = try ada.control()
            let stream = try sender.call("openStream", ["to": "ops", "name": "beat"])["stream"]
            var sent: Int64 = 0
            var refusals = 0
            let packet = Base64([UInt8](repeating: 9, count: 1_000))
            let text = String(decoding: packet.text, as: UTF8.self)
            for _ in 0..<60 {
                let id = try sender.post(
                    "sendStream", ["stream": stream ?? .null, "data": .string(text)])
                switch try sender.outcome(of: id) {
                case .result(let result)?:
                    #expect(result["told"] == 1)
                    sent += 1
                case .failure(let error)?:
                    #expect(error.data?["reason"] == "tooFast")
                    #expect((error.data?["retryMilliseconds"]?.integerValue ?? 0) > 0)
                    refusals += 1
                case nil: throw Broken("no answer")
                }
            }
            #expect(sent >= 30 && refusals > 0)
            _ = try sender.call("closeStream", ["stream": stream ?? .null])
            var (given, missed): (Int64, Int64) = (0, 0)
            try receiver.awaitEvent("the end") { event, params in
                guard params["stream"] == opened["stream"] else { return false }
                if event.method == "streamError" { missed += params["missed"]?.integerValue ?? 0 }
                guard event.method == "stream" else { return false }
                if params["end"] == .bool(true) {
                    #expect(params["number"]?.integerValue == sent)
                    return true
                }
                given += 1
                return false
            }
            #expect(given + missed == sent)
            #expect(missed == 0)
            #expect(
                try ada.stoa("stream", "send", "ops", "no name", expecting: 65).isEmpty)
        }

        // Shows: told.streams
        @Test("an ephemeral one for one member reaches nobody else, and says when they are gone")
        func forOne() throws {
            let scratch = try Scratch()
            let (ada, ben, cleo) = try Node.three(in: "ops", scratch)
            for node in [ada, ben, cleo] {
                try node.await("all are linked") { try $0.list("peers").count == 2 }
            }
            try ada.await("both are called by their names") { node in
                try Set(node.list("peers").compactMap { $0["name"]?.stringValue })
                    == ["Ben", "Cleo"]
            }
            for name in ["@ben", "@cleo"] { try ada.know(name) }
            // Ben hears the stream's name in all conversations, Cleo in this one.
            let hearing: [(ControlConnection, JSON)] = [
                (try ben.control(), ["name": "beat", "receive": .bool(true)]),
                (try cleo.control(), ["to": "ops", "name": "beat", "receive": .bool(true)]),
            ]
            for (connection, params) in hearing { _ = try connection.call("openStream", params) }
            let sender = try ada.control()
            func refusal(_ method: String, _ params: JSON) throws -> String? {
                guard
                    case .failure(let error)? = try sender.outcome(
                        of: sender.post(method, params))
                else { return nil }
                return error.data?["reason"]?.stringValue
            }
            #expect(try refusal("openStream", ["name": "beat"]) == "badParam")
            let stream =
                try sender.call(
                    "openStream", ["to": "ops", "name": "beat", "member": "@ben"])["stream"]
                ?? .null
            let packet = JSON.string(String(decoding: Base64([9]).text, as: UTF8.self))
            let sent = try sender.call("sendStream", ["stream": stream, "data": packet])
            #expect(sent["told"] == 1)
            try hearing[0].0.awaitEvent("the packet") { event, params in
                event.method == "stream" && params["data"] == packet
                    && params["conversation"]?.stringValue?.isEmpty == false
            }
            _ = try ada.stoa("send", "ops", "after it", "--wait", "delivered", "--members", "all")
            // What is for all comes behind it, and is the first that Cleo hears.
            let all = try sender.call("openStream", ["to": "ops", "name": "beat"])["stream"]
            _ = try sender.call("sendStream", ["stream": all ?? .null, "data": packet])
            try hearing[1].0.awaitEvent("the packet for all") { event, params in
                guard event.method == "stream" else { return false }
                #expect(params["number"] == 1 && params["data"] == packet)
                return true
            }
            try ben.stop()
            try ada.await("he is gone") { try $0.linked().count == 1 }
            #expect(try refusal("sendStream", ["stream": stream, "data": packet]) == "notLinked")
            let error = try ada.stoa(
                "stream", "send", "ops", "beat", "--ephemeral", "--member", "@ben", expecting: 77)
            #expect(error.isEmpty)
        }
    }
}
