import ControlAPI
import Glibc
import Posix
import Testing

extension IntegrationTests {
    @Suite("a disk that is full for a while") struct FullDiskTests {
        @Test(
            "refuses sends and says why, and goes on by itself when there is space",
            Surroundings.labs)
        func fullAndNotFull() throws {
            let seconds = Surroundings.number("FULL", long: 60, short: 3)
            let scratch = try Scratch()
            let disk = try SmallDisk(megabytes: 6, in: scratch)
            let peer = try Node.onLoopback("peer", in: scratch)
            try peer.start()
            try peer.join("agora")
            let node = try Node.onLoopback("node", in: scratch, peers: [try peer.address()])
            node.wrap(in: disk.prefix)
            node.useDataDirectory(disk.path + "/data")
            try node.start()
            try node.join("agora")
            var acknowledged = (1...20).map { "there is space \($0)" }
            for text in acknowledged { try node.send(text, to: "agora") }
            try peer.awaitTexts(acknowledged, in: "agora")

            try disk.fill()
            let stopwatch = Stopwatch()
            var refused = 0
            var received: [String] = []
            let limit = Deadline.patient
            while stopwatch.milliseconds < UInt64(seconds) * 1_000
                || refused == 0 && !limit.hasPassed
            {
                // What fits into pages that the log already has may still be stored.
                let text =
                    "there is none, \(refused) \(acknowledged.count) "
                    + String(repeating: "x", count: 30_000)
                switch try Self.send(text, by: node) {
                case .result: acknowledged.append(text)
                case .failure(let error):
                    refused += 1
                    #expect(error.knownCode == .storageFailed, "\(error)")
                    #expect(error.message.contains(disk.path), "\(error)")
                    #expect("\(error)".contains("free space"), "\(error)")
                case nil: throw Broken("no answer\n\(node.log)")
                }
                // Reading goes on meanwhile, and the status says what is wrong.
                #expect(try node.texts(in: "agora").starts(with: acknowledged.prefix(20)))
                if refused > 0 {
                    let alerts = try node.call("status")["alerts"]?.arrayValue ?? []
                    #expect(alerts.contains { $0["code"] == "storage" }, "\(alerts)")
                }
                let said = "the peer, \(received.count)"
                try peer.send(said, to: "agora")
                received.append(said)
            }
            #expect(refused > 0)
            try disk.empty()
            let mended = Stopwatch()
            try node.send("there is space again", to: "agora")
            let answered = mended.milliseconds
            acknowledged.append("there is space again")
            // The peers wait for a while before they talk to a node again whose disk failed.
            let patience = Deadline.fiveTimes(60_000)
            try node.awaitTexts(acknowledged + received, in: "agora", patience)
            print(
                "MEASURED disk full for \(seconds) s: \(refused) sends refused; with space a send "
                    + "returned after \(answered) ms, all \(received.count) messages of the peer "
                    + "were there after \(mended.milliseconds) ms")
            try peer.awaitTexts(acknowledged + received, in: "agora", patience)
            let histories = try [node, peer].map { try $0.agreedHistory(of: "agora") }
            #expect(histories[0] == histories[1])
            let alerts = try node.call("status")["alerts"]?.arrayValue ?? []
            #expect(alerts.allSatisfy { $0["code"] != "storage" && $0["code"] != "fork" })

            try node.stop()
            try node.start()
            #expect(try node.agreedHistory(of: "agora") == histories[1])
            try node.stop()
            _ = try ChildProcess.run(
                disk.prefix + ["\(Surroundings.programs())/stoad", "--check"]
                    + ["--data-dir", node.dataDirectory],
                environment: node.environment)
        }

        @Test("takes a restore as a whole or not at all", Surroundings.labs)
        func restore() throws {
            let scratch = try Scratch()
            let ada = try Node.onLoopback("Ada", in: scratch)
            try ada.start()
            try ada.join("agora")
            let (file, phrase) = (scratch.path + "/ada.backup", scratch.path + "/phrase")
            let words = try #require(
                try ada.call("backup", ["file": .string(file)])["phrase"]?.stringValue)
            try Files.writeAtomically(Array((words + "\n").utf8), to: phrase, mode: 0o600)
            try ada.stop()
            let disk = try SmallDisk(megabytes: 12, in: scratch)
            let new = try Node.onLoopback("new", in: scratch)
            new.wrap(in: disk.prefix)
            new.useDataDirectory(disk.path + "/data")
            try new.start()
            let before = try new.call("status")["person"]
            try disk.fill()
            _ = try new.stoa("restore", file, "--phrase-file", phrase, expecting: 74)
            #expect(try new.call("status")["person"] == before)
            #expect(try new.list("conversations").isEmpty)
            try disk.empty()
            #expect(try new.stoa("restore", file, "--phrase-file", phrase).contains("you are Ada"))
            // The daemon has started anew.
            new.reconnect()
            try new.await("the room is back") { node in
                try node.list("conversations").count == 1
            }
            try new.stop()
        }

        private static func send(_ text: String, by node: Node) throws -> RPCResponse.Outcome? {
            let control = try node.control()
            return try control.outcome(
                of: control.post("send", ["to": "agora", "text": .string(text)]))
        }
    }
}
