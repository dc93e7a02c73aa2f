import ControlAPI
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("a send under a key that is tried again") struct KeyedRetryTests {
        /// What a program may be killed at: writing, syncing, and telling others.
        private static let calls = [
            "write", "writev", "pwrite64", "fsync", "fdatasync", "sendto", "sendmsg",
        ]

        /// A killed program, at which of its calls, counted by name from its start.
        private struct Step {
            let call: String
            let number: Int
        }

        @Test(
            "is one message, wherever the first one's stoa was killed", Surroundings.labs)
        func killedClient() throws {
            let scratch = try Scratch()
            let (receiver, sender) = try Node.stoppedSender(to: "agora", scratch)
            try sender.start()
            try sender.await("the receiver is linked") { try $0.linked().count == 1 }
            let counts = try Self.counts(in: scratch) { trace in
                try #require(try Self.send("measured", from: sender, through: trace))
            }
            let steps = Self.steps(counts, from: [:], margin: 0)
            #expect(steps.contains { ["sendto", "sendmsg", "write"].contains($0.call) })
            var killed = 0
            var texts = ["measured"]
            for step in steps {
                let text = "\(step.call) \(step.number) of stoa"
                if try !Self.send(text, from: sender, through: Self.killing(at: step)) {
                    killed += 1
                }
                try #require(try Self.send(text, from: sender), "the second one of \(text)")
                texts.append(text)
            }
            #expect(killed == steps.count, "the same calls are made each time")
            try Self.expectOnce(texts, at: [sender, receiver])
            print("MEASURED stoa was killed at \(killed) calls of \(counts)")
        }

        @Test(
            "is one message, wherever the first one's stoad was killed", Surroundings.labs)
        func killedDaemon() throws {
            let scratch = try Scratch()
            let (receiver, sender) = try Node.stoppedSender(to: "agora", scratch)
            let idle = try Self.counts(in: scratch) { trace in
                try Self.startLinked(sender, through: ["strace", "-D"] + trace.dropFirst())
            }
            try sender.stop()
            let busy = try Self.counts(in: scratch) { trace in
                try Self.startLinked(sender, through: ["strace", "-D"] + trace.dropFirst())
                try #require(try Self.send("measured", from: sender))
                try receiver.awaitTexts(["measured"], in: "agora")
            }
            try sender.stop()
            // A start may take some calls more than another, so those around a send are met, too.
            let all = Self.steps(busy, from: idle, margin: 4)
            let stride = Surroundings.number("STRIDE", long: 1, short: 4)
            let steps = all.indices.filter { $0.isMultiple(of: stride) }.map { all[$0] }
            var killed = 0
            var texts = ["measured"]
            for step in steps {
                let text = "\(step.call) \(step.number) of stoad"
                sender.wrap(in: ["strace", "-D"] + Self.killing(at: step).dropFirst())
                try sender.launch()
                if try sender.awaitReadinessOrExit() == nil {
                    if try !Self.send(text, from: sender) { killed += 1 }
                }
                try sender.kill()
                sender.wrap(in: [])
                try sender.start()
                try #require(try Self.send(text, from: sender), "the second one of \(text)")
                try sender.stop()
                texts.append(text)
            }
            // Which of few calls fall into the send differs from start to start.
            let least = stride == 1 ? steps.count / 4 : 1
            #expect(killed >= least, "kills are to meet sends")
            try sender.start()
            try Self.expectOnce(texts, at: [sender, receiver])
            print("MEASURED stoad was killed in \(killed) sends, at one of \(steps.count) calls")
        }

        // MARK: Nodes

        private static func startLinked(_ sender: Node, through prefix: [String]) throws {
            sender.wrap(in: prefix)
            try sender.start()
            try sender.await("the receiver is linked") { try $0.linked().count == 1 }
        }

        /// Sends a text under itself as the key; whether `stoa` said that it was sent.
        private static func send(
            _ text: String, from node: Node, through prefix: [String] = []
        ) throws -> Bool {
            let command = [
                "\(try Surroundings.programs())/stoa", "--socket", node.socket, "send", "agora",
                text,
                "--key", text,
            ]
            return (try? ChildProcess.run(prefix + command, environment: node.environment)) != nil
        }

        private static func expectOnce(_ texts: [String], at nodes: [Node]) throws {
            for node in nodes {
                try node.awaitTexts(texts, in: "agora")
                #expect(try node.texts(in: "agora").sorted() == texts.sorted(), "\(node.name)")
                #expect(try node.call("status")["alerts"] == [], "\(node.name)")
            }
        }

        // MARK: Calls

        private static func killing(at step: Step) -> [String] {
            Self.trace([step.call], to: "/dev/null")
                + ["-e", "inject=\(step.call):signal=SIGKILL:when=\(step.number)"]
        }

        private static func trace(_ calls: [String], to path: String) -> [String] {
            [
                "strace", "-f", "-qq", "-o", path, "-e",
                "trace=\(calls.joined(separator: ","))",
            ]
        }

        /// How often what runs under a tracer makes each of the calls.
        private static func counts(
            in scratch: Scratch, _ run: (_ trace: [String]) throws -> Void
        ) throws -> [String: Int] {
            let path = scratch.path + "/trace"
            try Files.remove(path)
            try run(Self.trace(Self.calls, to: path))
            let text = String(decoding: try Files.read(path, limitBytes: 1 << 22), as: UTF8.self)
            var counts: [String: Int] = [:]
            for line in text.split(separator: "\n") {
                // `1234 sendto(7, …`; what goes on in a later line was counted with its beginning.
                guard
                    let name = line.split(separator: " ").dropFirst().first?.prefix(while: {
                        $0 != "("
                    }), line.contains("\(name)(")
                else { continue }
                if Self.calls.contains(String(name)) { counts[String(name), default: 0] += 1 }
            }
            return counts
        }

        /// The calls behind those of `start`, some before and after them included.
        private static func steps(
            _ counts: [String: Int], from start: [String: Int], margin: Int
        ) -> [Step] {
            counts.sorted { $0.key < $1.key }.flatMap { call, count in
                let first = max(1, (start[call] ?? 0) + 1 - margin)
                return (first...max(first, count + margin)).map { Step(call: call, number: $0) }
            }
        }
    }
}
