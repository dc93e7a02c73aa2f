import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("What has vanished from servers between sites") struct SiteAskTests {
    private static let room = siteRoom("ops")
    private static let realm = Realm(
        id: siteSecret().realm, name: RealmName("office") ?? .open, secret: siteSecret().bytes)
    private static let request = RequestID(900)
    private static let wall: UInt64 = 1_000_000

    private var harness = Harness(realms: Realms([realm]))

    init() {
        self.harness.join(Self.room)
        self.harness.settle()
    }

    private static func log(_ number: UInt8) -> TestLog {
        TestLog(signer(number), in: self.room.conversation)
    }

    /// The beginning of a log, that its author joins, and a text.
    private static func runs(of number: UInt8) -> [Run] {
        let log = self.log(number)
        let opening = log.opening(of: personKeys(50 + number, 51 + number))
        let join = log.run([TestLog.entry(.join(nil), at: 2)], first: 2, prev: opening.ids[0])
        let text = log.run([TestLog.text("a text", at: 3)], first: 3, prev: join.ids[0])
        return [opening.run, join.run, text.run]
    }

    private mutating func take(_ items: [SiteItem?]) -> [SiteVerdict]? {
        self.harness.give(.request(Self.request, .importItems(items)))
        self.harness.settle()
        guard case .imported(let verdicts)? = self.harness.answers(of: Self.request).last else {
            return nil
        }
        return verdicts
    }

    private func ask(
        _ what: SiteAsk.What? = nil, by number: UInt8 = 2, at time: UInt64 = wall
    ) -> SiteAsk {
        let all = SiteAsk.What.runs(Self.log(2).key.name, first: 1, last: 2)
        return SiteAsk(
            for: what ?? all, in: Self.room.conversation, at: time, by: signer(number))
    }

    private mutating func hear(_ ask: SiteAsk) -> SiteVerdict? { self.take([.ask(ask)])?.first }

    private mutating func pass(_ milliseconds: UInt64) {
        self.harness.now.monotonic += milliseconds
        self.harness.now.wall += milliseconds
    }

    // Shows: sites.vanished
    @Test("is asked for as what lies between what is here and what waits, and of nothing else")
    func asks() throws {
        var test = self
        let runs = Self.runs(of: 2)
        let verdicts = test.take([.run(runs[2])])
        guard case .waits(let name)? = verdicts?.first else {
            Issue.record("a run waits for the one before it")
            return
        }
        func asked(_ run: Run, _ name: SiteItem.Name) -> (ask: SiteAsk, root: SiteRoot)? {
            test.harness.node.siteAsk(for: .run(run), needing: name, in: Self.realm)
        }
        let (ask, root) = try #require(asked(runs[2], name))
        #expect(ask.what == .runs(Self.log(2).key.name, first: 1, last: 2))
        #expect(ask.isValid && ask.device == Harness.ownKey)
        #expect(root == test.harness.node.sitePlaces(of: Self.realm)[Self.room.conversation]?.root)
        #expect(try SiteItem(decoding: SiteItem.ask(ask).encoded) == .ask(ask))
        #expect(root.subject(of: SiteItem.ask(ask).name) == root.subject(of: .signal))
        #expect(root.seal(.ask(ask)).count <= 512)
        _ = test.take([.run(runs[0])])
        #expect(
            asked(runs[2], name)?.ask.what == .runs(Self.log(2).key.name, first: 2, last: 2))
        _ = test.take([.run(runs[1])])
        #expect(asked(runs[2], name) == nil, "what is before it is here")
    }

    // Shows: sites.vanished
    @Test("is looked for when a member asks, once")
    func answered() {
        var test = self
        #expect(test.hear(test.ask()) == .refused(.early), "they have written nothing here")
        _ = test.take(Self.runs(of: 2).map { .run($0) })
        let ask = test.ask()
        #expect(test.hear(ask) == .asks(ask))
        #expect(test.hear(ask) == .known, "it is repeated")
        let next = test.ask(at: Self.wall + 1)
        #expect(test.hear(next) == .asks(next))
        let old = test.ask(at: Self.wall + 400_000)
        #expect(test.hear(old) == .known, "its clock is ahead")
    }

    // Shows: sites.vanished
    @Test("is looked for when its device has signed that and may be heard")
    func signed() throws {
        var test = self
        _ = test.take(Self.runs(of: 2).map { .run($0) })
        let ask = SiteItem.ask(test.ask()).encoded
        for byte in [70, ask.count - 1] {
            var altered = ask
            altered[byte] ^= 1
            let item = try SiteItem(decoding: altered)
            #expect([.refused(.forged), .known].contains(test.take([item])?.first))
        }
        let other = SiteAsk(
            for: .act(ActID(.zero)), in: siteRoom("other").conversation, at: Self.wall,
            by: signer(2))
        #expect(test.hear(other) == .refused(.foreign))
        test.harness.give(.request(RequestID(901), .stand(Harness.peer(2), .blocked)))
        test.harness.settle()
        #expect(test.hear(test.ask()) == .refused(.foreign))
    }

    /// How many of 100 asks of each of some devices are answered, one device after the other.
    private mutating func flood(by numbers: ClosedRange<UInt8>) -> [UInt8: Int] {
        var counts: [UInt8: Int] = [:]
        for number in numbers {
            for time in 0..<UInt64(100) {
                let ask = self.ask(by: number, at: self.harness.now.wall + time)
                if self.hear(ask) == .asks(ask) { counts[number, default: 0] += 1 }
            }
        }
        return counts
    }

    private mutating func know(_ number: UInt8) {
        self.harness.give(.request(RequestID(901), .stand(Harness.peer(number), .known)))
        self.harness.settle()
    }

    // Shows: sites.vanished
    @Test("is looked for a few times a minute for each device, and half of all for fellows")
    func flood() {
        var test = self
        for number in 2...9 as ClosedRange<UInt8> {
            _ = test.take(Self.runs(of: number).map { .run($0) })
        }
        #expect(test.flood(by: 2...8) == [2: 3])
        test.know(9)
        #expect(test.flood(by: 9...9) == [9: 3], "the other half is left for those")
        test.pass(60_000)
        let ask = test.ask(by: 9, at: Self.wall + 60_000)
        #expect(test.hear(ask) == .asks(ask), "and on, a minute later")
        test.pass(1_000_000)
        let last = test.ask(by: 2, at: test.harness.now.wall)
        #expect(test.hear(last) == .asks(last))
        #expect(test.harness.node.catchUp.siteAskers.count == 1)
    }

    @Test("costs fellows nothing of their share while all of it is taken by others")
    func shares() {
        var test = self
        for number in 2...4 as ClosedRange<UInt8> {
            _ = test.take(Self.runs(of: number).map { .run($0) })
        }
        test.know(3)
        test.know(4)
        #expect(test.flood(by: 3...4) == [3: 4, 4: 2])
        #expect(test.flood(by: 2...2) == [:])
        test.pass(10_000)
        #expect(test.flood(by: 2...2) == [2: 1])
    }

    @Test("takes nothing of a share where nothing of it is here")
    func absent() {
        var test = self
        _ = test.take(Self.runs(of: 2).map { .run($0) })
        let all = [
            SiteAsk.What.runs(Self.log(2).key.name, first: 4, last: 9),
            .runs(Self.log(7).key.name, first: 1, last: 9), .act(ActID(.zero)),
        ]
        for (number, what) in (all + all).enumerated() {
            let ask = test.ask(what, at: Self.wall + UInt64(number))
            #expect(test.hear(ask) == .known)
        }
        #expect(test.harness.node.catchUp.siteAskers.count == 0)
        #expect(test.flood(by: 2...2) == [2: 3])
    }

    @Test("is of somebody whom the user knows, or not")
    func known() {
        var test = self
        let runs = Self.runs(of: 2)
        _ = test.take([.run(runs[0])])
        #expect(!test.harness.node.isByKnown(.run(runs[2])))
        test.know(2)
        #expect(test.harness.node.isByKnown(.run(runs[2])))
    }

    // Shows: told.presence
    @Test("is not asked for in open rooms by who tells nobody that they are there")
    func privately() {
        for tells in [true, false] {
            var test = self
            test.harness = Harness(realms: Realms([Self.realm]), tellsSignals: tells)
            test.harness.join(Self.room)
            test.harness.settle()
            let run = Self.runs(of: 2)[2]
            guard case .waits(let name)? = test.take([.run(run)])?.first else {
                Issue.record("a run waits for the one before it")
                continue
            }
            let asked = test.harness.node.siteAsk(for: .run(run), needing: name, in: Self.realm)
            #expect((asked != nil) == tells)
        }
    }

    // Shows: told.presence
    @Test("is looked for between two before the other has written, unless presence is private")
    func betweenTwo() throws {
        for tells in [true, false] {
            var test = self
            test.harness = Harness(realms: Realms([Self.realm]), tellsSignals: tells)
            test.harness.join(Self.room)
            test.harness.settle()
            _ = test.take(Self.runs(of: 2).map { .run($0) })
            test.harness.give(.request(RequestID(902), .beginDirect(Harness.peer(2))))
            test.harness.settle()
            let id = try #require(test.harness.node.begunDirect(with: Harness.peer(2)))
            test.harness.give(
                .request(RequestID(903), .send(Outgoing(conversation: id, text: "hello"))))
            test.harness.settle()
            let table = test.harness.node.conversations.table
            let name = try #require(table[id]?.names(of: Harness.ownKey).first)
            let ask = SiteAsk(
                for: .runs(name, first: 1, last: 1), in: id, at: Self.wall, by: signer(2))
            #expect(test.hear(ask) == (tells ? .asks(ask) : .known))
        }
    }

    // Shows: told.joined
    @Test("is not asked for where newcomers are shown no history and all of a log is missing")
    func newcomer() {
        for history in [Group.History.all, .joined] {
            var net = GroupNet(1...2, history: history, realm: GroupNet.realm)
            net.write("hello", by: 1)
            net.settle()
            let node = net[2].node
            func asked(_ log: TestLog, _ first: UInt64) -> SiteAsk.What? {
                let prev = log.opening().ids[0]
                let run = log.run([TestLog.text("a text", at: 9)], first: first, prev: prev).run
                return node.siteAsk(
                    for: .run(run), needing: .run(through: prev), in: GroupNet.realm)?.ask.what
            }
            let other = TestLog(signer(9), in: net.group)
            let all = SiteAsk.What.runs(other.key.name, first: 1, last: 2)
            #expect(asked(other, 3) == (history == .all ? all : nil))
            let tail = net.entries(of: 1, at: 2)
            #expect(tail > 0)
            let name = net.log(of: 1).name
            let log = TestLog(signer(1), incarnation: name.incarnation, in: net.group)
            #expect(asked(log, tail + 3) == .runs(name, first: tail + 1, last: tail + 2))
        }
    }

    @Test("are acts, too: with the one that is asked for what is before it comes")
    func acts() throws {
        var net = GroupNet(1...3, realm: GroupNet.realm)
        net.write("on links", by: 1)
        net.settle()
        for (one, other) in [(1, 2), (1, 3), (2, 3)] as [(UInt8, UInt8)] {
            net.disconnect(one, other)
        }
        net.ask(1, .groupAct(net.group, .admin(GroupNet.id(of: 2), Rank(256))))
        net.ask(1, .groupAct(net.group, .add(GroupNet.id(of: 9))))
        let items = net.published(by: 1).filter { place in
            if case .act = place.item { true } else { false }
        }
        let last = try #require(items.last)
        guard case .waits(let name) = net.give(3, last.item, under: last.root) else {
            Issue.record("an act waits for what it follows")
            return
        }
        let (ask, _) = try #require(
            net[3].node.siteAsk(for: last.item, needing: name, in: GroupNet.realm))
        guard case .act(let id) = ask.what else {
            Issue.record("an act is asked for")
            return
        }
        #expect(name == .act(id))
        let request = net.ask(1, .importItems([.ask(ask)]))
        guard case .imported(let verdicts)? = net[1].answers(of: request).last else {
            Issue.record("it is answered")
            return
        }
        #expect(verdicts == [.asks(ask)])
        let found = net[1].node.siteActs(through: id, of: net.group)
        #expect(found.first?.0.id == id && found.count > 1)
        for (act, root) in found { _ = net.give(3, .act(act), under: root) }
        #expect(net.give(3, last.item, under: last.root) == .known, "it was kept")
    }
}
