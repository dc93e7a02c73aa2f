import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Ephemeral streams") struct StreamTests {
    private static let ops = EngineTests.room("ops")

    private static func name(_ text: String = "logs") -> StreamName {
        guard let name = StreamName(text) else { preconditionFailure("\(text) is a name") }
        return name
    }

    private func linked() -> Harness {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        harness.link(2, in: [Self.ops], features: .own)
        harness.link(3, in: [], features: .own)
        harness.settle()
        _ = harness.take(from: 2)
        return harness
    }

    private func request(_ request: Request, _ harness: inout Harness) -> Answer? {
        let id = RequestID(900 + UInt64(harness.answers.count))
        harness.give(.request(id, request))
        return harness.answers(of: id).last
    }

    private func open(_ harness: inout Harness, ordered: Bool = false) throws -> UInt64 {
        let answer = self.request(
            .openStream(Self.ops.conversation, Self.name(), isOrdered: ordered), &harness)
        guard case .streamOpened(let number)? = answer else { throw Missing() }
        return number
    }

    private struct Missing: Error {}

    private func packets(_ frames: [Frame]) -> [StreamPacket] {
        frames.compactMap { frame in
            guard case .ephemeral(let piece) = frame,
                case .packet(let packet)? = EphemeralBody(clear: piece)
            else { return nil }
            return packet
        }
    }

    @Test("who opens and closes streams without end is told to wait, since each end is a packet")
    func opened() throws {
        var harness = self.linked()
        for _ in 0..<Limits.streamPacketsPerSecond {
            let stream = try self.open(&harness)
            #expect(self.request(.closeStream(stream), &harness) == .streamClosed)
        }
        let answer = self.request(
            .openStream(Self.ops.conversation, Self.name(), isOrdered: false), &harness)
        guard case .failed(.tooFast(let milliseconds))? = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        harness.pass(milliseconds: milliseconds)
        _ = try self.open(&harness)
    }

    @Test("packets are numbered, go to who shares the conversation, and their end is told")
    func sent() throws {
        var harness = self.linked()
        let stream = try self.open(&harness, ordered: true)
        #expect(
            self.request(.sendPacket(stream: stream, [1, 2]), &harness)
                == .packetSent(number: 1, told: 1))
        #expect(
            self.request(.sendPacket(stream: stream, [3]), &harness)
                == .packetSent(number: 2, told: 1))
        #expect(self.request(.closeStream(stream), &harness) == .streamClosed)
        let packets = self.packets(harness.take(from: 2))
        #expect(packets.map(\.number) == [1, 2, 3])
        #expect(packets.map(\.bytes) == [[1, 2], [3], []])
        #expect(packets.map(\.isEnd) == [false, false, true])
        #expect(packets.allSatisfy { $0.isOrdered && $0.name == Self.name() })
        #expect(self.packets(harness.take(from: 3)).isEmpty)
        #expect(
            self.request(.sendPacket(stream: stream, [3]), &harness) == .failed(.unknownStream))
    }

    // Shows: told.streams
    @Test("what is for one member goes to their devices alone, and fails while none is linked")
    func forOne() throws {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        let ben = personKeys(50, 51)
        harness.link(2, of: ben, in: [Self.ops], features: .own)
        harness.link(3, in: [Self.ops], features: .own)
        harness.link(4, of: ben, in: [Self.ops], features: .own)
        harness.settle()
        func open(_ member: UInt8) -> Answer? {
            self.request(
                .openStream(
                    Self.ops.conversation, Self.name(), isOrdered: false,
                    member: Harness.peer(member)), &harness)
        }
        #expect(open(9) == .failed(.notInRoom([Harness.peer(9)])))
        guard case .streamOpened(let stream)? = open(2) else { throw Missing() }
        #expect(
            self.request(.sendPacket(stream: stream, [1]), &harness)
                == .packetSent(number: 1, told: 2))
        for number in [UInt8(2), 4] {
            harness.give(.linkClosed(LinkID(UInt64(number)), nil))
        }
        harness.settle()
        let gone = self.request(.sendPacket(stream: stream, [2]), &harness)
        #expect(gone == .failed(.notInRoom([Harness.peer(2)])))
        harness.link(4, of: ben, in: [Self.ops], features: .own)
        harness.settle()
        // What could not be sent has no number.
        #expect(
            self.request(.sendPacket(stream: stream, [2]), &harness)
                == .packetSent(number: 2, told: 1))
        #expect(self.request(.closeStream(stream), &harness) == .streamClosed)
        #expect(self.packets(harness.take(from: 2)).map(\.number) == [1])
        #expect(self.packets(harness.take(from: 4)).map(\.number) == [1, 2, 3])
        #expect(self.packets(harness.take(from: 3)).isEmpty)
    }

    // Shows: shown.streams
    @Test("what is too large or too fast is refused, says when it fits, and has no number")
    func limits() throws {
        var harness = self.linked()
        let stream = try self.open(&harness)
        for count in [0, Limits.streamPacketBytes + 1] {
            #expect(
                self.request(
                    .sendPacket(stream: stream, [UInt8](repeating: 1, count: count)), &harness)
                    == .failed(.packetSize(count, limit: Limits.streamPacketBytes)))
        }
        let packet = [UInt8](repeating: 1, count: Limits.streamPacketBytes)
        var sent: UInt64 = 0
        var wait: UInt64?
        while wait == nil {
            switch self.request(.sendPacket(stream: stream, packet), &harness) {
            case .packetSent(let number, _)?:
                #expect(number == sent + 1)
                sent = number
            case .failed(.tooFast(let milliseconds))?: wait = milliseconds
            default: throw Missing()
            }
        }
        #expect(sent == UInt64(Limits.streamBytesPerSecond / Limits.streamPacketBytes))
        // Another stream of the conversation has no more, and the wait is enough.
        let other = try self.open(&harness)
        guard case .failed(.tooFast)? = self.request(.sendPacket(stream: other, packet), &harness)
        else { throw Missing() }
        harness.pass(milliseconds: try #require(wait))
        #expect(
            self.request(.sendPacket(stream: stream, packet), &harness)
                == .packetSent(number: sent + 1, told: 1))
        harness.pass(milliseconds: 1_000)
        for number in 1...Limits.streamPacketsPerSecond {
            #expect(
                self.request(.sendPacket(stream: other, [1]), &harness)
                    == .packetSent(number: UInt64(number), told: 1))
        }
        guard case .failed(.tooFast)? = self.request(.sendPacket(stream: other, [1]), &harness)
        else { throw Missing() }
    }

    @Test("a receiver takes all that a sender may send, also at once after a stall")
    func taken() throws {
        var harness = self.linked()
        let size = Limits.streamBytesPerSecond / Limits.streamPacketsPerSecond
        for number in 1...2 * Limits.streamPacketsPerSecond {
            let packet = StreamPacket(
                name: Self.name(), number: UInt64(number), isOrdered: false,
                bytes: [UInt8](repeating: 1, count: size))
            var random = SeededRandom(seed: 1)
            let piece = EphemeralBody.packet(packet).piece(
                in: Self.ops.conversation, stream: 9, by: Harness.peer(2), with: nil,
                using: &random)
            harness.give(.ephemeral(piece), from: 2)
        }
        let count = harness.signals.count {
            if case .packet(Harness.peer(2), Self.ops.conversation, stream: 9, _) = $0 {
                true
            } else {
                false
            }
        }
        #expect(count == 2 * Limits.streamPacketsPerSecond)
    }

    // Shows: shown.streams
    @Test("given, late and missed add up to what was sent, in whatever order it comes")
    func tally() {
        var random = SeededRandom(seed: 5)
        for isOrdered in [true, false] {
            let total = 200
            var numbers = (1...total).filter { _ in random.next() % 4 != 0 }
            for _ in 0..<20 where numbers.count > 1 {
                let at = Int(random.next() % UInt64(numbers.count - 1))
                numbers.swapAt(at, at + 1)
            }
            var tally = StreamTally()
            var (given, late, dropped, missed) = (0, 0, 0, 0)
            for number in numbers + [total + 1] {
                let packet = StreamPacket(
                    name: Self.name(), number: UInt64(number), isOrdered: isOrdered,
                    isEnd: number > total, bytes: number > total ? [] : [1])
                switch tally.receive(packet) {
                case .give(let before):
                    missed += Int(before)
                    if !packet.isEnd { given += 1 }
                case .late: late += 1
                case .drop: dropped += 1
                }
            }
            #expect(given + missed == total)
            #expect(isOrdered ? late == 0 && dropped > 0 : late > 0 && dropped == 0)
            #expect(given + late + dropped == numbers.count)
        }
    }

    @Test("every packet survives its encoding, the largest fits a frame, and others are refused")
    func codec() throws {
        let long = Self.name(String(repeating: "\u{10428}", count: 63) + "n")
        let packet = StreamPacket(
            name: long, number: UInt64(Int64.max), isOrdered: true,
            bytes: [UInt8](repeating: 7, count: Limits.streamPacketBytes))
        var random = SeededRandom(seed: 3)
        for suite in ConversationKey.Suite.allCases where suite.isAvailable {
            let key = conversationKey(3, of: Self.ops.conversation, suite: suite)
            let piece = EphemeralBody.packet(packet).piece(
                in: Self.ops.conversation, stream: .max, by: Harness.peer(1), with: key,
                using: &random)
            #expect(piece.bytes.count <= Limits.ephemeralBytes)
            #expect(Frame.ephemeral(piece).encoded.bytes.count <= Limits.ephemeralFrameBytes)
            #expect(
                EphemeralBody(sealed: piece, by: Harness.peer(1), with: key)
                    == .packet(packet))
        }
        var writer = WireWriter()
        StreamPacket(name: Self.name(), number: 1, isOrdered: false, bytes: [1])
            .write(to: &writer)
        for count in 0..<writer.bytes.count {
            var reader = WireReader(Array(writer.bytes.prefix(count)))
            #expect(throws: WireError.self) { try StreamPacket(from: &reader) }
        }
        var flagged = writer.bytes
        flagged[0] = 4
        var reader = WireReader(flagged)
        #expect(throws: WireError.self) { try StreamPacket(from: &reader) }
        flagged[0] = 2
        reader = WireReader(flagged)
        #expect(throws: WireError.self) { try StreamPacket(from: &reader) }
    }

    @Test("a piece of a durable stream is for programs: seen by no count, unread or reference")
    func durable() throws {
        let most = UInt64(Int64.max)
        let piece = try #require(
            StreamPiece(
                name: Self.name(), session: most, offset: most, bytes: [1, 2], isEnd: true))
        let body = try Body(decoding: Content.stream(piece).body)
        let content = Content(body, in: EntryClass.stream.rawValue, isUnderstood: true)
        #expect(content == .stream(piece))
        #expect(Content(body, in: EntryClass.content.rawValue, isUnderstood: true) == nil)
        func make(_ bytes: [UInt8], session: UInt64 = 1, offset: UInt64 = 0) -> StreamPiece? {
            StreamPiece(name: Self.name(), session: session, offset: offset, bytes: bytes)
        }
        #expect(make([1]) != nil)
        #expect(make([]) == nil)
        #expect(make([UInt8](repeating: 1, count: Limits.streamPieceBytes + 1)) == nil)
        #expect(make([1], session: most + 1) == nil)
        #expect(make([1], offset: most + 1) == nil)
        let person = testCertificate(of: signer(1)).personID
        let verdict = EntryVerdict(
            of: EntryReading(content: .stream(piece), kind: EntryKind.stream.rawValue), in: person)
        #expect(verdict.isSeen && verdict.isStream)
        #expect(!verdict.countsAsUnread && verdict.refersTo == nil && verdict.attendance == nil)
        #expect(Content.stream(piece).text == nil)
    }
}
