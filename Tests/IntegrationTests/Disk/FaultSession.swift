import ControlAPI
import Posix

/// A short life of a node, with all kinds of calls in it, of which one may fail.
final class FaultSession {
    /// What came of a session.
    struct Outcome: Sendable {
        /// What should not have been, each with the fault.
        var problems: [String] = []
        /// What the daemon refused because of the fault.
        var refusals: [String] = []
        /// How often each kind of call was made.
        var calls: [FaultShim.Kind: Int] = [:]
        /// How many calls failed: 1, or 0 where the session made fewer of them than another.
        var failures = 0
    }

    private let fault: FaultShim.Fault?
    private let shim: FaultShim
    private let scratch: Scratch
    private let node: Node
    private let peer: Node
    private let peerAddress: String
    private var outcome = Outcome()
    /// The texts whose send returned.
    private var acknowledged: [String] = []
    /// Texts that were refused once and sent again: whether the first is there nobody promises.
    private var unsure: Set<String> = []

    private init(_ shim: FaultShim, _ fault: FaultShim.Fault?) throws {
        self.fault = fault
        self.shim = shim
        self.scratch = try Scratch()
        self.peer = try Node.onLoopback("peer", in: self.scratch)
        try self.peer.start()
        try self.peer.join("agora")
        self.peerAddress = try self.peer.address()
        self.node = try Node.onLoopback("node", in: self.scratch, peers: [self.peerAddress])
    }

    /// Lives through a session in which a call fails.
    static func run(_ shim: FaultShim, _ fault: FaultShim.Fault?) -> Outcome {
        do {
            let session = try FaultSession(shim, fault)
            do {
                try session.live()
                try session.expectNothingLost()
            } catch { session.note("\(error)") }
            return session.outcome
        } catch { return Outcome(problems: ["\(error)"]) }
    }

    private func note(_ problem: String) {
        self.outcome.problems.append("\(self.fault.map { "\($0)" } ?? "no fault"): \(problem)")
    }

    private func live() throws {
        self.node.wrap(in: self.shim.command(for: self.node, fault: self.fault))
        try self.start()
        try self.ask("join", ["room": "agora"])
        for number in 1...3 { try self.send("first life \(number)") }
        for number in 1...2 {
            let text = "from the peer \(number)"
            try self.peer.send(text, to: "agora")
            self.acknowledged.append(text)
        }
        try self.awaitPeersTexts()
        try self.ask("history", ["to": "agora"])
        // Closing the store copies all of its log into the database.
        try self.stop()
        try self.start()
        for number in 1...2 { try self.send("second life \(number)") }
        // The next life reads the log that this one leaves.
        try self.node.kill()
        try self.start()
        try self.send("third life")
        try self.node.kill()
        (self.outcome.calls, self.outcome.failures) = try self.shim.counts(of: self.node)
    }

    /// Starts until it works: at most one start meets the fault.
    private func start() throws {
        for attempt in 1...2 {
            try self.node.launch()
            guard let exit = try self.node.awaitReadinessOrExit() else { return }
            guard attempt == 1, case .code(let code) = exit, code != 0 else {
                throw Broken("start \(attempt) ended with \(exit)\n\(self.node.log)")
            }
            self.refused("start", self.lastWords)
        }
    }

    private func stop() throws {
        do {
            try self.node.stop()
        } catch { self.refused("stop", self.lastWords) }
    }

    private var lastWords: String {
        self.node.log.split(separator: "\n").last.map(String.init) ?? ""
    }

    /// A refusal has to name the place and to say what to do.
    private func refused(_ what: String, _ said: String) {
        self.outcome.refusals.append(what)
        let remedies = [
            "free space", "free some space", "the system journal", "raise the limit",
        ]
        if !self.namesPlace(said) || !remedies.contains(where: said.contains) {
            self.note("\(what) was refused without help: \(said)")
        }
    }

    /// Whether a file or directory of the node is named, or one above them that was to be opened or
    /// synced.
    private func namesPlace(_ said: String) -> Bool {
        var directory = self.node.folder
        if said.contains(directory) { return true }
        repeat {
            directory = Files.parent(of: directory)
            if said.contains("open \(directory): ") || said.contains("sync \(directory): ") {
                return true
            }
        } while directory != "/"
        return false
    }

    /// Asks until it works: the fault is met once.
    @discardableResult
    private func ask(_ method: String, _ params: JSON) throws -> Bool {
        for attempt in 1...2 {
            let control = try self.node.control()
            switch try control.outcome(of: control.post(method, params)) {
            case .result: return attempt == 1
            case .failure(let error):
                guard attempt == 1, error.knownCode == .storageFailed else {
                    throw Broken("\(method), attempt \(attempt): \(error)")
                }
                self.refused(method, error.message + "; " + (error.remedy ?? ""))
            case nil: throw Broken("\(method): no answer\n\(self.node.log)")
            }
        }
        return false
    }

    private func send(_ text: String) throws {
        if try !self.ask("send", ["to": "agora", "text": .string(text)]) {
            self.unsure.insert(text)
        }
        self.acknowledged.append(text)
    }

    /// Waits for what was received; a link that broke on account of the disk is made again.
    private func awaitPeersTexts() throws {
        try self.node.await("the peer's texts") { node in
            let texts = try node.texts(in: "agora")
            if self.acknowledged.allSatisfy(texts.contains) { return true }
            if try node.linked().isEmpty {
                _ = try node.call("connect", ["address": .string(self.peerAddress)])
            }
            return false
        }
    }

    private func expectNothingLost() throws {
        self.node.wrap(in: [])
        try self.node.start()
        // Behind this everything else of the node has come, too.
        try self.node.send("the last one", to: "agora")
        for node in [self.node, self.peer] {
            try node.awaitTexts(self.acknowledged + ["the last one"], in: "agora")
        }
        let histories = try [self.node, self.peer].map { try $0.agreedHistory(of: "agora") }
        if histories[0] != histories[1] { self.note("two orders: \(histories)") }
        for node in [self.node, self.peer] {
            let texts = try node.texts(in: "agora").filter { !self.unsure.contains($0) }
            if Set(texts).count != texts.count { self.note("twice: \(texts)") }
            let alerts = try node.call("status")["alerts"]?.arrayValue ?? []
            if alerts.contains(where: { $0["code"] == "fork" }) { self.note("a fork: \(alerts)") }
            if try node.history(of: "agora").contains(where: { $0["disputed"] == true }) {
                self.note("disputed: \(histories)")
            }
            try node.stop()
            _ = try ChildProcess.run(
                ["\(Surroundings.programs())/stoad", "--check", "--data-dir", node.dataDirectory],
                environment: node.environment)
        }
    }
}
