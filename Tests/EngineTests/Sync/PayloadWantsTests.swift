import Testing

@testable import Engine
@testable import Formats

/// The machine behind a reference, so that an expectation may hold a call that changes it.
private final class Asking {
    private(set) var wants: PayloadWants

    init(_ wants: PayloadWants = PayloadWants()) { self.wants = wants }

    func change(_ body: (inout PayloadWants) -> Void) { body(&self.wants) }

    func takeDue() -> LinkID? {
        self.wants.beginTurn()
        return self.wants.takeDue()
    }

    func ask(
        _ link: LinkID, isOfKnown: Bool = false, at now: UInt64 = 0,
        whole: (LogKey) -> UInt64? = { _ in .max }
    ) -> PayloadWants.Ask? {
        self.wants.beginTurn()
        return self.wants.ask(link, isOfKnown: isOfKnown, at: now, whole: whole)
    }

    func receive(_ key: LogKey, from seq: UInt64, count: Int, on link: LinkID) -> Bool {
        self.wants.receive(key, from: seq, count: count, on: link)
    }

    func nextWake() -> UInt64? { self.wants.nextWake(after: 0) }
}

@Suite("Asking for payloads") struct PayloadWantsTests {
    private static let room = EngineTests.room("ops").conversation
    private static let keys = [2, 3].map { TestLog(signer($0), in: Self.room).key }
        .sorted()
    private static let one = LinkID(1)
    private static let other = LinkID(2)

    /// Payloads of entries 3 to 9 of a log are wanted, and two links may be asked.
    private static func wants() -> Asking {
        let wants = Asking()
        wants.change {
            $0.look(at: Self.one, in: Self.room)
            $0.look(at: Self.other, in: Self.room)
            $0.want(Self.keys[0], 3...9)
        }
        return wants
    }

    @Test("one link is asked for all of them, and no other for the same")
    func once() {
        let wants = Self.wants()
        #expect(wants.takeDue() == Self.one)
        #expect(wants.ask(Self.one)?.rest == 3...9)
        #expect(wants.ask(Self.one) == nil, "one question at a time")
        #expect(wants.ask(Self.other) == nil)
        wants.change { $0.want(Self.keys[1], 1...1) }
        #expect(wants.ask(Self.other)?.key == Self.keys[1])
    }

    @Test("what a peer says that it has all of is asked for first")
    func claimed() {
        let wants = Self.wants()
        wants.change { $0.want(Self.keys[1], 4...4) }
        let asked = wants.ask(Self.one) { $0 == Self.keys[0] ? 2 : 9 }
        #expect(asked?.key == Self.keys[1])
        // The rest it may have in parts.
        #expect(wants.ask(Self.other) { _ in 5 }?.rest == 3...5)
        #expect(wants.ask(LinkID(3)) == nil, "a link that shares nothing")
    }

    @Test("an answer may come in parts; then another link is asked for what it did not bring")
    func parts() {
        let wants = Self.wants()
        _ = wants.ask(Self.one)
        #expect(!wants.receive(Self.keys[0], from: 4, count: 1, on: Self.one), "not due")
        #expect(!wants.receive(Self.keys[0], from: 3, count: 1, on: Self.other))
        #expect(wants.receive(Self.keys[0], from: 3, count: 5, on: Self.one))
        wants.change { $0.settle(Self.keys[0], 3...6) }
        #expect(wants.ask(Self.other)?.rest == 7...7)
        #expect(wants.receive(Self.keys[0], from: 8, count: 2, on: Self.one))
        #expect(wants.ask(Self.one) == nil, "within the hour")
        let hour = Limits.payloadWantMilliseconds
        wants.change { $0.wake(at: hour) }
        // The other link has not answered either.
        #expect(wants.ask(Self.one, at: hour)?.rest == 7...9)
    }

    @Test("a peer that has nothing, is silent or goes holds up nobody for long")
    func gone() {
        let wants = Self.wants()
        _ = wants.ask(Self.one)
        #expect(wants.receive(Self.keys[0], from: 3, count: 0, on: Self.one))
        #expect(wants.ask(Self.other)?.rest == 3...9)
        #expect(wants.ask(Self.one) == nil)
        #expect(wants.nextWake() == Limits.slowWantMilliseconds)
        wants.change { $0.wake(at: Limits.slowWantMilliseconds) }
        wants.change { $0.wake(at: Limits.wantMilliseconds) }
        #expect(wants.wants.openCount == 0)
        wants.change { $0.look(at: LinkID(3), in: Self.room) }
        _ = wants.ask(LinkID(3))
        wants.change { $0.drop(LinkID(3)) }
        #expect(wants.wants.openCount == 0)
        #expect(wants.wants.count.tried == 2)
    }

