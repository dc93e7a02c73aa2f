import Crypto
import Testing

@testable import Engine

@Suite("Bounds: what is at the limit is taken, what is beyond is refused")
struct LimitTests {
    private let log = TestLog(signer(1), in: room("agora").conversation)

    private func accepts(_ run: Run) -> Bool {
        var reader = WireReader(run.encoded)
        return (try? Run(from: &reader)) == run
    }

    private func entry(
        payload: Int = 0, deps: Int = 0, extensions: [UInt8] = [], at time: UInt64 = 1
    ) -> Entry {
        var entry = Entry(
            kind: 1, time: HybridTime(time),
            deps: (0..<deps).map { EntryID(fixed32(UInt8($0))) },
            payload: .present([UInt8](repeating: 7, count: payload)))
        entry.extensions = extensions
        return entry
    }

    private func area(_ bytes: Int) -> [UInt8] {
        // Type 2, then a length of two bytes.
        var writer = WireWriter()
        writer.varint(2)
        writer.sized([UInt8](repeating: 0, count: bytes - 3))
        return writer.bytes
    }

    @Test("an entry's payload, deps and extensions")
    func entries() {
        func run(_ entry: Entry) -> Run { self.log.run([entry]).run }
        #expect(self.accepts(run(self.entry(payload: Limits.payloadBytes))))
        #expect(!self.accepts(run(self.entry(payload: Limits.payloadBytes + 1))))
        #expect(self.accepts(run(self.entry(deps: Limits.depCount))))
        #expect(!self.accepts(run(self.entry(deps: Limits.depCount + 1))))
        #expect(self.accepts(run(self.entry(extensions: self.area(Limits.extensionBytes)))))
        #expect(!self.accepts(run(self.entry(extensions: self.area(Limits.extensionBytes + 1)))))
        var absent = self.entry()
        absent.payload = .absent(length: Limits.payloadBytes, hash: .zero)
        #expect(self.accepts(run(absent)))
        absent.payload = .absent(length: Limits.payloadBytes + 1, hash: .zero)
        #expect(!self.accepts(run(absent)))
    }

