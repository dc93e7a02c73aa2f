import Glibc
import Synchronization

/// Runs the jobs of an actor on one thread of its own, which may block.
///
/// The thread sleeps while there is nothing to do and ends with the last reference to the executor.
/// Another thread may take its place for one short call: ``runIfIdle(_:)``.
package final class ThreadExecutor: SerialExecutor {
    private let jobs: JobQueue
    private let owner: Owner

    /// The thread, and the executor that it works for.
    private final class Owner: @unchecked Sendable {  // set before the thread starts
        let thread = Atomic<UInt>(0)
        /// The thread inside ``runIfIdle(_:)``, or 0.
        let guest = Atomic<UInt>(0)
        weak var executor: ThreadExecutor?
    }

    /// Starts the thread under a name of at most 15 bytes; throws as pthread_create(3) does.
    package init(name: String) throws(SystemError) {
        let jobs = JobQueue()
        let owner = Owner()
        self.jobs = jobs
        self.owner = owner
        owner.executor = self
        try OSThread.start(name: name) {
            owner.thread.store(UInt(pthread_self()), ordering: .relaxed)
            while let job = jobs.takeNext() {
                // A waiting job keeps its actor alive, and the actor keeps the executor. After the
                // job both may be gone, which is why the thread does not hold them itself.
                guard let executor = owner.executor else { return }
                job.runSynchronously(on: executor.asUnownedSerialExecutor())
            }
        }
    }

    deinit {
        self.jobs.finish()
    }

    /// Takes a job from any thread; jobs run in order, but those of a task of `high` priority run
    /// before all others that wait.
    package func enqueue(_ job: consuming ExecutorJob) {
        let isUrgent = job.priority.rawValue >= TaskPriority.high.rawValue
        let isTaken = self.jobs.append(UnownedJob(job), isUrgent: isUrgent)
        precondition(isTaken, "the queue ends with the executor")
    }

    /// Runs a call on the calling thread in the place of the executor's own, or gives nil at once
    /// where that is busy or jobs wait.
    ///
    /// It saves two wake-ups of sleeping threads. The call is isolated as a job is, so it may enter
    /// the executor's actor by `assumeIsolated`; jobs that come meanwhile run after it. From within
    /// a job it gives nil.
    package func runIfIdle<Result>(_ body: () -> Result) -> Result? {
        guard self.jobs.borrow() else { return nil }
        self.owner.guest.store(UInt(pthread_self()), ordering: .relaxed)
        defer {
            self.owner.guest.store(0, ordering: .relaxed)
            self.jobs.giveBack()
        }
        return body()
    }

    /// Names this executor to the concurrency runtime.
    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    private var isOnExecutor: Bool {
        // Only the asking thread itself can have put its own number there.
        let own = UInt(pthread_self())
        return self.owner.thread.load(ordering: .relaxed) == own
            || self.owner.guest.load(ordering: .relaxed) == own
    }

    /// Tells whether the calling thread is the executor's, or has taken its place.
    package func isIsolatingCurrentContext() -> Bool? { self.isOnExecutor }

    /// Traps when called on another thread than the executor's.
    package func checkIsolated() {
        precondition(self.isOnExecutor, "this must run on the executor's thread")
    }
}

/// What waits for the executor's thread, and whether anyone runs.
private final class JobQueue: @unchecked Sendable {  // all state is under the mutex
    // Both have fixed addresses, because the C library keeps pointers to them.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    /// What the thread sleeps on.
    ///
    /// A thread leaves a condition with the mutex, which then counts as contended: a system call more to unlock it.
    private let changed = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    private var urgent = Lane()
    private var usual = Lane()
    private var isFinished = false
    /// Whether the thread runs a job, or another thread is in its place.
    private var isBusy = true

    /// Whether no job waits; asked with the lock held.
    private var isEmpty: Bool { self.urgent.isEmpty && self.usual.isEmpty }

    /// Jobs in the order in which they came.
    private struct Lane {
        private var added: [UnownedJob] = []
        /// Older ones, the last first.
        private var next: [UnownedJob] = []

        var isEmpty: Bool { self.added.isEmpty && self.next.isEmpty }

        mutating func append(_ job: UnownedJob) { self.added.append(job) }

        mutating func takeFirst() -> UnownedJob? {
            if self.next.isEmpty {
                self.added.reverse()
                swap(&self.added, &self.next)
            }
            return self.next.popLast()
        }
    }

    init() {
        pthread_mutex_init(self.mutex, nil)
        sem_init(self.changed, 0, 0)
    }

    deinit {
        sem_destroy(self.changed)
        pthread_mutex_destroy(self.mutex)
        self.changed.deallocate()
        self.mutex.deallocate()
    }

    /// Adds a job; false, and nothing added, once finished.
    func append(_ job: UnownedJob, isUrgent: Bool) -> Bool {
        pthread_mutex_lock(self.mutex)
        guard !self.isFinished else {
            pthread_mutex_unlock(self.mutex)
            return false
        }
        let isFirst = self.isEmpty
        if isUrgent { self.urgent.append(job) } else { self.usual.append(job) }
        pthread_mutex_unlock(self.mutex)
        // After the lock, which the thread would otherwise wake up to and wait for.
        if isFirst { sem_post(self.changed) }
        return true
    }

    /// For the thread: ends its turn and takes the next job, sleeping until there is one; nil once
    /// finished and drained.
    func takeNext() -> UnownedJob? {
        pthread_mutex_lock(self.mutex)
        defer { pthread_mutex_unlock(self.mutex) }
        self.isBusy = false
        while self.isBusy || (self.isEmpty && !self.isFinished) {
            pthread_mutex_unlock(self.mutex)
            // It may return early, by a signal or by what came while a job ran.
            sem_wait(self.changed)
            pthread_mutex_lock(self.mutex)
        }
        self.isBusy = true
        return self.urgent.takeFirst() ?? self.usual.takeFirst()
    }

    /// For another thread: takes the turn if nobody has it and no job waits.
    func borrow() -> Bool {
        pthread_mutex_lock(self.mutex)
        defer { pthread_mutex_unlock(self.mutex) }
        guard !self.isBusy, self.isEmpty, !self.isFinished else { return false }
        self.isBusy = true
        return true
    }

    /// Ends the turn that ``borrow()`` took.
    func giveBack() {
        pthread_mutex_lock(self.mutex)
        self.isBusy = false
        let isAwaited = !self.isEmpty || self.isFinished
        pthread_mutex_unlock(self.mutex)
        if isAwaited { sem_post(self.changed) }
    }

    /// Lets the thread end after what waits already.
    func finish() {
        pthread_mutex_lock(self.mutex)
        self.isFinished = true
        pthread_mutex_unlock(self.mutex)
        sem_post(self.changed)
    }
}
