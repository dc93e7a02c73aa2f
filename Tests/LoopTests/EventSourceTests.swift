import Glibc
import Loop
import Posix
import Synchronization
import TestSupport
import Testing

@Suite struct EventSourceTests {
    @Test("a watch reports only what it is set to, and nothing with an empty set")
    func interest() throws {
        let (reader, writer) = try pipe()
        let seen = Box<[IOEvents]>([])
        try onLoop { loop in
            let watch = Box<IOWatch?>(nil)
            watch.value = try loop.watch(writer.number, for: .writable) { events in
                seen.value.append(events)
                watch.value?.set([])
                loop.stop()
            }
        }
        #expect(seen.value == [.writable])
        _ = reader
    }

    @Test("the writer's end going away is reported as a hang-up to the reader")
    func hangup() throws {
        let ends = Box<(FileDescriptorBox, FileDescriptorBox)?>(try pipe())
        let reader = try #require(ends.value?.0)
        let seen = Box<IOEvents>([])
        try onLoop { loop in
            let watch = Box<IOWatch?>(nil)
            watch.value = try loop.watch(reader.number, for: .readable) { events in
                seen.value = events
                watch.value?.cancel()
                watch.value = nil
                loop.stop()
            }
            ends.value = nil
        }
        #expect(seen.value.contains(.hangup))
    }

    @Test("a handler that drops its own watch is let go and not called again")
    func dropsItself() throws {
        let (reader, writer) = try pipe()
        final class Token {}
        weak var token: Token?
        let count = Box(0)
        try onLoop { loop in
            let watch = Box<IOWatch?>(nil)
            let held = Token()
            token = held
            watch.value = try loop.watch(reader.number, for: .readable) { _ in
                _ = held
                count.value += 1
                watch.value = nil
                // Another round of the loop, in which the readable pipe would call again.
                loop.post { loop.stop() }
            }
            #expect(writer.write([1, 2]) == .bytes(2))
        }
        #expect(count.value == 1)
        #expect(token == nil)
    }

    @Test("a regular file cannot be watched, and the error says so")
    func regularFile() throws {
        let loop = try EventLoop()
        let file = FileDescriptorBox(open("/proc/self/exe", O_RDONLY | O_CLOEXEC))
        let error = #expect(throws: SystemError.self) {
            _ = try loop.watch(file.number, for: .readable) { _ in }
        }
        #expect(error?.code == EPERM)
    }

    @Test("each timer fires once and never early")
    func timers() throws {
        let order = Box<[Int]>([])
        let start = SystemClock.monotonicMilliseconds()
        var timers: [LoopTimer] = []
        try onLoop { loop in
            for (number, delay) in [(3, 30), (1, 10), (2, 20)] as [(Int, UInt64)] {
                let timer = try loop.makeTimer {
                    #expect(SystemClock.monotonicMilliseconds() >= start + delay)
                    order.value.append(number)
                    if order.value.count == 3 { loop.stop() }
                }
                timer.set(deadlineMilliseconds: start + delay, accuracy: .exact)
                timers.append(timer)
            }
        }
        #expect(order.value.sorted() == [1, 2, 3])
    }

    @Test("a timer keeps to microseconds where that is asked, and does not fire early")
    func microseconds() throws {
        let start = SystemClock.monotonicMicroseconds()
        let fired = Box<UInt64>(0)
        try onLoop { loop in
            let timer = Box<LoopTimer?>(nil)
            timer.value = try loop.makeTimer {
                fired.value = SystemClock.monotonicMicroseconds()
                timer.value = nil
                loop.stop()
            }
            timer.value?.set(deadlineMicroseconds: start + 700, accuracy: .exact)
        }
        #expect(fired.value >= start + 700)
    }

    @Test("a timer fires once for each setting and not when cleared")
    func timerSettings() throws {
        let count = Box(0)
        try onLoop { loop in
            let timer = Box<LoopTimer?>(nil)
            timer.value = try loop.makeTimer {
                count.value += 1
                if count.value == 3 {
                    loop.stop()
                } else {
                    timer.value?.set(deadlineMilliseconds: 0, accuracy: .exact)
                }
            }
            timer.value?.set(afterMilliseconds: 1, accuracy: .exact)
            let cleared = try loop.makeTimer { Issue.record("a cleared timer fired") }
            cleared.set(afterMilliseconds: 0, accuracy: .exact)
            cleared.clear()
            withExtendedLifetime(cleared) {}
        }
        #expect(count.value == 3)
    }

    @Test("a signal calls its handler on the loop instead of ending the process")
    func signals() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let loop = try EventLoop()
            let watch = try loop.onSignal(SIGTERM) {
                loop.checkIsolated()
                loop.stop()
            }
            raise(SIGTERM)
            try loop.run()
            watch.cancel()
            exit(7)
        }
    }

    @Test("a handle that another thread drops last still ends its source")
    func droppedElsewhere() throws {
        let (reader, writer) = try pipe()
        let stopped = Atomic(false)
        try onLoop { loop in
            struct Parcel: @unchecked Sendable { let watch: Box<IOWatch?> }  // handed over whole
            let watch = Box<IOWatch?>(nil)
            watch.value = try loop.watch(reader.number, for: .readable) { _ in
                if stopped.load(ordering: .relaxed) { Issue.record("called after its end") }
            }
            let parcel = Parcel(watch: watch)
            try OSThread.start(name: "dropper") {
                parcel.watch.value = nil
                loop.post {
                    stopped.store(true, ordering: .relaxed)
                    _ = writer.write([1])
                    loop.post { loop.stop() }
                }
            }
        }
    }

    @Test("blocking calls run off the loop and their results come back in order")
    func worker() throws {
        let results = Box<[Int]>([])
        var workers: [Worker] = []
        try onLoop { loop in
            let worker = try Worker(name: "worker", loop: loop)
            for number in 0..<50 {
                worker.run {
                    #expect(!loop.isOnLoop)
                    return number * 2
                } then: { result in
                    loop.checkIsolated()
                    results.value.append(result)
                    if results.value.count == 50 { loop.stop() }
                }
            }
            workers.append(worker)
        }
        #expect(results.value == (0..<50).map { $0 * 2 })
    }

    @Test("a worker refuses calls beyond its capacity")
    func workerCapacity() throws {
        let release = BlockingQueue<Bool>()
        let started = BlockingQueue<Bool>()
        try onLoop { loop in
            let worker = try Worker(name: "worker", loop: loop, capacity: 2)
            let first = worker.run {
                _ = started.append(true)
                return release.takeAll()
            } then: { _ in
            }
            _ = started.takeAll()
            let second = worker.run({ 1 }, then: { _ in })
            let third = worker.run({ 2 }, then: { _ in loop.stop() })
            let fourth = worker.run({ 3 }, then: { _ in Issue.record("a refused call ran") })
            #expect([first, second, third, fourth] == [true, true, true, false])
            _ = release.append(true)
        }
    }

    /// To set the clock would set that of the whole machine.
    @Test("nothing wakes while nobody sets the clock")
    func clockUnset() throws {
        let kept = Box<(ClockMonitor, LoopTimer)?>(nil)
        try onLoop { loop in
            let monitor = try ClockMonitor(loop: loop) { Issue.record("the clock was not set") }
            let timer = try loop.makeTimer { loop.stop() }
            timer.set(afterMilliseconds: 1, accuracy: .exact)
            kept.value = (monitor, timer)
        }
        kept.value = nil
    }
}
