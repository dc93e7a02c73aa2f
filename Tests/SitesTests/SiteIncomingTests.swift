import ControlAPI
import Sites
import Testing

/// Servers and a daemon that a test plays: items by number, each behind the one before.
private struct Play {
    var incoming = SiteIncoming()
    /// What the servers have, by number; the subject of the item of number n is `stoa.t.n`.
    var stored: [Int]
    /// Up to which number the daemon has them.
    var had = 0
    /// In which order the stream gives them.
    var given: [Int] = []
    private var read = 0
    private var from = 0

    init(_ stored: [Int]) {
        self.stored = stored
        self.incoming.follow(["t"])
        self.incoming.begin(at: [])
    }

    static func item(_ number: Int) -> SiteOutgoing.Item {
        SiteOutgoing.Item(subject: "stoa.t.\(number)", data: [1])
    }

    /// Does what is asked until nothing is, at most so often; how often.
    mutating func run(_ limit: Int = 10_000) -> Int {
        for count in 0..<limit {
            guard let step = self.incoming.next else { return count }
            switch step {
            case .read(_, let number):
                (self.from, self.read) = (Int(number) - 1, 0)
                self.incoming.reads("t")
            case .stop(let tag): self.incoming.stopped(tag)
            case .fetch:
                let first = max(self.read, self.from)
                let page = self.stored.dropFirst(first).prefix(3)
                self.read = first + page.count
                self.incoming.fetched(
                    page.enumerated().map { (Self.item($1), UInt64(first + $0 + 1)) }, of: "t",
                    behind: UInt64(self.stored.count - self.read), hasCome: !page.isEmpty)
            case .look(let subject):
                let number = subject.split(separator: ".").last.flatMap { Int($0) } ?? 0
                self.incoming.found(self.stored.contains(number) ? Self.item(number) : nil)
            case .give(let items):
                self.incoming.gives()
                _ = self.incoming.given(items.map { self.take($0) }, at: 0)
            }
        }
        return limit
    }

    /// Time passes, and what is open is read again.
    mutating func again() {
        for now in 1...8 {
            self.incoming.tick(at: UInt64(now) * 100_000)
            self.read = 0
            _ = self.run()
        }
    }

    private mutating func take(_ item: SiteOutgoing.Item) -> ImportItemsMethod.Outcome {
        let number = item.subject.split(separator: ".").last.flatMap { Int($0) } ?? 0
        return ImportItemsMethod.Outcome {
            if number <= self.had {
                $0.verdict = .known
            } else if number == self.had + 1 {
                self.had = number
                $0.verdict = .taken
            } else {
                $0.verdict = .waits
                $0.needs = "stoa.t.\(number - 1)"
            }
        }
    }
}

/// Runs what is asked of servers that have every subject, and a daemon that answers by a rule; how many steps it took.
private func steps(
    _ incoming: inout SiteIncoming, limit: Int,
    answer: (String) -> ImportItemsMethod.Outcome
) -> Int {
    for count in 0..<limit {
        guard let step = incoming.next else { return count }
        switch step {
        case .read: incoming.reads("t")
        case .fetch: incoming.fetched([], of: "t", behind: 0, hasCome: false)
        case .stop(let tag): incoming.stopped(tag)
        case .look(let subject): incoming.found(SiteOutgoing.Item(subject: subject, data: [1]))
        case .give(let items):
            incoming.gives()
            _ = incoming.given(items.map { answer($0.subject) }, at: 0)
        }
    }
    return limit
}

@Suite("What comes from other sites") struct SiteIncomingTests {
    @Test("is all taken, however the stream has it in order")
    func orders() {
        for order in [
            [1, 2, 3, 4, 5, 6, 7], [7, 6, 5, 4, 3, 2, 1], [1, 2, 4, 5, 6, 7, 3],
            [3, 1, 7, 2, 5, 4, 6],
        ] {
            var play = Play(order)
            #expect(play.run() < 10_000)
            #expect(play.had == 7, "\(order)")
            play.again()
            #expect(play.incoming.waiting == 0)
            #expect(play.incoming.places.map(\.number) == [7])
        }
    }

    @Test("waits for what the servers do not have, and goes on when that comes")
    func gap() {
        var play = Play([1, 3, 4, 5])
        #expect(play.run() < 10_000)
        #expect(play.had == 1)
        #expect(play.incoming.waiting > 0)
        #expect(play.incoming.places.map(\.number) == [1], "a new start reads from there")
        play.stored.append(2)
        play.incoming.published([Play.item(2)], in: ["t"], at: 0)
        #expect(play.run() < 10_000)
        play.again()
        #expect(play.had == 5)
        #expect(play.incoming.waiting == 0)
    }