    @Test("an answer that comes late is taken once, where nobody else is asked meanwhile")
    func late() {
        let wants = Self.wants()
        _ = wants.ask(Self.one)
        wants.change { $0.wake(at: Limits.wantMilliseconds) }
        #expect(!wants.receive(Self.keys[0], from: 3, count: 1, on: Self.other), "not asked")
        #expect(wants.receive(Self.keys[0], from: 3, count: 2, on: Self.one))
        #expect(!wants.receive(Self.keys[0], from: 3, count: 2, on: Self.one), "taken before")
        wants.change { $0.arrive(Self.keys[0], 3...4) }
        #expect(wants.receive(Self.keys[0], from: 5, count: 1, on: Self.one), "the next part")
        wants.change { $0.arrive(Self.keys[0], 6...6) }
        #expect(!wants.receive(Self.keys[0], from: 6, count: 4, on: Self.one), "comes already")
        wants.change { $0.arrived(Self.keys[0], 3...6) }
        #expect(wants.ask(Self.other)?.rest == 3...9)
        #expect(!wants.receive(Self.keys[0], from: 6, count: 4, on: Self.one), "another is asked")
        wants.change { $0.drop(Self.other) }
        #expect(wants.receive(Self.keys[0], from: 6, count: 4, on: Self.one))
    }

    // Shows: file.slow
    @Test("whom the user knows is asked at once, whatever strangers were asked for")
    func knownFirst() {
        let wants = Self.wants()
        let friend = LinkID(9)
        #expect(wants.ask(Self.one)?.rest == 3...9)
        wants.change { $0.look(at: friend, in: Self.room, isOfKnown: true) }
        #expect(wants.takeDue() == friend)
        #expect(wants.ask(friend, isOfKnown: true)?.rest == 3...9)
        // What a friend is asked for no stranger is, until it is late.
        #expect(wants.ask(Self.other) == nil)
        wants.change { $0.wake(at: Limits.slowWantMilliseconds) }
        #expect(wants.ask(Self.other, at: Limits.slowWantMilliseconds)?.rest == 3...9)
    }

    // Shows: file.slow
    @Test("forty who withhold what they say that they have delay it by seconds")
    func withheld() {
        var wants = PayloadWants()
        let honest = LinkID(41)
        for link in 1...honest.rawValue { wants.look(at: LinkID(link), in: Self.room) }
        wants.want(Self.keys[0], 3...9)
        var now: UInt64 = 0
        while !Self.turn(&wants, at: now).contains(where: { $0.link == honest }), now < 60_000 {
            guard let next = wants.nextWake(after: now) else { break }
            now = next
            wants.wake(at: now)
        }
        #expect(now <= 6 * Limits.slowWantMilliseconds)
    }

    @Test("an answer that drips is late, however often a byte of it comes")
    func dripped() {
        let wants = Self.wants()
        _ = wants.ask(Self.one)
        for seq in UInt64(3)...5 {
            #expect(wants.receive(Self.keys[0], from: seq, count: 1, on: Self.one))
        }
        wants.change { $0.wake(at: Limits.slowWantMilliseconds) }
        #expect(wants.ask(Self.other, at: Limits.slowWantMilliseconds)?.rest == 3...9)
        // And it is given up in the end.
        wants.change { $0.wake(at: Limits.wantMilliseconds) }
        #expect(wants.wants.openCount == 1)
    }

    @Test(
        "of two answers one is taken, and who gave the other is asked again if the first was wrong")
    func twice() {
        let wants = Self.wants()
        _ = wants.ask(Self.one)
        _ = wants.ask(Self.other, isOfKnown: true)
        #expect(wants.receive(Self.keys[0], from: 3, count: 7, on: Self.one))
        wants.change { $0.arrive(Self.keys[0], 3...9) }
        #expect(!wants.receive(Self.keys[0], from: 3, count: 7, on: Self.other))
        wants.change { $0.arrived(Self.keys[0], 3...9) }
        #expect(wants.ask(Self.other, isOfKnown: true)?.rest == 3...9)
    }

