import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Entries of a group")
struct GroupEntryTests {
    @Test("is read by whoever was out while its key was to come, and is back")
    func backBeforeTheKey() {
        var net = GroupNet(1...3)
        net.withhold(.keys, from: 3)
        net.write("under a new key", by: 2)
        net.settle()
        let early = net.texts(at: 3)
        net.ask(3, .leave(net.group))
        net.settle()
        net.add(3)
        net.accept(3)
        net.deliver(to: 3)
        net.pass(milliseconds: 10_000)
        let late = net.texts(at: 3)
        #expect(early == [] && late == ["under a new key"])
    }

    @Test("are written under a key that goes to the disk with its announcement")
    func written() throws {
        var net = GroupNet(1...1)
        net.write("hello", by: 1)
        net.write("again", by: 1)
        let entries = net[1].stored(net.log(of: 1))
        let epoch = try #require(net.epochs(of: 1).last)
        #expect(epoch != .zero && net.epochs(of: 1) == [.zero, .zero, epoch, epoch])
        #expect(entries.map(\.entry.entryClass) == [1, 1, 2, 2])
        #expect(net.texts(at: 1) == ["hello", "again"])
        // Without the key none of it can be read.
        var keyring = Keyring()
        keyring.addEpochs(of: net.group)
        for entry in entries.suffix(2) {
            let envelope = Envelope(
                entry.entry, key: net.log(of: 1), seq: entry.seq, prev: entry.prev)
            #expect(keyring.read(envelope).isLocked)
        }
    }

    @Test("under a new key begin a run, so that what is before it can be had alone")
    func runs() throws {
        var net = GroupNet(1...3)
        net.write("one", by: 1)
        net.remove(3)
        net.write("two", by: 1)
        let runs = try #require(net[1].disk[net.log(of: 1)])
        #expect(runs.map(\.first) == [1, 2, 4])
        #expect(Set(net.epochs(of: 1)).count == 3)
    }

