import ControlAPI
import Testing

extension IntegrationTests {
    @Suite("three nodes that send at once", Surroundings.labs) struct OrderTests {
        /// Requests under way per node.
        static let window = 64

        // Shows: shown.order
        @Test("agree on the order of 10,000 messages, though one is cut off for a while")
        func sameOrder() throws {
            let scratch = try Scratch()
            let lab = try NetworkLab(hosts: 3, avahi: false)
            let nodes = try (1...3).map { host in
                try Node(
                    "n\(host)", in: scratch, on: lab.prefix(host),
                    ["--discovery", "embedded", "--interface", "eth0"])
            }
            for node in nodes { try node.start() }
            for node in nodes {
                try node.join("agora")
                try node.await("both others are linked") { try $0.linked().count == 2 }
            }
            let perNode = [3_334, 3_333, 3_333]
            let stopwatch = Stopwatch()
            var sent: Set<String> = []
            // The cable of the third is out during the second third.
            for part in 0..<3 {
                if part == 1 { try lab.unplug(3) }
                if part == 2 { try lab.plug(3) }
                let texts = zip(nodes, perNode).map { node, count in
                    (count * part / 3..<count * (part + 1) / 3).map { "\(node.name) says \($0)" }
                }
                try Self.send(texts, from: nodes)
                for texts in texts { sent.formUnion(texts) }
            }
            #expect(sent.count == 10_000)
            let sending = stopwatch.milliseconds
            for node in nodes { try Self.expectOnceEach(sent, at: node) }
            print(
                "MEASURED 10,000 messages: sent in \(sending) ms, everywhere after "
                    + "\(stopwatch.milliseconds) ms")
            let histories = try nodes.map { try $0.agreedHistory(of: "agora") }
            #expect(histories[0].count == 10_003)
            #expect(histories[0] == histories[1])
            #expect(histories[0] == histories[2])
            #expect(try nodes[2].texts(in: "agora").count == sent.count)
            for node in nodes { #expect(try node.call("status")["alerts"] == []) }
        }

        /// Sends from all nodes at the same time, each with many requests under way.
        static func send(_ texts: [[String]], from nodes: [Node]) throws {
            var next = texts.map { _ in 0 }
            while zip(next, texts).contains(where: { $0 < $1.count }) {
                var posted: [(ControlConnection, [Int64])] = []
                for (index, node) in nodes.enumerated() {
                    let end = min(next[index] + self.window, texts[index].count)
                    let control = try node.control()
                    let ids = try texts[index][next[index]..<end].map { text in
                        try control.post("send", ["to": "agora", "text": .string(text)])
                    }
                    next[index] = end
                    posted.append((control, ids))
                }
                for (control, ids) in posted { for id in ids { _ = try control.result(of: id) } }
            }
        }

        /// Follows the room from the beginning: every text once, in the order of cursors.
        static func expectOnceEach(_ texts: Set<String>, at node: Node) throws {
            let connection = try ControlConnection(path: node.socket)
            _ = try connection.call("subscribe", ["to": "agora", "from": 0])
            var seen: Set<String> = []
            var cursor: Int64 = 0
            let deadline = Deadline.patient
            while seen.count < texts.count {
                for message in try connection.takeMessages() {
                    let here = message["cursor"]?.integerValue ?? 0
                    #expect(here > cursor)
                    cursor = here
                    guard message["kind"] == "text" else { continue }
                    let isNew = seen.insert(message["text"]?.stringValue ?? "").inserted
                    #expect(isNew, "\(message) came twice")
                }
                guard seen.count < texts.count else { break }
                guard try connection.receive(deadline) else {
                    throw Broken("\(node.name) has \(seen.count) of \(texts.count)\n\(node.log)")
                }
            }
            #expect(seen == texts)
        }
    }
}
