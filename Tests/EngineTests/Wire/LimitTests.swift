import Crypto
import Testing

@testable import Engine
@testable import Formats

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
            entryClass: 1, time: HybridTime(time),
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
        let run = self.log.run(entries, first: 2, prev: EntryID(fixed32(1))).run
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
            self.log.run(
                [
                    self.entry(payload: Limits.payloadBytes, at: 1),
                    self.entry(payload: last, at: 2),
                ], first: 2, prev: EntryID(fixed32(1))
            ).run
        }
        let around = run(60_000).encoded.count - 170 - Limits.payloadBytes - 60_000
        let largest = Limits.runEntryBytes - Limits.payloadBytes - around
        #expect(self.accepts(run(largest)))
        #expect(run(largest).encoded.count == 170 + Limits.runEntryBytes)
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
        let end = self.log.run(
            [self.entry(at: .max - 1), self.entry(at: .max)], first: 2, prev: EntryID(fixed32(1))
        ).run
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
        func rows(_ count: Int) -> [ClockRow] {
            (0..<count).map { ClockRow(tag: UInt64($0), state: .open, seq: 0, headTag: 0) }
        }
        let (id, most) = (self.log.key.conversation, Limits.logsPerConversation)
        func accepts(_ frame: Frame) -> Bool {
            (try? ReceivedFrame(whole: frame.encoded.bytes))?.frame == frame
        }
        #expect(accepts(.delta(id, rows(most))))
        #expect(!accepts(.delta(id, rows(most + 1))))
        #expect(!accepts(.delta(id, [])))
        #expect(accepts(.clock(id, [ClockPage(bucket: 9, rows: rows(most))])))
        #expect(!accepts(.clock(id, [ClockPage(bucket: 9, rows: rows(most + 1))])))
        #expect(accepts(.clock(id, LogBucket.all.map { ClockPage(bucket: $0, rows: []) })))
        #expect(!accepts(.clock(id, [])))
        let page = ClockPage(bucket: 3, rows: [])
        #expect(!accepts(.clock(id, [page, page])))
        #expect(!accepts(.clock(id, [page, ClockPage(bucket: 2, rows: [])])))
    }

    @Test("what a row says beside its seq is within it")
    func rowParts() throws {
        let tags = [UInt8](repeating: 1, count: 8)
        func accepts(_ state: UInt8, _ seq: UInt8, _ parts: [UInt8]) -> Bool {
            let row = tags + [state, seq] + (seq > 0 ? tags : []) + parts
            let body = self.log.key.conversation.hash.bytes + [1] + row
            return (try? Frame.decode(type: 0x44, body: body)) != nil
        }
        #expect(accepts(0x00, 5, []) && accepts(0x02, 0, []) && accepts(0xe1, 5, [2, 0, 4]))
        #expect([2, 5].allSatisfy { accepts(0x80, 5, [$0]) })
        #expect([0, 1, 6].allSatisfy { !accepts(0x80, 5, [$0]) })
        for bit in [0x40, 0x20] as [UInt8] {
            #expect(accepts(bit, 5, [4]) && accepts(bit, 5, [0]))
            #expect(!accepts(bit, 5, [5]) && !accepts(bit, 0, [0]))
        }
        #expect(!accepts(0x10, 5, []) && !accepts(0x03, 5, []) && !accepts(0x08, 5, []))
    }

    @Test("a delta of one row takes no more than two tags and what is around them")
    func deltaBytes() {
        let row = ClockRow(tag: 1, state: .open, seq: 1_000, headTag: 2)
        let frame = Frame.delta(self.log.key.conversation, [row])
        #expect(frame.encoded.bytes.count == 2 + 32 + 1 + 8 + 1 + 2 + 8)
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
                time: HybridTime(1), value: [UInt8](repeating: 0, count: 4_097), signer: signer(1))
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
