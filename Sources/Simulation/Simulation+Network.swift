import Engine
import Formats
import Crypto

/// One direction between two machines.
struct Way: Hashable {
    var from: Int
    var to: Int
}

/// The network: streams that keep order, take time, break and stall.
extension Simulation {
    /// How much may be on its way before the sender has to wait.
    private static var windowBytes: Int { 262_144 }
    /// How long a stalled piece waits until it is sent again.
    private static var retransmitMilliseconds: UInt64 { 400 }

    func isBlocked(_ from: Int, _ to: Int) -> Bool {
        self.network.blocked.contains(Way(from: from, to: to))
    }

    func delay() -> UInt64 {
        self.faults.delay + self.random.number(0...self.faults.jitter)
    }

    // MARK: Dialling

    func dial(_ index: Int, _ dial: DialID, _ address: String, _ expecting: PeerID?) {
        self.lastNumber += 1
        let number = Int(self.lastNumber)
        var hash: [UInt8] = []
        for _ in 0..<64 { hash.append(UInt8.random(in: 0...255, using: &self.random)) }
        guard let exporter = Bytes64(hash) else {
            preconditionFailure("an exporter has 64 bytes")
        }
        let target = self.network.listeners[address]
        let wire = Wire(
            number: number, dial: dial, expecting: expecting, address: address,
            exporter: exporter,
            ends: [
                Wire.End(
                    machine: index, start: self.machines[index].start,
                    boot: self.machines[index].boot, secrets: self.machines[index].access.secrets),
                Wire.End(machine: target ?? -1, start: 0),
            ])
        if target == nil { wire.ends[1].isGone = true }
        if self.faults.spread > 0 { wire.spread = self.random.number(0...self.faults.spread) }
        if self.faults.hasSessions {
            wire.ends[0].session = SessionBox(
                Session(
                    initiator: self.identity(index), static: KeyPair.generate(),
                    expecting: expecting, dial: dial.rawValue))
        }
        self.network.wires[number] = wire
        self.machines[index].dials[dial] = number
        guard target != nil else {
            let failure = DialFailure(.noRoute, "no route to host")
            self.schedule(.dialEnds(wire: number, failure), in: self.delay())
            return
        }
        if !self.faults.hasSessions { self.push(.hello(1), number, 0, bytes: 64) }
        self.touch(number, 0)
        self.schedule(
            .dialEnds(wire: number, DialFailure(.timedOut, "no answer in time")),
            in: Limits.handshakeMilliseconds)
    }

    private func identity(_ index: Int) -> SessionIdentity {
        let machine = self.machines[index]
        return SessionIdentity(
            signer: machine.identity.signer, certificate: machine.identity.certificate,
            boot: machine.boot,
            listenPort: 7000, realms: machine.access.secrets, features: .ownAnnounced)
    }

    /// The side that was dialled begins to shake hands.
    private func answerHello(_ number: Int) {
        guard let index = self.network.wires[number]?.ends[1].machine else { return }
        self.network.wires[number]?.ends[1].boot = self.machines[index].boot
        self.network.wires[number]?.ends[1].secrets = self.machines[index].access.secrets
    }

    /// The realm by whose secret a handshake is made: the first of the dialling side that the other
    /// is in.
    private func commonRealm(_ wire: Wire) -> RealmID? {
        wire.ends[0].secrets.first(where: wire.ends[1].secrets.contains)?.realm
    }

    /// A dial that has not led to a link by now fails.
    func dialEnds(_ number: Int, _ failure: DialFailure) throws {
        guard let wire = self.network.wires[number], !wire.ends[0].isGone, wire.ends[0].link == nil
        else { return }
        let index = wire.ends[0].machine
        self.leave(number, 0)
        if self.machines[index].dials.removeValue(forKey: wire.dial) != nil {
            try self.tell(index, .dialFailed(wire.dial, failure))
        }
    }

