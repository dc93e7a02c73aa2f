import Glibc
import Posix
import Synchronization
import Testing

/// An actor on a thread of its own, as the store is.
private actor Counter {
    private let executor: ThreadExecutor
    private var count = 0
    private var thread: UInt?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        self.executor.asUnownedSerialExecutor()
    }

    init(executor: ThreadExecutor) {
        self.executor = executor
    }

    /// Runs a call on the actor's thread.
    func run(_ call: @Sendable () -> Bool) -> Bool { call() }

    /// Adds one, and tells whether this has always happened on the same thread.
    func increment() -> (count: Int, isSameThread: Bool) {
        let own = UInt(pthread_self())
        defer { self.thread = own }
        self.count += 1
        self.executor.checkIsolated()
        return (self.count, self.thread == nil || self.thread == own)
    }
}

/// An actor that notes in which order its jobs run.
private actor Order {
    private let executor: ThreadExecutor
    private(set) var numbers: [Int] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        self.executor.asUnownedSerialExecutor()
    }

    init(executor: ThreadExecutor) {
        self.executor = executor
    }

    /// Adds jobs while this one keeps the thread busy; each puts its number down.
    func queue(_ priorities: [TaskPriority]) -> [Task<Void, Never>] {
        priorities.enumerated().map { number, priority in
            Task(priority: priority) { self.numbers.append(number) }
        }
    }
}

@Suite struct ThreadTests {
    @Test("an actor on a thread of its own runs there and nowhere else")
    func ownThread() async throws {
        let counter = Counter(executor: try ThreadExecutor(name: "counter"))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 { group.addTask { await counter.increment().isSameThread } }
            for await isSameThread in group { #expect(isSameThread) }
        }
        #expect(await counter.increment().count == 201)
    }

    @Test("what is urgent runs before all that waits, the rest in the order in which it came")
    func urgentFirst() async throws {
        let order = Order(executor: try ThreadExecutor(name: "lanes"))
        for task in await order.queue([.medium, .medium, .high, .high, .low]) { await task.value }
        #expect(await order.numbers == [2, 3, 0, 1, 4])
    }

    @Test("an executor goes with the last actor on it, and its thread with it")
    func endsWithActor() async throws {
        weak var executor: ThreadExecutor?
        do {
            let strong = try ThreadExecutor(name: "short")
            executor = strong
            let counter = Counter(executor: strong)
            _ = await counter.increment()
        }
        // The thread lets go of it when the job has returned, which may be a moment after.
        let deadline = SystemClock.monotonicMilliseconds() + 60_000
        while executor != nil, SystemClock.monotonicMilliseconds() < deadline { sched_yield() }
        #expect(executor == nil)
    }

    @Test("another thread takes the place of a sleeping one, and the actor's jobs wait for it")
    func guestOfIdleThread() async throws {
        let executor = try ThreadExecutor(name: "idle")
        let counter = Counter(executor: executor)
        #expect(await counter.increment().count == 1)
        let isHere = try Self.untilIdle {
            executor.runIfIdle {
                counter.assumeIsolated { $0.increment() }.count == 2
                    // Nobody takes the place of a guest, not even itself.
                    && executor.runIfIdle { true } == nil
            }
        }
        #expect(isHere == true)
        #expect(executor.isIsolatingCurrentContext() == false)
        #expect(await counter.increment().count == 3)
    }

    @Test("nobody takes the place of a thread that works")
    func guestOfBusyThread() async throws {
        let executor = try ThreadExecutor(name: "busy")
        let counter = Counter(executor: executor)
        let isRefused = await counter.run { executor.runIfIdle { true } == nil }
        #expect(isRefused)
    }

    @Test("guests and jobs never run at the same time")
    func guestsAndJobs() async throws {
        let executor = try ThreadExecutor(name: "shared")
        let counter = Counter(executor: executor)
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    _ = await counter.increment()
                    return 1
                }
                group.addTask {
                    executor.runIfIdle { counter.assumeIsolated { _ = $0.increment() } } == nil
                        ? 0 : 1
                }
            }
            var count = 0
            for await increments in group { count += increments }
            #expect(await counter.increment().count == count + 1)
        }
    }

    /// The answer of a call that gives one only once a thread sleeps, which may take a moment.
    private static func untilIdle<Result>(_ call: () -> Result?) throws -> Result? {
        let deadline = SystemClock.monotonicMilliseconds() + 60_000
        while SystemClock.monotonicMilliseconds() < deadline {
            if let result = call() { return result }
            sched_yield()
        }
        return nil
    }

    @Test("checkIsolated traps off the executor's thread")
    func trapsElsewhere() async {
        await #expect(processExitsWith: .failure) {
            try ThreadExecutor(name: "other").checkIsolated()
        }
    }

    @Test("a queue gives all in order, refuses beyond its limit and ends when finished")
    func queue() throws {
        let queue = BlockingQueue<Int>()
        #expect(queue.append(1, limit: 2) == true)
        #expect(queue.append(2, limit: 2) == true)
        #expect(queue.append(3, limit: 2) == false)
        #expect(queue.takeAll() == [1, 2])
        #expect(queue.append(4) == true)
        queue.finish()
        #expect(queue.append(5) == false)
        #expect(queue.takeAll() == [4])
        #expect(queue.takeAll() == [])
    }

    @Test("a thread of ours takes no signals")
    func noSignals() throws {
        let answers = BlockingQueue<Bool>()
        // The test's thread may block signals itself; one that it takes must stay so.
        var saved = sigset_t()
        var usual = sigset_t()
        sigemptyset(&usual)
        pthread_sigmask(SIG_SETMASK, &usual, &saved)
        defer { pthread_sigmask(SIG_SETMASK, &saved, nil) }
        try OSThread.start(name: "a name that is longer than fifteen bytes") {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            _ = answers.append(sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGHUP) == 1)
        }
        #expect(answers.takeAll() == [true])
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        #expect(sigismember(&mask, SIGUSR1) == 0)
    }
}