    @Test("what is on its way to the disk is asked of nobody, and again if it does not get there")
    func arriving() {
        let wants = Self.wants()
        _ = wants.ask(Self.one)
        _ = wants.receive(Self.keys[0], from: 3, count: 7, on: Self.one)
        wants.change { $0.arrive(Self.keys[0], 3...9) }
        #expect(wants.ask(Self.other) == nil)
        wants.change { $0.settle(Self.keys[0], 3...5) }
        wants.change { $0.arrived(Self.keys[0], 3...9) }
        #expect(wants.ask(Self.other)?.rest == 6...9)
        #expect(wants.wants.lowest(of: Self.keys[0]) == 6)
    }

    @Test("a peer that has got them since is asked again at once")
    func heard() {
        let wants = Self.wants()
        _ = wants.ask(Self.one)
        _ = wants.receive(Self.keys[0], from: 3, count: 0, on: Self.one)
        #expect(wants.ask(Self.one) == nil)
        wants.change { $0.hear(Self.keys[0], on: Self.one) }
        #expect(wants.ask(Self.one)?.rest == 3...9)
    }

    @Test("a peer that shares the conversation anew is asked again at once")
    func sharedAnew() {
        let wants = Self.wants()
        _ = wants.ask(Self.one)
        wants.change { $0.drop(Self.room, of: Self.one) }
        #expect(!wants.receive(Self.keys[0], from: 3, count: 7, on: Self.one))
        wants.change { $0.look(at: Self.one, in: Self.room) }
        #expect(wants.ask(Self.one)?.rest == 3...9)
    }

    @Test("nothing is left of what is settled, or lies behind the end of a log")
    func settled() {
        let wants = Self.wants()
        _ = wants.ask(Self.one)
        wants.change { $0.end(Self.keys[0], before: 5) }
        #expect(wants.ask(Self.other) == nil)
        wants.change { $0.settle(Self.keys[0], 3...4) }
        #expect(wants.wants.isEmpty && wants.wants.count == (0, 0))
    }

    /// Many logs of which the first two payloads are wanted, and as many links as there may be.
    private static func many(_ count: UInt64) -> (wants: PayloadWants, keys: [LogKey]) {
        var wants = PayloadWants()
        let author = Self.keys[0].name.author
        let keys = (1...count).map {
            LogKey(conversation: Self.room, name: LogName(author: author, incarnation: $0))
        }
        for link in 1...UInt64(Limits.links) { wants.look(at: LinkID(link), in: Self.room) }
        for key in keys { wants.want(key, 2...3) }
        return (wants, keys)
    }

    /// Asks all that are due in a turn; gives who is asked for what.
    private static func turn(
        _ wants: inout PayloadWants, at now: UInt64 = 0
    ) -> [(link: LinkID, ask: PayloadWants.Ask)] {
        var asks: [(link: LinkID, ask: PayloadWants.Ask)] = []
        wants.beginTurn()
        while let link = wants.takeDue() {
            if let ask = wants.ask(link, isOfKnown: false, at: now, whole: { _ in .max }) {
                asks.append((link, ask))
            }
        }
        return asks
    }

    @Test("however many logs are wanted, a turn looks at a bounded number, and all links are asked")
    func bounded() {
        var (wants, _) = Self.many(4_000)
        var asked: Set<LinkID> = []
        var turns = 0
        while wants.isDue && turns < 100 {
            let before = wants.steps
            asked.formUnion(Self.turn(&wants).map(\.link))
            #expect(wants.steps - before <= Limits.payloadStepsPerTurn)
            turns += 1
        }
        #expect(asked.count == Limits.links)
        // Each link has looked at those that others were asked for before it, and at one more.
        #expect(wants.steps <= Limits.links * (Limits.links + 1) / 2)
    }

