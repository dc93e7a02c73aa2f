import ControlAPI
import Sites
import Testing

@Suite("What is missing here and on the servers") struct SiteAsksTests {
    /// The moments at which it is asked for what is before some items, with so much missing each time.
    private static func moments(
        _ subjects: [String], until end: UInt64, missing: (Int) -> Int64 = { _ in 1 }
    ) -> [(subject: String, at: UInt64)] {
        var asks = SiteAsks()
        for subject in subjects { asks.lacks(before: subject, isKnown: false, at: 0) }
        var moments: [(String, UInt64)] = []
        while let now = asks.nextDue, now < end {
            guard let subject = asks.next(at: now) else { continue }
            asks.asked(subject, missing: missing(moments.count), at: now)
            moments.append((subject, now))
            // As another way back ends there.
            asks.lacks(before: subject, isKnown: false, at: now)
        }
        return moments
    }

    // Shows: sites.vanished
    @Test("is asked for once it could have come by itself, and in vain ever later")
    func patience() {
        var asks = SiteAsks()
        #expect(asks.nextDue == nil)
        asks.lacks(before: "a", isKnown: false, at: 5)
        #expect(asks.next(at: 12_004) == nil)
        #expect(asks.next(at: 12_005) == "a")
        asks.settled("a")
        #expect(asks.nextDue == nil)
        let found = Self.moments(["a"], until: 86_400_000).map(\.at)
        #expect(found.prefix(4) == [12_000, 27_000, 51_000, 99_000])
        #expect(found.count < 35, "once an hour in the end")
    }

    @Test("is asked for soon again where something of it has come")
    func progress() {
        let found = Self.moments(["a"], until: 120_000) { max(1, 640 - 64 * Int64($0)) }
        #expect(found.map(\.at) == (0...7).map { 12_000 + 15_000 * $0 })
    }

    // Shows: sites.vanished
    @Test("is asked for four times a minute at most, however much it is, and all of it is")
    func pace() {
        let subjects = (0..<5_000).map { "s\($0)" }
        let found = Self.moments(subjects, until: 20_000_000)
        for (one, next) in zip(found, found.dropFirst()) { #expect(next.at - one.at >= 15_000) }
        #expect(Set(found.map(\.subject)).count == SiteAsks.limit)
    }

    @Test("gives way to something new where it was asked for in vain")
    func room() {
        var asks = SiteAsks()
        for number in 0..<SiteAsks.limit {
            asks.lacks(before: "s\(number)", isKnown: false, at: 0)
        }
        asks.lacks(before: "new", isKnown: false, at: 0)
        for count in 0..<2 {
            let now = 12_000 + UInt64(count) * 50_000
            guard let subject = asks.next(at: now) else { continue }
            #expect(subject != "new")
            asks.asked(subject, missing: 1, at: now)
            asks.asked(subject, missing: 1, at: now)
        }
        asks.lacks(before: "new", isKnown: false, at: 100_000)
        var found: Set<String> = []
        for count in 0..<UInt64(2 * SiteAsks.limit) {
            if let subject = asks.next(at: 200_000 + count * SiteAsks.paceMilliseconds) {
                found.insert(subject)
            }
            if let subject = found.first { asks.settled(subject) }
        }
        #expect(asks.nextDue == nil || found.contains("new"))
    }

    @Test("is looked at ever later where nobody may be asked, and keeps nothing else waiting")
    func unasked() {
        var asks = SiteAsks()
        for number in 0..<40 { asks.lacks(before: "s\(number)", isKnown: true, at: 0) }
        var looks = 0
        while let now = asks.nextDue, now < 86_400_000 {
            guard let subject = asks.next(at: now) else { continue }
            looks += 1
            asks.unasked(subject, at: now)
            // As another way back ends there.
            asks.lacks(before: subject, isKnown: true, at: now)
        }
        #expect(looks < 40 * 35)
        asks.lacks(before: "new", isKnown: true, at: 86_400_000)
        #expect(asks.next(at: 86_500_000) == "new")
    }

    @Test("leaves its turn to something else where nobody may be asked")
    func turn() {
        var asks = SiteAsks()
        for number in 0..<40 { asks.lacks(before: "s\(number)", isKnown: true, at: 0) }
        asks.lacks(before: "other", isKnown: false, at: 0)
        var now: UInt64 = 0
        while let next = asks.nextDue {
            now = next
            guard let subject = asks.next(at: now), subject != "other" else { break }
            asks.unasked(subject, at: now)
        }
        #expect(now == 52_000, "one in a second")
    }

    @Test("is somebody's whom the user knows where something of theirs waits for it")
    func needed() {
        var chase = SiteChase(for: SiteChase.Waiting("act", isKnown: true), needing: "tie")
        let goesOn = chase.needs("lost", isKnown: false)
        #expect(goesOn)
        #expect(chase.waiting == SiteChase.Waiting("tie", isKnown: true))
    }

    // Shows: sites.vanished
    @Test("is asked for first where the user knows who wrote, however much others invent")
    func known() {
        var asks = SiteAsks()
        for number in 0..<SiteAsks.limit {
            asks.lacks(before: "s\(number)", isKnown: false, at: 0)
        }
        // In vain, until it is due later than all that is invented.
        asks.lacks(before: "known", isKnown: true, at: 0)
        for count in 0..<UInt64(8) {
            let now = 12_000 + count * 1_000_000
            #expect(asks.next(at: now) == "known")
            asks.asked("known", missing: 1, at: now)
        }
        for number in 0..<5_000 {
            asks.lacks(before: "t\(number)", isKnown: false, at: 7_100_000)
        }
        #expect(asks.next(at: 20_000_000) == "known", "it never gives way to others")
        for number in 0..<SiteAsks.limit {
            asks.lacks(before: "k\(number)", isKnown: true, at: 20_000_000)
        }
        var found: Set<String> = []
        for count in 1..<UInt64(SiteAsks.limit) {
            guard let subject = asks.next(at: 20_000_000 + count * 15_000) else { continue }
            found.insert(subject)
            asks.settled(subject)
        }
        #expect(found.count > 1_000 && found.allSatisfy { $0.hasPrefix("k") })
    }
}

@Suite("What others lack on the servers") struct SiteRepairsTests {
    private static func item(_ subject: String, isOwn: Bool = false) -> ExportItemsMethod.Item {
        ExportItemsMethod.Item {
            $0.subject = subject
            $0.data = Base64([1, 2, 3])
            $0.mine = isOwn ? true : nil
        }
    }

