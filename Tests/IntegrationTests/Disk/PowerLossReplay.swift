import Engine
import Formats
import Crypto
import Posix
import TestSupport

@testable import Storage

/// Replays a part of a recording, takes the power away at its points and judges what is left.
final class PowerLossReplay {
    struct Outcome: Sendable {
        var problems: [String] = []
        /// After how many records the power was lost.
        var prefixes = 0
        /// How many disks were judged.
        var images = 0
        /// How many stores of different contents were among them.
        var distinct = 0
        /// How many of the disks made a node go on in a new incarnation.
        var renewed = 0
    }

    /// One node while its log is replayed.
    private struct Subject {
        let recorded: PowerLossRecording.Subject
        var disk: SimulatedDisk
        let judge: StoreJudge
        /// What it has acknowledged, in order.
        var acknowledged: [EntryID] = []
        var isAcknowledged: Set<EntryID> = []
        /// Its own entries that the other node has.
        var left: [EntryID] = []
        var hasLeft: Set<EntryID> = []
        /// Whether it has said or sent anything, so that others know its identity.
        var hasSpoken = false
        var start = Start.first
        /// The file to which each start writes first.
        var lockInode: UInt64?
    }

    /// How far the start is that runs, or ran last.
    private enum Start {
        /// The first one of all, before its continuity file is durable.
        case first
        /// The same, when the continuity file has its name, which is not synced.
        case firstNamed
        /// A later one, before its first commit is counted in the database and in the continuity
        /// file.
        case uncounted
        /// The continuity file with the count has its name, which is not synced.
        case named
        case counted

        var isFirst: Bool { self == .first || self == .firstNamed }
    }

    private static let tornImages = 2

    private let recording: PowerLossRecording
    private let seed: UInt64
    private var subjects: [Subject] = []
    private var outcome = Outcome()

    private init(_ recording: PowerLossRecording, worker: Int, seed: UInt64) throws {
        self.recording = recording
        self.seed = seed
        for (number, recorded) in recording.subjects.enumerated() {
            let folder = "\(recording.work).\(worker).\(number)"
            self.subjects.append(
                Subject(
                    recorded: recorded, disk: SimulatedDisk(root: recorded.folder),
                    judge: try StoreJudge(
                        folder: folder, owner: recorded.owner, identity: recorded.identity,
                        safe: recorded.keys["safe.key"] ?? [])))
        }
    }

    /// Judges every `step`-th point of one worker's part of some records, and some more where
    /// something was said.
    static func run(
        _ recording: PowerLossRecording, _ records: Range<Int>, worker: Int, of workers: Int,
        step: Int, seed: UInt64
    ) -> Outcome {
        defer {
            for number in recording.subjects.indices {
                _ = try? ChildProcess.run(["rm", "-rf", "\(recording.work).\(worker).\(number)"])
            }
        }
        do {
            let replay = try PowerLossReplay(recording, worker: worker, seed: seed)
            func start(_ worker: Int) -> Int {
                records.lowerBound + records.count * worker / workers
            }
            try replay.replay(start(worker)..<start(worker + 1), step)
            replay.outcome.distinct = replay.subjects.reduce(0) { $0 + $1.judge.distinct }
            return replay.outcome
        } catch { return Outcome(problems: ["\(error)"]) }
    }

    private func replay(_ part: Range<Int>, _ step: Int) throws {
        let log = self.recording.log
        var said = 0
        for (index, record) in log.records.enumerated() {
            guard index < part.upperBound else { return }
            if index == part.lowerBound {
                // What each has sent before this part began.
                for number in self.subjects.indices {
                    self.learn(try self.open(number, .none).content, of: number)
                }
            }
            let number = record.node
            try self.subjects[number].disk.apply(record, of: log)
            self.follow(record)
            for id in log.acknowledged[index] ?? []
            where self.subjects[number].isAcknowledged.insert(id).inserted {
                self.subjects[number].acknowledged.append(id)
            }
            guard part.contains(index) else { continue }
            // What is said changes no disk, but demands more of it from here on.
            let isSaid = log.acknowledged[index] != nil
            if isSaid { said += 1 }
            guard index % step == 0 || (isSaid && said % max(1, step / 4) == 0) else { continue }
            self.outcome.prefixes += 1
            self.losePower(number, at: index)
        }
    }

