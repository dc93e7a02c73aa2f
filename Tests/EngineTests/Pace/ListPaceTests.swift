import Formats
import Testing

@testable import Engine

@Suite("When subscribers are told that a list has changed") struct ListPaceTests {
    @Test("what changes at the same moment is told of together, each list once")
    func together() {
        var pace = ListPace()
        #expect(pace.note(.rooms, at: 5_000) == ListPace.gatherMilliseconds)
        #expect(pace.note(.peers, at: 5_001) == nil)
        for _ in 0..<1_000 { #expect(pace.note(.rooms, at: 5_002) == nil) }
        #expect(pace.take(at: 5_100) == [.rooms, .peers])
        #expect(pace.take(at: 5_101) == [])
    }

    @Test("however often strangers change it, a list is told of at most once in two seconds")
    func seldom() {
        var pace = ListPace()
        var due: UInt64?
        var told = 0
        for now in UInt64(0)..<60_000 {
            if let wait = pace.note(.rooms, at: now) { due = now + wait }
            if due == now {
                due = nil
                told += pace.take(at: now).count
            }
        }
        #expect((29...31).contains(told))
    }

    @Test("after a quiet time the next change is told at once again")
    func quiet() {
        var pace = ListPace()
        _ = pace.note(.rooms, at: 0)
        _ = pace.take(at: 100)
        #expect(pace.note(.rooms, at: 101) == 1_999)
        _ = pace.take(at: 2_100)
        #expect(pace.note(.rooms, at: 90_000) == ListPace.gatherMilliseconds)
    }
}