    @Test("an answer costs a look by each link at that log, not at all logs")
    func looks() throws {
        var (wants, _) = Self.many(4_000)
        var asks: [(link: LinkID, ask: PayloadWants.Ask)] = []
        while wants.isDue { asks += Self.turn(&wants) }
        let before = wants.steps
        for (link, ask) in asks {
            let isTaken = wants.receive(ask.key, from: 2, count: 2, on: link)
            #expect(isTaken)
            wants.settle(ask.key, 2...3)
            while wants.isDue { _ = Self.turn(&wants) }
        }
        // Each of the links goes on by one log, past those that the others are asked for.
        let spent = wants.steps - before
        #expect(spent <= asks.count * 3 * Limits.links, "\(spent)")
    }

    @Test("all of many logs are asked for in the end, of each link that has them, once an hour")
    func everything() {
        var (wants, keys) = Self.many(40)
        var asked: [LinkID: Set<LogKey>] = [:]
        var open = [(link: LinkID, ask: PayloadWants.Ask)]()
        repeat {
            while wants.isDue { open += Self.turn(&wants) }
            for (link, ask) in open {
                let isNew = asked[link, default: []].insert(ask.key).inserted
                #expect(isNew)
                // Nobody has anything.
                let isTaken = wants.receive(ask.key, from: 2, count: 0, on: link)
                #expect(isTaken)
            }
            open = []
        } while wants.isDue
        #expect(asked.count == Limits.links)
        #expect(asked.values.allSatisfy { $0.count == keys.count })
        #expect(wants.nextWake(after: 1) == Limits.payloadWantMilliseconds)
        wants.wake(at: Limits.payloadWantMilliseconds)
        #expect(Self.turn(&wants, at: Limits.payloadWantMilliseconds).count > 0)
    }

    @Test("what the disk did not take is asked for again after a minute")
    func lost() {
        let wants = Self.wants()
        #expect(wants.ask(Self.one)?.rest == 3...9)
        #expect(wants.receive(Self.keys[0], from: 3, count: 7, on: Self.one))
        wants.change {
            $0.lose(Self.keys[0], on: Self.one, at: 5)
            $0.drop(Self.other)
        }
        #expect(wants.ask(Self.one) == nil)
        let due = 5 + Limits.lostPayloadMilliseconds
        #expect(wants.nextWake() == due)
        wants.change { $0.wake(at: due - 1) }
        #expect(wants.ask(Self.one) == nil)
        wants.change { $0.wake(at: due) }
        #expect(wants.ask(Self.one, at: due)?.rest == 3...9)
    }

    @Test("moments to ask again do not gather, however often a peer says that it has more")
    func retries() {
        var (wants, keys) = Self.many(1)
        for time in UInt64(0)..<10_000 {
            wants.hear(keys[0], on: Self.one)
            wants.beginTurn()
            _ = wants.ask(Self.one, isOfKnown: false, at: time) { _ in .max }
            _ = wants.receive(keys[0], from: 2, count: 0, on: Self.one)
            _ = wants.nextWake(after: time)
        }
        #expect(wants.retryCount < 2_048)
    }

    // Shows: daemon.peers
    @Test("of strangers who bring nothing so much is remembered; who is known is asked for more")
    func remembered() {
        let wants = Asking(PayloadWants(mostAsks: 10))
        let most = UInt64(Limits.payloadAsksPerLink)
        let keys = (0..<most + 200).map { number in
            LogKey(
                conversation: Self.room,
                name: LogName(author: Harness.peer(2), incarnation: number))
        }
        wants.change { $0.look(at: Self.one, in: Self.room) }
        for key in keys { wants.change { $0.want(key, 1...1) } }
        func ask(_ isOfKnown: Bool = false, at now: UInt64 = 0) -> LogKey? {
            let key = wants.ask(Self.one, isOfKnown: isOfKnown, at: now)?.key
            if let key { _ = wants.receive(key, from: 1, count: 0, on: Self.one) }
            return key
        }
        var asked: [LogKey] = []
        while let key = ask() { asked.append(key) }
        #expect(asked.count == Int(most) && wants.wants.count.tried == Int(most))
        #expect(!wants.wants.isDue, "nobody looks at it again and again")
        // What was brought leaves room.
        wants.change { $0.settle(asked[0], 1...1) }
        #expect(wants.takeDue() == Self.one && ask() != nil && ask() == nil)
        #expect(ask(true) != nil)
        #expect(ask(at: 0) == nil)
        let hour = Limits.payloadWantMilliseconds
        wants.change { $0.wake(at: hour) }
        #expect(ask(at: hour) != nil)
    }
}