    private func open(_ number: Int, _ side: Int, _ proven: LinkInfo? = nil) throws {
        guard let wire = self.network.wires[number] else { return }
        let (end, other) = (wire.ends[side], wire.ends[1 - side])
        self.lastNumber += 1
        let link = LinkID(self.lastNumber)
        self.network.wires[number]?.ends[side].link = link
        // By the clock of that machine, which may be slow.
        let decided = self.instant(end.machine).monotonic + Limits.probeMilliseconds
        self.network.wires[number]?.directions[side].readBy =
            self.time + self.machines[end.machine].monotonic.wait(until: decided, from: self.time)
        self.machines[end.machine].wires[link] = (number, side)
        if side == 0 { self.machines[end.machine].dials[wire.dial] = nil }
        guard let realm = self.commonRealm(wire) else {
            throw Violation("\(end.machine) links with \(other.machine), with whom it has no realm")
        }
        let info = LinkInfo(
            peer: self.machines[other.machine].id,
            certificate: self.machines[other.machine].identity.certificate, boot: other.boot,
            role: side == 0 ? .initiator : .responder, dial: wire.dial.rawValue, realm: realm,
            version: 2, features: .ownAnnounced, listenPort: 7000, exporter: wire.exporter)
        // The tags of a real handshake would differ from run to run; all else must be the same.
        if var proven {
            proven.exporter = wire.exporter
            guard proven == info else {
                throw Violation("a session of \(end.machine) says \(proven) and not \(info)")
            }
        }
        let host = self.machines[other.machine].addresses[0].dropLast(5)
        let address = side == 0 ? wire.address : "\(host):\(50_000 + number % 9_999)"
        self.network.wires[number]?.ends[side].source = Source(address)
        if self.machines[end.machine].isPuppet { return self.greet(number, side) }
        try self.tell(
            end.machine,
            .linkOpened(link, info, address: address, dial: side == 0 ? wire.dial : nil))
    }

    // MARK: Sending

    func send(_ index: Int, _ link: LinkID, _ encoded: EncodedFrame) throws {
        guard let (number, side) = self.machines[index].wires[link],
            let wire = self.network.wires[number]
        else { throw Violation("node \(index) sends on a link that is not open") }
        let received = try self.decoded(encoded, by: index)
        if encoded.channel.hasCredit {
            wire.directions[side].outstanding[encoded.channel, default: 0] += encoded.bytes.count
            guard
                (wire.directions[side].outstanding[encoded.channel] ?? 0) <= Limits.initialCredit
                    || self.isHostile(wire)
            else {
                throw Violation("node \(index) sends more than its credit on \(encoded.channel)")
            }
        }
        if let frame = received.frame {
            if self.assaults.isRecording { self.record(frame, kind: encoded.bytes[0]) }
            // Who was left waiting by a hostile peer may ask it again until the link is given up.
            if encoded.channel.hasCredit, !self.isHostile(wire), !frame.isSeeking {
                self.checker.counts.syncFrames += 1
            }
            var heard = wire.directions[side].announced
            if self.time <= wire.directions[side].readBy {
                heard.formUnion(wire.directions[side].leftEarly)
            }
            if case .rooms(let tag, _) = frame { wire.directions[side].roomTag = tag }
            let receiver = self.machines[wire.ends[1 - side].machine]
            let wanted = wire.directions[side].wanted
            try self.checker.sent(
                frame, by: self.machines[index], to: receiver,
                Checker.Heard(announced: heard, wanted: wanted))
            if self.looksAtAll { try self.checker.claimed(frame, by: self.machines[index]) }
        }
        if let adversary = self.machines[index].adversary {
            return self.sendHostile(encoded, received, adversary, number, side)
        }
        var isWithinBound = true
        if let session = wire.ends[side].session {
            isWithinBound = session.session.send(encoded)
        } else {
            wire.directions[side].lanes[encoded.channel, default: []].append((encoded, received))
            if encoded.channel == .control {
                wire.directions[side].controlBytes += encoded.bytes.count
                isWithinBound = wire.directions[side].controlBytes <= Limits.controlQueueBytes
            }
        }
        if !isWithinBound {
            // A stalled stream may hold pings and credits for a while, never without bound; but a
            // peer that floods and does not read brings that about.
            guard self.isHostile(wire) else {
                throw Violation("node \(index) queues too many control frames")
            }
            self.schedule(.overflows(wire: number, side: side), in: 0)
        }
        self.touch(number, side)
    }

    /// A frame as whoever gets it will read it; what goes to many is read once.
    private func decoded(_ encoded: EncodedFrame, by index: Int) throws -> ReceivedFrame {
        if let last = self.network.lastSent, last.bytes == encoded.bytes { return last.received }
        let received: ReceivedFrame
        do { received = try ReceivedFrame(whole: encoded.bytes) } catch {
            throw Violation("node \(index) sends a frame that does not decode: \(error)")
        }
        guard received.channel == encoded.channel else {
            throw Violation("node \(index) sends a frame on another channel than its own")
        }
        self.network.lastSent = (encoded.bytes, received)
        return received
    }

