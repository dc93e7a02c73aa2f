import Testing

@testable import Engine

@Suite("How much is indexed at a time") struct IndexPaceTests {
    @Test("all that is there, where nothing has come for a second")
    func calm() {
        var pace = IndexPace()
        pace.beginPass(at: 5_000)
        #expect(pace.goesOn(at: 9_000, isAwaited: false))
        pace.committed(at: 4_000)
        #expect(pace.goesOn(at: 9_000, isAwaited: false))
    }

    @Test("a little, where messages keep coming; all of it once they pause")
    func busy() {
        var pace = IndexPace()
        pace.committed(at: 10_000)
        pace.beginPass(at: 10_100)
        #expect(pace.goesOn(at: 10_119, isAwaited: false))
        #expect(!pace.goesOn(at: 10_120, isAwaited: false))
        pace.committed(at: 10_500)
        #expect(!pace.goesOn(at: 11_499, isAwaited: false))
        #expect(pace.goesOn(at: 11_500, isAwaited: false))
        pace.committed(at: 11_600)
        pace.beginPass(at: 12_000)
        #expect(pace.goesOn(at: 12_001, isAwaited: false))
    }

    @Test("no more than for a second, where something is to be taken out")
    func removals() {
        var pace = IndexPace()
        pace.beginPass(at: 5_000)
        for isAwaited in [false, true] {
            #expect(pace.goesOn(at: 5_999, isAwaited: isAwaited, hasRemovals: true))
            #expect(!pace.goesOn(at: 6_000, isAwaited: isAwaited, hasRemovals: true))
        }
    }

    @Test("all that is there, where somebody waits to search")
    func awaited() {
        var pace = IndexPace()
        pace.committed(at: 10_000)
        pace.beginPass(at: 10_000)
        #expect(pace.goesOn(at: 10_900, isAwaited: true))
    }
}
