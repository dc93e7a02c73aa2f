import ControlAPI
import Engine
import Formats
import Glibc
import Crypto
import Posix
import Testing

@testable import Storage

extension IntegrationTests {
    @Suite("a loss of power") struct PowerLossTests {
        @Test(
            "at every point of a recorded session leaves all that was acknowledged",
            Surroundings.compiler)
        func everyPrefix() throws {
            let stopwatch = Stopwatch()
            let scratch = try Scratch()
            let recording = try PowerLossRecording(in: scratch)
            let log = recording.log
            let changes = log.records.count { $0.kind == .write || $0.kind == .sync }
            #expect(changes >= 2_000)
            #expect(recording.checkpoints >= 2, "the log is copied into the database on the way")
            print(
                "MEASURED recorded \(log.records.count) records, \(changes) of them writes and "
                    + "syncs, \(recording.checkpoints) checkpoints: "
                    + "\(stopwatch.milliseconds) ms")
            let step = Surroundings.number("STEP", long: 1, short: 40)
            let all = log.records.indices
            let said = Surroundings.number("FROM", long: 0, short: 0)
            let from = said < 0 ? max(0, all.count + said) : said
            let wanted = Surroundings.number("COUNT", long: all.count, short: all.count)
            try #require(from < all.count && wanted > 0, "FROM is a record, COUNT how many")
            let records = (from..<from + wanted).clamped(to: all)
            let workers = Surroundings.number("WORKERS", long: 2, short: 2)
            let replays = try inParallel(Array(0..<workers), width: workers) { worker in
                PowerLossReplay.run(
                    recording, records, worker: worker, of: workers, step: step, seed: 20_261_120)
            }
            for problem in replays.flatMap(\.problems).prefix(20) { Issue.record("\(problem)") }
            let prefixes = replays.reduce(0) { $0 + $1.prefixes }
            let images = replays.reduce(0) { $0 + $1.images }
            print(
                "MEASURED power lost after \(prefixes) of \(log.records.count) records, between "
                    + "\(records.lowerBound) and \(records.upperBound), \(images) disks: "
                    + "\(stopwatch.milliseconds) ms; "
                    + "\(recording.acknowledged) acknowledged; "
                    + "\(replays.reduce(0) { $0 + $1.distinct }) distinct stores; "
                    + "\(replays.reduce(0) { $0 + $1.renewed }) new incarnations")
            let least = records.count / step
            #expect(prefixes >= least && least > 0 && images == 4 * prefixes, "several disks each")
            #expect(recording.acknowledged > 1_000)
        }
    }
}

/// Two nodes that were watched while they sent, received, checkpointed, stopped and were killed.
struct PowerLossRecording: Sendable {
    /// One of the two, by its number in the log.
    struct Subject: Sendable {
        let folder: String
        let dataDirectory: String
        let owner: PeerID
        let continuity: String
        let identity: StoreFileIdentity
        /// The bytes of the files that say who it is, by name.
        let keys: [String: [UInt8]]
    }

    let log: WriteLog
    let subjects: [Subject]
    /// Where images of disks are put; memory where the machine has such a place.
    let work: String
    let acknowledged: Int
    let checkpoints: Int

    private static func keys(in folder: String) throws -> [String: [UInt8]] {
        var keys: [String: [UInt8]] = [:]
        for name in ["safe.key", "identity.key", "person.key", "sealing.key", "device.cert"] {
            keys[name] = try Files.read("\(folder)/\(name)", limitBytes: 4_096)
        }
        return keys
    }

    init(in scratch: Scratch) throws {
        let shim = try FaultShim(in: scratch)
        let path = scratch.path + "/log"
        let peer = try Node.onLoopback("peer", in: scratch)
        peer.wrap(in: shim.command(for: peer, log: path, number: 1))
        try peer.start()
        let node = try Node.onLoopback("node", in: scratch, peers: [try peer.address()])
        node.wrap(in: shim.command(for: node, log: path, number: 0))
        try node.start()
        let nodes = [node, peer]
        for node in nodes {
            try node.join("agora")
            // What a subscriber is told of counts as much as what a send returned for.
            _ = try node.call("subscribe", ["to": "agora", "from": 0])
        }
        let seconds = try Self.live(node, peer)
        self.subjects = try nodes.map { node in
            let identity = try node.identity()
            let data = node.dataDirectory
            let found = try FileIdentity(path: data + "/stoa.db")
            guard let key = WriteLog.bytes32(identity) else { throw Broken("no key: \(identity)") }
            return Subject(
                folder: node.folder, dataDirectory: data, owner: PeerID(key),
                continuity: "\(node.folder)/.local/state/stoa/\(identity).continuity",
                identity: StoreFileIdentity(
                    inode: found.inode, birthNanoseconds: found.birthNanoseconds),
                keys: try Self.keys(in: data))
        }
        for node in nodes { try node.kill() }
        self.log = try WriteLog(path: path)
        self.acknowledged = Set(self.log.acknowledged.values.joined()).count
        guard self.acknowledged >= seconds else {
            throw Broken("the log has \(self.acknowledged) acknowledged, the clients \(seconds)")
        }
        self.checkpoints = self.log.records.count {
            $0.kind == .sync && $0.path.hasSuffix("/stoa.db")
        }
        let memory = "/dev/shm/stoa-\(ProcessEnvironment.processID)"
        self.work = Files.exists("/dev/shm") ? memory : scratch.path + "/images"
    }

    /// Returns how many sends have returned.
    private static func live(_ node: Node, _ peer: Node) throws -> Int {
        var texts: [String] = []
        func send(_ sender: Node, _ name: String, _ count: Int, atOnce: Bool = false) throws {
            let control = try sender.control()
            var open: [Int64] = []
            for number in 1...count {
                let text = "\(name) \(number)"
                open.append(try control.post("send", ["to": "agora", "text": .string(text)]))
                texts.append(text)
                if !atOnce { while let id = open.popLast() { _ = try control.result(of: id) } }
            }
            for id in open { _ = try control.result(of: id) }
            _ = try control.takeMessages()
        }
        // By turns, so that each writes and receives.
        for round in 1...20 {
            try send(node, "node, round \(round)", 3)
            try send(peer, "peer, round \(round)", 3)
        }
        try peer.awaitTexts(texts, in: "agora")
        try node.awaitTexts(texts, in: "agora")
        // A clean end, with a checkpoint; what the peer sends meanwhile comes as long runs.
        try node.stop()
        try send(peer, "peer, alone", 400, atOnce: true)
        try node.start()
        _ = try node.call("subscribe", ["to": "agora", "from": 0])
        try node.awaitTexts(texts, in: "agora")
        // As many as fill the log, so that it is copied while the daemon runs.
        try send(node, "node, on and on", 420)
        try node.kill()
        try node.start()
        try send(node, "node, after the kill", 20)
        try send(node, "node, many", 100, atOnce: true)
        for node in [node, peer] { try node.awaitTexts(texts, in: "agora") }
        return texts.count
    }
}