    func isHostile(_ wire: Wire) -> Bool {
        wire.ends.contains { $0.machine >= 0 && self.machines[$0.machine].adversary != nil }
    }

    /// Says goodbye and ends a stream, as the shell does.
    func close(_ index: Int, _ link: LinkID, _ reason: GoawayReason, _ text: String) throws {
        guard let (number, side) = self.machines[index].wires[link],
            let wire = self.network.wires[number]
        else { throw Violation("node \(index) closes a link that is not open") }
        try self.checker.closed(reason, text, by: index, with: wire.ends[1 - side].machine)
        try self.checker.gavePlace(
            reason, by: self.machines[index], to: self.machines[wire.ends[1 - side].machine])
        let frame = Frame.goaway(reason, text).encoded
        if let session = wire.ends[side].session {
            _ = session.session.send(frame)
        } else if let received = try? ReceivedFrame(whole: frame.bytes) {
            // What had not left goes nowhere; the goodbye does.
            self.network.wires[number]?.directions[side].lanes = [.control: [(frame, received)]]
        }
        self.leave(number, side)
    }

    /// One side has done with a stream; what it still has to send goes out before the end.
    func leave(_ number: Int, _ side: Int) {
        guard let end = self.network.wires[number]?.ends[side], !end.isGone else { return }
        self.network.wires[number]?.ends[side].isGone = true
        self.network.wires[number]?.directions[side].isEnding = true
        if let link = end.link { self.machines[end.machine].wires[link] = nil }
        self.touch(number, side)
    }

    func forgetIfOver(_ number: Int) {
        guard let wire = self.network.wires[number], wire.isOver,
            wire.directions.allSatisfy(\.inFlight.isEmpty)
        else { return }
        self.network.wires[number] = nil
    }

    func push(_ chunk: Wire.Chunk, _ number: Int, _ side: Int, bytes: Int) {
        guard let wire = self.network.wires[number] else { return }
        let rate =
            wire.ends[1 - side].machine >= 0
            ? self.machines[wire.ends[1 - side].machine].readRate : 1_000_000
        let sending = UInt64(bytes / rate)
        let arrival = max(
            wire.directions[side].lastArrival, self.time + sending + self.delay() + wire.spread)
        self.network.wires[number]?.directions[side].lastArrival = arrival
        self.network.wires[number]?.directions[side].inFlight.append(chunk)
        self.network.wires[number]?.directions[side].bytesInFlight += bytes
        self.eventQueue.schedule(.arrives(wire: number, side: 1 - side), at: arrival)
        if sending > 0 {
            self.network.wires[number]?.directions[side].isSending = true
            self.schedule(.sent(wire: number, side: side), in: sending)
        }
    }

    /// Sends what waits, most urgent first, a message's worth at a time.
    func transmit(_ number: Int, _ side: Int) {
        while let wire = self.network.wires[number] {
            guard !wire.directions[side].isSending,
                wire.directions[side].bytesInFlight < Self.windowBytes
            else { return }
            if let session = wire.ends[side].session {
                let bytes = session.session.output(limit: Limits.plaintextBytes)
                if !bytes.isEmpty {
                    self.push(.bytes(bytes), number, side, bytes: bytes.count)
                    continue
                }
            } else if let (frames, bytes) = self.takeFrames(wire, side) {
                self.push(.frames(frames), number, side, bytes: bytes)
                continue
            }
            if wire.directions[side].isEnding {
                wire.directions[side].isEnding = false
                self.push(.end, number, side, bytes: 1)
            }
            return
        }
    }

    private func takeFrames(
        _ wire: Wire, _ side: Int
    ) -> (frames: [(EncodedFrame, ReceivedFrame)], bytes: Int)? {
        guard !wire.directions[side].lanes.isEmpty else { return nil }
        var frames: [(EncodedFrame, ReceivedFrame)] = []
        var bytes = 0
        for channel in Channel.allCases {
            guard var lane = wire.directions[side].lanes.removeValue(forKey: channel) else {
                continue
            }
            let before = bytes
            var taken = 0
            while taken < lane.count, bytes < Limits.plaintextBytes {
                bytes += lane[taken].0.bytes.count
                taken += 1
            }
            if channel == .control { wire.directions[side].controlBytes -= bytes - before }
            frames.append(contentsOf: lane.prefix(taken))
            guard taken < lane.count else { continue }
            lane.removeFirst(taken)
            wire.directions[side].lanes[channel] = lane
        }
        return frames.isEmpty ? nil : (frames, bytes)
    }