    @Test("a run's entries")
    func runCount() {
        let entries = (1...UInt64(Limits.runEntries)).map { self.entry(at: $0) }
        let run = self.log.run(entries).run
        #expect(self.accepts(run))
        var bytes = run.encoded
        // The count stands behind conversation, author, incarnation and a first of one byte.
        #expect(bytes[73] == 0x80 && bytes[74] == 0x01)
        bytes[73] = 0x81
        var reader = WireReader(bytes)
        #expect(throws: WireError.limit(field: "run count", limit: 128, got: 129)) {
            try Run(from: &reader)
        }
    }

    @Test("a run's bytes")
    func runBytes() {
        // Two entries of 131,072 bytes in all: 16 and 9 of them stand around the payloads.
        func run(_ last: Int) -> Run {
            self.log.run([
                self.entry(payload: Limits.payloadBytes, at: 1), self.entry(payload: last, at: 2),
            ]).run
        }
        let around = run(60_000).encoded.count - 138 - Limits.payloadBytes - 60_000
        let largest = Limits.runEntryBytes - Limits.payloadBytes - around
        #expect(self.accepts(run(largest)))
        #expect(run(largest).encoded.count == 138 + Limits.runEntryBytes)
        #expect(!self.accepts(run(largest + 1)))
        #expect(
            run(largest).encoded.count + 8 <= Limits.runFrameBytes,
            "a frame around the largest run is within what credit is planned for")
    }

    @Test("the bytes that an entry is planned to take are never fewer than it takes")
    func runBytesBound() {
        var generator = Generator(seed: 11)
        for _ in 0..<300 {
            let run = generator.run().run
            let bound = run.entries.reduce(0) { $0 + $1.runBytes }
            let head = 32 + 32 + 8 + WireWriter.varintBytes(run.first) + 1 + 64
            let taken = run.encoded.count - head - (run.prev == nil ? 0 : 32)
            #expect(taken <= bound)
        }
    }

    @Test("a log's seq ends where SQLite's integers end")
    func seq() {
        let prev = EntryID(fixed32(1))
        let last = UInt64(Int64.max)
        #expect(self.accepts(self.log.run([self.entry()], first: last - 1, prev: prev).run))
        #expect(!self.accepts(self.log.run([self.entry()], first: last, prev: prev).run))
        var writer = WireWriter()
        writer.raw(self.log.key.conversation.hash)
        writer.raw(self.log.key.name.author.key)
        writer.u64(1)
        writer.varint(UInt64.max)
        writer.varint(1)
        writer.raw([UInt8](repeating: 0, count: 200))
        var reader = WireReader(writer.bytes)
        #expect(throws: WireError.value(field: "run first")) { try Run(from: &reader) }
    }

    @Test("an hlc cannot step over its end")
    func time() {
        let end = self.log.run([self.entry(at: .max - 1), self.entry(at: .max)]).run
        #expect(self.accepts(end))
        var bytes = end.encoded
        // The step stands before depCount and payloadLength of the last entry.
        let step = bytes.count - 3
        #expect(bytes[step] == 1)
        bytes[step] = 2
        var reader = WireReader(bytes)
        #expect(throws: WireError.value(field: "entry time")) { try Run(from: &reader) }
    }

    @Test("a want's range")
    func want() {
        func accepts(_ from: UInt64, _ through: UInt64) -> Bool {
            let want = Want(
                conversation: self.log.key.conversation, tag: 1, from: from, through: through)
            var reader = FrameReader()
            return (try? reader.read(Frame.want(want).encoded.bytes))?.count == 1
        }
        let last = UInt64(Int64.max)
        #expect(accepts(1, 4_096))
        #expect(!accepts(1, 4_097))
        #expect(!accepts(0, 1))
        #expect(!accepts(2, 1))
        #expect(accepts(last, last))
        #expect(!accepts(last, last + 1))
        #expect(!accepts(last + 1, last + 1))
        #expect(!accepts(.max, .max))
    }

    @Test("the seq of an unavailable")
    func unavailable() {
        func accepts(_ from: UInt64) -> Bool {
            let frame = Frame.unavailable(self.log.key.conversation, tag: 1, from: from)
            var reader = FrameReader()
            return (try? reader.read(frame.encoded.bytes))?.count == 1
        }
        #expect(accepts(0))
        #expect(accepts(UInt64(Int64.max)))
        #expect(!accepts(UInt64(Int64.max) + 1))
    }

    @Test("rows of a clock")
    func clockRows() throws {
        func frame(_ count: Int) -> (UInt64, [UInt8]) {
            var writer = WireWriter()
            writer.raw(self.log.key.conversation.hash)
            writer.byte(1)
            writer.varint(count)
            for tag in 0..<count {
                writer.u64(UInt64(tag))
                writer.varint(0)
                writer.byte(0)
            }
            return (0x21, writer.bytes)
        }
        let (type, body) = frame(Limits.logsPerConversation)
        #expect(try Frame.decode(type: type, body: body) != nil)
        let (_, over) = frame(Limits.logsPerConversation + 1)
        #expect(throws: WireError.self) { try Frame.decode(type: type, body: over) }
    }

    @Test("a record's value, a profile's texts and the records of a frame")
    func records() throws {
        let signer = signer(1)
        func record(_ bytes: Int) -> Record {
            Record(
                kind: 9, author: PeerID(signer.publicKey), conversation: nil,
                time: HybridTime(1), value: [UInt8](repeating: 0, count: bytes), signer: signer)
        }
        let largest = record(Limits.recordValueBytes)
        #expect(try Record(decoding: largest.encoded) == largest)
        let sixtyFour = Frame.records([Record](repeating: record(1), count: 64))
        var reader = FrameReader()
        #expect(try reader.read(sixtyFour.encoded.bytes).map(\.frame) == [sixtyFour])
        let whole = Profile(
            name: String(repeating: "n", count: 64), status: String(repeating: "s", count: 256))
        #expect(whole.isWithinLimits)
        #expect(try Profile(decoding: whole.encoded) == whole)
        let longName = Profile(name: whole.name + "n", status: "")
        #expect(!longName.isWithinLimits)
        #expect(throws: WireError.limit(field: "profile name", limit: 64, got: 65)) {
            try Profile(decoding: longName.encoded)
        }
        let longStatus = Profile(name: "", status: whole.status + "s")
        #expect(!longStatus.isWithinLimits)
        #expect(throws: WireError.limit(field: "profile status", limit: 256, got: 257)) {
            try Profile(decoding: longStatus.encoded)
        }
    }

    @Test("a record over its limit is our own mistake")
    func ownRecord() async {
        await #expect(processExitsWith: .failure) {
            _ = Record(
                kind: 1, author: PeerID(signer(1).publicKey), conversation: nil,
                time: HybridTime(1), value: [UInt8](repeating: 0, count: 1_025), signer: signer(1))
        }
    }

    @Test("a run without entries, or with a predecessor before its first, is our own mistake")
    func ownRun() async {
        await #expect(processExitsWith: .failure) {
            let key = TestLog(signer(1), in: room("agora").conversation).key
            _ = Run(key: key, first: 1, prev: nil, attestation: .zero, entries: [])
        }
        await #expect(processExitsWith: .failure) {
            let key = TestLog(signer(1), in: room("agora").conversation).key
            _ = Run(
                key: key, first: 1, prev: EntryID(.zero), attestation: .zero,
                entries: [TestLog.text("x", at: 1)])
        }
    }

    @Test("a goaway's text is cut to its limit at a character")
    func goawayText() throws {
        let long = String(repeating: "\u{3bb}", count: 200)
        var reader = FrameReader()
        let frames = try reader.read(Frame.goaway(.busy, long).encoded.bytes)
        #expect(
            frames.map(\.frame) == [.goaway(.busy, String(repeating: "\u{3bb}", count: 128))])
    }
}
