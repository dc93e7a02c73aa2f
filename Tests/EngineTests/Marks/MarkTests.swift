import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Marks of members") struct MarkTests {
    private static let ops = room("ops").conversation
    private static let time = HybridTime(wallMilliseconds: 5_000)

    private static func mark(_ tags: UInt64...) -> Mark {
        Mark(
            rows: tags.map { Mark.Row(tag: $0, stored: 300, read: 7, headTag: 9) },
            passOn: [4, 2])
    }

    @Test("say the same after they were written and read, whatever order they were made in")
    func roundTrip() throws {
        let mark = Self.mark(30, 10, 20)
        #expect(mark.rows.map(\.tag) == [10, 20, 30] && mark.passOn == [2, 4])
        #expect(try Mark(decoding: mark.encoded) == mark)
        #expect(try Mark(decoding: Mark().encoded) == Mark())
    }

    @Test("are refused where they are cut, out of order, or longer than may be")
    func malformed() throws {
        let bytes = Self.mark(10, 20).encoded
        for count in 1..<bytes.count {
            // Where the first field ends, the rest is as if it had not been there.
            #expect((try? Mark(decoding: Array(bytes.prefix(count))))?.passOn.isEmpty ?? true)
        }
        var twice = Self.mark(10)
        twice.rows += twice.rows
        #expect(throws: WireError.self) { _ = try Mark(decoding: twice.encoded) }
        var backwards = Self.mark(10)
        backwards.passOn = [4, 2]
        #expect(throws: WireError.self) { _ = try Mark(decoding: backwards.encoded) }
        let many = Mark(
            rows: (0...UInt64(Limits.markRows)).map {
                Mark.Row(tag: $0, stored: 1, read: 0, headTag: 0)
            })
        #expect(throws: WireError.self) { _ = try Mark(decoding: many.encoded) }
        let crowd = Mark(passOn: (0...UInt64(Limits.markMembers)).map { $0 })
        #expect(throws: WireError.self) { _ = try Mark(decoding: crowd.encoded) }
    }

    @Test("count in no digest once a conversation has grown beyond those who write any")
    func crowd() throws {
        var random = SeededRandom(seed: 1)
        let record = try #require(
            Self.mark(10).record(
                in: Self.ops, at: Self.time, by: signer(2), Keyring(), using: &random))
        var conversation = Conversation(.room(room("ops")), isJoined: true)
        func attend(_ number: Int, isPresent: Bool = true, seq: UInt64 = 2) {
            conversation.attend(
                Harness.peer(UInt8(number)),
                Attendance(isPresent: isPresent, time: Self.time, incarnation: 1, seq: seq))
        }
        for number in 1...Limits.markMembers + 1 { attend(number) }
        #expect(conversation.counted([record]) == [record])
        attend(100)
        #expect(conversation.counted([record]).isEmpty)
        // Where few have written, theirs count still.
        func write(_ number: UInt8) {
            let log = TestLog(signer(number), in: Self.ops)
            let opening = log.opening()
            _ = conversation.append(opening)
            let texts = [TestLog.text("a", at: 2 << 16), TestLog.text("b", at: 3 << 16)]
            _ = conversation.append(log.run(texts, first: 2, prev: opening.ids[0]))
        }
        write(2)
        #expect(conversation.counted([record]) == [record])
        for number in 3...UInt8(Limits.markMembers + 1) { write(number) }
        #expect(conversation.counted([record]) == [record])
        write(1)
        write(100)
        #expect(conversation.counted([record]).isEmpty)
        attend(7, isPresent: false, seq: 3)
        #expect(conversation.counted([record]) == [record])
    }

    @Test("of the largest size fit a record, also where they are sealed")
    func largest() throws {
        let mark = Mark(
            rows: (0..<UInt64(Limits.markRows)).map {
                Mark.Row(tag: .max - $0, stored: .max, read: .max, headTag: .max)
            }, passOn: (0..<UInt64(Limits.markMembers)).map { .max - $0 })
        var keyring = Keyring()
        keyring.use(conversationKey(3, of: Self.ops))
        var random = SeededRandom(seed: 1)
        let record = try #require(
            mark.record(in: Self.ops, at: Self.time, by: signer(2), keyring, using: &random))
        #expect(record.value.count <= Limits.recordValueBytes)
        #expect(Mark(record, by: keyring) == mark)
    }

    // Shows: told.read-marks
    @Test("of sealed conversations open with their key alone, and only where they were put")
    func sealed() throws {
        var random = SeededRandom(seed: 1)
        var keyring = Keyring()
        keyring.use(conversationKey(3, of: Self.ops))
        let mark = Self.mark(10)
        let sealed = try #require(
            mark.record(in: Self.ops, at: Self.time, by: signer(2), keyring, using: &random))
        #expect(Mark(sealed, by: keyring) == mark && sealed.isValid)
        var other = Keyring()
        other.add(conversationKey(4, of: Self.ops))
        #expect(Mark(sealed, by: other) == nil && Mark(sealed, by: Keyring()) == nil)
        // Neither somebody else's nor an earlier one can be made of it.
        for (author, time) in [(3, Self.time), (2, HybridTime(wallMilliseconds: 6_000))] {
            let copied = Record(
                kind: Record.Kind.mark, author: PeerID(signer(UInt8(author)).publicKey),
                conversation: Self.ops, time: time, value: sealed.value,
                signer: signer(UInt8(author)))
            #expect(copied.isValid && Mark(copied, by: keyring) == nil)
        }
        // Where all else is sealed, what is not was written by anybody.
        let clear = try #require(
            mark.record(in: Self.ops, at: Self.time, by: signer(2), Keyring(), using: &random))
        #expect(Mark(clear, by: Keyring()) == mark && Mark(clear, by: keyring) == nil)
    }
}