    // MARK: Arriving

    func arriveFrames(_ number: Int, _ side: Int) throws {
        guard let wire = self.network.wires[number],
            let chunk = wire.directions[1 - side].inFlight.first
        else { return }
        let (end, sender) = (wire.ends[side], wire.ends[1 - side])
        if wire.directions[1 - side].isStalled { return }
        if wire.isDead {
            self.network.wires[number]?.directions[1 - side].inFlight.removeFirst()
            return self.forgetIfOver(number)
        }
        if self.isBlocked(sender.machine, end.machine) {
            self.network.wires[number]?.directions[1 - side].isStalled = true
            self.schedule(.arrivesAgain(wire: number, side: side), in: Self.retransmitMilliseconds)
            return
        }
        self.network.wires[number]?.directions[1 - side].inFlight.removeFirst()
        self.network.wires[number]?.directions[1 - side].bytesInFlight -= Self.size(chunk)
        self.touch(number, 1 - side)
        defer { self.forgetIfOver(number) }
        if case .hello(1) = chunk, !end.isGone { return try self.accept(number) }
        if case .bytes = chunk, side == 1, end.start == 0, !end.isGone {
            guard self.machines[end.machine].isUp else { return try self.accept(number) }
            self.network.wires[number]?.ends[1].start = self.machines[end.machine].start
            self.answerHello(number)
            self.network.wires[number]?.ends[1].session = SessionBox(
                Session(responder: self.identity(end.machine), static: KeyPair.generate()))
        } else if end.isGone || !self.isRunning(end.machine, end.start) {
            // Nobody is there: a machine that runs says so, one that is off does not.
            if end.machine >= 0, self.machines[end.machine].isUp, !sender.isGone {
                self.schedule(.breaks(wire: number, side: 1 - side), in: self.delay())
            }
            return
        }
        switch chunk {
        case .hello(2): try self.answered(number)
        case .hello: try self.open(number, side)
        case .frames(let frames):
            for (_, frame) in frames { try self.deliver(frame, number, side) }
        case .bytes(let bytes): try self.read(bytes, number, side)
        case .garbled(let bytes):
            let frame: ReceivedFrame
            do throws(WireError) { frame = try ReceivedFrame(whole: bytes) } catch {
                return try self.endOfStream(number, side, .wire(error))
            }
            try self.deliver(frame, number, side)
        case .end: try self.endOfStream(number, side, nil)
        }
    }

    /// What a blocked way has held back is sent again, all at once when it is open.
    func arriveAgain(_ number: Int, _ side: Int) throws {
        guard let wire = self.network.wires[number] else { return }
        if self.isBlocked(wire.ends[1 - side].machine, wire.ends[side].machine) {
            self.schedule(.arrivesAgain(wire: number, side: side), in: Self.retransmitMilliseconds)
            return
        }
        self.network.wires[number]?.directions[1 - side].isStalled = false
        for _ in wire.directions[1 - side].inFlight { try self.arriveFrames(number, side) }
    }

    private static func size(_ chunk: Wire.Chunk) -> Int {
        switch chunk {
        case .hello: 64
        case .frames(let frames): frames.reduce(0) { $0 + $1.0.bytes.count }
        case .bytes(let bytes), .garbled(let bytes): bytes.count
        case .end: 1
        }
    }

    private func accept(_ number: Int) throws {
        guard let end = self.network.wires[number]?.ends[1] else { return }
        guard self.machines[end.machine].isUp else {
            self.network.wires[number]?.ends[1].isGone = true
            let failure = DialFailure(.refused, "connection refused")
            self.schedule(.dialEnds(wire: number, failure), in: self.delay())
            return
        }
        self.answerHello(number)
        guard self.network.wires[number].flatMap(self.commonRealm) != nil else {
            self.network.wires[number]?.ends[1].isGone = true
            self.schedule(.dialEnds(wire: number, DialFailure(.wrongRealm)), in: self.delay())
            return
        }
        self.network.wires[number]?.ends[1].start = self.machines[end.machine].start
        self.push(.hello(2), number, 1, bytes: 64)
    }

