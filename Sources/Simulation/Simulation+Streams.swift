import Engine
import Formats

/// Streams of programs: what is sent of them, and what readers get and are told to have missed.
extension Simulation {
    /// What a program does about streams.
    enum StreamHappening {
        /// It opens an ephemeral stream, sends so many packets, one after so many milliseconds, and ends it.
        case opens(ConversationID, StreamPlan)
        /// It sends a packet of one, or ends it; nothing where its machine has stopped since.
        case sends(start: Int, stream: UInt64, bytes: [UInt8])
        case closes(start: Int, stream: UInt64)
    }

    /// What is to be sent.
    struct StreamPlan {
        var name: StreamName
        var isOrdered: Bool
        var count: Int
        var pause: UInt64
    }

    /// Notes what programs send, in streams that nobody keeps and in some that are stored.
    func scheduleStreams(_ workload: Workload) {
        let end = workload.milliseconds
        for number in 0..<workload.streams {
            let machine = self.dice.streaming.number(0...self.machines.count - 1)
            let room = self.room(self.dice.streaming.number(0...workload.rooms - 1)).conversation
            let moment = self.dice.streaming.number(0...end)
            guard let name = StreamName("stream\(number)") else {
                preconditionFailure("a small word and a number name a stream")
            }
            if self.dice.streaming.chance(30) {
                self.scheduleStored(name, from: machine, to: room, in: moment)
                continue
            }
            let plan = StreamPlan(
                name: name, isOrdered: self.dice.streaming.chance(50),
                count: self.dice.streaming.number(0...60),
                // Some programs are faster than they may be.
                pause: self.dice.streaming.number(UInt64(5)...200))
            self.schedule(.stream(machine: machine, .opens(room, plan)), in: moment)
        }
    }

    /// Notes the pieces of a stream that is stored: each is an entry, and goes where messages go.
    private func scheduleStored(
        _ name: StreamName, from machine: Int, to room: ConversationID, in milliseconds: UInt64
    ) {
        let session = self.dice.streaming.next() >> 1
        let count = self.dice.streaming.number(1...8)
        var offset: UInt64 = 0
        for number in 1...count {
            let bytes = self.streamBytes(atMost: 4_000)
            let piece = StreamPiece(
                name: name, session: session, offset: offset, bytes: bytes, isEnd: number == count)
            guard let piece else { preconditionFailure("a small piece of a stream") }
            offset += UInt64(bytes.count)
            self.requestLater(
                machine, .send(Outgoing(conversation: room, content: .stream(piece))),
                in: milliseconds + UInt64(number) * 50)
        }
    }

    private func streamBytes(atMost limit: Int) -> [UInt8] {
        let count = self.dice.streaming.number(1...limit)
        return [UInt8](repeating: UInt8(self.dice.streaming.number(0...255)), count: count)
    }

    func happen(_ happening: StreamHappening, on index: Int) throws {
        switch happening {
        case .opens(let room, let plan):
            self.story.streamPlans[plan.name] = plan
            try self.request(index, .openStream(room, plan.name, isOrdered: plan.isOrdered))
        case .sends(let start, let stream, let bytes):
            guard self.isRunning(index, start) else { return }
            try self.request(index, .sendPacket(stream: stream, bytes))
        case .closes(let start, let stream):
            guard self.isRunning(index, start) else { return }
            try self.request(index, .closeStream(stream))
        }
    }

    /// A node has answered a program that sends.
    func streamAnswered(_ request: Request, _ answer: Answer, by index: Int) throws {
        let start = self.machines[index].start
        switch (request, answer) {
        case (.openStream(let room, let name, let isOrdered, _), .streamOpened(let stream)):
            guard let plan = self.story.streamPlans[name] else { return }
            self.checker.streams.sent[stream] = Checker.SentStream(
                machine: index, start: start, conversation: room, name: name, isOrdered: isOrdered)
            for number in 0..<plan.count {
                let size = self.dice.streaming.chance(20) ? Limits.streamPacketBytes : 60
                self.schedule(
                    .stream(
                        machine: index,
                        .sends(
                            start: start, stream: stream, bytes: self.streamBytes(atMost: size))),
                    in: UInt64(number) * plan.pause)
            }
            self.schedule(
                .stream(machine: index, .closes(start: start, stream: stream)),
                in: UInt64(plan.count + 1) * plan.pause)
        case (.sendPacket(let stream, let bytes), .packetSent(let number, _)):
            try self.checker.sent(bytes, number, of: stream, by: self.machines[index])
        case (.closeStream(let stream), .streamClosed):
            self.checker.streams.sent[stream]?.isEnded = true
        default: break
        }
    }
}

