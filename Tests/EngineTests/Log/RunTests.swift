import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Runs, attestations and fork proofs")
struct RunTests {
    private let log = TestLog(signer(1), in: room("agora").conversation)

    private func texts(_ count: Int, _ word: String = "word", from time: UInt64 = 1) -> [Entry] {
        (0..<count).map { TestLog.text("\(word) \($0)", at: time + UInt64($0)) }
    }

    @Test("a run verifies with the ids of its chain")
    func verified() throws {
        let run = self.log.run(self.texts(5))
        let verified = try #require(run.run.verified())
        #expect(verified == run)
        #expect(verified.head.seq == 5)
        #expect(verified.head.id == verified.ids[4])
        #expect(verified.head.time == HybridTime(5))
        #expect(run.run.last == 5)
    }

    // Shows: shown.author, shown.relay
    @Test("a run does not verify with anything changed")
    func changed() {
        let run = self.log.run(self.texts(3), first: 2, prev: EntryID(fixed32(9))).run
        func other(
            key: LogKey? = nil, first: UInt64? = nil, prev: EntryID? = nil,
            attestation: Bytes64? = nil, entries: [Entry]? = nil
        ) -> Run {
            Run(
                key: key ?? run.key, first: first ?? run.first, prev: prev ?? run.prev,
                attestation: attestation ?? run.attestation, entries: entries ?? run.entries)
        }
        #expect(other().verified() != nil)
        let author = TestLog(signer(2), in: run.key.conversation).key
        let incarnation = TestLog(signer(1), incarnation: 2, in: run.key.conversation).key
        let conversation = TestLog(signer(1), in: room("attic").conversation).key
        for key in [author, incarnation, conversation] {
            #expect(other(key: key).verified() == nil)
        }
        #expect(other(first: 3).verified() == nil)
        #expect(other(prev: EntryID(fixed32(8))).verified() == nil)
        #expect(other(attestation: .zero).verified() == nil)
        #expect(other(entries: Array(run.entries.dropLast())).verified() == nil)
        var entries = run.entries
        entries[0].payload = TestLog.text("another word", at: 1).payload
        #expect(other(entries: entries).verified() == nil)
    }

    @Test("an author that goes back in time has no run, though it signed")
    func time() {
        let back = [TestLog.text("late", at: 5), TestLog.text("early", at: 4)]
        #expect(self.log.run(back).run.verified() == nil)
        let stands = [TestLog.text("one", at: 5), TestLog.text("two", at: 5)]
        #expect(self.log.run(stands).run.verified() == nil)
    }