    @Test("reach all members with their keys, in one order, and are pushed from there")
    func shared() {
        var net = GroupNet(1...3)
        for (number, text) in [(UInt8(1), "a"), (2, "b"), (3, "c"), (1, "d")] {
            net.write(text, by: number)
            net.settle()
        }
        for number: UInt8 in 1...3 { #expect(net.texts(at: number) == ["a", "b", "c", "d"]) }
        #expect(net.digest(of: 2) == net.digest(of: 1) && net.digest(of: 3) == net.digest(of: 1))
        // One key is enough for all of them.
        #expect(Set((1...3).flatMap { net.epochs(of: $0) }).count == 2)
        let start = net.frames.count
        net.write("live", by: 2)
        net.settle()
        #expect(net.texts(at: 1).last == "live" && net.texts(at: 3).last == "live")
        #expect(net.count(from: start, where: \.isWant) == 0)
    }

    @Test("come to a newcomer with all that was written before")
    func newcomer() {
        var net = GroupNet(1...3, members: 1...2)
        for number in 0..<10 { net.write("old \(number)", by: 1 + UInt8(number % 2)) }
        net.settle()
        net.add(3)
        #expect(net.texts(at: 3) == [])
        net.accept(3)
        #expect(net.texts(at: 3).count == 10 && net.texts(at: 3) == net.texts(at: 1))
        #expect(net.digest(of: 3) == net.digest(of: 1))
    }

    @Test("are not on the disk, nor their key in use, where the batch fails")
    func failed() {
        var net = GroupNet(1...1)
        let outgoing = Outgoing(conversation: net.group, text: "hello")
        net[1].give(.request(RequestID(5), .send(outgoing)))
        #expect(net[1].batch?.groups.epochs.count == 1)
        net[1].batch = nil
        net[1].give(
            .commitFailed(StoreFailure(reason: .full, detail: "no space", remedy: "make some")))
        #expect(net[1].node.keyring.current(in: net.group) == nil)
        net[1].give(.timer(.storage))
        net.write("again", by: 1)
        #expect(net.texts(at: 1) == ["again"] && net.epochs(of: 1).count == 3)
    }

    @Test("have a key count as announced by the batch that brings its announcement, not before")
    func placedWithRun() throws {
        var net = GroupNet(1...2)
        let failure = StoreFailure(reason: .full, detail: "no space", remedy: "make some")
        func isPlaced() -> Bool {
            net[2].node.groups.table[net.group]?.epochs.values.contains(where: \.isPlaced) == true
                || net[2].node.disk.commits.groups.epochs.contains(where: \.isPlaced)
        }
        /// The batch in which the key of 1 is placed at 2, before it is written.
        func placing() -> Batch? {
            for _ in 0..<30 {
                for frame in net[1].take(from: 2) { net[2].give(frame, from: 1) }
                while let batch = net[2].batch {
                    if batch.groups.epochs.contains(where: \.isPlaced) { return batch }
                    net[2].write()
                }
                for frame in net[2].take(from: 1) { net[1].give(frame, from: 2) }
                net[1].settle()
            }
            return nil
        }
        net.write("hello", by: 1)
        let batch = try #require(placing())
        #expect(batch.appends.contains { $0.run.run.key == net.log(of: 1) })
        #expect(!isPlaced())
        net[2].batch = nil
        net[2].give(.commitFailed(failure))
        #expect(!isPlaced())
        net[2].give(.timer(.storage))
        net.disconnect(1, 2)
        net.connect(1, 2)
        #expect(isPlaced() && net.texts(at: 2) == ["hello"])
    }

    @Test("leave a group only together with the act that says so, also where the store fails")
    func leaveWhileResting() {
        var net = GroupNet(1...2)
        let failure = StoreFailure(reason: .full, detail: "no space", remedy: "make some")
        func send(_ number: UInt64) {
            let outgoing = Outgoing(conversation: net.group, text: "\(number)")
            net[2].give(.request(RequestID(number), .send(outgoing)))
        }
        func fail() {
            net[2].batch = nil
            net[2].give(.commitFailed(failure))
        }
        send(1)
        fail()
        send(2)
        send(3)
        net[2].give(.request(RequestID(4), .leave(net.group)))
        fail()
        #expect(net[2].batch != nil && net[2].batch?.membership[net.group] == nil)
        net[2].settle()
        net[2].give(.timer(.storage))
        net.settle()
        #expect(net[2].answers(of: RequestID(4)) == [.left(net.group)])
        #expect(net[1].node.groupReport(net.group)?.members.count == 1)
    }

    @Test("whose key is not here are neither taken nor asked for again, until it is")
    func withoutKey() {
        var net = GroupNet(1...3)
        net.withhold(.keys, from: 2)
        net.write("hello", by: 1)
        net.settle()
        #expect(net.texts(at: 3) == ["hello"])
        #expect(net.entries(of: 1, at: 2) == 1 && net.texts(at: 2) == [])
        let start = net.frames.count
        for number in 0..<20 { net.write("more \(number)", by: 1) }
        net.settle()
        #expect(net.count(from: start, where: \.isWant) == 0)
        #expect(net.entries(of: 1, at: 3) == 23)
        let quiet = net.frames.count
        net.pass(milliseconds: 600_000)
        #expect(net.count(from: quiet, where: \.isWant) == 0)
        // Two nodes whose digests differ tell each other so ever more rarely.
        #expect(net.count(from: quiet, where: \.isOfSync) < 60)
        #expect(net.entries(of: 1, at: 2) == 1)
        let release = net.frames.count
        net.deliver(to: 2)
        #expect(net.texts(at: 2) == net.texts(at: 1) && net.texts(at: 2).count == 21)
        #expect(net.count(from: release, where: \.isWant) == 1)
        #expect(net.digest(of: 2) == net.digest(of: 1))
    }

    @Test("that are sealed with a new key come once, behind it")
    func keyFirst() {
        var net = GroupNet(1...4)
        net.write("one", by: 1)
        net.settle()
        net.remove(4)
        let start = net.frames.count
        net.write("two", by: 1)
        net.settle()
        for number: UInt8 in 2...3 { #expect(net.texts(at: number) == ["one", "two"]) }
        #expect(net.count(from: start, where: \.isWant) == 0)
        #expect(net.count(from: start, where: \.isRun) == 2)
    }

    @Test("of two keys are taken up to the second where only the first is here")
    func secondKey() {
        var net = GroupNet(1...4)
        net.write("one", by: 1)
        net.settle()
        net.withhold(.keys, from: 2)
        net.remove(4)
        net.write("two", by: 1)
        net.settle()
        #expect(net.texts(at: 2) == ["one"] && net.texts(at: 3) == ["one", "two"])
        net.deliver(to: 2)
        #expect(net.texts(at: 2) == ["one", "two"])
    }

    @Test("of who was removed are taken as far as the remover had them, and no further")
    func removed() {
        var net = GroupNet(1...3)
        net.write("before", by: 2)
        net.settle()
        for number: UInt8 in [2, 3] { net.withhold(.acts, from: number) }
        net.remove(2)
        // Neither has heard of it: the one goes on, the other takes it.
        net.write("after", by: 2)
        net.settle()
        #expect(net.texts(at: 3) == ["before", "after"])
        let start = net.frames.count
        net.pass(milliseconds: 120_000)
        #expect(net.texts(at: 1) == ["before"])
        #expect(net.count(from: start, where: \.isWant) <= 4)
        net.deliver(to: 3)
        net.deliver(to: 2)
        #expect(net.write("in vain", by: 2) == [.failed(.group(.notMember))])
        net.write("without you", by: 1)
        net.settle()
        #expect(net.texts(at: 3).last == "without you")
        #expect(!net.texts(at: 2).contains("without you"))
        // What was held back is taken once its author is in again.
        net.add(2)
        net.accept(2)
        #expect(net.texts(at: 1) == ["before", "after", "without you"])
        #expect(net.texts(at: 2) == net.texts(at: 1))
    }

    @Test("of who is not known to be in are refused, until that is known")
    func unknown() {
        var net = GroupNet(1...4, members: 1...3)
        net.write("hello", by: 1)
        net.settle()
        net.withhold(.acts, from: 2)
        net.add(4)
        net.accept(4)
        net.write("I am new", by: 4)
        net.settle()
        net.pass(milliseconds: 60_000)
        #expect(net.texts(at: 3) == ["hello", "I am new"])
        #expect(net.entries(of: 4, at: 2) == 0 && net.texts(at: 2) == ["hello"])
        net.deliver(to: 2)
        #expect(net.texts(at: 2) == ["hello", "I am new"])
    }

    @Test("of a kind that says who comes and goes have no effect")
    func comings() throws {
        var net = GroupNet(1...1)
        net.write("hello", by: 1)
        let key = try #require(net[1].node.keyring.current(in: net.group))
        var random = SeededRandom(seed: 1)
        var entry = Entry(entryClass: 1, time: HybridTime(9), deps: [], payload: .present([]))
        let prev = EntryID(fixed32(1))
        entry.seal(.leave, with: key, at: (net.log(of: 1), 9, prev), using: &random)
        let envelope = Envelope(entry, key: net.log(of: 1), seq: 9, prev: prev)
        #expect(net[1].node.keyring.read(envelope).content == nil)
        #expect(net[1].node.keyring.read(envelope).kind == 3)
    }

    @Test("count the people of the roster as members, and as those who have them")
    func members() throws {
        var net = GroupNet(1...3)
        net.write("hello", by: 1)
        net.settle()
        let status = try #require(net[1].node.conversationStatus(of: net.group))
        #expect(status.members == (1...3).map { Harness.peer($0) }.sorted())
        net.pass(milliseconds: 60_000)
        let outcomes = net[1].node.outcomes(of: 3, in: net.log(of: 1))
        #expect(outcomes.count == 2 && outcomes.allSatisfy { $0.outcome == .delivered })
        net.remove(3)
        #expect(net[1].node.conversationStatus(of: net.group)?.members.count == 2)
    }

    @Test("are edited, answered, reacted to and deleted as elsewhere, also on who gets them later")
    func changed() throws {
        var net = GroupNet(1...2)
        net.write("first", by: 1)
        net.write("second", by: 1)
        net.settle()
        let target = { (net: GroupNet, index: Int) throws -> EntryTarget in
            let stored = net[1].stored(net.log(of: 1))[index]
            return EntryTarget(
                log: net.log(of: 1).name, seq: stored.seq,
                id: stored.entry.id(key: net.log(of: 1), seq: stored.seq, prev: stored.prev))
        }
        let (first, second) = (try target(net, 2), try target(net, 3))
        let contents: [Content] = [
            .reaction(try #require(Reaction("+1", to: first))),
            .reply("yes", to: first),
        ]
        for content in contents {
            net.ask(2, .send(Outgoing(conversation: net.group, content: content)))
        }
        net.ask(1, .erase(net.group, [second]))
        net.settle()
        #expect(net.texts(at: 1).contains("yes"))
        let log = net.log(of: 1)
        #expect(net[2].stored(log)[3].state == .erased)
    }

    @Test("that say who writes are heard by members alone")
    func ephemeral() {
        var net = GroupNet(1...3, members: 1...2)
        net.write("hello", by: 1)
        net.settle()
        let start = net.frames.count
        net.ask(1, .typing(net.group))
        net.settle()
        let told = net.frames[start...].filter {
            if case .ephemeral = $0.frame { true } else { false }
        }
        #expect(told.map(\.to) == [2])
        #expect(net[2].signals.contains { if case .typing = $0 { true } else { false } })
    }
}