    /// Notes what is said, and how far a start is.
    private func follow(_ record: WriteLog.Record) {
        let number = record.node
        let continuity = self.subjects[number].recorded.continuity
        switch record.kind {
        case .told, .sent: self.subjects[number].hasSpoken = true
        case .create where record.path.hasSuffix("/stoad.lock"):
            self.subjects[number].lockInode = record.inode
        case .write where record.inode == self.subjects[number].lockInode:
            if self.subjects[number].start.isFirst { return }
            self.subjects[number].start = .uncounted
        case .rename where record.path == continuity:
            let isFirst = self.subjects[number].start.isFirst
            self.subjects[number].start = isFirst ? .firstNamed : .named
        case .sync where record.path == Files.parent(of: continuity):
            switch self.subjects[number].start {
            case .firstNamed, .named: self.subjects[number].start = .counted
            case .first, .uncounted, .counted: break
            }
        default: break
        }
    }

    private func losePower(_ number: Int, at index: Int) {
        var losses: [(name: String, loss: SimulatedDisk.Loss)] = [
            ("nothing", .none), ("all", .all),
        ]
        for image in 0..<Self.tornImages {
            let random = SeededRandom(seed: self.seed &+ UInt64(index) &* 16 &+ UInt64(image))
            losses.append(("some \(image)", .some(random)))
        }
        for (name, loss) in losses {
            self.outcome.images += 1
            do {
                try self.judge(number, loss)
            } catch {
                let record = self.recording.log.records[index]
                self.outcome.problems.append(
                    "node \(number) after record \(index) (\(record.kind) \(record.path)), "
                        + "\(name) of the unsynced lost: \(error)")
            }
        }
    }

    /// Gives the store that is left, if any, and its verdict.
    private func open(_ number: Int, _ loss: SimulatedDisk.Loss) throws -> StoreJudge.Verdict {
        let subject = self.subjects[number]
        let files = subject.disk.files(after: loss)
        let directory = subject.recorded.dataDirectory + "/"
        var data: [String: [UInt8]] = [:]
        for (path, left) in files where path.hasPrefix(directory) {
            data[String(path.dropFirst(directory.count))] = left.bytes
        }
        for (name, bytes) in subject.recorded.keys where subject.hasSpoken && data[name] != bytes {
            throw Broken("\(name) is lost")
        }
        return try subject.judge.judge(
            data: data, continuity: files[subject.recorded.continuity]?.bytes,
            isSameDatabase: data["stoa.db"] != nil)
    }

    private func judge(_ number: Int, _ loss: SimulatedDisk.Loss) throws {
        let verdict = try self.open(number, loss)
        let content = verdict.content
        if case .none = loss { self.learn(content, of: number) }
        let subject = self.subjects[number]
        guard content.findings.isEmpty else { throw Broken("the check finds \(content.findings)") }
        for id in subject.acknowledged[
            min(content.acknowledgedFound, subject.acknowledged.count)...]
        where !content.ids.contains(id) {
            throw Broken("acknowledged and lost: \(PeerID(id.hash))")
        }
        content.acknowledgedFound = max(content.acknowledgedFound, subject.acknowledged.count)
        for id in subject.left[min(content.leftFound, subject.left.count)...]
        where !content.ids.contains(id) {
            throw Broken(
                "the other node has what is lost here: \(PeerID(id.hash))"
                    + (verdict.isProven ? "; and the log would fork" : ""))
        }
        content.leftFound = max(content.leftFound, subject.left.count)
        if !verdict.isProven { self.outcome.renewed += 1 }
        guard verdict.isProven || self.mayBegin(subject, verdict) else {
            throw Broken("a loss of power is not a restored backup: \(subject.start)")
        }
    }

    /// Whether a new incarnation is right: before the first continuity file is durable with its
    /// name, when nothing of its own was acknowledged or sent yet (a start says nothing before
    /// that), and while a start is being counted, when the database has the count and the
    /// continuity file has it not.
    private func mayBegin(_ subject: Subject, _ verdict: StoreJudge.Verdict) -> Bool {
        switch subject.start {
        case .first, .firstNamed:
            !subject.hasSpoken && subject.acknowledged.isEmpty && subject.left.isEmpty
        case .uncounted, .named: verdict.isOneStartAhead
        case .counted: false
        }
    }

    /// Learns what of the other node this one has, whether or not it is synced.
    private func learn(_ content: StoreJudge.Content, of number: Int) {
        guard !content.isLearnt else { return }
        content.isLearnt = true
        let other = 1 - number
        let author = self.subjects[other].recorded.owner
        for entry in content.entries where entry.key.name.author == author {
            if self.subjects[other].hasLeft.insert(entry.id).inserted {
                self.subjects[other].left.append(entry.id)
            }
        }
    }
}
