import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Presence and typing at other sites") struct SiteSignalTests {
    private static let room = siteRoom("ops")
    private static let realm = Realm(
        id: siteSecret().realm, name: RealmName("office") ?? .open, secret: siteSecret().bytes)
    private static let request = RequestID(900)
    private static let wall: UInt64 = 1_000_000

    private var harness = Harness(realms: Realms([realm]))

    init() {
        self.harness.join(Self.room)
        self.harness.settle()
        self.bring(2)
    }

    /// Somebody joins by way of a server.
    private mutating func bring(_ number: UInt8) {
        let log = TestLog(signer(number), in: Self.room.conversation)
        let opening = log.opening(of: personKeys(50 + number, 51 + number))
        let join = log.run(
            [TestLog.entry(.join(nil), at: 2)], first: 2, prev: opening.ids[0])
        let verdicts = self.take([.run(opening.run), .run(join.run)])
        #expect(verdicts == [.taken, .taken])
    }

    private mutating func take(_ items: [SiteItem?]) -> [SiteVerdict]? {
        self.harness.give(.request(Self.request, .importItems(items)))
        self.harness.settle()
        guard case .imported(let verdicts)? = self.harness.answers(of: Self.request).last else {
            return nil
        }
        return verdicts
    }

    /// Takes what somebody tells, and gives the signals for those who follow.
    private mutating func hear(
        _ word: SiteSignal.Word, from number: UInt8 = 2, at time: UInt64 = wall
    ) -> (verdict: SiteVerdict?, signals: [Signal]) {
        let signal = SiteSignal(
            word, in: Self.room.conversation, at: time, by: signer(number))
        return self.hear(signal)
    }

    private mutating func hear(_ signal: SiteSignal) -> (verdict: SiteVerdict?, signals: [Signal]) {
        self.harness.signals = []
        let verdict = self.take([.signal(signal)])?.first
        return (verdict, self.harness.signals)
    }

    /// What is to be told now, and when there is more.
    private mutating func told() -> (words: [SiteSignal], next: UInt64?) {
        let places = self.harness.node.sitePlaces(of: Self.realm)
        self.harness.give(.request(Self.request, .siteSignals(places)))
        guard case .siteSignals(let told, let next)? = self.harness.answers(of: Self.request).last
        else { return ([], nil) }
        #expect(told.allSatisfy { $0.root == places[Self.room.conversation]?.root })
        return (told.map(\.signal), next)
    }

    private mutating func pass(_ milliseconds: UInt64) {
        self.harness.now.monotonic += milliseconds
        self.harness.now.wall += milliseconds
    }

    private var typing: Signal {
        .typing(Harness.peer(2), Self.room.conversation, true)
    }

    // Shows: sites.signals
    @Test("is told once, again after five minutes, and after a minute where it changes")
    func presence() {
        var test = self
        let (first, next) = test.told()
        #expect(first.map(\.word) == [.presence(.online, asks: true)])
        #expect(first.allSatisfy(\.isValid) && first[0].device == Harness.ownKey)
        #expect(next == test.harness.now.monotonic + 300_000)
        #expect(test.told().words.isEmpty)
        test.pass(10_000)
        test.harness.give(.request(RequestID(901), .presence(.away)))
        let change = test.told()
        #expect(change.words.isEmpty && change.next == test.harness.now.monotonic + 50_000)
        test.pass(50_000)
        #expect(test.told().words.map(\.word) == [.presence(.away, asks: false)])
        test.pass(299_999)
        #expect(test.told().words.isEmpty)
        test.pass(1)
        let again = test.told().words
        #expect(again.map(\.word) == [.presence(.away, asks: false)])
        #expect(again[0].time > first[0].time)
    }

    // Shows: sites.signals
    @Test("is told where somebody has no link, and to nobody where the user keeps it private")
    func audience() {
        var test = self
        test.harness.link(2, in: [])
        let none = test.told()
        #expect(none.words.isEmpty && none.next == nil)
        test.harness.give(.linkClosed(LinkID(2), nil))
        #expect(test.told().words.count == 1)
        var preferences = test.harness.node.own.configuration.preferences
        preferences.tellsPresence = false
        test.harness.give(.preferences(preferences))
        test.pass(400_000)
        let hidden = test.told()
        #expect(hidden.words.isEmpty && hidden.next == nil)
        test.harness.give(.request(RequestID(902), .typing(Self.room.conversation)))
        #expect(test.told().words.map(\.word) == [.typing])
        preferences.tellsTyping = false
        test.harness.give(.preferences(preferences))
        test.pass(6_000)
        test.harness.give(.request(RequestID(903), .typing(Self.room.conversation)))
        #expect(test.told().words.isEmpty)
    }

    // Shows: sites.signals
    @Test("of who writes is told every five seconds at most, and not when it is old")
    func typingTold() {
        var test = self
        _ = test.told()
        var count = 0
        for _ in 0..<20 {
            test.harness.give(.request(RequestID(902), .typing(Self.room.conversation)))
            count += test.told().words.count
            test.pass(1_000)
        }
        #expect(count == 4)
        test.pass(5_000)
        test.harness.give(.request(RequestID(902), .typing(Self.room.conversation)))
        test.pass(5_000)
        #expect(test.told().words.isEmpty)
    }

    // Shows: sites.signals
    @Test("is shown as its author has signed it, and over when it was not told again")
    func heard() {
        var test = self
        let peer = Harness.peer(2)
        let (verdict, signals) = test.hear(.presence(.online, asks: false))
        #expect(verdict == .known && signals == [.presence(peer, .online)])
        #expect(test.harness.node.peerStatus(of: peer).presence == .online)
        #expect(test.harness.node.standingSignals.contains(.presence(peer, .online)))
        test.pass(60_000)
        #expect(
            test.hear(.presence(.away, asks: false), at: Self.wall + 60_000).signals
                == [.presence(peer, .away)])
        test.pass(659_999)
        test.harness.signals = []
        test.harness.give(.timer(.signals))
        #expect(test.harness.signals.isEmpty)
        test.pass(1)
        test.harness.give(.timer(.signals))
        #expect(test.harness.signals == [.presence(peer, nil)])
        #expect(test.harness.node.peerStatus(of: peer).presence == nil)
    }

    // Shows: sites.signals
    @Test("of who writes lasts for seven seconds, and ends with what they have written")
    func typingHeard() {
        var test = self
        #expect(test.hear(.typing).signals == [test.typing])
        test.pass(7_000)
        test.harness.signals = []
        test.harness.give(.timer(.signals))
        #expect(
            test.harness.signals == [.typing(Harness.peer(2), Self.room.conversation, false)])
        let log = TestLog(signer(2), in: Self.room.conversation)
        let opening = log.opening(of: personKeys(52, 53))
        let join = log.run([TestLog.entry(.join(nil), at: 2)], first: 2, prev: opening.ids[0])
        let time = HybridTime(wallMilliseconds: test.harness.now.wall)
        let text = log.run(
            [TestLog.text("done", at: time.rawValue)], first: 3, prev: join.ids[0])
        #expect(test.hear(.typing, at: test.harness.now.wall - 1).signals == [test.typing])
        #expect(test.take([.run(text.run)]) == [.taken])
        test.pass(2_000)
        // It was told before the text, and comes behind it.
        #expect(test.hear(.typing, at: test.harness.now.wall - 2_000).signals.isEmpty)
        #expect(test.hear(.typing, at: test.harness.now.wall).signals == [test.typing])
    }

    // Shows: sites.signals
    @Test("counts once, only while it is young, and only from a member who has signed it")
    func refused() throws {
        var test = self
        let word = SiteSignal.Word.presence(.online, asks: false)
        let signal = SiteSignal(word, in: Self.room.conversation, at: Self.wall, by: signer(2))
        #expect(test.hear(word, at: Self.wall - 300_001).signals.isEmpty, "stale")
        #expect(test.hear(word, at: Self.wall + 300_001).signals.isEmpty, "ahead")
        var forged = SiteItem.signal(signal).encoded
        forged[forged.count - 1] ^= 1
        #expect(test.take([try SiteItem(decoding: forged)]) == [.refused(.forged)])
        #expect(test.hear(word, from: 3).verdict == .refused(.early), "nobody here")
        let elsewhere = SiteSignal(
            word, in: siteRoom("else").conversation, at: Self.wall, by: signer(2))
        #expect(test.hear(elsewhere).verdict == .refused(.foreign))
        #expect(test.hear(signal).signals.count == 1)
        test.pass(30_000)
        _ = test.hear(.presence(.away, asks: false), at: Self.wall + 30_000)
        test.pass(10_000)
        #expect(test.hear(signal).signals.isEmpty, "again")
        #expect(test.harness.node.presence(of: Harness.peer(2)) == .away)
        test.harness.give(.request(RequestID(905), .stand(Harness.peer(2), .blocked)))
        test.harness.settle()
        #expect(
            test.hear(word, at: test.harness.now.wall).verdict == .refused(.foreign), "blocked")
    }

    // Shows: sites.signals
    @Test("that changes all the time is not followed, and a link is believed first")
    func rates() {
        var test = self
        var changes = 0
        for second in 0..<30 as Range<UInt64> {
            test.pass(1_000)
            changes +=
                test.hear(
                    .presence(second % 2 == 0 ? .online : .away, asks: false),
                    at: test.harness.now.wall
                ).signals.count
        }
        #expect(changes <= 6)
        test.harness.link(2, in: [])
        test.pass(60_000)
        #expect(
            test.hear(.presence(.away, asks: false), at: test.harness.now.wall).signals.isEmpty)
        #expect(test.harness.node.presence(of: Harness.peer(2)) == nil)
    }

    // Shows: sites.signals
    @Test("is told again to who asks, once in a minute")
    func asked() {
        var test = self
        _ = test.told()
        for _ in 0..<3 {
            test.pass(10_000)
            _ = test.hear(.presence(.online, asks: true), at: test.harness.now.wall)
            #expect(test.told().words.isEmpty)
        }
        test.pass(30_000)
        #expect(test.told().words.map(\.word) == [.presence(.online, asks: false)])
        test.pass(60_000)
        #expect(test.told().words.isEmpty)
    }

    // Shows: sites.signals
    @Test("of who is blocked is over at once, and does not come back by what they told before")
    func blocked() {
        var test = self
        #expect(test.hear(.presence(.online, asks: false)).signals.count == 1)
        test.harness.signals = []
        test.harness.give(.request(RequestID(904), .stand(Harness.peer(2), .blocked)))
        test.harness.settle()
        #expect(test.harness.signals == [.presence(Harness.peer(2), nil)])
        #expect(test.harness.node.presence(of: Harness.peer(2)) == nil)
    }

    // Shows: sites.signals
    @Test("that was told before a goodbye does not count after it")
    func goodbye() {
        var signals = SiteSignals()
        func hear(_ time: UInt64, at now: Instant) -> Bool {
            let signal = SiteSignal(
                .presence(.online, asks: false), in: Self.room.conversation, at: time,
                by: signer(2))
            return signals.isNews(signal, at: now)
                && signals.receive(signal, .known, at: now).isNews
        }
        let isNews = hear(Self.wall, at: Instant(monotonic: 1_000, wall: Self.wall))
        #expect(isNews)
        let end = Instant(monotonic: 10_000, wall: Self.wall + 9_000)
        let wasThere = signals.forget(Harness.peer(2), at: end)
        #expect(wasThere)
        #expect(signals.present.isEmpty)
        let later = Instant(monotonic: 20_000, wall: Self.wall + 19_000)
        let isOldNews = hear(Self.wall + 5_000, at: later)
        let isBack = hear(Self.wall + 19_000, at: later)
        #expect(!isOldNews && isBack)
    }

    // Shows: sites.signals
    @Test("that was withheld is over when it would have been")
    func withheld() {
        var signals = SiteSignals()
        let signal = SiteSignal(
            .presence(.online, asks: false), in: Self.room.conversation, at: Self.wall,
            by: signer(2))
        let late = Instant(monotonic: 1_000_000, wall: Self.wall + 290_000)
        _ = signals.receive(signal, .known, at: late)
        #expect(signals.nextOver == 1_000_000 - 290_000 + 660_000)
    }

    // Shows: sites.signals
    @Test("has room for so many, where members with many keys displace one another")
    func flood() {
        var signals = SiteSignals()
        let now = Instant(monotonic: 1_000, wall: Self.wall)
        func hear(_ number: Int, in room: Room, _ tier: Tier) -> (Bool, [PeerID]) {
            var seed = [UInt8](repeating: UInt8(number & 255), count: 32)
            seed[0] = UInt8(number >> 8)
            guard let key = try? SigningKey(seed: seed.span.bytes) else { return (false, []) }
            let signal = SiteSignal(
                .presence(.online, asks: false), in: room.conversation, at: Self.wall,
                by: Signer(key))
            guard signals.isNews(signal, at: now) else { return (false, []) }
            let taken = signals.receive(signal, tier, at: now)
            return (taken.isNews, taken.gone)
        }
        for number in 0..<600 { _ = hear(number, in: Self.room, .fellow) }
        #expect(signals.present.count == 512)
        let other = hear(2_000, in: siteRoom("quiet"), .fellow)
        #expect(other.0 && other.1.count == 1)
        #expect(hear(2_001, in: Self.room, .known).0)
        #expect(signals.present.count == 512)
    }

    // Shows: sites.signals
    @Test("reaches each device once where conversations overlap, and no large room")
    func cover() {
        var signals = SiteSignals()
        func audience(_ name: String, _ devices: ClosedRange<UInt8>, isDirect: Bool = false)
            -> SiteSignals.Audience
        {
            SiteSignals.Audience(
                conversation: siteRoom(name).conversation, isDirect: isDirect,
                devices: Set(devices.map { Harness.peer($0) }))
        }
        let audiences = [
            audience("small", 2...4), audience("large", 2...9), audience("other", 9...10),
            audience("crowd", 2...80), audience("pair", 2...2, isDirect: true),
        ]
        let due = signals.takeDue(
            to: audiences, .online, at: Instant(monotonic: 1_000, wall: Self.wall)
        ).due
        let told = due.map(\.conversation)
        #expect(
            told == ["pair", "large", "other"].map { siteRoom($0).conversation })
    }
}
