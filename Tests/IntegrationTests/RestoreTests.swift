import ControlAPI
import Testing

extension IntegrationTests {
    @Suite("a data directory restored from a backup") struct RestoreTests {
        // Shows: shown.restore
        @Test("goes on as a new incarnation, without a fork, and gets its lost messages back")
        func restored() throws {
            let scratch = try Scratch()
            let peers = try ["p1", "p2"].map { try Node.onLoopback($0, in: scratch) }
            for peer in peers { try peer.start() }
            let author = try Node.onLoopback(
                "author", in: scratch, peers: try peers.map { try $0.address() })
            try author.start()
            for node in peers + [author] { try node.join("agora") }
            let before = (1...20).map { "before the backup \($0)" }
            for text in before { try author.send(text, to: "agora") }
            for peer in peers { try peer.awaitTexts(before, in: "agora") }
            let incarnation = try author.call("status")["incarnation"]
            let identity = try author.identity()

            // Yesterday's backup, today's messages.
            try author.stop()
            let backup = scratch.path + "/backup"
            _ = try ChildProcess.run(["cp", "-a", author.dataDirectory, backup])
            try author.start()
            let after = (1...20).map { "after the backup \($0)" }
            for text in after { try author.send(text, to: "agora") }
            for peer in peers { try peer.awaitTexts(after, in: "agora") }
            #expect(try author.call("status")["incarnation"] == incarnation)
            for node in peers + [author] { try node.stop() }

            _ = try ChildProcess.run(["rm", "-rf", author.dataDirectory])
            _ = try ChildProcess.run(["cp", "-a", backup, author.dataDirectory])
            try author.start()
            #expect(try author.identity() == identity)
            #expect(try author.call("status")["incarnation"] != incarnation)
            let alone = (1...5).map { "sent before any peer was back \($0)" }
            for text in alone { try author.send(text, to: "agora") }
            #expect(try author.texts(in: "agora") == before + alone)

            // The peers come back at other ports and dial the author.
            let address = try author.address()
            for peer in peers {
                peer.add(["--peer", address])
                try peer.start()
            }
            for node in peers + [author] {
                try node.awaitTexts(before + after + alone, in: "agora")
                #expect(try node.texts(in: "agora") == before + after + alone)
                let status = try node.call("status")
                let alerts = status["alerts"]?.arrayValue ?? []
                #expect(alerts.allSatisfy { $0["code"] != "fork" }, "\(alerts)")
                let disputed = try node.history(of: "agora").count { $0["disputed"] == true }
                #expect(disputed == 0)
            }
            let histories = try (peers + [author]).map { try $0.agreedHistory(of: "agora") }
            #expect(histories[0] == histories[1])
            #expect(histories[0] == histories[2])
        }
    }
}
