import ControlAPI
import Engine
import Formats
import Posix
import TestSupport
import Testing

@testable import Storage

extension IntegrationTests {
    @Suite("a sender that is killed") struct CrashTests {
        @Test("loses no message whose send returned, and its log does not fork")
        func killed() throws {
            let rounds = Surroundings.number("KILLS", long: 5_000, short: 200)
            let seed = UInt64(Surroundings.number("SEED", long: 20_261_120, short: 20_261_120))
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
            let counter = StartCounter(of: sender, identity: try sender.identity(), in: scratch)
            try sender.stop()

            let stopwatch = Stopwatch()
            var returned: [String] = []
            // Whether a kill since the last look met a start that the database had counted and the
            // continuity file had not; only then the next one begins another incarnation.
            var wasHalfCounted = false
            var incarnations = 1
            for round in 1...rounds {
                let starts = counter.noted
                try sender.launch()
                var sent: [String] = []
                if random.next() % 8 == 0 {
                    Self.pass(milliseconds: random.next() % 40, beside: sender)
                } else {
                    try sender.awaitReadiness()
                    let status = try sender.call("status")
                    if status["incarnation"] != incarnation {
                        #expect(wasHalfCounted, "a crash is not a restored backup")
                        incarnation = status["incarnation"]
                        incarnations += 1
                    }
                    wasHalfCounted = false
                    sent = try Self.sendUntilKilled(
                        sender, round, afterMilliseconds: random.next() % 60)
                    returned += sent
                }
                try sender.kill()
                guard counter.noted == starts else { continue }
                #expect(sent.isEmpty, "a start is counted before anything is acknowledged")
                if try counter.isDatabaseAhead() { wasHalfCounted = true }
            }
            try sender.start()
            print(
                "MEASURED \(rounds) kills (seed \(seed)): \(stopwatch.milliseconds) ms, "
                    + "\(returned.count) sends had returned, \(incarnations) incarnations")
            #expect(returned.count > rounds)
            // In the sender's log it is the last one, so all others have come before it. What was
            // on its way when the sender was killed may be there or not, but alike.
            try sender.send("the last one", to: "agora")
            let history = try sender.agreedHistory(of: "agora")
            let lagging = Stopwatch()
            for receiver in receivers {
                try receiver.awaitNewest("the last one", in: "agora")
                #expect(try receiver.agreedHistory(of: "agora") == history)
            }
            print("MEASURED the receivers had all of it after \(lagging.milliseconds) ms")
            let texts = try sender.texts(in: "agora")
            #expect(Set(returned).subtracting(texts).isEmpty, "a message is lost")
            #expect(Set(texts).count == texts.count, "a message came twice")
            for node in receivers + [sender] {
                let alerts = try node.call("status")["alerts"]
                let codes = alerts?.arrayValue?.compactMap { $0["code"]?.stringValue }
                // The last kill may have met a start that was counted by half, too.
                let isExpected =
                    codes == []
                    || node.name == sender.name && wasHalfCounted
                        && codes == ["newIncarnation"]
                #expect(isExpected, "\(node.name): \(alerts?.text ?? "")")
                let disputed = try node.history(of: "agora").count { $0["disputed"] == true }
                #expect(disputed == 0)
            }
        }

        /// The system calls of a send: writing the log, syncing it, telling peers and clients.
        static let steps = ["pwrite64", "fdatasync", "sendto"]

        @Test(
            "loses nothing when it is killed at each step of a send", Surroundings.labs,
            arguments: Self.steps)
        func killedAtEachStep(call: String) throws {
            let scratch = try Scratch()
            let (receiver, sender) = try Node.stoppedSender(to: "agora", scratch)
            let before = try Self.callsOfStart(call, sender, in: scratch)

            var returned: [String] = []
            var killed = 0
            for step in 1...24 {
                sender.wrap(
                    in: Self.trace(call, to: "/dev/null")
                        + ["-e", "inject=\(call):signal=SIGKILL:when=\(before + step)"])
                try sender.launch()
                // A start may take some calls more than another, and so meet its end early.
                if try sender.awaitReadinessOrExit() == nil {
                    let (sent, isDead) = Self.sendUntilDead(sender, "\(call) \(step)")
                    returned += sent
                    killed += isDead ? 1 : 0
                }
                try sender.kill()
            }
            #expect(killed > 12, "most kills are to meet a send")
            sender.wrap(in: [])
            try sender.start()
            for node in [receiver, sender] {
                try node.awaitTexts(returned, in: "agora")
                let texts = try node.texts(in: "agora")
                #expect(Set(texts).count == texts.count, "a message came twice")
                #expect(try node.call("status")["alerts"] == [])
            }
            print("MEASURED killed at \(killed) calls of \(call): \(returned.count) sends returned")
        }

        private static func trace(_ call: String, to path: String) -> [String] {
            ["strace", "-D", "-f", "-qq", "-o", path, "-e", "trace=\(call)"]
        }

        /// How often a call is made before the daemon has its link and nothing to do.
        private static func callsOfStart(
            _ call: String, _ sender: Node, in scratch: Scratch
        ) throws -> Int {
            let path = scratch.path + "/trace"
            sender.wrap(in: Self.trace(call, to: path))
            try sender.start()
            try sender.await("the receiver is linked") { try $0.linked().count == 1 }
            let lines = String(
                decoding: try Files.read(path, limitBytes: 1 << 20), as: UTF8.self)
            try sender.stop()
            return lines.split(separator: "\n").count { $0.contains("\(call)(") }
        }

        /// Sends one after the other until the daemon dies; returns what had returned.
        private static func sendUntilDead(
            _ sender: Node, _ name: String
        ) -> (returned: [String], isDead: Bool) {
            var returned: [String] = []
            guard let control = try? ControlConnection(path: sender.socket) else {
                return ([], true)
            }
            for number in 1...50 {
                let text = "\(name) message \(number)"
                guard
                    let id = try? control.post("send", ["to": "agora", "text": .string(text)]),
                    (try? control.result(of: id)) != nil
                else { return (returned, true) }
                returned.append(text)
            }
            return (returned, false)
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

/// Reads how often a node has started from what it left, without its daemon.
private struct StartCounter {
    private let directory: String
    private let continuity: String
    private let copy: String

    init(of node: Node, identity: String, in scratch: Scratch) {
        self.directory = node.dataDirectory
        self.continuity = "\(node.folder)/.local/state/stoa/\(identity).continuity"
        self.copy = scratch.path + "/copy.db"
    }

    /// How many starts the continuity file knows of; nil where there is none.
    var noted: UInt64? { ContinuityFile(path: self.continuity).read()?.starts }

    /// Whether the database of a node that does not run has a start that the continuity file has
    /// not.
    func isDatabaseAhead() throws -> Bool {
        for name in ["", "-wal"] {
            let path = "\(self.directory)/stoa.db\(name)"
            let bytes = Files.exists(path) ? try Files.read(path, limitBytes: 1 << 30) : []
            try Files.writeAtomically(bytes, to: self.copy + name)
        }
        let database = try Database(path: self.copy, isPlain: true)
        let starts = UInt64(stored: try database.int("SELECT starts FROM state"))
        return self.noted.map { $0 < starts } ?? true
    }
}