    @Test("the rest of a run has the same ids and verifies by the same attestation")
    func suffix() throws {
        let run = self.log.run(self.texts(6), first: 10, prev: EntryID(fixed32(9)))
        for seq in UInt64(0)...10 { #expect(run.suffix(from: seq) == run) }
        for seq in UInt64(11)...15 {
            let rest = try #require(run.suffix(from: seq))
            #expect(rest.run.first == seq)
            #expect(rest.run.last == 15)
            #expect(rest.run.prev == run.ids[Int(seq - 11)])
            #expect(rest.ids == Array(run.ids[Int(seq - 10)...]))
            #expect(rest.run.verified() == rest)
            #expect(rest.head == run.head)
            var reader = WireReader(rest.run.encoded)
            #expect(try Run(from: &reader) == rest.run)
        }
        #expect(run.suffix(from: 16) == nil)
        #expect(run.suffix(from: .max) == nil)
    }

    @Test("a run without payloads verifies and has the same ids")
    func withoutPayloads() {
        let run = self.log.run(self.texts(3))
        #expect(run.run.withoutPayloads.verified()?.ids == run.ids)
    }

    // Shows: shown.fork
    @Test("two histories of one log prove a fork, whichever is named first")
    func proof() throws {
        let one = self.log.run(self.texts(3, "one"), first: 4, prev: EntryID(fixed32(9)))
        let two = self.log.run(self.texts(1, "two"), first: 4, prev: EntryID(fixed32(9)))
        let proof = try #require(ForkProof(one, two))
        #expect(ForkProof(two, one) == proof)
        #expect(proof.isValid)
        #expect(proof.key == self.log.key)
        #expect(proof.point == 4)
        #expect(proof.left.ids[0] < proof.right.ids[0])
        var reader = WireReader(proof.encoded)
        #expect(try ForkProof(from: &reader) == proof)
    }

    @Test("two runs that do not contradict each other prove nothing")
    func noProof() {
        let one = self.log.run(self.texts(3))
        #expect(ForkProof(one, one) == nil)
        let shorter = self.log.run(self.texts(2))
        #expect(ForkProof(one, shorter) == nil, "the same beginning")
        let later = self.log.run(self.texts(2, "two"), first: 2, prev: one.ids[0])
        #expect(ForkProof(one, later) == nil, "another place")
        let other = TestLog(signer(2), in: self.log.key.conversation).run(self.texts(1, "two"))
        #expect(ForkProof(one, other) == nil, "another author")
        let again = TestLog(signer(1), incarnation: 2, in: self.log.key.conversation)
        #expect(ForkProof(one, again.run(self.texts(1, "two"))) == nil, "another incarnation")
    }

    @Test("a proof whose runs stand in the wrong order, are alike or are forged is not valid")
    func invalidProofs() throws {
        let prev = EntryID(fixed32(9))
        let one = self.log.run(self.texts(2, "one"), first: 2, prev: prev)
        let two = self.log.run(self.texts(2, "two"), first: 2, prev: prev)
        let proof = try #require(ForkProof(one, two))
        let forged = Run(
            key: self.log.key, first: 2, prev: prev, attestation: proof.left.attestation,
            entries: proof.right.entries)
        func valid(_ left: Run, _ right: Run) throws -> Bool {
            var writer = WireWriter()
            writer.sized(left.encoded)
            writer.sized(right.encoded)
            var reader = WireReader(writer.bytes)
            return try ForkProof(from: &reader).isValid
        }
        #expect(try valid(proof.left, proof.right))
        #expect(try !valid(proof.right, proof.left))
        #expect(try !valid(proof.left, proof.left))
        #expect(try !valid(proof.left, forged))
        #expect(throws: WireError.value(field: "forkProof payload")) {
            try valid(one.run, two.run)
        }
    }

    @Test("a run that begins a log has its first entry alone")
    func beginning() throws {
        func read(_ run: VerifiedRun) throws -> Run {
            var reader = WireReader(run.run.encoded)
            return try Run(from: &reader)
        }
        let opening = self.log.opening()
        #expect(try read(opening) == opening.run)
        #expect(throws: WireError.value(field: "run count")) {
            try read(self.log.run(self.texts(2)))
        }
    }

    @Test("leaving payloads out never makes a run too large, though hashes are longer than they")
    func largestProof() throws {
        // Empty payloads take a byte in the run, and a hash more where they are left out.
        func run(_ entryClass: UInt8, extensionBytes: Int) -> VerifiedRun {
            let deps = (0..<Limits.depCount).map { EntryID(fixed32(UInt8($0))) }
            let entries = (0..<Limits.runEntries).map { index in
                var entry = Entry(
                    entryClass: entryClass, time: HybridTime(UInt64(index) << 8 + 1), deps: deps,
                    payload: .present([]))
                var writer = WireWriter()
                writer.field(2, [UInt8](repeating: 0, count: extensionBytes))
                entry.extensions = writer.bytes
                return entry
            }
            return self.log.run(entries, first: 2, prev: EntryID(fixed32(9)))
        }
        let largest = run(1, extensionBytes: 467)
        let headBytes = 32 + 32 + 8 + 1 + 2 + 32 + 64
        #expect(largest.run.withoutPayloads.encoded.count - headBytes <= Limits.runEntryBytes)
        let proof = try #require(ForkProof(largest, run(2, extensionBytes: 467)))
        #expect(proof.isValid)
        let frame = Frame.forkProof(proof).encoded
        var queue = FrameQueue()
        queue.append(frame)
        var reader = FrameReader()
        var frames: [ReceivedFrame] = []
        while let plaintext = queue.nextPlaintext() { frames += try reader.read(plaintext) }
        #expect(frames.map(\.frame) == [.forkProof(proof)])
        // Two bytes more of each, and neither is taken.
        let over = run(1, extensionBytes: 469).run
        for run in [over, over.withoutPayloads] {
            var reader = WireReader(run.encoded)
            #expect(throws: WireError.self) { try Run(from: &reader) }
        }
    }
}
