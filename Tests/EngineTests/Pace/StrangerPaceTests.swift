import Testing

@testable import Engine

@Suite("Strangers' share of the loop") struct StrangerPaceTests {
    // Shows: daemon.pace
    @Test("strangers come last once they have used up their share, and have it again after a while")
    func share() {
        var pace = StrangerPace()
        func spend(_ count: UInt64, every gap: UInt64, from start: UInt64) -> Int {
            (1...count).count { pace.spend(1_000, at: start + $0 * gap) }
        }
        #expect(spend(300, every: 3_000, from: 0) == 0, "a third of the time")
        #expect(spend(30, every: 1_000, from: 900_000) == 0, "all of it for a moment")
        #expect(spend(30, every: 1_000, from: 930_000) == 1 && pace.isOverdrawn)
        let isBack = pace.look(at: 1_200_000)
        #expect(isBack && !pace.isOverdrawn)
    }

    @Test("however much a turn has taken, they come last for a bounded time")
    func bounded() {
        var pace = StrangerPace()
        let isOver = pace.spend(10_000_000, at: 1_000_000)
        #expect(isOver && pace.isOverdrawn)
        let again = pace.spend(10_000_000, at: 1_000_001)
        #expect(!again, "which is no news")
        let soon = pace.look(at: 1_010_000)
        #expect(!soon && pace.isOverdrawn)
        let later = pace.look(at: 5_100_000)
        #expect(later && !pace.isOverdrawn)
    }

    // Shows: daemon.pace
    @Test("one turn that has taken long is counted whole: others come first for twice as long")
    func long() {
        var pace = StrangerPace()
        let isOver = pace.spend(500_000, at: 1_000_000)
        #expect(isOver)
        let early = pace.look(at: 1_900_000)
        #expect(!early && pace.isOverdrawn)
        let later = pace.look(at: 2_100_000)
        #expect(later && !pace.isOverdrawn)
    }

    @Test("what they use while nobody else wants it keeps them last")
    func idle() {
        var pace = StrangerPace()
        var now: UInt64 = 1_000_000
        for _ in 0..<1_000 {
            now += 4_000
            _ = pace.spend(4_000, at: now)
            _ = pace.look(at: now)
        }
        #expect(pace.isOverdrawn)
    }

    // Shows: daemon.pace
    @Test("what costs much is read in small portions, and what costs little in large ones")
    func portion() {
        var portion = ReadPortion()
        #expect(portion.count < ReadPortion.most / 4)
        #expect(portion.frames < 8, "nobody knows yet what they cost")
        for _ in 0..<20 { portion.note(microseconds: 50_000) }
        #expect(portion.count == ReadPortion.least && portion.frames == 1)
        for _ in 0..<20 { portion.note(microseconds: 2_000) }
        #expect(portion.count == ReadPortion.least, "neither much nor little")
        for _ in 0..<20 {
            portion.note(frames: 1)
            portion.note(microseconds: 100)
        }
        #expect(portion.count == ReadPortion.most)
        #expect(portion.frames == ReadPortion.mostFrames)
        // Of the smallest frames few are read at a time, however little they cost.
        for _ in 0..<20 {
            portion.note(frames: portion.count / 18)
            for _ in 0..<20 { portion.note(microseconds: 100) }
        }
        #expect(portion.count / 18 <= ReadPortion.manyFrames)
    }

    // Shows: daemon.pace
    @Test("who has just come is before those who have asked without end, by where they are")
    func usage() {
        var usage = SourceUsage()
        let (flood, other) = (Source("192.0.2.1:4000"), Source("192.0.2.2:4000"))
        let newcomer = Source("192.0.2.3:4000")
        var now: UInt64 = 5_000_000
        for _ in 0..<100 {
            now += 4_000
            _ = usage.spend(2_000, by: flood, at: now)
            _ = usage.spend(2_000, by: other, at: now)
        }
        _ = usage.spend(100, by: newcomer, at: now)
        #expect(usage.isHeavy(flood) && usage.isHeavy(other) && !usage.isHeavy(newcomer))
        #expect(!usage.isHeavy(Source("192.0.2.4:4000")))
        // It is forgotten in time.
        for _ in 0..<20 {
            now += 1_000_000
            _ = usage.spend(1_000, by: newcomer, at: now)
        }
        #expect(!usage.isHeavy(flood) && usage.isHeavy(newcomer))
        usage.keep([])
        #expect(!usage.isHeavy(newcomer))
    }

    @Test("what was read is handled on soon, and what is sent does not put it off")
    func unhandled() {
        var wait = UnhandledWait()
        let idle = wait.arm(isBusy: false, isLast: false)
        let soon = wait.arm(isBusy: true, isLast: false)
        let sending = wait.arm(isBusy: true, isLast: true)
        wait.handled()
        let later = wait.arm(isBusy: true, isLast: true)
        #expect([idle, soon, sending, later] == [nil, 20, nil, 2_000])
        // Once all was handled, what comes next has its own time.
        let done = wait.arm(isBusy: false, isLast: true)
        let next = wait.arm(isBusy: true, isLast: false)
        #expect([done, next] == [nil, 20])
    }
}