@Suite("How far members are") struct MarksTests {
    private static let ops = room("ops").conversation
    private static let key = TestLog(signer(1), in: room("ops").conversation).key

    @Test("is told once, and kept of some strangers and of all who are known")
    func positions() {
        var marks = Marks(own: Harness.ownKey)
        func note(_ number: UInt8, _ stored: UInt64, isKnown: Bool = false) -> Bool {
            marks.note(
                MemberPosition(stored: stored), of: Harness.peer(number), isKnown: isKnown,
                in: Self.key, at: 0)
        }
        #expect(note(2, 4) && !note(2, 4) && !note(2, 3) && note(2, 5))
        #expect(marks.position(of: Harness.peer(2), in: Self.key).stored == 5)
        #expect(marks.takeUnsaved() == [Self.key: [Harness.peer(2): MemberPosition(stored: 5)]])
        #expect(marks.takeUnsaved().isEmpty)
        for index in 1..<Limits.ofStrangers.positions {
            var bytes = [UInt8](repeating: 7, count: 32)
            (bytes[0], bytes[1]) = (UInt8(index % 256), UInt8(index / 256))
            _ = marks.note(
                MemberPosition(stored: 1), of: PeerID(fixed32(bytes)), isKnown: false,
                in: Self.key, at: 0)
        }
        #expect(!note(3, 4) && note(2, 6) && note(4, 1, isKnown: true))
        marks.forget(Harness.peer(2))
        #expect(marks.position(of: Harness.peer(2), in: Self.key) == MemberPosition())
    }

