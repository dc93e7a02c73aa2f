import Sites
import Testing

@Suite("What is told of servers between sites") struct SiteAlarmTests {
    private static let patience = SiteAlarm.patienceMilliseconds

    @Test("a problem is told once it has lasted, again and again, and its end once")
    func told() {
        var alarm = SiteAlarm()
        alarm.set("no server answers", at: 1_000)
        #expect(alarm.take(at: 1_000) == nil)
        // The words may change meanwhile: it is the same trouble.
        alarm.set("the servers take no more", at: 20_000)
        #expect(alarm.due == 1_000 + Self.patience)
        #expect(alarm.take(at: 31_000) == .problem("the servers take no more"))
        #expect(alarm.take(at: 31_000) == nil)
        #expect(alarm.due == 31_000 + SiteAlarm.repeatMilliseconds)
        #expect(alarm.take(at: 91_000) == .problem("the servers take no more"))
        alarm.set(nil, at: 92_000)
        #expect(alarm.take(at: 92_000) == .over)
        #expect(alarm.due == nil)
    }

    @Test("nothing is told of servers that start again")
    func brief() {
        var alarm = SiteAlarm()
        alarm.set("no server answers", at: 1_000)
        alarm.set(nil, at: 6_000)
        alarm.set(nil, at: 7_000)
        #expect(alarm.due == nil)
        #expect(alarm.take(at: 1_000_000) == nil)
    }

    @Test("a problem that comes back before its end was told goes on being told")
    func back() {
        var alarm = SiteAlarm()
        alarm.set("away", at: 0)
        #expect(alarm.take(at: Self.patience) == .problem("away"))
        alarm.set(nil, at: 40_000)
        alarm.set("away", at: 40_000)
        #expect(alarm.take(at: 40_000) == .problem("away"))
    }

    @Test(
        "a full stream is a problem where it holds less than a month",
        arguments: [
            (9_500, 10_000, 3, "4 days"), (9_500, 10_000, 0, "a day"), (9_499, 10_000, 3, nil),
            (10_000, 10_000, 30, nil), (10_000, -1, 3, nil), (0, 0, 0, nil),
        ] as [(UInt64, Int64, Int64, String?)])
    func full(bytes: UInt64, limit: Int64, days: Int64, told: String?) {
        let stock = SiteStock(bytes: bytes, limit: limit, oldest: 1_000)
        let text = stock.problem(at: 1_000 + days * 86_400_000)
        #expect((text == nil) == (told == nil))
        if let told { #expect(text?.contains("older than \(told),") == true) }
    }

    @Test(
        "there is room for what was lost below four fifths of the limit",
        arguments: [
            (7_999, 10_000, true), (8_000, 10_000, false), (.max, 10_000, false), (.max, 0, true),
            (.max, -1, true), (0, 1, false), (0, 5, true),
        ] as [(UInt64, Int64, Bool)])
    func room(bytes: UInt64, limit: Int64, hasRoom: Bool) {
        #expect(SiteStock(bytes: bytes, limit: limit, oldest: 0).hasRoom == hasRoom)
    }

    @Test("a server that lies about its oldest message changes words alone")
    func lies() {
        for oldest in [Int64.min / 2, 0, Int64.max] {
            _ = SiteStock(bytes: .max, limit: .max, oldest: oldest).problem(at: 0)
        }
    }
}
