import Glibc
import Synchronization

/// Runs the jobs of an actor on one thread of its own, which may block.
///
/// The thread sleeps while there is nothing to do and ends with the last reference to the executor.
public final class ThreadExecutor: SerialExecutor {
    private let jobs: BlockingQueue<UnownedJob>
    private let owner: Owner

    /// The thread, and the executor that it works for.
    private final class Owner: @unchecked Sendable {  // set before the thread starts
        let thread = Atomic<UInt>(0)
        weak var executor: ThreadExecutor?
    }

    /// Starts the thread under a name of at most 15 bytes; throws as pthread_create(3) does.
    public init(name: String) throws(SystemError) {
        let jobs = BlockingQueue<UnownedJob>()
        let owner = Owner()
        self.jobs = jobs
        self.owner = owner
        owner.executor = self
        try OSThread.start(name: name) {
            owner.thread.store(UInt(pthread_self()), ordering: .relaxed)
            while true {
                let batch = jobs.takeAll()
                if batch.isEmpty { return }
                for job in batch {
                    // A waiting job keeps its actor alive, and the actor keeps the executor. After
                    // the job both may be gone, which is why the thread does not hold them itself.
                    guard let executor = owner.executor else { return }
                    job.runSynchronously(on: executor.asUnownedSerialExecutor())
                }
            }
        }
    }

    deinit {
        self.jobs.finish()
    }

    /// Takes a job from any thread; jobs run in order.
    public func enqueue(_ job: consuming ExecutorJob) {
        let isTaken = self.jobs.append(UnownedJob(job))
        precondition(isTaken, "the queue ends with the executor")
    }

    /// Names this executor to the concurrency runtime.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// Tells whether the calling thread is the executor's.
    public func isIsolatingCurrentContext() -> Bool? {
        self.owner.thread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Traps when called on another thread than the executor's.
    public func checkIsolated() {
        precondition(
            self.owner.thread.load(ordering: .relaxed) == UInt(pthread_self()),
            "this must run on the executor's thread")
    }
}
