import ControlAPI
import Posix
import Testing

extension IntegrationTests {
    @Suite("a sender that is killed") struct CrashTests {
        @Test("loses no message whose send returned, and its log does not fork")
        func killed() throws {
            let rounds = Surroundings.isLong ? 1_000 : 200
            let seed: UInt64 = 20_261_120
            var random = SeededRandom(seed: seed)
            let scratch = try Scratch()
            let receivers = try ["r1", "r2"].map { try Node.onLoopback($0, in: scratch) }
            for receiver in receivers {
                try receiver.start()
                try receiver.join("agora")
            }
            let sender = try Node.onLoopback(
                "sender", in: scratch, peers: try receivers.map { try $0.address() })
            try sender.start()
            try sender.join("agora")
            var incarnation = try sender.call("status")["incarnation"]
            try sender.stop()

            let stopwatch = Stopwatch()
            var returned: [String] = []
            // Whether it was ready when it was killed; else it may have lacked the time to prove
            // that its log goes on, and then begins another.
            var wasReady = true
            var incarnations = 1
            for round in 1...rounds {
                try sender.launch()
                if random.next() % 8 == 0 {
                    Self.pass(milliseconds: random.next() % 40, beside: sender)
                    wasReady = false
                } else {
                    try sender.awaitReadiness()
                    let status = try sender.call("status")
                    if status["incarnation"] != incarnation {
                        #expect(!wasReady, "a crash is not a restored backup")
                        incarnation = status["incarnation"]
                        incarnations += 1
                    }
                    wasReady = true
                    returned += try Self.sendUntilKilled(
                        sender, round, afterMilliseconds: random.next() % 60)
                }
                try sender.kill()
            }
            try sender.start()
            print(
                "MEASURED \(rounds) kills (seed \(seed)): \(stopwatch.milliseconds) ms, "
                    + "\(returned.count) sends had returned, \(incarnations) incarnations")
            #expect(returned.count > rounds)
            for node in receivers + [sender] {
                try node.awaitTexts(returned, in: "agora")
                let texts = try node.texts(in: "agora")
                #expect(Set(texts).count == texts.count, "a message came twice")
            }
            // What was on its way when the sender was killed may be there or not, but alike.
            try sender.send("the last one", to: "agora")
            for receiver in receivers {
                try receiver.awaitTexts(["the last one"], in: "agora")
                let histories = (
                    try receiver.agreedHistory(of: "agora"), try sender.agreedHistory(of: "agora")
                )
                #expect(histories.0 == histories.1)
            }
            for node in receivers + [sender] {
                #expect(try node.call("status")["alerts"] == [])
                let disputed = try node.history(of: "agora").count { $0["disputed"] == true }
                #expect(disputed == 0)
            }
        }

        /// Sends one after the other, then kills in the middle of it; returns what had returned.
        static func sendUntilKilled(
            _ sender: Node, _ round: Int, afterMilliseconds delay: UInt64
        ) throws -> [String] {
            let control = try ControlConnection(path: sender.socket)
            let deadline = Deadline(afterMilliseconds: delay)
            var texts: [Int64: String] = [:]
            var returned: [String] = []
            func note() throws {
                for (id, _) in try control.takeResults() {
                    if let text = texts.removeValue(forKey: id) { returned.append(text) }
                }
            }
            repeat {
                // A few at a time are under way, so that the kill meets all stages of them.
                while texts.count < 4 {
                    let text = "round \(round) message \(returned.count + texts.count)"
                    let id = try control.post("send", ["to": "agora", "text": .string(text)])
                    texts[id] = text
                }
                _ = try control.receive(deadline)
                try note()
            } while !deadline.hasPassed
            try sender.kill()
            // Answers that the daemon had written before it died count as well.
            while try control.receive(.patient) {}
            try note()
            return returned
        }

        /// Lets time pass while a daemon starts; it says when it is ready, which ends it early.
        static func pass(milliseconds: UInt64, beside node: Node) {
            try? node.awaitReadiness(Deadline(afterMilliseconds: milliseconds))
        }
    }
}
