import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Cutting frames for a link and joining them again")
struct FrameQueueTests {
    private let log = TestLog(signer(1), in: room("agora").conversation)

    /// A run of about so many bytes.
    private func run(bytes: Int) -> Run {
        let entries = (0...bytes / 60_000).map { index in
            TestLog.text(
                String(repeating: "x", count: min(60_000, max(1, bytes - index * 60_000))),
                at: UInt64(index + 1))
        }
        return self.log.run(entries, first: 2, prev: EntryID(fixed32(9))).run
    }

    private func next(_ queue: inout FrameQueue) throws -> [UInt8] {
        let plaintext = queue.nextPlaintext()
        return try #require(plaintext)
    }

    private func ping(_ nonce: UInt64) -> Frame { .ping(nonce: nonce, clock: 0) }

    private func types(_ plaintext: [UInt8]) throws -> [UInt64] {
        var reader = WireReader(plaintext)
        var types: [UInt64] = []
        while reader.remaining > 0 {
            types.append(try reader.varint("type"))
            _ = try reader.sized("body", limit: Limits.plaintextBytes)
        }
        return types
    }

    @Test("small frames share a plaintext, most urgent first")
    func priorities() throws {
        var queue = FrameQueue()
        let digest = Frame.digest(self.log.key.conversation, .zeros)
        let live = Frame.liveRun(self.run(bytes: 10))
        for frame in [digest, live, self.ping(1), digest, self.ping(2)] {
            queue.append(frame.encoded)
        }
        let plaintext = try self.next(&queue)
        #expect(try self.types(plaintext) == [0x01, 0x01, 0x21, 0x41, 0x41])
        #expect(queue.isEmpty)
        #expect(queue.nextPlaintext() == nil)
        var reader = FrameReader()
        #expect(
            try reader.read(plaintext).map(\.frame) == [
                self.ping(1), self.ping(2), live, digest, digest,
            ])
    }

    @Test("a control frame and a live frame slip between the fragments of a large sync frame")
    func slipping() throws {
        var queue = FrameQueue()
        let large = Frame.syncRun(self.run(bytes: 100_000))
        queue.append(large.encoded)
        let first = try self.next(&queue)
        #expect(first.count == Limits.plaintextBytes)
        #expect(try self.types(first) == [0x47])

        let live = Frame.liveRun(self.run(bytes: 10))
        let digest = Frame.digest(self.log.key.conversation, .zeros)
        queue.append(live.encoded)
        queue.append(self.ping(1).encoded)
        queue.append(digest.encoded)
        let second = try self.next(&queue)
        #expect(try self.types(second) == [0x01, 0x21], "no other sync frame slips in")

        var reader = FrameReader()
        #expect(try reader.read(first).isEmpty)
        #expect(try reader.read(second).map(\.frame) == [self.ping(1), live])
        var rest: [ReceivedFrame] = []
        while let plaintext = queue.nextPlaintext() {
            if queue.isEmpty {
                #expect(try self.types(plaintext) == [0x47, 0x41])
            } else {
                #expect(plaintext.count == Limits.plaintextBytes)
            }
            rest += try reader.read(plaintext)
        }
        #expect(rest.map(\.frame) == [large, digest])
        #expect(rest.map(\.byteCount) == [large.encoded.bytes.count, digest.encoded.bytes.count])
    }

    @Test("a large live frame goes before the rest of a large sync frame")
    func liveBeforeSync() throws {
        var queue = FrameQueue()
        queue.append(Frame.syncRun(self.run(bytes: 50_000)).encoded)
        var order: [UInt64] = []
        order += try self.types(try self.next(&queue))
        queue.append(Frame.liveRun(self.run(bytes: 30_000)).encoded)
        while let plaintext = queue.nextPlaintext() { order += try self.types(plaintext) }
        #expect(order == [0x47, 0x22, 0x22, 0x47, 0x47, 0x47])
    }

    @Test(
        "a frame is cut exactly where it does not fit a plaintext",
        arguments: [16_383, 16_384, 16_385, 32_760, 32_761, 65_000])
    func boundary(size: Int) throws {
        // A frame of exactly this size: an unknown even type of the sync channel with a filled body.
        var writer = WireWriter()
        writer.varint(UInt64(0x5e))
        let length = size - 1 - WireWriter.varintBytes(UInt64(size - 4))
        writer.sized([UInt8](repeating: 1, count: length))
        #expect(writer.bytes.count == size)
        var queue = FrameQueue()
        queue.append(EncodedFrame(channel: .sync, bytes: writer.bytes))
        var reader = FrameReader()
        var frames: [ReceivedFrame] = []
        var plaintexts = 0
        while let plaintext = queue.nextPlaintext() {
            plaintexts += 1
            if !queue.isEmpty { #expect(plaintext.count == Limits.plaintextBytes) }
            frames += try reader.read(plaintext)
        }
        let parts = size <= 16_384 ? 1 : (size + 16_379) / 16_380
        #expect(plaintexts == parts)
        #expect(frames == [ReceivedFrame(frame: nil, channel: .sync, byteCount: size)])
    }

    @Test(
        "whatever is queued when, every channel keeps its order and loses nothing", arguments: 1...8
    )
    func schedules(seed: UInt64) throws {
        var generator = Generator(seed: seed)
        var queue = FrameQueue()
        var reader = FrameReader()
        var sent: [Channel: [Frame]] = [:]
        var received: [Channel: [Frame]] = [:]
        func take(_ plaintext: [UInt8]) throws {
            #expect((1...Limits.plaintextBytes).contains(plaintext.count))
            for frame in try reader.read(plaintext) {
                received[frame.channel, default: []].append(try #require(frame.frame))
            }
        }
        for step in 0..<400 {
            if generator.chance(60) {
                let frame: Frame
                switch generator.number(0...5) {
                case 0: frame = .liveRun(self.run(bytes: generator.number(1...90_000)))
                case 1: frame = .syncRun(self.run(bytes: generator.number(1...90_000)))
                case 2: frame = self.ping(UInt64(step))
                default: frame = generator.frame(Generator.kinds[generator.number(0...16)])
                }
                let encoded = frame.encoded
                sent[encoded.channel, default: []].append(frame)
                queue.append(encoded)
            } else if let plaintext = queue.nextPlaintext() {
                try take(plaintext)
            }
        }
        while let plaintext = queue.nextPlaintext() { try take(plaintext) }
        #expect(received == sent)
        #expect(queue.isEmpty)
        #expect(queue.controlBytes == 0)
    }

    /// A frame of an unknown type with a body of so many bytes, as another version could send it.
    private func frame(_ type: UInt64, bytes: Int, marked mark: UInt8 = 0) -> EncodedFrame {
        var writer = WireWriter()
        writer.varint(type)
        writer.sized([UInt8](repeating: mark, count: bytes))
        guard let channel = try? Frame.Kind.channel(of: type) else {
            preconditionFailure("the test names a type of a channel")
        }
        return EncodedFrame(channel: channel, bytes: writer.bytes)
    }

    // Shows: shown.streams
    @Test("an ephemeral frame goes behind control and live, and before sync and blob")
    func ephemeral() throws {
        var queue = FrameQueue()
        let digest = Frame.digest(self.log.key.conversation, .zeros).encoded
        let live = Frame.liveRun(self.run(bytes: 10)).encoded
        for frame in [self.frame(0x7e, bytes: 9), digest, self.frame(0x9e, bytes: 9), live] {
            queue.append(frame)
        }
        queue.append(self.ping(1).encoded)
        #expect(try self.types(try self.next(&queue)) == [0x01, 0x21, 0x9e, 0x41, 0x7e])
        #expect(queue.isEmpty)
    }

    // Shows: shown.streams
    @Test("of ephemeral frames the oldest give way where too many wait")
    func ephemeralBound() throws {
        var queue = FrameQueue()
        for mark in 0..<100 as Range<UInt8> {
            queue.append(self.frame(0x9e, bytes: 1_000, marked: mark))
        }
        var marks: [UInt8] = []
        while let plaintext = queue.nextPlaintext() {
            var reader = WireReader(plaintext)
            while reader.remaining > 0 {
                _ = try reader.varint("type")
                marks.append(try reader.sized("body", limit: 1_000)[0])
            }
        }
        #expect(marks == Array(100 - UInt8(65_536 / 1_004)..<100))
    }

    @Test(
        "sync gets four bytes for each one of blob while both wait, whatever their frames' sizes",
        arguments: [(100, 100), (16_380, 50), (50, 16_380), (9_000, 16_000)])
    func shares(sync: Int, blob: Int) throws {
        var queue = FrameQueue()
        for _ in 0..<4_000_000 / sync { queue.append(self.frame(0x5e, bytes: sync)) }
        for _ in 0..<1_000_000 / blob { queue.append(self.frame(0x7e, bytes: blob)) }
        var sent: [Channel: Int] = [:]
        var reader = FrameReader()
        for _ in 0..<150 {
            for frame in try reader.read(try self.next(&queue)) {
                sent[frame.channel, default: 0] += frame.byteCount
            }
        }
        let ratio = Double(sent[.sync] ?? 0) / Double(sent[.blob] ?? 1)
        #expect((3.8...4.2).contains(ratio))
        while let plaintext = queue.nextPlaintext() { _ = try reader.read(plaintext) }
        #expect(queue.isEmpty)
    }

    @Test("a blob frame goes between the parts of a large sync frame, which arrives whole")
    func betweenParts() throws {
        var queue = FrameQueue()
        let large = Frame.syncRun(self.run(bytes: 120_000))
        queue.append(large.encoded)
        for _ in 0..<3 { queue.append(self.frame(0x7e, bytes: 4_000)) }
        var (order, frames): ([UInt64], [ReceivedFrame]) = ([], [])
        var reader = FrameReader()
        while let plaintext = queue.nextPlaintext() {
            order += try self.types(plaintext)
            frames += try reader.read(plaintext)
        }
        #expect(order.firstIndex(of: 0x7e).map { 0 < $0 && $0 < order.count - 1 } == true)
        #expect(frames.count == 4)
        #expect(frames.contains { $0.frame == large })
    }

    @Test("a frame that its channel cannot cut is our own mistake")
    func uncut() async {
        await #expect(processExitsWith: .failure) {
            var queue = FrameQueue()
            queue.append(EncodedFrame(channel: .blob, bytes: [UInt8](repeating: 0, count: 16_385)))
        }
    }

    @Test("what waits on the control channel is counted until it leaves")
    func controlBytes() throws {
        var queue = FrameQueue()
        for number in 0..<3_000 { queue.append(self.ping(UInt64(number)).encoded) }
        queue.append(Frame.digest(self.log.key.conversation, .zeros).encoded)
        #expect(queue.controlBytes == 3_000 * 18)
        var frames = 0
        var reader = FrameReader()
        while let plaintext = queue.nextPlaintext() {
            frames += try reader.read(plaintext).count
            #expect(queue.controlBytes == max(0, 3_000 - frames) * 18)
        }
        #expect(frames == 3_001)
    }
}
