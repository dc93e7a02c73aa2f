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
            while stopwatch.milliseconds < UInt64(seconds) * 1_000 {
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

        private static func send(_ text: String, by node: Node) throws -> RPCResponse.Outcome? {
            let control = try node.control()
            return try control.outcome(
                of: control.post("send", ["to": "agora", "text": .string(text)]))
        }
    }
}