    // Shows: sites.vanished
    @Test("is looked for by its author first, and by others after a time that chance gives")
    func order() {
        var repairs = SiteRepairs()
        repairs.take([Self.item("a"), Self.item("b"), Self.item("c", isOwn: true)], at: 0) {
            $0.upperBound
        }
        #expect(repairs.due(at: 999).isEmpty)
        #expect(repairs.due(at: 1_000).map(\.subject) == ["c"])
        #expect(repairs.due(at: 11_999).isEmpty)
        #expect(repairs.due(at: 12_000).map(\.subject) == ["a", "b"])
        #expect(repairs.nextDue == nil)
    }

    @Test("is left alone once somebody has published it")
    func seen() {
        var repairs = SiteRepairs()
        repairs.take([Self.item("a"), Self.item("b")], at: 0) { $0.lowerBound }
        repairs.saw(SiteOutgoing.Item(subject: "a", data: [1, 2, 3]), at: 5_000)
        repairs.saw(SiteOutgoing.Item(subject: "b", data: [9]), at: 5_000)
        #expect(repairs.due(at: 60_000).map(\.subject) == ["b"], "what is there is another")
        repairs.take([Self.item("a")], at: 64_999) { $0.lowerBound }
        #expect(repairs.nextDue == nil)
        repairs.take([Self.item("a")], at: 65_000) { $0.lowerBound }
        #expect(repairs.nextDue != nil)
    }

    // Shows: sites.vanished
    @Test("costs eight looks a second and one a minute of a subject, however often it is asked for")
    func flood() {
        var repairs = SiteRepairs()
        var looks: [String: Int] = [:]
        for second in 0..<UInt64(120) {
            for _ in 0..<20 {
                repairs.take(
                    (0..<64).map { Self.item("s\($0)", isOwn: true) }, at: second * 1_000
                ) { $0.lowerBound }
            }
            let due = repairs.due(at: second * 1_000)
            #expect(due.count <= 8)
            for item in due { looks[item.subject, default: 0] += 1 }
        }
        #expect(looks.count == 64 && looks.values.allSatisfy { $0 <= 2 })
    }

    @Test("is held once, however long it waits for its look")
    func once() {
        var repairs = SiteRepairs()
        let items = (0..<1_000).map { Self.item("s\($0)") }
        var looks: [String: Int] = [:]
        repairs.take(items, at: 0) { $0.lowerBound }
        for second in 0..<UInt64(127) {
            if second == 100 { repairs.take(items.suffix(200), at: 100_000) { $0.lowerBound } }
            for item in repairs.due(at: second * 1_000) { looks[item.subject, default: 0] += 1 }
        }
        #expect(looks.count == 1_000 && looks.values.allSatisfy { $0 == 1 })
        #expect(repairs.nextDue == nil)
    }

    // Shows: sites.vanished
    @Test("is held in bounds")
    func bound() {
        var repairs = SiteRepairs()
        repairs.take((0..<5_000).map { Self.item("s\($0)") }, at: 0) { $0.lowerBound }
        var count = 0
        for second in 0..<UInt64(1_000) { count += repairs.due(at: second * 1_000).count }
        #expect(count == SiteRepairs.heldItems)
    }
}
