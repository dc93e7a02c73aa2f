import ControlAPI
import Sites
import Testing

@Suite("Presence and typing of other sites") struct SiteHearingTests {
    private static func item(_ number: Int, in tag: String) -> SiteOutgoing.Item {
        SiteOutgoing.Item(
            subject: "stoa-now.\(tag).x", data: [UInt8(number & 255), UInt8(number >> 8)])
    }

    private static func hear(
        _ item: SiteOutgoing.Item, in tag: String, _ hearing: inout SiteHearing
    ) -> Bool { hearing.heard(item, in: tag) }

    // Shows: sites.bounds
    @Test("is given in turns, so that a flood in one conversation keeps no other back")
    func turns() {
        var hearing = SiteHearing()
        for number in 0..<1_000 { _ = hearing.heard(Self.item(number, in: "a"), in: "a") }
        _ = hearing.heard(Self.item(1, in: "b"), in: "b")
        let given = hearing.take(at: 0)
        #expect(given.count == 1 + SiteHearing.shareLimit)
        #expect(given[1].subject == "stoa-now.b.x")
        #expect(hearing.nextDue == nil)
    }

    // Shows: sites.bounds
    @Test("waits in a bounded number of conversations, whatever a server invents")
    func tags() {
        var hearing = SiteHearing()
        for tag in 0..<10_000 { _ = hearing.heard(Self.item(0, in: "\(tag)"), in: "\(tag)") }
        var (given, now): (Int, UInt64) = (0, 0)
        while hearing.nextDue != nil {
            given += hearing.take(at: now).count
            now += SiteHearing.paceMilliseconds
        }
        #expect(given == SiteHearing.tagLimit)
    }

    // Shows: sites.bounds
    @Test("is at most 64 in a quarter of a second, and small")
    func pace() {
        var hearing = SiteHearing()
        #expect(Self.hear(Self.item(0, in: "0"), in: "0", &hearing), "somebody has to look")
        for tag in 1..<100 {
            #expect(!Self.hear(Self.item(0, in: "\(tag)"), in: "\(tag)", &hearing))
        }
        let large = SiteOutgoing.Item(
            subject: "stoa-now.a.x",
            data: [UInt8](repeating: 0, count: ControlLimits.siteSignalBytes + 1))
        #expect(!Self.hear(large, in: "a", &hearing))
        let first = hearing.take(at: 1_000)
        #expect(first.count == 64)
        let early = hearing.take(at: 1_249)
        #expect(early.isEmpty && hearing.nextDue == 1_250)
        let rest = hearing.take(at: 1_250)
        #expect(rest.count == 36)
    }

    @Test("is not given where this program has published it, and counted where it is refused")
    func own() {
        var hearing = SiteHearing()
        hearing.published([Self.item(1, in: "a")])
        #expect(!Self.hear(Self.item(1, in: "a"), in: "a", &hearing))
        #expect(hearing.nextDue == nil)
        hearing.given(
            [.forged, .known, .foreign, .unsealed].map { verdict in
                ImportItemsMethod.Outcome { $0.verdict = verdict }
            })
        #expect(hearing.refused == [.forged: 1, .unsealed: 1])
    }
}
