import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Records that come all at once") struct ManyRecordsTests {
    private static let ops = room("ops")
    private static let bringers: [UInt8] = [2, 3, 4]
    private static let honest: UInt8 = 9
    private static let authors: ClosedRange<UInt8> = 100...147

    private var harness = Harness()

    /// In a room with somebody honest and three who bring large records of authors who have written nothing yet.
    init() {
        self.harness.join(Self.ops)
        self.harness.settle()
        for peer in Self.bringers + [Self.honest] { self.harness.link(peer, in: [Self.ops]) }
        self.harness.settle()
        for (index, author) in Self.authors.enumerated() {
            let bringer = Self.bringers[index % Self.bringers.count]
            self.harness.give(.records(Self.records(of: author)), from: bringer)
        }
    }

    /// As many records as one may have in a room, with values as large as may be.
    private static func records(
        of author: UInt8, _ kinds: ClosedRange<UInt8> = 5...20,
        byteCount: Int = Limits.recordValueBytes, in conversation: ConversationID? = nil
    ) -> [Record] {
        kinds.map { kind in
            Record(
                kind: kind, author: Harness.peer(author), conversation: conversation,
                time: HybridTime(wallMilliseconds: Harness().now.wall),
                value: [UInt8](repeating: kind, count: byteCount),
                signer: signer(author))
        }
    }

    private static func keys(_ frames: [Frame]) -> [RecordKey] {
        frames.flatMap { frame -> [RecordKey] in
            if case .records(let records) = frame { records.map(\.key) } else { [] }
        }
    }

    // Shows: daemon.peers
    @Test("are written in transactions of a megabyte, and cost nobody in the room the link")
    func burst() {
        var test = self
        for author in Self.authors {
            let log = TestLog(signer(author), in: Self.ops.conversation)
            test.harness.give(.liveRun(log.opening().run), from: Self.bringers[0])
        }
        var largest = 0
        while let batch = test.harness.batch {
            largest = max(largest, batch.records.reduce(0) { $0 + $1.keptBytes })
            test.harness.write()
        }
        #expect(largest <= Limits.recordBytesPerBatch + Limits.recordBytes)
        #expect(test.harness.closed.isEmpty)
        // Some come at once, and all of them as they are taken.
        var known = Self.keys(test.harness.take(from: Self.honest))
        #expect(!known.isEmpty)
        test.harness.give(.recordClock(Self.ops.conversation, []), from: Self.honest)
        for _ in 0..<200 {
            let flow = test.harness.node.links[LinkID(UInt64(Self.honest))].flow
            let spent = Limits.initialCredit - flow.credit(on: .sync)
            guard spent > 0 else { break }
            #expect(flow.waitingBytes <= Limits.frameBytes, "one frame waits at most")
            test.harness.give(.credit(.sync, bytes: UInt64(spent)), from: Self.honest)
            known += Self.keys(test.harness.take(from: Self.honest))
        }
        let due = Self.authors.flatMap { Self.records(of: $0).map(\.key) }
        #expect(Set(known).isSuperset(of: due))
        #expect(test.harness.node.excess == nil)
    }

    // Shows: daemon.pace
    @Test("go on to the others a quarter of a megabyte at once, and all of whom the user knows")
    func passedOn() {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        let (known, strangers): (UInt8, ClosedRange<UInt8>) = (20, 100...147)
        for peer in Self.bringers + [Self.honest] { harness.link(peer, in: [Self.ops]) }
        harness.give(.request(RequestID(7), .stand(Harness.peer(known), .known)))
        for author in Array(strangers) + [known] {
            let log = TestLog(signer(author), in: Self.ops.conversation)
            harness.give(.liveRun(log.opening(of: personKeys(author, 41)).run), from: 2)
        }
        harness.settle()
        func passed(_ records: [Record]) -> [RecordKey] {
            harness.give(.records(records), from: 2)
            harness.settle()
            let flow = harness.node.links[LinkID(UInt64(Self.honest))].flow
            let spent = UInt64(Limits.initialCredit - flow.credit(on: .sync))
            if spent > 0 { harness.give(.credit(.sync, bytes: spent), from: Self.honest) }
            return Self.keys(harness.take(from: Self.honest))
        }
        var bytes = 0
        for author in strangers {
            let records = Self.records(of: author, byteCount: 1_000)
            bytes += passed(records).count * 1_000
        }
        #expect(bytes <= Limits.passedRecordBytes && bytes > Limits.passedRecordBytes / 2)
        #expect(passed(Self.records(of: known)).count == 16)
        // After a while others have their turn.
        harness.pass(milliseconds: Limits.passedRecordMilliseconds)
        let later = Self.records(of: 147, 5...6, in: Self.ops.conversation)
        #expect(passed(later).count == 2)
    }

    // Shows: daemon.peers
    @Test("before their authors take four megabytes at most, where a room is shared")
    func early() {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        let frames = Self.authors.prefix(16).map { Frame.records(Self.records(of: $0)) }
        harness.link(8, in: [])
        for frame in frames { harness.give(frame, from: 8) }
        #expect(harness.node.links[LinkID(8)].earlyRecords.isEmpty)
        harness.link(Self.honest, of: personKeys(Self.honest, 41), in: [Self.ops])
        harness.give(.request(RequestID(7), .stand(Harness.peer(Self.honest), .known)))
        harness.settle()
        harness.give(frames[0], from: Self.honest)
        for peer: UInt8 in 10..<16 {
            harness.link(peer, in: [Self.ops])
            for frame in frames { harness.give(frame, from: peer) }
        }
        let kept = harness.node.links.all.reduce(0) { $0 + $1.earlyRecords.byteCount }
        #expect(kept <= Limits.earlyRecordBytes && kept > Limits.earlyRecordBytes / 2)
        #expect(harness.node.links[LinkID(UInt64(Self.honest))].earlyRecords.count == 16)
        #expect(harness.closed.isEmpty && harness.node.excess == nil)
    }

    // Shows: daemon.records
    @Test("of who writes nowhere are not kept, but for the profile")
    func throwAway() {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        harness.link(2, in: [])
        let profile = Record(
            kind: Record.Kind.profile, author: Harness.peer(2), conversation: nil,
            time: HybridTime(wallMilliseconds: harness.now.wall),
            value: Profile(name: "eve", status: "").encoded, signer: signer(2))
        harness.give(.records([profile] + Self.records(of: 2)), from: 2)
        harness.settle()
        #expect(harness.node.persons.profiles.profile(of: Harness.peer(2))?.name == "eve")
        #expect(harness.node.persons.profiles.otherShares.total == 0)
    }

    private static func write(_ harness: inout Harness) -> Set<RecordKey> {
        var dropped: Set<RecordKey> = []
        while let batch = harness.batch {
            dropped.formUnion(batch.droppedRecords)
            harness.write()
        }
        return dropped
    }

    // Shows: daemon.records
    @Test("take 24 MiB of strangers at most: who has most loses them, not the known")
    func bounded() throws {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        let (known, small, large): (UInt8, UInt8, ClosedRange<UInt8>) = (20, 21, 22...160)
        harness.link(2, in: [Self.ops])
        harness.give(.request(RequestID(7), .stand(Harness.peer(known), .known)))
        for author in [known, small] + Array(large) {
            let log = TestLog(signer(author), in: Self.ops.conversation)
            harness.give(.liveRun(log.opening(of: personKeys(author, 41)).run), from: 2)
            harness.settle()
        }
        let name = Record(
            kind: Record.Kind.profile, author: Harness.peer(small), conversation: nil,
            time: HybridTime(wallMilliseconds: harness.now.wall),
            value: Profile(name: "bea", status: "").encoded, signer: signer(small))
        let little = Self.records(of: small, 9...9, byteCount: 100) + [name]
        harness.give(.records(little), from: 2)
        var dropped: Set<RecordKey> = []
        for author in [known] + Array(large) {
            // Those of kinds that are not known here.
            for scope in [nil, Self.ops.conversation] {
                harness.give(.records(Self.records(of: author, in: scope)), from: 2)
                dropped.formUnion(Self.write(&harness))
            }
        }
        let profiles = harness.node.persons.profiles
        let ofKnown = Self.records(of: known)
        #expect(ofKnown.allSatisfy { profiles.record($0.key) == $0 })
        #expect(little.allSatisfy { profiles.record($0.key) == $0 })
        let slack = Limits.ofStrangers.recordBytes / 16 + Limits.recordBytesPerBatch
        let most = Limits.ofStrangers.recordBytes + slack + ofKnown.reduce(0) { $0 + $1.keptBytes }
        #expect(profiles.otherShares.total <= most)
        // All of somebody's go from memory and from the disk, and are not taken again.
        let gone = try #require(
            large.first { profiles.record(Self.records(of: $0, 5...5)[0].key) == nil })
        #expect(dropped.isSuperset(of: Self.records(of: gone).map(\.key)))
        for scope in [nil, Self.ops.conversation] {
            harness.give(.records(Self.records(of: gone, in: scope)), from: 2)
            harness.settle()
        }
        let taken = harness.node.persons.profiles.records(
            of: Harness.peer(gone), in: Self.ops.conversation)
        #expect(taken.count < 32)
        #expect(harness.closed.isEmpty)
    }

    // Shows: daemon.records
    @Test("take nothing from a stranger who is linked, though many more are brought from elsewhere")
    func linked() {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        harness.link(2, in: [Self.ops])
        harness.link(Self.honest, of: personKeys(Self.honest, 41), in: [Self.ops])
        let log = TestLog(signer(Self.honest), in: Self.ops.conversation)
        harness.give(.liveRun(log.opening(of: personKeys(Self.honest, 41)).run), from: Self.honest)
        for scope in [nil, Self.ops.conversation] {
            let own = Self.records(of: Self.honest, in: scope)
            harness.give(.records(own), from: Self.honest)
            _ = Self.write(&harness)
        }
        for author: UInt8 in 20...180 {
            let log = TestLog(signer(author), in: Self.ops.conversation)
            harness.give(.liveRun(log.opening(of: personKeys(author, 41)).run), from: 2)
            harness.settle()
            // A little less than the other has, who would be the first where authors are counted.
            for scope in [nil, Self.ops.conversation] {
                harness.give(.records(Self.records(of: author, 5...19, in: scope)), from: 2)
                _ = Self.write(&harness)
            }
        }
        let kept = harness.node.persons.profiles.records(
            of: Harness.peer(Self.honest), in: Self.ops.conversation)
        #expect(kept.count == 32)
        #expect(
            harness.node.persons.profiles.otherShares.total < Limits.ofStrangers.recordBytes * 9 / 8
        )
    }

    @Test("hold up no profile of the user, which is on disk before the answer says so")
    func own() throws {
        var test = self
        // Something is being written while all of it comes.
        test.harness.say("hello", in: Self.ops)
        for author in Self.authors {
            let log = TestLog(signer(author), in: Self.ops.conversation)
            test.harness.give(.liveRun(log.opening().run), from: Self.bringers[0])
        }
        test.harness.give(.request(RequestID(900), .profile(name: "bea", status: "")))
        test.harness.write()
        let batch = try #require(test.harness.batch)
        #expect(batch.records.contains { $0.key == test.harness.node.ownProfile })
        test.harness.write()
        #expect(test.harness.batch?.records.isEmpty == false)
        #expect(test.harness.answers(of: RequestID(900)).count == 1)
    }
}
