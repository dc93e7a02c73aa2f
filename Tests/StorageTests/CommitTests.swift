import Engine
import Formats
import Glibc
import Crypto
import Testing

@testable import Storage

@Suite("Commit")
struct CommitTests {
    // Shows: shown.order
    @Test(
        "an entry is shown whatever the time of what it follows, which may come before or behind it"
    )
    func deps() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var bobs = LogWriter(bob)
        var eves = LogWriter(eve)
        let dep = bobs.append([text("dep", at: 50)])
        let early = eves.append([
            entry(.join(ops.name), at: time(20)), text("early", at: 49, deps: bobs.ids),
        ])
        #expect(try await store.commit(batch(early)).cursors == [[Cursor(1), Cursor(2)]])
        let later = eves.append([text("later", at: 60, deps: bobs.ids)])
        #expect(try await store.commit(batch(dep, later)).cursors == [[Cursor(3)], [Cursor(4)]])
        let page = try await store.history(HistoryQuery(conversation: ops.conversation, limit: 9))
        #expect(texts(page.entries) == ["(join)", "early", "dep", "later"])
        #expect(try await store.check().isEmpty)
    }

    @Test("history beside live messages asks for checkpoints, and the log stays short with them")
    func checkpoints() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var bobs = LogWriter(bob)
        var asked = 0
        for round in 0..<80 {
            let texts = (1...100).map { text("\($0)", at: UInt64(round * 100 + $0)) }
            var history = batch(bobs.append(texts))
            history.isBesideLive = round >= 2
            let outcome = try await store.commit(history)
            #expect(!outcome.isCheckpointDue || history.isBesideLive)
            guard outcome.isCheckpointDue else { continue }
            asked += 1
            let before = try fileSize(directory.database)
            await store.checkpoint()
            #expect(try fileSize(directory.database) > before)
        }
        #expect(asked >= 3)
        #expect(try fileSize(directory.database + "-wal") < 1_200_000)
        #expect(try await store.check().isEmpty)
        await store.close()
    }

    @Test("a quick commit is refused shortly before a checkpoint, which the next usual one brings")
    func quickCommits() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var bobs = LogWriter(bob)
        var quick = 0
        var isRefused = false
        while !isRefused, quick < 5_000 {
            var next = bobs
            let append = next.append([text("some text", at: UInt64(quick + 1))])
            isRefused = try await store.commitQuickly(batch(append)) == nil
            if !isRefused {
                bobs = next
                quick += 1
            }
        }
        #expect(isRefused)
        var usual = 0
        while isRefused, usual < 100 {
            let append = bobs.append([text("some text", at: UInt64(quick + usual + 1))])
            _ = try await store.commit(batch(append))
            usual += 1
            var next = bobs
            let more = next.append([text("some text", at: UInt64(quick + usual + 1))])
            isRefused = try await store.commitQuickly(batch(more)) == nil
        }
        #expect(!isRefused)
        #expect(quick > usual)
        #expect(try await store.counts().entries == quick + usual + 1)
        #expect(try await store.check().isEmpty)
    }

    @Test(
        "held entries are stored and not shown until a release gives them cursors in display order")
    func held() async throws {
        let directory = try TemporaryDirectory()
        var store = try await directory.open()
        var bobs = LogWriter(bob)
        var eves = LogWriter(eve)
        let first = bobs.append([text("due", at: 1), text("held 2", at: 600_002)], heldFrom: 1)
        let second = eves.append(
            [entry(.join(ops.name), at: time(600_001)), text("held 3", at: 600_003)], heldFrom: 0)
        var outcome = try await store.commit(batch(first, second))
        #expect(outcome.cursors == [[Cursor(1), nil], [nil, nil]])
        #expect(outcome.held == HeldEntries(count: 3, first: time(600_001)))
        await store.close()
        store = try await directory.open()
        var snapshot = try await store.snapshot()
        #expect(snapshot.held == HeldEntries(count: 3, first: time(600_001)))
        var bobsLog = StoredLog(head: bobs.head, forkPoint: nil, isHeadShown: false)
        bobsLog.held = 2...2
        #expect(snapshot.logs[bobs.key] == bobsLog && snapshot.logs[eves.key]?.held == 1...2)
        #expect(snapshot.latestShown == [ops.conversation: time(1)])
        // Whoever comes is a member at once: only the line that says so waits.
        #expect(snapshot.members == [ops.conversation: [eve.id]])
        #expect(try await store.run(bobs.key, from: 1, through: 2) == first.run.run)
        #expect(try await store.counts().entries == 4)

        var release = Batch(number: 2)
        release.release = Due(known: time(600_002), others: time(600_002))
        outcome = try await store.commit(release)
        #expect(outcome.released.map(\.cursor) == [Cursor(2), Cursor(3)])
        #expect(texts(outcome.released) == ["(join)", "held 2"])
        #expect(outcome.held == HeldEntries(count: 1, first: time(600_003)))
        snapshot = try await store.snapshot()
        #expect(snapshot.members == [ops.conversation: [eve.id]])
        #expect(snapshot.logs[bobs.key]?.isHeadShown == true)
        #expect(snapshot.logs[eves.key]?.isHeadShown == false)
        #expect(snapshot.logs[bobs.key]?.held == nil && snapshot.logs[eves.key]?.held == 2...2)
        #expect(try await store.summaries().map(\.unread) == [2])
        #expect(try await store.check().isEmpty)
    }

    @Test("a release takes a share of what is due, and leaves the rest due")
    func boundedRelease() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(bob)
        for start in 0..<2 {
            let entries = (1...100).map { text("m", at: UInt64(start * 100 + $0)) }
            _ = try await store.commit(batch(log.append(entries, heldFrom: 0)))
        }
        var release = Batch(number: 2)
        release.release = Due(known: time(1), others: time(1_000_000))
        var outcome = try await store.commit(release)
        let share = Limits.releasedPerBatch
        #expect(outcome.released.count == share && outcome.held.count == 200 - share)
        #expect(outcome.held.first == time(UInt64(share) + 1))
        outcome = try await store.commit(release)
        #expect(outcome.released.count == 200 - share)
        #expect(outcome.held == HeldEntries(count: 0, first: nil))
    }

    @Test(
        "what known people have dated ahead is due sooner, and first, also where they are known since"
    )
    func releaseOfKnown() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var (bobs, eves) = (LogWriter(bob), LogWriter(eve))
        for start in [UInt64(1), 76] {
            let many = (start..<start + 75).map { text("m", at: $0) }
            _ = try await store.commit(batch(eves.append(many, heldFrom: 0)))
        }
        var known = bobs.append([text("known", at: 400)], heldFrom: 0)
        known.isOfKnown = true
        var outcome = try await store.commit(batch(known))
        let held = HeldEntries(count: 151, first: time(1), firstOfKnown: time(400))
        #expect(outcome.held == held)
        var standing = Batch(number: 3)
        standing.people = [bob.id: .unsaid]
        #expect(try await store.commit(standing).held.firstOfKnown == nil)
        standing.people = [bob.id: .known]
        #expect(try await store.commit(standing).held == held)
        var release = Batch(number: 4)
        release.release = Due(known: time(400), others: time(150))
        outcome = try await store.commit(release)
        #expect(outcome.released.first?.key == bobs.key)
        #expect(outcome.released.count == Limits.releasedPerBatch)
        #expect(try await store.check().isEmpty)
    }

    @Test("an answer that stands before what it answers is flagged late, and told so")
    func lateAnswer() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var (bobs, eves) = (LogWriter(bob), LogWriter(eve))
        let question = bobs.append([text("question", at: 200_000)])
        _ = try await store.commit(batch(question))
        let target = EntryTarget(log: bobs.key.name, seq: 1, id: bobs.ids[0])
        let answers = [
            entry(.reply("behind", to: target), at: time(100)),
            entry(.reply("in time", to: target), at: time(200_001)),
        ]
        let outcome = try await store.commit(batch(eves.append(answers)))
        #expect(outcome.filled.map(\.id) == [eves.ids[0]] && outcome.filled[0].isLate)
        #expect(outcome.filled.map(\.cursor) == [outcome.cursors[0][0]])
        #expect(try await store.entry(eves.ids[0])?.isLate == true)
        #expect(try await store.entry(eves.ids[1])?.isLate == false)
        #expect(try await store.check().isEmpty)
    }

    @Test("entries before the given time are flagged late")
    func late() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(bob)
        var append = log.append([text("old", at: 1), text("new", at: 9)])
        append.lateBefore = time(9)
        _ = try await store.commit(batch(append))
        #expect(
            try await store.entries(after: Cursor(0), limit: 9).entries.map(\.isLate) == [
                true, false,
            ])
    }

    @Test("what this version cannot show has a cursor and is left out where people look")
    func unreadable() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(bob)
        var strange = text("strange", at: 2)
        strange.extensions = [1, 0]
        let append = log.append([
            Entry(entryClass: 9, time: time(1), deps: [], payload: .present([])), strange,
            Entry(entryClass: 2, time: time(3), deps: [], payload: .present([0, 1])),
            Entry(entryClass: 2, time: time(4), deps: [], payload: .absent(length: 5, hash: .zero)),
            text("plain", at: 5),
        ])
        let outcome = try await store.commit(batch(append))
        #expect(outcome.cursors == [(1...5).map { Cursor($0) }])
        let page = try await store.history(HistoryQuery(conversation: ops.conversation, limit: 9))
        #expect(texts(page.entries) == ["plain"])
        #expect(try await store.summaries().map(\.unread) == [1])
        let arrivals = try await store.entries(after: Cursor(0), limit: 9)
        #expect(texts(arrivals.entries) == ["plain"] && arrivals.through == Cursor(5))
        #expect(try await store.run(log.key, from: 1, through: 5) == append.run.run)
        #expect(try await store.check().isEmpty)
    }

    @Test("an idempotency key gives the entry that was first sent under it")
    func keys() async throws {
        let directory = try TemporaryDirectory()
        var store = try await directory.open()
        var log = LogWriter(ada)
        var append = log.append([text("one", at: 1), text("two", at: 2)])
        append.idempotencyKeys = [0: "a", 1: "b"]
        _ = try await store.commit(batch(append))
        var again = log.append([text("again", at: 3)])
        again.idempotencyKeys = [0: "a"]
        _ = try await store.commit(batch(again))
        await store.close()
        store = try await directory.open()
        let found = try #require(try await store.lookUp(idempotencyKey: "a", in: ops.conversation))
        #expect(found.id == log.ids[0] && found.cursor == Cursor(1) && found.time == time(1))
        #expect(found.key == log.key)
        #expect(
            try await store.lookUp(idempotencyKey: "b", in: ops.conversation)?.cursor == Cursor(2))
        #expect(try await store.lookUp(idempotencyKey: "c", in: ops.conversation) == nil)
    }

    @Test("an idempotency key counts within its conversation")
    func keysOfConversations() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var logs = [LogWriter(ada), LogWriter(ada, room("lab"))]
        var both = Batch(number: 1)
        for index in logs.indices {
            var append = logs[index].append([text("one", at: 1)])
            append.idempotencyKeys = [0: "a"]
            both.appends.append(append)
        }
        _ = try await store.commit(both)
        for log in logs {
            let found = try await store.lookUp(
                idempotencyKey: "a", in: log.key.conversation)
            #expect(found?.id == log.ids[0])
        }
        let elsewhere = room("elsewhere").conversation
        #expect(try await store.lookUp(idempotencyKey: "a", in: elsewhere) == nil)
        #expect(try await store.check().isEmpty)
    }

    @Test("an idempotency key is forgotten after thirty days")
    func oldKeys() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(ada)
        let day: UInt64 = 86_400_000
        for (name, at) in [("first", 0), ("second", 15 * day), ("third", 31 * day)] {
            var append = log.append([text(name, at: 1 + at)])
            append.idempotencyKeys = [0: name]
            _ = try await store.commit(batch(append))
        }
        #expect(try await store.lookUp(idempotencyKey: "first", in: ops.conversation) == nil)
        #expect(try await store.lookUp(idempotencyKey: "second", in: ops.conversation) != nil)
        #expect(try await store.lookUp(idempotencyKey: "third", in: ops.conversation) != nil)
    }

    @Test("a member is whose latest join or leave is a join, in display order")
    func members() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var old = LogWriter(bob, incarnation: 1)
        var new = LogWriter(bob, incarnation: .max)
        var eves = LogWriter(eve)
        _ = try await store.commit(
            batch(
                new.append([entry(.leave, at: time(9))]),
                old.append([entry(.join(ops.name), at: time(5))]),
                eves.append([entry(.join(ops.name), at: time(7))])))
        #expect(try await store.snapshot().members == [ops.conversation: [eve.id]])
        // The same time: the greater incarnation stands.
        _ = try await store.commit(
            batch(
                new.append([entry(.join(ops.name), at: time(20))]),
                old.append([entry(.leave, at: time(20))])))
        #expect(try await store.snapshot().members == [ops.conversation: [bob.id, eve.id]])
    }

    @Test("the latest record of an author, scope and kind takes the place of the one before")
    func records() async throws {
        let directory = try TemporaryDirectory()
        var store = try await directory.open()
        func record(_ name: String, _ at: UInt64, _ room: Room? = nil) -> Record {
            Record(
                kind: Record.Kind.profile, author: bob.id, conversation: room?.conversation,
                time: time(at), value: Profile(name: name, status: "").encoded, signer: bob.signer)
        }
        // Whether it is newer the node has decided: one that is ahead of time gives way.
        let new = record("new", 2)
        let scoped = record("scoped", 1, ops)
        var first = Batch(number: 1)
        first.records = [record("ahead of time", 3), scoped]
        _ = try await store.commit(first)
        first = Batch(number: 2)
        first.records = [new]
        _ = try await store.commit(first)
        await store.close()
        store = try await directory.open()
        #expect(Set(try await store.snapshot().records) == [new, scoped])
        #expect(try await store.check().isEmpty)
    }

    @Test("of whom is forgotten nothing is left, unless something else names them")
    func forgotten() async throws {
        let directory = try TemporaryDirectory()
        var store = try await directory.open()
        var writer = LogWriter(eve)
        var first = batch(writer.append([entry(.join(ops.name), at: time(10))]))
        first.peers = [bob, eve].map { KnownPeer(id: $0.id, addresses: ["h:1"], lastSeen: 1) }
        first.records = [bob, eve].map { person in
            Record(
                kind: Record.Kind.profile, author: person.id, conversation: nil, time: time(1),
                value: Profile(name: "x", status: "").encoded, signer: person.signer)
        }
        _ = try await store.commit(first)
        var second = Batch(number: 2)
        second.forgotten = [bob.id, eve.id].sorted()
        _ = try await store.commit(second)
        let snapshot = try await store.snapshot()
        #expect(snapshot.peers.isEmpty && snapshot.records.isEmpty)
        #expect(snapshot.logs.keys.map(\.name.author) == [eve.id])
        #expect(try await store.check().isEmpty)
        await store.close()
        #expect(try Self.authorCount(in: directory) == 1)
        // Who comes again is remembered again.
        store = try await directory.open()
        var third = Batch(number: 3)
        third.peers = [KnownPeer(id: bob.id, addresses: [], lastSeen: 3)]
        _ = try await store.commit(third)
        #expect(try await store.snapshot().peers == third.peers)
    }

    /// How many keys a store that is closed has rows for.
    private static func authorCount(in directory: TemporaryDirectory) throws -> Int64? {
        try Database(path: directory.database).int("SELECT count(*) FROM authors")
    }

    @Test("rooms, peers, people and the incarnation come back in the snapshot")
    func smallValues() async throws {
        let directory = try TemporaryDirectory()
        var store = try await directory.open()
        let peers = [
            KnownPeer(id: eve.id, addresses: ["[fe80::1%2]:80", "10.0.0.1:80"], lastSeen: 9),
            KnownPeer(id: bob.id, addresses: [], lastSeen: 8),
        ]
        var one = Batch(number: 1)
        one.peers = peers.reversed()
        one.membership = [
            ops.conversation: ConversationMembership(.room(ops), isJoined: true),
            room("dev").conversation: ConversationMembership(.room(room("dev")), isJoined: false),
        ]
        let person = PublicPerson(signing: bob.id.key, address: eve.id.key)
        let direct = DirectConversation(
            id: room("direct").conversation, person: person, device: bob.id, root: eve.id.key)
        let secret = SecretRoom(
            realm: .open, name: room("war").name, suite: .xchacha20Poly1305, root: bob.id.key)
        one.membership[direct.id] = ConversationMembership(.direct(direct), isJoined: true)
        one.membership[secret.id] = ConversationMembership(.secret(secret), isJoined: false)
        var request = DirectRequest(
            device: bob.id, person: person, text: "hello", time: 7, source: "10.0.0.1")
        request.isDeclined = true
        one.requests.kept = [request]
        one.peers[0].person = person
        one.incarnation = 0xffff_ffff_ffff_fff0
        one.people = [bob.id: .known, eve.id: .blocked]
        _ = try await store.commit(one)
        var two = Batch(number: 2)
        two.people = [eve.id: .unsaid]
        _ = try await store.commit(two)
        await store.close()
        store = try await directory.open()
        let snapshot = try await store.snapshot()
        #expect(snapshot.peers == one.peers.reversed())
        #expect(snapshot.people == [bob.id: .known])
        #expect(snapshot.conversations == one.membership)
        #expect(snapshot.requests == [request])
        var three = Batch(number: 1)
        three.requests.ended = [person.id]
        _ = try await store.commit(three)
        #expect(try await store.snapshot().requests.isEmpty)
        #expect(try await store.check(by: Keyring()).isEmpty)
        #expect(snapshot.incarnation == one.incarnation)
    }

    // Shows: shown.blocked
    @Test("what somebody wrote who is blocked is neither shown nor unread, and is again afterwards")
    func blocked() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var bobs = LogWriter(bob)
        var eves = LogWriter(eve)
        func shown() async throws -> [String] {
            let summary = try await store.summaries().first
            let page = try await store.history(
                HistoryQuery(conversation: room("ops").conversation, limit: 9))
            return texts(page.entries) + ["\(summary?.unread ?? -1) unread"]
        }
        _ = try await store.commit(
            batch(bobs.append([text("a", at: 5)]), eves.append([text("b", at: 7)])))
        #expect(try await shown() == ["a", "b", "2 unread"])
        var change = Batch(number: 2)
        change.people = [bob.id: .blocked]
        _ = try await store.commit(change)
        #expect(try await shown() == ["b", "1 unread"])
        _ = try await store.commit(batch(bobs.append([text("c", at: 9)])))
        #expect(try await shown() == ["b", "1 unread"])
        #expect(try await store.check().isEmpty)
        change.people = [bob.id: .unsaid]
        _ = try await store.commit(change)
        #expect(try await shown() == ["a", "b", "c", "3 unread"])
        #expect(try await store.check().isEmpty)
    }

    @Test("own entries are not unread")
    func ownUnread() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var mine = LogWriter(ada)
        var dev = LogWriter(ada, room("dev"))
        var bobs = LogWriter(bob)
        _ = try await store.commit(
            batch(
                mine.append([text("a", at: 5)]), dev.append([text("b", at: 7)]),
                bobs.append([text("c", at: 9)])))
        #expect(try await store.summaries().map(\.unread).sorted() == [0, 1])
    }

    @Test("an append that does not start behind its log's head traps")
    func gap() async {
        await #expect(processExitsWith: .failure) {
            let directory = try TemporaryDirectory()
            let store = try await directory.open()
            var log = LogWriter(bob)
            _ = log.append([text("lost", at: 1)])
            _ = try await store.commit(batch(log.append([text("two", at: 2)])))
        }
    }
}

private func fileSize(_ path: String) throws -> Int {
    var found = stat()
    try #require(stat(path, &found) == 0)
    return Int(found.st_size)
}
