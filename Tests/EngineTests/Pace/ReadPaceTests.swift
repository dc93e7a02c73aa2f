import Testing

@testable import Engine

@Suite struct ReadPaceTests {
    @Test("the first query shows how fast the disk is; then small ones are the loop's")
    func learns() {
        var pace = ReadPace()
        #expect(!pace.allowsQuery)
        pace.note(microseconds: 60, isOnLoop: false)
        #expect(pace.allowsQuery)
    }

    @Test("a slow query gives the next ones to the store's thread, the more the slower it was")
    func slowDisk() {
        var pace = ReadPace()
        func recoveries(after slow: UInt64) -> Int {
            pace.note(microseconds: slow, isOnLoop: true)
            pace.beginTurn()
            var count = 0
            while !pace.allowsQuery {
                pace.note(microseconds: 60, isOnLoop: false)
                count += 1
            }
            return count
        }
        #expect(recoveries(after: 3_000) == 2)
        #expect(recoveries(after: 1_000_000) == 11)
    }

    @Test("all queries of one turn have a millisecond of the loop, and the next turn has it anew")
    func turns() {
        var pace = ReadPace()
        pace.note(microseconds: 60, isOnLoop: false)
        pace.beginTurn()
        var count = 0
        while pace.allowsQuery {
            pace.note(microseconds: 300, isOnLoop: true)
            count += 1
        }
        #expect(count == 4)
        #expect(pace.isTurnSpent)
        // What the other thread does is not the turn's.
        pace.beginTurn()
        for _ in 0..<9 { pace.note(microseconds: 300, isOnLoop: false) }
        #expect(pace.allowsQuery)
        // A slow one is not the turn's fault, so the next goes elsewhere and tells how long such take now.
        pace.note(microseconds: 2_000, isOnLoop: false)
        #expect(!pace.allowsQuery && !pace.isTurnSpent)
    }
}
