import Engine
import Noise

/// A peer that sends what no honest node would: the frames of others again, changed, in any order.
///
/// Its node goes on beside it, so that its links stay plausible.
extension Simulation {
    /// Notes that a machine sends so many bad frames within a time.
    package func noteAssault(by machine: Int, frames: Int, within milliseconds: UInt64) {
        self.checker.hostile.insert(machine)
        self.isRecording = true
        for _ in 0..<frames {
            self.note(.assault(machine: machine), in: self.random.number(0...milliseconds))
        }
    }

    /// Keeps a frame that was sent; of each kind some are enough.
    func record(_ frame: Frame, kind: UInt8) {
        if (self.recorded[kind]?.count ?? 0) < 100 {
            self.recorded[kind, default: []].append(frame)
        }
    }

    func assault(by index: Int) throws {
        let links = self.machines[index].wires.values.map { ($0.wire, $0.side) }.sorted {
            $0.0 < $1.0
        }
        guard let (number, side) = links.randomElement(using: &self.random),
            let kind = self.recorded.keys.sorted().randomElement(using: &self.random),
            let frame = self.recorded[kind]?.randomElement(using: &self.random)
        else { return }
        let changed = self.forgery(by: index) ?? self.changed(frame)
        guard changed.encoded.bytes.count <= Limits.frameBytes,
            let received = try? ReceivedFrame(whole: changed.encoded.bytes),
            self.wires[number]?.ends[side].session == nil
        else { return }
        self.wires[number]?.directions[side].lanes[received.channel, default: []].append(
            (changed.encoded, received))
        self.assaultCount += 1
        self.touch(number, side)
    }

    /// Now and then, the next entry of somebody's log, which its author never signed.
    private func forgery(by index: Int) -> Frame? {
        let logs = self.machines[index].store.logs.sorted { $0.key < $1.key }
        guard self.random.chance(10), let (key, log) = logs.randomElement(using: &self.random),
            let last = log.rows.last, let time = log.head.time.next, log.head.id == last.id
        else { return nil }
        let entry = Entry(
            kind: last.entry.kind, time: time, deps: [], payload: last.entry.payload)
        return .liveRun(
            Run(
                key: key, first: log.head.seq + 1, prev: last.id,
                attestation: last.attestation ?? .zero, entries: [entry]))
    }

    private func changed(_ frame: Frame) -> Frame {
        if self.random.chance(25) { return frame }
        let number = self.random.chance(50) ? self.random.number(UInt64(1)...40) : UInt64.max >> 1
        switch frame {
        case .ping(let nonce, _): return .ping(nonce: nonce, clock: self.random.next())
        case .pong(let nonce, _): return .pong(nonce: nonce, clock: self.random.next())
        case .credit(let channel, _): return .credit(channel, bytes: number)
        case .goaway: return .goaway(nil, "")
        case .rooms: return .rooms([Workload.room(self.random.number(0...5))])
        case .roomsLeft(let rooms): return .roomsLeft(rooms)
        case .liveRun(let run): return .liveRun(self.changed(run))
        case .syncRun(let run): return .syncRun(self.changed(run))
        case .digest(let room, let digest): return .digest(room, self.changed(digest))
        case .clock(let room, let isComplete, let rows):
            return .clock(
                room, isComplete: self.random.chance(50) ? !isComplete : isComplete,
                rows.map { row in
                    var row = row
                    if self.random.chance(50) { row.seq = number }
                    if self.random.chance(30) { row.headTag = self.random.next() }
                    if self.random.chance(30) { row.state = .forked }
                    return row
                })
        case .want(var want):
            want.from = self.random.number(UInt64(1)...10)
            want.through = want.from + self.random.number(UInt64(0)...4_000)
            return .want(want)
        case .unavailable(let room, _, let from):
            return .unavailable(room, tag: self.random.next(), from: from)
        case .records(let records): return .records(records.reversed())
        case .recordClock(let room, let rows):
            return .recordClock(room, rows.filter { _ in self.random.chance(50) })
        case .forkProof(let proof): return .forkProof(proof)
        }
    }

    private func changed(_ run: Run) -> Run {
        var entries = run.entries
        let first = self.random.chance(30) ? run.first + 1 : run.first
        switch self.random.number(0...3) {
        case 0: entries[0].time = HybridTime(entries[0].time.rawValue / 2)
        case 1: entries.removeLast(entries.count - 1)
        case 2: entries[0].deps = []
        default: break
        }
        return Run(
            key: run.key, first: first,
            prev: first == 1 ? nil : run.prev ?? EntryID(self.changed(Bytes32.zero)),
            attestation: run.attestation, entries: entries)
    }

    private func changed(_ hash: Bytes32) -> Bytes32 {
        var bytes = hash.bytes
        bytes[self.random.number(0...31)] ^= 1
        return Bytes32(bytes) ?? hash
    }
}
