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

    /// Adds one, and tells whether this has always happened on the same thread.
    func increment() -> (count: Int, isSameThread: Bool) {
        let own = UInt(pthread_self())
        defer { self.thread = own }
        self.count += 1
        self.executor.checkIsolated()
        return (self.count, self.thread == nil || self.thread == own)
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
        for _ in 0..<10_000 where executor != nil { sched_yield() }
        #expect(executor == nil)
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
