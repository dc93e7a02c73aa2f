import Engine
import Formats
import Crypto

/// What a hostile peer does beside what its node does.
struct Adversary: Sendable {
    /// A way of breaking the protocol.
    enum Kind: Int, CaseIterable, Comparable, Sendable {
        /// Signs several histories of one log and gives each to others.
        case equivocate
        /// Keeps back what its node says, from some peers or from all.
        case withhold
        /// Leaves payloads out of the runs that it sends, and does not have them when asked.
        case omit
        /// Sends again what it or others have sent, to whomever.
        case replay
        /// Sends what others have signed, changed.
        case forge
        /// Sends a great many frames.
        case flood
        /// Tells a wrong time, and signs entries of other times.
        case lieAboutTime
        /// Says that it has what it has not, and the other way round.
        case lieAboutClocks
        /// Sends a peer's own frames back to it.
        case mirror
        /// Sends bytes that are no frames.
        case garble
        /// Opens streams and does not shake hands on them.
        case knock

        static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
    }

    /// What it does, in a fixed order.
    var kinds: [Kind]
    /// From whom it keeps things back.
    var deprived: Set<Int> = []
    /// How far its pings are off, in milliseconds.
    var lie: Int64 = 0
    /// How many logs it has made up; below what a node takes of one author.
    var logCount = 0
    /// How many percent of what it says of files it keeps back, or changes.
    var filesKept = 0
    var filesChanged = 0

    func does(_ kind: Kind) -> Bool { self.kinds.contains(kind) }
}

extension Simulation {
    /// Some ways of breaking the protocol, or all.
    func adversaryKinds() -> [Adversary.Kind] {
        let all = Adversary.Kind.allCases
        if self.random.chance(30) { return all }
        let count = self.random.number(1...4)
        return all.shuffled(using: &self.random).prefix(count).sorted()
    }

    /// Makes a machine hostile; its node goes on beside it, so that its links stay plausible.
    func makeHostile(_ machine: Int, kinds: [Adversary.Kind]) {
        var adversary = Adversary(kinds: kinds)
        let everybody = self.random.chance(20)
        for other in self.machines.indices where everybody || self.random.chance(40) {
            adversary.deprived.insert(other)
        }
        adversary.lie =
            self.random.chance(50)
            ? self.random.number(-400_000_000_000...400_000_000_000)
            : self.random.number(-900_000...900_000)
        self.machines[machine].adversary = adversary
        self.checker.suspects.hostile.insert(machine)
        self.checker.suspects.forkers.insert(self.machines[machine].id)
        self.checker.suspects.strange.insert(self.machines[machine].id)
        self.assaults.isRecording = true
    }

    /// Notes that a hostile machine does something bad so many times.
    func noteAssaults(_ count: Int, by machine: Int, within milliseconds: UInt64) {
        for _ in 0..<count {
            self.schedule(.assault(machine: machine), in: self.random.number(0...milliseconds))
        }
    }

    /// Keeps a frame that was sent; of each kind some are enough, and the newest are best.
    func record(_ frame: Frame, kind: UInt8) {
        let count = self.assaults.recorded[kind]?.count ?? 0
        if count < 50 {
            self.assaults.recorded[kind, default: []].append(frame)
        } else if self.random.chance(5) {
            self.assaults.recorded[kind]?[self.random.number(0...count - 1)] = frame
        }
    }

    // MARK: On the way out and in

    /// What a hostile machine makes of a frame that its node sends.
    func sendHostile(
        _ encoded: EncodedFrame, _ received: ReceivedFrame, _ adversary: Adversary, _ number: Int,
        _ side: Int
    ) {
        guard let frame = received.frame, let wire = self.network.wires[number] else { return }
        if frame.givesFiles, self.sendOfFiles(frame, adversary, number, side) { return }
        let isDeprived = adversary.deprived.contains(wire.ends[1 - side].machine)
        if adversary.does(.withhold), isDeprived {
            switch frame {
            case .liveRun, .syncRun, .unavailable, .forkProof, .records, .clock, .credit:
                if self.random.chance(60) { return }
            default: break
            }
        }
        if adversary.does(.omit), isDeprived, let part = self.omitting(frame) {
            return self.inject(part, number, side)
        }
        if adversary.does(.lieAboutTime) {
            let ends: [UInt64] = [0, 1 << 62, 1 << 63, .max]
            let clock =
                (self.random.chance(20) ? ends.randomElement(using: &self.random) : nil)
                ?? UInt64(max(Int64(self.wall) + adversary.lie, 0))
            switch frame {
            case .ping(let nonce, _):
                return self.inject(.ping(nonce: nonce, clock: clock), number, side)
            case .pong(let nonce, _):
                return self.inject(.pong(nonce: nonce, clock: clock), number, side)
            default: break
            }
        }
        self.inject(encoded, received, number, side)
    }

    /// What a hostile machine does about a frame that comes in, beside what its node does.
    func mirror(_ frame: Frame, _ adversary: Adversary, _ number: Int, _ side: Int) {
        guard adversary.does(.mirror), self.random.chance(20) else { return }
        self.assaults.count += 1
        self.inject(frame, number, side)
    }

    /// Puts a frame on a stream, whatever was agreed.
    func inject(_ frame: Frame, _ number: Int, _ side: Int) {
        let encoded = frame.encoded
        guard let received = try? ReceivedFrame(whole: encoded.bytes) else { return }
        self.inject(encoded, received, number, side)
    }

