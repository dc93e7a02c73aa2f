import Crypto
import TestSupport

@testable import Engine

/// Makes values that the engine could send, each run of a seed the same.
struct Generator {
    var random: SeededRandom
    private let signers = [signer(1), signer(2), signer(3)]

    init(seed: UInt64) { self.random = SeededRandom(seed: seed) }

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &self.random)
    }

    /// A number whose length in bits is spread evenly, so that every length of a varint comes.
    mutating func varint() -> UInt64 {
        let bits = UInt64(self.number(0...64))
        return bits == 0 ? 0 : self.random.next() >> (64 - bits)
    }

    mutating func chance(_ percent: Int) -> Bool { self.number(1...100) <= percent }

    mutating func bytes(_ count: Int) -> [UInt8] { self.random.bytes(count) }

    mutating func conversation() -> ConversationID { ConversationID(self.random.bytes32()) }

    mutating func roomName() -> RoomName {
        let letters = Array("abz09\u{e9}\u{3bb}\u{307e}\u{663}-_.")
        var text = "\(letters[self.number(0...8)])"
        for _ in 0..<self.number(0...14) { text.append(letters[self.number(0...11)]) }
        return room(text)
    }

    mutating func log() -> TestLog {
        TestLog(
            self.signers[self.number(0...2)], incarnation: self.random.next(),
            in: self.conversation())
    }

    mutating func extensions() -> [UInt8] {
        var writer = WireWriter()
        var type: UInt64 = 0
        for _ in 0..<self.number(1...3) {
            type += UInt64(self.number(1...400))
            writer.varint(type)
            writer.sized(self.bytes(self.number(0...20)))
        }
        return writer.bytes
    }

    /// An entry; one in ten is without its payload where payloads may be left out.
    mutating func entry(after previous: HybridTime?, mayOmit: Bool = true) -> Entry {
        let time: HybridTime
        if let previous {
            let room = UInt64.max - previous.rawValue
            precondition(room > 0, "a test's run does not reach the end of time")
            time = HybridTime(previous.rawValue + 1 + min(self.varint() >> 8, room - 1))
        } else {
            time = HybridTime(self.random.next() >> 2)
        }
        let deps = (0..<(self.chance(30) ? self.number(1...Limits.depCount) : 0)).map { _ in
            EntryID(self.random.bytes32())
        }
        let payload: Payload
        if mayOmit && self.chance(10) {
            payload = .absent(
                length: self.number(0...Limits.payloadBytes), hash: self.random.bytes32())
        } else {
            payload = .present(self.bytes(self.number(0...60)))
        }
        var entry = Entry(
            kind: UInt8(truncatingIfNeeded: self.random.next()), time: time, deps: deps.sorted(),
            payload: payload)
        if self.chance(20) { entry.epoch = self.random.bytes32() }
        if self.chance(20) { entry.extensions = self.extensions() }
        return entry
    }

    mutating func run(mayOmit: Bool = true) -> VerifiedRun {
        let first: UInt64
        switch self.number(0...2) {
        case 0: first = 1
        case 1: first = UInt64(self.number(2...1_000))
        default: first = max(1, self.random.next() >> 1 - UInt64(Limits.runEntries) - 1)
        }
        var list: [Entry] = []
        for _ in 0..<self.number(1...6) {
            list.append(self.entry(after: list.last?.time, mayOmit: mayOmit))
        }
        let prev = first == 1 ? nil : EntryID(self.random.bytes32())
        return self.log().run(list, first: first, prev: prev)
    }

    mutating func record() -> Record {
        let signer = self.signers[self.number(0...2)]
        return Record(
            kind: UInt8(truncatingIfNeeded: self.random.next()), author: PeerID(signer.publicKey),
            conversation: self.chance(50) ? self.conversation() : nil,
            time: HybridTime(self.random.next()), value: self.bytes(self.number(0...80)),
            signer: signer)
    }

    mutating func forkProof() -> ForkProof {
        let log = self.log()
        let first = self.chance(50) ? 1 : UInt64(self.number(2...1_000))
        let prev = first == 1 ? nil : EntryID(self.random.bytes32())
        func side(_ generator: inout Generator) -> VerifiedRun {
            var entries: [Entry] = []
            for _ in 0..<generator.number(1...3) {
                entries.append(generator.entry(after: entries.last?.time))
            }
            return log.run(entries, first: first, prev: prev)
        }
        guard let proof = ForkProof(side(&self), side(&self)) else {
            preconditionFailure("two random entries differ")
        }
        return proof
    }

    private mutating func clockRows() -> [ClockRow] {
        let tags = Set((0..<self.number(0...6)).map { _ in self.random.next() }).sorted()
        return tags.map { tag in
            let seq = self.chance(30) ? 0 : min(self.varint(), UInt64(Int64.max))
            return ClockRow(
                tag: tag, seq: seq, headTag: seq > 0 ? self.random.next() : 0,
                state: [.open, .forked, .refused][self.number(0...2)])
        }
    }

    private mutating func recordRows() -> [RecordRow] {
        let tags = Set((0..<self.number(0...4)).map { _ in self.random.next() }).sorted()
        return tags.flatMap { tag in
            [UInt8(1), 7].map { kind in
                RecordRow(tag: tag, kind: kind, time: HybridTime(self.random.next()))
            }
        }
    }

    /// The kinds of frame that carry something of their own: all but the fragments.
    static let kinds: [Frame.Kind] = [
        .ping, .pong, .credit, .goaway, .rooms, .roomsLeft, .liveRun, .digest, .clock, .want,
        .syncRun, .unavailable, .records, .recordClock, .forkProof,
    ]

    mutating func frame(_ kind: Frame.Kind) -> Frame {
        switch kind {
        case .ping: return .ping(nonce: self.random.next(), clock: self.random.next())
        case .pong: return .pong(nonce: self.random.next(), clock: self.random.next())
        case .credit:
            return .credit(self.chance(50) ? .live : .sync, bytes: max(1, self.varint()))
        case .goaway:
            let reason = GoawayReason(rawValue: UInt64(self.number(1...9)))
            return .goaway(reason, String(repeating: "\u{e9}", count: self.number(0...128)))
        case .rooms:
            let names = Set((0..<self.number(1...12)).map { _ in self.roomName() })
            return .rooms(names.sorted())
        case .roomsLeft:
            let rooms = Set((0..<self.number(1...12)).map { _ in self.conversation() })
            return .roomsLeft(rooms.sorted())
        case .liveRun: return .liveRun(self.run(mayOmit: false).run)
        case .digest: return .digest(self.conversation(), self.random.bytes32())
        case .clock:
            return .clock(self.conversation(), isComplete: self.chance(50), self.clockRows())
        case .want:
            let from = max(1, min(self.varint() >> 1, UInt64(Int64.max) - Limits.wantEntries))
            return .want(
                Want(
                    conversation: self.conversation(), tag: self.random.next(), from: from,
                    through: from + UInt64(self.number(0...4_095))))
        case .syncRun: return .syncRun(self.run(mayOmit: false).run)
        case .unavailable:
            return .unavailable(
                self.conversation(), tag: self.random.next(),
                from: min(self.varint(), UInt64(Int64.max)))
        case .records:
            return .records((0..<self.number(1...4)).map { _ in self.record() })
        case .recordClock: return .recordClock(self.conversation(), self.recordRows())
        case .forkProof: return .forkProof(self.forkProof())
        case .liveFragment, .syncFragment:
            preconditionFailure("fragments carry frames and are none")
        }
    }

    /// The same bytes with one fault: a bit turned, cut, longer, a byte gone or doubled, or two values glued.
    mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        guard !bytes.isEmpty else { return [UInt8(truncatingIfNeeded: self.random.next())] }
        let place = self.number(0...bytes.count - 1)
        switch self.number(0...7) {
        case 0...2: bytes[place] ^= 1 << UInt8(self.number(0...7))
        case 3: bytes[place] = UInt8(truncatingIfNeeded: self.random.next())
        case 4: bytes.removeLast(bytes.count - place)
        case 5: bytes.append(contentsOf: self.bytes(self.number(1...9)))
        case 6:
            if self.chance(50) { bytes.remove(at: place) } else { bytes.insert(0, at: place) }
        default: bytes += bytes
        }
        return bytes
    }
}
