import Crypto
import TestSupport

@testable import Engine
@testable import Formats

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
        return room(text).name
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
        let entryClass = UInt8(truncatingIfNeeded: self.random.next())
        // Of control entries only fork proofs leave payloads out.
        if self.chance(10), mayOmit || entryClass != EntryClass.control.rawValue {
            payload = .absent(
                length: self.number(0...Limits.payloadBytes / 4), hash: self.random.bytes32())
        } else {
            payload = .present(self.bytes(self.number(0...60)))
        }
        var entry = Entry(
            entryClass: entryClass, time: time,
            deps: deps.sorted(), payload: payload)
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
        for _ in 0..<(first == 1 ? 1 : self.number(1...6)) {
            list.append(self.entry(after: list.last?.time, mayOmit: mayOmit))
        }
        let prev = first == 1 ? nil : EntryID(self.random.bytes32())
        return self.log().run(list, first: first, prev: prev)
    }

    mutating func record() -> Record {
        let signer = self.signers[self.number(0...2)]
        let kind = UInt8(truncatingIfNeeded: self.random.next())
        if kind == Record.Kind.revocation {
            let person = personKeys(0xa1, 0xa2)
            return Record(
                revoking: PeerID(signer.publicKey),
                Revocation(of: person.certify(signer, at: 1), stands: self.chance(50)),
                at: HybridTime(self.random.next()), by: person)
        }
        return Record(
            kind: kind, author: PeerID(signer.publicKey),
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
            for _ in 0..<(first == 1 ? 1 : generator.number(1...3)) {
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
            var row = ClockRow(
                tag: tag, state: [.open, .forked, .refused][self.number(0...2)], seq: seq,
                headTag: seq > 0 ? self.random.next() : 0)
            if seq > 1 && self.chance(20) {
                row.first = UInt64.random(in: 2...seq, using: &self.random)
            }
            if seq > 0 && self.chance(20) {
                row.whole = UInt64.random(in: 0..<seq, using: &self.random)
            }
            if seq > 0 && self.chance(20) {
                row.shown = UInt64.random(in: 0..<seq, using: &self.random)
            }
            return row
        }
    }

    private mutating func clockPages() -> [ClockPage] {
        let buckets = Set((0..<self.number(1...6)).map { _ in UInt8(self.number(0...255)) })
        return buckets.sorted().map { ClockPage(bucket: $0, rows: self.clockRows()) }
    }

    private mutating func recordRows() -> [RecordRow] {
        let tags = Set((0..<self.number(0...4)).map { _ in self.random.next() }).sorted()
        return tags.flatMap { tag in
            [(UInt8(0), UInt8(1)), (0, 7), (1, 3)].map { scope, kind in
                RecordRow(
                    tag: tag, scope: scope, kind: kind, time: HybridTime(self.random.next()),
                    recordTag: self.random.next())
            }
        }
    }

    /// The kinds of frame that carry something of their own: all but the fragments.
    static let kinds: [Frame.Kind] = [
        .ping, .pong, .credit, .goaway, .realms, .rooms, .roomsLeft, .liveRun, .digest, .buckets,
        .clock, .delta, .want, .syncRun, .unavailable, .records, .recordClock, .forkProof, .shares,
        .payloadWant, .payloads, .actHeads, .actWant, .acts, .epochKeys, .sealedKeys,
        .dialBack, .dialledBack, .ephemeral, .presence, .device, .handOver, .addresses,
    ]

    private mutating func want() -> Want {
        let from = max(1, min(self.varint() >> 1, UInt64(Int64.max) - Limits.wantEntries))
        return Want(
            conversation: self.conversation(), tag: self.random.next(), from: from,
            through: from + UInt64(self.number(0...4_095)))
    }

    private mutating func payloads() -> Payloads {
        let from = max(1, min(self.varint() >> 1, UInt64(Int64.max) - 200))
        return Payloads(
            conversation: self.conversation(), tag: self.random.next(), from: from,
            items: (0..<self.number(0...12)).map { _ in
                switch self.number(0...3) {
                case 0: .wanted
                case 1: .erased
                case 2: .expired
                default: .present(self.bytes(self.number(0...60)))
                }
            })
    }

    private mutating func tag() -> Bytes16 { Bytes16(self.random.bytes(16)) ?? .zero }

    private mutating func acts(_ counts: ClosedRange<Int>) -> [ActID] {
        Set((0..<self.number(counts)).map { _ in ActID(self.random.bytes32()) }).sorted()
    }

    private mutating func act(in group: ConversationID) -> Act {
        let signer = self.signers[self.number(0...2)]
        let kinds: [ActKind] = [
            .tie, .leave, .add(PersonID(self.random.bytes32())),
            .admin(PersonID(self.random.bytes32()), 256),
        ]
        return Act(
            kinds[self.number(0...3)], in: group, basis: self.acts(1...3),
            time: HybridTime(self.random.next()),
            certificate: personKeys(0xa1, 0xa2).certify(signer, at: 1), by: signer)
    }

    private mutating func sealedKey(in group: ConversationID) -> SealedKey {
        let key = EpochKey(id: self.random.bytes32(), key: self.random.bytes32())
        guard
            let sealed = SealedKey(
                key, of: group, to: PeerID(self.random.bytes32()), at: keyPair(9).publicKey,
                by: self.signers[0], using: &self.random)
        else { preconditionFailure("the address can be sealed to") }
        return sealed
    }

    private mutating func groupFrame(_ kind: Frame.Kind) -> Frame {
        let group = self.conversation()
        switch kind {
        case .actHeads:
            return .actHeads(
                ActHeads(group: group, digest: self.random.bytes32(), heads: self.acts(0...6)))
        case .actWant:
            return .actWant(
                ActWant(group: group, wanted: self.acts(1...6), heads: self.acts(0...6)))
        case .acts: return .acts(group, (0..<self.number(1...4)).map { _ in self.act(in: group) })
        case .epochKeys:
            let ids = self.acts(1...6)
            return .epochKeys(
                group, ids.map { EpochKey(id: $0.hash, key: self.random.bytes32()) })
        default:
            return .sealedKeys(
                group, (0..<self.number(1...3)).map { _ in self.sealedKey(in: group) })
        }
    }

    mutating func frame(_ kind: Frame.Kind) -> Frame {
        switch kind {
        case .ping: return .ping(nonce: self.random.next(), clock: self.random.next())
        case .pong: return .pong(nonce: self.random.next(), clock: self.random.next())
        case .credit:
            let channel = [Channel.live, .sync, .blob][self.number(0...2)]
            return .credit(channel, bytes: max(1, self.varint()))
        case .goaway:
            let reason = GoawayReason(rawValue: UInt64(self.number(1...9)))
            return .goaway(reason, String(repeating: "\u{e9}", count: self.number(0...128)))
        case .realms:
            return .realms(
                LinkTags.filled([], to: [[8, 16, 32][self.number(0...2)]]) { self.tag() })
        case .shares:
            return .shares(
                LinkTags.filled([], to: [[16, 64, 256][self.number(0...2)]]) { self.random.next() }
            )
        case .rooms:
            let names = Set((0..<self.number(1...12)).map { _ in self.roomName() })
            return .rooms(self.tag(), names.sorted())
        case .roomsLeft:
            let rooms = Set((0..<self.number(1...12)).map { _ in self.conversation() })
            return .roomsLeft(rooms.sorted())
        case .liveRun: return .liveRun(self.run(mayOmit: false).run)
        case .digest:
            return .digest(
                self.conversation(),
                ConversationDigest(logs: self.random.bytes32(), records: self.random.bytes32()))
        case .buckets:
            return .buckets(self.conversation(), LogBucket.all.map { _ in self.random.next() })
        case .clock: return .clock(self.conversation(), self.clockPages())
        case .delta:
            var rows = self.clockRows()
            while rows.isEmpty { rows = self.clockRows() }
            return .delta(self.conversation(), rows)
        case .want: return .want(self.want())
        case .payloadWant: return .payloadWant(self.want())
        case .payloads: return .payloads(self.payloads())
        case .syncRun: return .syncRun(self.run(mayOmit: false).run)
        case .unavailable:
            return .unavailable(
                self.conversation(), tag: self.random.next(),
                from: min(self.varint(), UInt64(Int64.max)))
        case .records:
            return .records((0..<self.number(1...4)).map { _ in self.record() })
        case .recordClock: return .recordClock(self.conversation(), self.recordRows())
        case .forkProof: return .forkProof(self.forkProof())
        case .dialBack: return .dialBack(port: UInt16(truncatingIfNeeded: self.varint()))
        case .dialledBack:
            let outcomes: [DialBackOutcome] = [.reached, .refused, .noAnswer, .notTried]
            return .dialledBack(outcomes[self.number(0...3)])
        case .ephemeral:
            return .ephemeral(
                EphemeralPiece(
                    conversation: self.conversation(), stream: self.random.next(),
                    bytes: self.bytes(self.number(1...Limits.ephemeralBytes))))
        case .actHeads, .actWant, .acts, .epochKeys, .sealedKeys: return self.groupFrame(kind)
        case .device:
            let steps: [DeviceStep] = [
                .commit(self.random.bytes32()), .nonce(self.random.bytes32()),
                .open(self.random.bytes32()), .ready, .end(.cancelled), .end(.tooMany),
            ]
            return .device(steps[self.number(0...5)])
        case .handOver:
            return .handOver(isLast: self.chance(50), self.bytes(self.number(1...200)))
        case .addresses:
            let held = Set((0..<self.number(0...20)).map { _ in self.random.next() })
            return .addresses(
                AddressNews(
                    self.tag(), held: held.sorted(),
                    records: (0..<self.number(0...3)).map { _ in self.record() }))
        case .presence: return .presence(self.number(0...1) == 0 ? .online : .away)
        case .blobAsk:
            let conversation = self.number(0...3) == 0 ? nil : self.conversation()
            return .blobAsk(conversation, BlobID(self.random.bytes32()))
        case .blobHoldings:
            let extents: [BlobHoldings.Extent] = [
                .nothing, .whole, .chunks(self.bytes(self.number(1...64))),
            ]
            return .blobHoldings(
                BlobHoldings(BlobID(self.random.bytes32()), extents[self.number(0...2)]))
        case .blobWant:
            return .blobWant(
                BlobWant(
                    number: self.varint(), blob: BlobID(self.random.bytes32()),
                    part: BlobPart(level: self.number(0...2), index: self.number(0...65_535))))
        case .blobUnavailable: return .blobUnavailable(number: self.varint())
        case .blobPiece:
            return .blobPiece(
                BlobPiece(
                    number: self.varint(), offset: self.number(0...BlobLayout.partBytes),
                    bytes: self.bytes(self.number(0...BlobPiece.byteLimit))))
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