/// What must hold of streams.
extension Checker {
    /// What an author has sent of a stream that nobody keeps.
    struct SentStream {
        var machine: Int
        /// The author's start: one that is killed may have sent more than it has told its program of.
        var start: Int
        var conversation: ConversationID
        var name: StreamName
        var isOrdered: Bool
        var packets: [[UInt8]] = []
        var isEnded = false
    }

    /// What one start of a machine has got of a stream.
    struct ReadStream {
        var tally = StreamTally()
        var given = 0
        var missed = 0
        /// What has come, or was given up for having been overtaken.
        var numbers: Set<UInt64> = []
    }

    /// Names a stream and who reads it.
    struct StreamReader: Hashable {
        var machine: Int
        var start: Int
        var stream: UInt64
    }

    /// A node has sent a packet: their numbers have no gaps.
    mutating func sent(
        _ bytes: [UInt8], _ number: UInt64, of stream: UInt64, by machine: Machine
    ) throws {
        guard let known = self.streams.sent[stream], number == UInt64(known.packets.count) + 1
        else {
            throw Violation("node \(machine.index) leaves numbers of a stream out")
        }
        self.streams.sent[stream]?.packets.append(bytes)
    }

    /// A node gives a packet: what its author sent, once, and in the order that was asked for; what was
    /// given and what was missed are all that was sent.
    mutating func given(
        _ packet: StreamPacket, of stream: UInt64, from peer: PeerID,
        in conversation: ConversationID, by machine: Machine, of machines: [Machine]
    ) throws {
        guard machine.store.isJoined(conversation) else {
            throw Violation("node \(machine.index) gives a packet of where it is not")
        }
        let isHostile = machines.contains {
            $0.id == peer && self.suspects.hostile.contains($0.index)
        }
        guard !isHostile else { return }
        guard var sent = self.streams.sent[stream], machines[sent.machine].id == peer else {
            throw Violation("node \(machine.index) gives a packet that \(peer) has not sent")
        }
        let author = machines[sent.machine]
        let isCut = !author.isUp || author.start != sent.start
        if isCut, !sent.isEnded, packet.number == UInt64(sent.packets.count) + 1 {
            if packet.isEnd { sent.isEnded = true } else { sent.packets.append(packet.bytes) }
            self.streams.sent[stream] = sent
        }
        guard sent.conversation == conversation, sent.name == packet.name,
            sent.isOrdered == packet.isOrdered,
            packet.isEnd
                ? sent.isEnded && packet.number == UInt64(sent.packets.count) + 1
                : packet.number <= UInt64(sent.packets.count)
                    && sent.packets[Int(packet.number) - 1] == packet.bytes
        else {
            throw Violation("node \(machine.index) gives a packet that \(peer) has not sent")
        }
        let reader = StreamReader(machine: machine.index, start: machine.start, stream: stream)
        var read = self.streams.read[reader] ?? ReadStream()
        guard read.numbers.insert(packet.number).inserted else {
            throw Violation("node \(machine.index) gives a packet of a stream twice")
        }
        switch read.tally.receive(packet) {
        case .give(let missed):
            read.given += packet.isEnd ? 0 : 1
            read.missed += Int(missed)
        case .late:
            read.given += 1
            read.missed -= 1
        case .drop: break
        }
        self.streams.read[reader] = read
        guard packet.isEnd else { return }
        self.streams.readCount += 1
        guard read.given + read.missed == sent.packets.count else {
            throw Violation(
                "node \(machine.index) has got \(read.given) packets and missed \(read.missed) "
                    + "of \(sent.packets.count)")
        }
    }
}