    private func answered(_ number: Int) throws {
        guard let wire = self.network.wires[number] else { return }
        let peer = self.machines[wire.ends[1].machine].id
        if let expected = wire.expecting, expected != peer {
            return try self.dialEnds(
                number, DialFailure(.otherKey(expected: expected, got: peer)))
        }
        self.push(.hello(3), number, 0, bytes: 64)
        try self.open(number, 0)
    }

    private func deliver(_ received: ReceivedFrame, _ number: Int, _ side: Int) throws {
        guard let end = self.network.wires[number]?.ends[side], let link = end.link, !end.isGone,
            self.isRunning(end.machine, end.start)
        else { return }
        switch received.frame {
        case .credit(let channel, let bytes):
            // A hostile peer may give more than any number holds.
            let before = self.network.wires[number]?.directions[side].outstanding[channel] ?? 0
            let (rest, isBelowAll) = before.subtractingReportingOverflow(Int(clamping: bytes))
            let outstanding = isBelowAll ? Int.min : rest
            self.network.wires[number]?.directions[side].outstanding[channel] = outstanding
            guard outstanding >= 0 || self.network.wires[number].map(self.isHostile) == true else {
                throw Violation("node \(end.machine) gets more credit than it used")
            }
        case .rooms(_, let names):
            // In which of its realms is for the node to find out.
            let realms = [RealmID.open] + (self.story.realm.map { [$0.id] } ?? [])
            for room in realms.flatMap({ realm in names.map { Room($0, in: realm).conversation } })
            {
                self.network.wires[number]?.directions[side].announced.insert(room)
                self.network.wires[number]?.directions[side].leftEarly.remove(room)
            }
        case .shares(let tags): self.noteShares(tags, number, side)
        case .blobWant(let want):
            self.network.wires[number]?.directions[side].wanted[want.number, default: []].insert(
                want.blob)
        case .roomsLeft(let rooms):
            self.network.wires[number]?.directions[side].announced.subtract(rooms)
            if let direction = self.network.wires[number]?.directions[side],
                self.time <= direction.readBy
            {
                self.network.wires[number]?.directions[side].leftEarly.formUnion(rooms)
            }
        case .liveRun(let run), .syncRun(let run):
            if self.machines[end.machine].adversary == nil {
                self.checker.counts.entriesReceived += run.entries.count
            }
            self.checker.brought(run, to: self.machines[end.machine], from: end.source)
        case .acts(_, let acts):
            self.checker.counts.actsReceived[end.machine, default: 0] += acts.count
        default: break
        }
        if let adversary = self.machines[end.machine].adversary, let frame = received.frame {
            self.mirror(frame, adversary, number, side)
            self.answerWrongly(frame, adversary, number, side)
            if self.machines[end.machine].isPuppet { self.answerAsPuppet(received, number, side) }
        }
        try self.tell(end.machine, .received(link, received))
    }

    private func read(_ bytes: [UInt8], _ number: Int, _ side: Int) throws {
        guard let session = self.network.wires[number]?.ends[side].session else { return }
        for event in session.session.receive(bytes) {
            switch event {
            case .established(let info): try self.open(number, side, info)
            case .received(let frame): try self.deliver(frame, number, side)
            case .failed(let failure): try self.endOfStream(number, side, failure)
            }
        }
        self.touch(number, side)
    }

    /// A side notices that its stream has ended.
    func endOfStream(_ number: Int, _ side: Int, _ failure: SessionFailure?) throws {
        guard let end = self.network.wires[number]?.ends[side], !end.isGone else { return }
        guard let link = end.link else {
            if side == 0 {
                let ended = DialFailure(.failed, "the stream ended")
                return try self.dialEnds(number, failure.map(DialFailure.init) ?? ended)
            }
            self.leave(number, side)
            guard let failure, self.isRunning(end.machine, end.start) else { return }
            let stranger = self.network.wires[number]?.ends[0].machine ?? 0
            let address = self.machines[stranger].addresses[0]
            return try self.tell(end.machine, .incomingFailed(address: address, failure))
        }
        self.network.wires[number]?.directions[side].lanes = [:]
        self.leave(number, side)
        guard self.isRunning(end.machine, end.start) else { return }
        try self.tell(end.machine, .linkClosed(link, failure))
    }
}
