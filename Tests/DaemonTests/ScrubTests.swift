import ControlAPI
import Glibc
import Posix
import TestSupport
import Testing

@testable import Daemon
@testable import Engine

@Suite("Reading the database through")
struct ScrubTests {
    /// Runs a schedule over a file of so many pages, of which one is damaged, in virtual time.
    struct Machine {
        var schedule = ScrubSchedule()
        let pages: UInt32
        var damaged: UInt32 = 0
        var now: UInt64 = 0
        var reads = 0
        var largest: UInt32 = 0
        var isBusy: (UInt64) -> Bool = { _ in false }

        /// Runs until a round is complete; gives what it found.
        mutating func round(from decision: ScrubSchedule.Decision) -> ScrubSchedule.Round? {
            var decision = decision
            for _ in 0..<1_000_000 {
                switch decision {
                case .wait(let milliseconds):
                    self.now += milliseconds
                    decision = self.schedule.due(isBusy: self.isBusy(self.now))
                case .read(let first, let count):
                    self.reads += 1
                    self.largest = max(self.largest, count)
                    let read = min(count, self.pages + 1 - min(first, self.pages + 1))
                    let isHit = (first..<first + read).contains(self.damaged)
                    let (next, round) = self.schedule.read(
                        ScrubReading(
                            read: read, pages: self.pages, damaged: isHit ? 1 : 0,
                            firstDamaged: isHit ? self.damaged : 0), at: self.now)
                    if let round { return round }
                    decision = next
                }
            }
            return nil
        }
    }

    static let day: UInt64 = 86_400_000

    @Test(
        "a round takes half a day, in steps of ten minutes", arguments: [1, 71, 72, 5_000, 300_000])
    func pace(pages: UInt32) throws {
        var machine = Machine(pages: pages)
        let start = machine.schedule.begin(at: ScrubPosition())
        #expect(start == .wait(600_000))
        #expect(machine.round(from: start) == .init(pages: pages, damaged: 0))
        #expect(machine.now <= Self.day / 2)
        #expect(machine.largest <= 256)
        // No more wake-ups than steps.
        #expect(machine.now / 600_000 <= 72)
        #expect(machine.schedule.position.next == 1)
        #expect(machine.schedule.position.completedAt == machine.now)
    }

    @Test("a store that always has work is read through within a day all the same")
    func busy() {
        var machine = Machine(pages: 100_000, isBusy: { _ in true })
        let round = machine.round(from: machine.schedule.begin(at: ScrubPosition()))
        #expect(round?.damaged == 0)
        #expect(machine.now > Self.day / 2 && machine.now <= Self.day)
    }

    @Test("what is found is known at once, and until a whole round finds nothing")
    func found() {
        var machine = Machine(pages: 9_000, damaged: 4_000)
        let first = machine.round(from: machine.schedule.begin(at: ScrubPosition()))
        #expect(first?.damaged == 1)
        #expect(machine.schedule.position.damagedPages == 1)
        #expect(machine.schedule.position.firstDamaged == 4_000)
        #expect(machine.schedule.position.damagedInRound == 0)
        machine.damaged = 0
        #expect(machine.round(from: .wait(600_000))?.damaged == 0)
        #expect(machine.schedule.position.damagedPages == 0)
    }

    @Test("a start goes on where the last one was; a file that shrank begins a new round")
    func resumed() {
        var position = ScrubPosition()
        position.next = 5_000
        position.damagedInRound = 2
        position.damagedPages = 2
        var machine = Machine(pages: 9_000)
        #expect(machine.round(from: machine.schedule.begin(at: position))?.damaged == 2)
        #expect(machine.now < Self.day / 3)
        position.next = 20_000
        machine = Machine(pages: 9_000)
        #expect(machine.round(from: machine.schedule.begin(at: position)) != nil)
        #expect(machine.reads == 1)
    }

    @Test("a flipped bit under a running daemon is in the log and in status, and it runs on")
    func running() throws {
        let directory = try TestFolder()
        let schedule = ScrubSchedule(interval: 5, steps: 4)
        let daemon = try TestDaemon(directory: directory, scrub: schedule)
        try daemon.ask("join", ["room": "ops"])
        for number in 1...200 {
            try daemon.ask("send", ["to": "ops", "text": .string("message \(number)")])
        }
        daemon.stop()
        let path = "\(directory.path)/data/stoa.db"
        let again = try TestDaemon(directory: directory, scrub: schedule)
        let client = try again.connect()
        func status(_ holds: (JSON) -> Bool) throws -> JSON {
            let deadline = SystemClock.monotonicMilliseconds() + 60_000
            while true {
                let status = try client.ask("status")
                if holds(status["scrub"] ?? .null) { return status }
                try #require(SystemClock.monotonicMilliseconds() < deadline, "\(status)")
                _ = try waitUntilReadable([], timeoutMilliseconds: 5)
            }
        }
        let sound = try status { $0["completedAt"]?.stringValue != nil }
        #expect(sound["scrub"]?["damagedPages"] == 0 && sound["alerts"] == [])
        // Never closed while the daemon has the file open: that would drop SQLite's locks.
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        var byte: UInt8 = 0
        try #require(pread(descriptor, &byte, 1, 3 * 2_048 + 5) == 1)
        byte ^= 2
        try #require(pwrite(descriptor, &byte, 1, 3 * 2_048 + 5) == 1)
        let found = try status { $0["damagedPages"] == 1 }
        let alert = found["alerts"]?.arrayValue?.first
        #expect(alert?["code"] == "damage")
        #expect(alert?["text"]?.stringValue?.contains("page 4 of \(path)") == true)
        #expect(alert?["text"]?.stringValue?.contains("stoad --repair") == true)
        again.stop()
        close(descriptor)
    }
}
