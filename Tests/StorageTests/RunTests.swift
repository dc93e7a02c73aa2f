import Engine
import Formats
import Crypto
import TestSupport
import Testing

@testable import Storage

@Suite("Runs")
struct RunTests {
    /// A log whose attestations lie at 1, 3, 10, 138, 139, 200 and 201.
    static func log() -> (writer: LogWriter, appends: [Append]) {
        var log = LogWriter(bob)
        var appends: [Append] = []
        var next: UInt64 = 1
        for end: UInt64 in [1, 3, 10, 138, 139, 200, 201] {
            appends.append(log.append((next...end).map { text("message \($0)", at: $0 * $0) }))
            next = end + 1
        }
        return (log, appends)
    }

    // Shows: shown.attested
    @Test("from every entry on there is a valid run that ends at an attested entry")
    func everyBoundary() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let (log, appends) = Self.log()
        for append in appends { _ = try await store.commit(batch(append)) }
        let ends: [UInt64] = [1, 3, 10, 138, 139, 200, 201]
        for first in UInt64(1)...201 {
            for through in [first, first + 5, 138, 201, 4_096] {
                let run = try #require(try await store.run(log.key, from: first, through: through))
                let attested = ends.filter { $0 >= first && $0 < first + 128 }
                let expected = attested.first { $0 >= through } ?? attested[attested.count - 1]
                #expect(run.last == expected, "from \(first) through \(through)")
                let verified = try #require(run.verified())
                #expect(verified.ids == Array(log.ids[Int(first) - 1..<Int(run.last)]))
            }
        }
    }

    @Test("as many runs are read at once as fit for certain, at least one, none beyond the end")
    func several() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(bob)
        let words = String(repeating: "x", count: 1_000)
        for _ in 0..<12 {
            var entries = (0..<30).map { text(words, at: UInt64(log.ids.count + $0 + 1)) }
            // The first entry of a log is attested by itself.
            if log.ids.isEmpty {
                _ = try await store.commit(batch(log.append([entries.removeFirst()])))
            }
            _ = try await store.commit(batch(log.append(entries)))
        }
        // Runs end at attested entries, of which there is one in thirty; 120 of them fit into one.
        for (byteLimit, ends) in [
            (0, [120]), (Limits.runFrameBytes, [120]),
            (2 * Limits.runFrameBytes, [120, 240]), (10 * Limits.runFrameBytes, [120, 240, 360]),
        ] as [(Int, [UInt64])] {
            let runs = try await store.runs(log.key, from: 2, through: 500, byteLimit: byteLimit)
            #expect(runs.map(\.last) == ends)
            #expect(runs.flatMap(\.ids) == Array(log.ids[1..<Int(ends.last ?? 0)]))
            #expect(runs.allSatisfy { $0.verified() != nil })
        }
        let whole = try await store.runs(
            log.key, from: 1, through: 500, byteLimit: 10 * Limits.runFrameBytes)
        #expect(whole.map(\.last) == [1, 120, 240, 360], "the first entry goes alone")
        let middle = try await store.runs(
            log.key, from: 2, through: 130, byteLimit: 10 * Limits.runFrameBytes)
        #expect(middle.map(\.last) == [120, 150])
        #expect(try await store.runs(log.key, from: 361, through: 500, byteLimit: 0).isEmpty)
    }

    @Test("of short runs as many are read at once as fill what may be sent, and no more")
    func filled() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(bob)
        let words = String(repeating: "x", count: 100)
        _ = try await store.commit(batch(log.append([text(words, at: 1)])))
        for _ in 0..<20 {
            let entries = (0..<64).map { text(words, at: UInt64(log.ids.count + $0 + 1)) }
            _ = try await store.commit(batch(log.append(entries)))
        }
        for byteLimit in [Limits.runFrameBytes, Limits.initialCredit] {
            let runs = try await store.runs(log.key, from: 2, through: 9_999, byteLimit: byteLimit)
            let bytes = runs.reduce(0) { $0 + Frame.liveRun($1).encoded.bytes.count }
            let isAll = runs.last?.last == UInt64(log.ids.count)
            #expect(bytes <= byteLimit && (isAll || bytes > byteLimit / 2))
            #expect(runs.count > 1 && runs.allSatisfy { $0.verified() != nil })
        }
    }

    @Test("a log that is passed on in runs of any size ends as the same log")
    func passedOn() async throws {
        let source = try TemporaryDirectory()
        let store = try await source.open()
        let (log, appends) = Self.log()
        for append in appends { _ = try await store.commit(batch(append)) }
        let expected = try await store.history(
            HistoryQuery(conversation: ops.conversation, limit: 300))
        for step: UInt64 in [1, 2, 7, 64, 128, 4_096] {
            let target = try TemporaryDirectory()
            let other = try await target.open()
            var next: UInt64 = 1
            while next <= 201 {
                let run = try #require(
                    try await store.run(log.key, from: next, through: next + step - 1))
                let verified = try #require(run.verified())
                _ = try await other.commit(batch(Append(run: verified, heldFrom: .max)))
                next = run.last + 1
            }
            #expect(try await other.snapshot().logs == store.snapshot().logs)
            let page = try await other.history(
                HistoryQuery(conversation: ops.conversation, limit: 300))
            #expect(page == expected)
            #expect(try await other.check().isEmpty)
        }
    }

    @Test("the bytes of an entry are counted as a run writes them")
    func exactBytes() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<300 {
            var entries: [Entry] = []
            var clock: UInt64 = 1
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                clock += 1 << UInt64.random(in: 0...40, using: &random)
                let size = Int.random(in: 0...40_000, using: &random)
                let deps = (0..<Int.random(in: 0...3, using: &random)).map {
                    EntryID(Bytes32([UInt8](repeating: UInt8($0), count: 32)) ?? .zero)
                }
                var entry = Entry(
                    entryClass: 2, time: HybridTime(clock), deps: deps,
                    payload: Bool.random(using: &random)
                        ? .present([UInt8](repeating: 1, count: size))
                        : .absent(length: size, hash: .zero))
                if Bool.random(using: &random) { entry.epoch = bob.id.key }
                let area = Int.random(in: 0...200, using: &random)
                if area > 2 {
                    var writer = WireWriter()
                    writer.varint(2)
                    writer.sized([UInt8](repeating: 0, count: area))
                    entry.extensions = writer.bytes
                }
                entries.append(entry)
            }
            let run = Run(
                key: LogWriter(bob).key, first: 1, prev: nil, attestation: .zero, entries: entries)
            var bytes = 0
            var previous: Entry?
            for entry in entries {
                bytes += entry.runBytes(after: previous?.time)
                // An epoch counts also where the entry before has said it.
                if entry.epoch != .zero, entry.epoch == previous?.epoch { bytes -= 32 }
                // What stands for the payload may be shorter than what it counts.
                bytes -= max(entry.payload.count, 32)
                if case .present(let payload) = entry.payload {
                    bytes += payload.count
                } else {
                    bytes += 32
                }
                previous = entry
            }
            // Conversation, author, incarnation, first, count and signature stand before the
            // entries.
            #expect(run.encoded.count == 32 + 32 + 8 + 1 + 1 + 64 + bytes)
        }
    }

    @Test("an entry comes back from its columns as it was, whatever it carries")
    func extra() throws {
        var full = Entry(
            entryClass: 200, time: HybridTime(.max), deps: [EntryID(.zero), EntryID(bob.id.key)],
            payload: .absent(length: 65_536, hash: ada.id.key))
        full.epoch = eve.id.key
        full.extensions = [2, 1, 0]
        for entry in [full, text("plain", at: 1), text("dep", at: 1, deps: [EntryID(.zero)])] {
            let payload: [UInt8]? =
                if case .present(let bytes) = entry.payload { bytes } else { nil }
            let back = try Entry(
                entryClass: Int64(entry.entryClass), time: HybridTime(stored: entry.time.stored),
                extra: entry.extra, payload: payload)
            #expect(back == entry)
        }
        #expect(text("plain", at: 1).extra == nil)
        #expect(throws: SQLiteError.self) {
            try Entry(entryClass: 2, time: HybridTime(0), extra: [0, 1, 9], payload: [])
        }
    }

    @Test("a run of the largest size comes back whole")
    func largest() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(bob)
        func large(_ count: Int, at milliseconds: UInt64) -> Entry {
            Entry(
                entryClass: 2, time: time(milliseconds), deps: [],
                payload: .present([UInt8](repeating: 0, count: count)))
        }
        var entries = [large(65_536, at: 1), large(0, at: 2)]
        let used = entries[0].runBytes(after: nil)
        let rest = Limits.runEntryBytes - used
        // Kind, flags, form, depCount, and varints of time and length.
        entries[1] = large(rest - 4 - 3 - 3, at: 2)
        #expect(used + entries[1].runBytes(after: entries[0].time) == Limits.runEntryBytes)
        let append = log.append(entries)
        let next = log.append([text("next", at: 3)])
        _ = try await store.commit(batch(append, next))
        #expect(try await store.run(log.key, from: 1, through: 9) == append.run.run)
    }
}