    // Shows: sites.vanished
    @Test("is named where the servers lack what is before it, or have something else in its place")
    func stranded() {
        var play = Play([1, 3, 4, 5])
        _ = play.run()
        #expect(
            Set(play.incoming.takeStranded()) == [SiteChase.Waiting("stoa.t.3", isKnown: false)])
        #expect(play.incoming.takeStranded().isEmpty)
        for verdict in [ImportItemsMethod.Verdict.unsealed, .forged, .foreign, .early] {
            var incoming = Self.after(2)
            _ = steps(&incoming, limit: 100) { subject in
                ImportItemsMethod.Outcome {
                    $0.verdict = subject == "stoa.t.2" ? .waits : verdict
                    $0.needs = subject == "stoa.t.2" ? "stoa.t.1" : nil
                }
            }
            let isMissing = verdict == .unsealed || verdict == .forged
            #expect(incoming.takeStranded().map(\.subject) == (isMissing ? ["stoa.t.2"] : []))
        }
    }

    @Test("is named with whether the user knows who wrote what waits", arguments: [2, 3])
    func strandedOfKnown(first: Int) {
        for isKnown in [true, false] {
            var incoming = Self.after(first)
            _ = steps(&incoming, limit: 100) { subject in
                ImportItemsMethod.Outcome {
                    guard subject != "stoa.t.1" else { return $0.verdict = .forged }
                    $0.verdict = .waits
                    $0.needs = subject == "stoa.t.3" ? "stoa.t.2" : "stoa.t.1"
                    $0.known = subject == "stoa.t.2" && isKnown ? true : nil
                }
            }
            let expected = SiteChase.Waiting("stoa.t.2", isKnown: isKnown)
            #expect(incoming.takeStranded() == [expected])
        }
    }

    @Test("is read again where something that it waits for was taken beside it")
    func heard() {
        var play = Play([1, 3])
        _ = play.run()
        #expect(play.incoming.nextDue == nil || play.incoming.waiting > 0)
        var outcome = ImportItemsMethod.Outcome()
        outcome.verdict = .taken
        let count = play.incoming.takenCount
        play.incoming.heard(outcome, at: 5_000)
        #expect(play.incoming.takenCount == count + 1 && play.incoming.nextDue != nil)
    }

    @Test("is read again where it failed, and nothing is passed over")
    func again() {
        var play = Play([1, 2, 3])
        _ = play.run(3)
        play.incoming.readAgain()
        var second = Play([1, 2, 3])
        second.incoming = play.incoming
        second.had = play.had
        #expect(second.run() < 10_000)
        #expect(second.had == 3)
    }

    /// A follower of one conversation to whom an item has come.
    private static func after(_ number: Int) -> SiteIncoming {
        var incoming = SiteIncoming()
        incoming.follow(["t"])
        incoming.begin(at: [])
        incoming.add(Play.item(number))
        return incoming
    }

    @Test("leads nobody round in a circle")
    func circle() {
        var incoming = Self.after(1)
        // Two that need each other.
        let count = steps(&incoming, limit: 200_000) { subject in
            ImportItemsMethod.Outcome {
                $0.verdict = .waits
                $0.needs = subject == "stoa.t.1" ? "stoa.t.2" : "stoa.t.1"
            }
        }
        #expect(count < 200_000)
    }

    @Test("goes no way twice: what still waits when what it named is here waits for another time")
    func wrongPredecessor() {
        var incoming = Self.after(100)
        // Signed so by a member: it names an entry that is known as the one before it.
        let count = steps(&incoming, limit: 1_000) { subject in
            ImportItemsMethod.Outcome {
                $0.verdict = subject == "stoa.t.100" ? .waits : .known
                $0.needs = subject == "stoa.t.100" ? "stoa.t.10" : nil
            }
        }
        #expect(count < 100)
    }

    @Test("that is of no conversation any more is read no more")
    func left() {
        var play = Play([1])
        _ = play.run()
        play.incoming.follow([])
        #expect(play.incoming.next == .stop(tag: "t"))
        _ = play.run()
        #expect(play.incoming.places.isEmpty)
    }

    @Test("too early is read again once something else was taken, and a new start begins before it")
    func early() {
        var incoming = SiteIncoming()
        incoming.follow(["t"])
        incoming.begin(at: [])
        func answer(_ verdict: ImportItemsMethod.Verdict) -> [ImportItemsMethod.Outcome] {
            [ImportItemsMethod.Outcome { $0.verdict = verdict }]
        }
        #expect(incoming.next == .read(tag: "t", from: 1))
        incoming.reads("t")
        incoming.fetched([(Play.item(9), 1)], of: "t", behind: 0, hasCome: true)
        #expect(incoming.next == .give([Play.item(9)]))
        incoming.gives()
        #expect(incoming.given(answer(.early), at: 0).isEmpty)
        #expect(incoming.places.map(\.number) == [0])
        #expect(incoming.next == nil && incoming.nextDue == nil, "nothing is done in vain")
        incoming.add(Play.item(1))
        incoming.gives()
        // What was only heard is not known to be stored.
        #expect(incoming.given(answer(.taken), at: 0).isEmpty)
        incoming.tick(at: 1_000)
        #expect(incoming.next == .read(tag: "t", from: 1))
    }

    @Test("of an answer that is short nothing is believed, and all is read again")
    func short() {
        var play = Play([1, 2, 3])
        while let step = play.incoming.next {
            if case .give = step { break }
            _ = play.run(1)
        }
        play.incoming.gives()
        #expect(play.incoming.given([], at: 0).isEmpty)
        #expect(play.incoming.places.map(\.number) == [0])
        #expect(play.incoming.next == .read(tag: "t", from: 1))
    }
}
