import ControlAPI
import Sites
import Testing

@Suite("Parts of files that are wanted of other sites") struct SiteWantsTests {
    @Test("are looked for one at a time, in their order, and no more once they are here")
    func order() {
        var wants = SiteWants()
        #expect(wants.next(at: 0) == nil && wants.nextDue == nil)
        wants.want(["a", "b"])
        #expect(wants.next(at: 0) == "a")
        #expect(wants.next(at: 0) == nil, "one at a time")
        wants.given(.taken, at: 0)
        #expect(wants.next(at: 0) == "b")
        wants.given(.known, at: 0)
        #expect(wants.broughtCount == 1 && wants.refused.isEmpty)
        wants.want([])
        #expect(wants.nextDue == nil)
    }

    // Shows: sites.bounds
    @Test("that are not there are looked for later and later, also where they are told of again")
    func patience() {
        var wants = SiteWants()
        var now: UInt64 = 0
        var pauses: [UInt64] = []
        for _ in 0..<9 {
            wants.want(["a"])
            #expect(wants.next(at: now) == "a")
            wants.missed(at: now)
            #expect(wants.next(at: now) == nil)
            pauses.append((wants.nextDue ?? 0) - now)
            now = wants.nextDue ?? 0
        }
        #expect(
            pauses == [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 64_000, 64_000])
        #expect(wants.missing == 1)
        wants.lookAgain()
        #expect(wants.next(at: now) == "a")
    }

    @Test("keep no others back where they are not there, and are counted where they are refused")
    func others() {
        var wants = SiteWants()
        wants.want(["a", "b"])
        #expect(wants.next(at: 0) == "a")
        wants.given(.forged, at: 0)
        #expect(wants.next(at: 0) == "b")
        wants.given(nil, at: 0)
        #expect(wants.refused == [.forged: 1])
        #expect(wants.nextDue == 1_000)
    }

    // Shows: sites.bounds
    @Test("are at most as many as a daemon names at once")
    func bound() {
        var wants = SiteWants()
        wants.want((0..<1_000).map { "\($0)" })
        for _ in 0..<1_000 {
            guard wants.next(at: 0) != nil else { break }
            wants.missed(at: 0)
        }
        #expect(wants.missing == ControlLimits.siteWants)
    }
}