    @Test("what has come is told soon, a dozen times in a row, and then seldom")
    func soon() {
        var marks = Marks(own: Harness.ownKey)
        var now: UInt64 = 100_000
        var waits: [UInt64] = []
        for _ in 0..<Limits.marksAtOnce + 3 {
            marks.woke()
            marks.noteStored(in: Self.ops, at: now)
            let moment = marks.nextWakeUp() ?? 0
            waits.append(moment - now)
            #expect(marks.takeDue(at: moment).map(\.isRead) == [false])
            now = moment
        }
        #expect(waits[0] == Limits.soonMilliseconds)
        #expect(
            waits[1..<Limits.marksAtOnce].allSatisfy { $0 == Limits.storedLeastMilliseconds })
        #expect(waits[Limits.marksAtOnce + 2] == Limits.storedMilliseconds)
        // What is read meanwhile is told as ever, and counts for nothing.
        marks.woke()
        marks.noteRead([LogName(author: Harness.peer(2), incarnation: 1): 3], in: Self.ops, at: now)
        #expect(marks.nextWakeUp() == now + Limits.readMilliseconds)
    }

    @Test("what comes alone is written soon, and what comes often once a second")
    func gathered() {
        var marks = Marks(own: Harness.ownKey)
        func note(_ stored: UInt64, at now: UInt64) -> UInt64? {
            _ = marks.note(
                MemberPosition(stored: stored), of: Harness.peer(2), isKnown: false, in: Self.key,
                at: now)
            return marks.nextWakeUp()
        }
        #expect(note(1, at: 100_000) == 100_000 + Limits.soonMilliseconds)
        marks.woke()
        var isGathered = marks.isGathered(at: 100_100)
        #expect(isGathered)
        #expect(note(2, at: 100_200) == 100_100 + Limits.gatherMilliseconds)
        marks.woke()
        isGathered = marks.isGathered(at: 101_100)
        #expect(isGathered)
        #expect(note(3, at: 109_000) == 109_000 + Limits.soonMilliseconds)
    }

    @Test("what was read is told at once, then a while later; what has come seldom")
    func debounced() {
        var marks = Marks(own: Harness.ownKey)
        let log = LogName(author: Harness.peer(2), incarnation: 1)
        marks.noteRead([log: 3], in: Self.ops, at: 100_000)
        #expect(marks.nextWakeUp() == 100_000 && marks.nextWakeUp() == nil)
        marks.woke()
        #expect(marks.takeDue(at: 100_000).map(\.isRead) == [true])
        marks.noteRead([log: 2], in: Self.ops, at: 100_500)
        #expect(marks.reads(in: Self.ops) == [log: 3])
        #expect(marks.nextWakeUp() == 100_000 + Limits.readMilliseconds)
        #expect(marks.takeDue(at: 101_000).isEmpty)
        marks.woke()
        #expect(marks.takeDue(at: 102_000).count == 1)
        marks.noteStored(in: Self.ops, at: 102_000)
        marks.noteStored(in: Self.ops, at: 103_000)
        #expect(marks.nextWakeUp() == 102_000 + Limits.storedLeastMilliseconds)
        // Who has read something says both.
        marks.noteRead([log: 4], in: Self.ops, at: 103_500)
        #expect(marks.takeDue(at: 104_000).map(\.isRead) == [true])
        #expect(marks.takeDue(at: 200_000).isEmpty)
    }

    @Test("somebody's marks are looked at a few times a minute, of strangers more seldom")
    func timely() throws {
        var marks = Marks(own: Harness.ownKey)
        var random = SeededRandom(seed: 1)
        let record = try #require(
            Mark().record(
                in: Self.ops, at: HybridTime(wallMilliseconds: 1), by: signer(2), Keyring(),
                using: &random))
        func isTimely(_ now: UInt64, isKnown: Bool = false) -> Bool {
            marks.isTimely(record.key, isKnown: isKnown, at: now)
        }
        #expect(isTimely(100_000))
        marks.keep(record, at: 100_000)
        #expect(!isTimely(100_999, isKnown: true) && isTimely(101_000, isKnown: true))
        #expect(!isTimely(100_999) && isTimely(101_000))
        #expect(marks.arrivedBytes == record.keptBytes)
        let taken = (0..<2).map { _ in marks.takeArrived(at: 101_000) }
        #expect(taken == [[record], []] && marks.arrivedBytes == 0)
        // Somebody may wait for some of them; but not for so many.
        for number in 1..<UInt64(Limits.marksAtOnce) {
            marks.keep(record, at: 100_000 + 1_000 * number)
        }
        let last = 99_000 + 1_000 * UInt64(Limits.marksAtOnce)
        #expect(isTimely(last + 1_000, isKnown: true))
        for _ in 0..<20 { marks.keep(record, at: last) }
        #expect(!isTimely(last + Limits.ofStrangers.markMilliseconds - 1))
        #expect(isTimely(last + Limits.ofStrangers.markMilliseconds))
    }

    @Test("comes from the disk: own logs by member, those of others as far as the user has read")
    func restored() {
        let theirs = TestLog(signer(2), in: Self.ops).key
        let marks = Marks(
            [
                Self.key: [Harness.peer(3): MemberPosition(stored: 4, read: 2)],
                theirs: [Harness.ownKey: MemberPosition(read: 6)],
            ], own: Harness.ownKey)
        #expect(marks.position(of: Harness.peer(3), in: Self.key).read == 2)
        #expect(marks.reads(in: Self.ops) == [theirs.name: 6])
        #expect(marks.readConversations == [Self.ops])
    }
}