    private func inject(
        _ encoded: EncodedFrame, _ received: ReceivedFrame, _ number: Int, _ side: Int
    ) {
        let limit = encoded.channel == .control ? Limits.controlFrameBytes : Limits.frameBytes
        guard encoded.bytes.count <= limit, let end = self.network.wires[number]?.ends[side],
            !end.isGone
        else { return }
        if let session = end.session {
            _ = session.session.send(encoded)
        } else {
            self.network.wires[number]?.directions[side].lanes[encoded.channel, default: []].append(
                (encoded, received))
            if encoded.channel == .control {
                self.network.wires[number]?.directions[side].controlBytes += encoded.bytes.count
            }
        }
        self.touch(number, side)
    }

    // MARK: By itself

    /// The open links of a machine, in a fixed order.
    func streams(of index: Int) -> [(wire: Int, side: Int)] {
        self.machines[index].wires.values.map { ($0.wire, $0.side) }.sorted { $0.0 < $1.0 }
    }

    func assault(by index: Int) throws {
        guard self.machines[index].isUp else { return }
        if self.machines[index].isPuppet { return try self.assaultAsPuppet(by: index) }
        try self.assaultAlone(by: index)
    }

    /// Does what one hostile machine can do.
    func assaultAlone(by index: Int) throws {
        guard let kind = self.machines[index].adversary?.kinds.randomElement(using: &self.random)
        else { return }
        if kind == .knock {
            self.assaults.count += 1
            return self.knock(by: index)
        }
        let streams = self.streams(of: index)
        guard let (number, side) = streams.randomElement(using: &self.random) else { return }
        self.assaults.count += 1
        switch kind {
        case .equivocate: self.equivocate(by: index, to: streams, isAhead: false)
        case .lieAboutTime: self.equivocate(by: index, to: streams, isAhead: true)
        case .replay:
            for _ in 0..<self.random.number(1...10) {
                if let frame = self.anyRecorded() { self.inject(frame, number, side) }
            }
        case .forge:
            let frame = self.forgery(by: index) ?? self.anyRecorded().map { self.changedFrame($0) }
            if let frame { self.inject(frame, number, side) }
        case .flood: self.flood(by: index, number, side)
        case .lieAboutClocks:
            // Digests, clocks and record clocks, by the first byte of such a frame.
            let clocks = [UInt8(0x20), 0x21, 0x27].compactMap { kind in
                self.assaults.recorded[kind]?.randomElement(using: &self.random)
            }
            if let frame = clocks.randomElement(using: &self.random) {
                self.inject(self.changedFrame(frame), number, side)
            }
        case .garble: self.garble(number, side)
        case .mirror, .withhold, .omit, .knock: break
        }
    }

    private func anyRecorded() -> Frame? {
        self.assaults.recorded.keys.sorted().randomElement(using: &self.random).flatMap {
            self.assaults.recorded[$0]?.randomElement(using: &self.random)
        }
    }

    /// Sends a frame with some bytes changed, or bytes that never were a frame.
    private func garble(_ number: Int, _ side: Int) {
        guard let end = self.network.wires[number]?.ends[side] else { return }
        var bytes: [UInt8]
        if let frame = self.anyRecorded(), self.random.chance(80) {
            bytes = frame.encoded.bytes
            for _ in 0..<self.random.number(1...4) {
                bytes[self.random.number(0...bytes.count - 1)] ^= UInt8(self.random.number(1...255))
            }
            if self.random.chance(20) { bytes.removeLast(bytes.count / 2) }
        } else {
            bytes = (0..<self.random.number(1...200)).map { _ in
                UInt8(self.random.number(0...255))
            }
        }
        // On a real session these are bytes of the stream, which do not decrypt.
        self.push(
            end.session == nil ? .garbled(bytes) : .bytes(bytes), number, side, bytes: bytes.count)
    }

    // MARK: Streams without a handshake

    /// Opens a stream to somebody and sends nothing, nonsense, or the beginning of another handshake.
    private func knock(by index: Int) {
        guard let target = self.machines.indices.randomElement(using: &self.random),
            target != index, let address = self.machines[target].addresses.first
        else { return }
        self.lastNumber += 1
        let number = Int(self.lastNumber)
        let wire = Wire(
            number: number, dial: DialID(0), expecting: nil, address: address,
            exporter: .zero,
            ends: [
                Wire.End(
                    machine: index, start: self.machines[index].start,
                    secrets: self.machines[index].access.secrets),
                Wire.End(machine: target, start: 0),
            ])
        // Nobody listens to what comes back.
        wire.ends[0].isGone = true
        self.network.wires[number] = wire
        if self.faults.hasSessions {
            var bytes = (0..<self.random.number(1...300)).map { _ in
                UInt8(self.random.number(0...255))
            }
            if self.random.chance(60),
                let first = self.assaults.recordedBytes.randomElement(using: &self.random)
            {
                bytes = first
                if self.random.chance(50) { bytes[bytes.count - 1] ^= 1 }
            }
            self.push(.bytes(bytes), number, 0, bytes: bytes.count)
        } else {
            self.push(.hello(1), number, 0, bytes: 64)
        }
        self.schedule(.knockEnds(wire: number), in: Limits.handshakeMilliseconds + 1_000)
    }

    /// A handshake that somebody has begun was not done in time.
    func knockEnds(_ number: Int) throws {
        guard let end = self.network.wires[number]?.ends[1] else { return }
        self.network.wires[number]?.directions[0].inFlight = []
        if end.isGone { return self.forgetIfOver(number) }
        guard self.isRunning(end.machine, end.start) else {
            self.network.wires[number] = nil
            return
        }
        try self.endOfStream(number, 1, .timedOut)
    }
}
