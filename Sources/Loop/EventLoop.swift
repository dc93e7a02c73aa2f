import CLinux
import CSystemd
import Glibc
package import Posix
import Synchronization

/// One thread's event loop over sd-event, and the executor of the actor that is pinned to it.
///
/// The thread that makes the loop owns it until ``run()`` is called; from then on the calling thread
/// does. Only ``post(_:)``, ``stop()`` and the executor's own entry points may be used elsewhere;
/// everything else traps off the owning thread. Handlers run on that thread, so they may enter the
/// pinned actor: `{ [weak self] _ in self?.assumeIsolated { $0.receive() } }`. An idle loop does
/// not wake up.
package final class EventLoop: SerialExecutor {
    private enum Item {
        case job(UnownedJob)
        case call(@Sendable () -> Void)
    }

    /// What other threads touch.
    private struct Incoming {
        var items: [Item] = []
        /// True from the first item until the batch is taken, so one wake-up serves many items.
        var isWoken = false
    }

    private let incoming = Protected(Incoming())
    private let owner = Atomic<UInt>(UInt(pthread_self()))
    /// The thread inside ``run()``, or 0.
    ///
    /// Before that the owner may be about to hand the loop over,
    /// so only this one may touch a source when something is posted.
    private let runner = Atomic<UInt>(0)
    private let wake: FileDescriptor
    private let state: LoopState

    /// Makes a loop that the calling thread owns; throws when the system has no descriptors left.
    package init() throws(SystemError) {
        let number = clinux_eventfd()
        guard number >= 0 else { throw SystemError(errno, "eventfd") }
        let wake = FileDescriptor(owning: number)
        var event: OpaquePointer?
        let status = sd_event_new(&event)
        guard status >= 0, let event else { throw SystemError(-status, "sd_event_new") }
        self.state = LoopState(event: event)
        self.wake = wake
        // Each write is an edge, so nobody need read the count. The source points back at the loop without holding it:
        // it ends with it.
        let itself = Unmanaged.passUnretained(self).toOpaque()
        try self.check(
            "sd_event_add_io",
            sd_event_add_io(
                event, &self.state.wakeSource, number,
                UInt32(EPOLLIN.rawValue) | EPOLLET.rawValue,
                { _, _, _, loop in
                    EventLoop.from(loop)?.runBatch()
                    return 0
                }, itself))
    }

    deinit {
        sd_event_source_disable_unref(self.state.wakeSource)
        sd_event_unref(self.state.event)
    }

    /// Runs handlers, jobs and posted calls on the calling thread until ``stop()``.
    ///
    /// It may be called again afterwards. Throws only when waiting itself fails.
    package func run() throws(SystemError) {
        self.owner.store(UInt(pthread_self()), ordering: .relaxed)
        self.runner.store(UInt(pthread_self()), ordering: .relaxed)
        defer { self.runner.store(0, ordering: .relaxed) }
        self.state.isStopping = false
        while !self.state.isStopping {
            // One ready source, then one batch of the loop's own items, in turns. A deferred source
            // of sd-event keeps its age when it is set again and so starves all others.
            let status = sd_event_run(self.state.event, self.state.hasOwnItems ? 0 : UInt64.max)
            guard status >= 0 || status == -EINTR else {
                throw SystemError(-status, "sd_event_run")
            }
            if self.state.hasOwnItems { self.runBatch() }
        }
    }

    /// Makes ``run()`` return after what was posted before; may be called from any thread.
    package func stop() {
        self.post { self.state.isStopping = true }
    }

    /// Runs a call on the loop, after all that was posted or enqueued before; from any thread.
    ///
    /// What is posted while the loop does not run waits for the next ``run()``.
    package func post(_ call: @escaping @Sendable () -> Void) {
        self.append(.call(call))
    }

    /// Runs a call on the loop after the running handler has returned, and after what was posted.
    ///
    /// For handlers that may not do it themselves, for instance because a C library is on the stack.
    /// Unlike ``post(_:)`` it takes any closure, and so traps off the loop's thread.
    package func runLater(_ call: @escaping () -> Void) {
        self.checkIsolated()
        struct Parcel: @unchecked Sendable {  // goes from the loop's thread to the loop's thread
            let call: () -> Void
        }
        let parcel = Parcel(call: call)
        self.post { parcel.call() }
    }

    /// Takes a job from the concurrency runtime, on any thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        self.append(.job(UnownedJob(job)))
    }

    /// Names this executor to the concurrency runtime.
    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// True on the thread that owns the loop.
    package var isOnLoop: Bool {
        self.owner.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Tells the concurrency runtime whether the calling thread owns the loop.
    package func isIsolatingCurrentContext() -> Bool? { self.isOnLoop }

    /// Traps off the thread that owns the loop; `assumeIsolated` asks it.
    package func checkIsolated() {
        precondition(self.isOnLoop, "this must run on the event loop's thread")
    }

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> EventLoop? {
        pointer.map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    private func append(_ item: Item) {
        let isFirst = self.incoming.withLock { incoming in
            incoming.items.append(item)
            defer { incoming.isWoken = true }
            return !incoming.isWoken
        }
        guard isFirst else { return }
        if self.runner.load(ordering: .relaxed) == UInt(pthread_self()) {
            // The loop is awake and looks here before it sleeps, so no system call is needed.
            self.state.hasOwnItems = true
        } else {
            var one: UInt64 = 1
            _ = write(self.wake.number, &one, 8)
        }
    }

    /// Runs what waits now.
    ///
    /// What that adds comes in the next round, so that sockets get their turn.
    private func runBatch() {
        self.state.hasOwnItems = false
        let batch = self.incoming.withLock { incoming in
            let items = incoming.items
            incoming.items = []
            incoming.isWoken = false
            return items
        }
        for item in batch {
            switch item {
            case .job(let job): job.runSynchronously(on: self.asUnownedSerialExecutor())
            case .call(let call): call()
            }
        }
    }

    private func check(_ call: String, _ status: Int32) throws(SystemError) {
        guard status >= 0 else { throw SystemError(-status, call) }
    }
}

/// What only the thread that owns the loop touches.
private final class LoopState: @unchecked Sendable {  // for the loop's thread only
    let event: OpaquePointer
    var wakeSource: OpaquePointer?
    /// True when the loop's own thread has enqueued something, for which nobody is woken up.
    var hasOwnItems = false
    var isStopping = false

    init(event: OpaquePointer) {
        self.event = event
    }
}

extension EventLoop {
    /// Calls a handler whenever a descriptor is ready for what it is watched for.
    ///
    /// The descriptor stays the caller's and must outlive the watch: cancel first, close then. The
    /// watch ends with its last reference. Throws `EPERM` for files that cannot be waited for, such
    /// as regular ones, and `EEXIST` for a descriptor that is watched already.
    package func watch(
        _ descriptor: Int32, for interest: IOEvents, handler: @escaping (IOEvents) -> Void
    ) throws(SystemError) -> IOWatch {
        self.checkIsolated()
        let box = SourceBox(handler)
        var source: OpaquePointer?
        let status = sd_event_add_io(
            self.state.event, &source, descriptor, interest.epoll,
            { _, _, events, box in
                SourceBox<(IOEvents) -> Void>.from(box)?.handler(IOEvents(epoll: events))
                return 0
            }, box.retained())
        return IOWatch(
            try self.own(source, status, box, "watch descriptor \(descriptor)"),
            interest: interest)
    }

    /// Makes a timer that calls a handler once each time it has been set and comes due.
    package func makeTimer(_ handler: @escaping () -> Void) throws(SystemError) -> LoopTimer {
        self.checkIsolated()
        let box = SourceBox(handler)
        var source: OpaquePointer?
        let status = sd_event_add_time(
            self.state.event, &source, CLOCK_MONOTONIC, UInt64.max, 0,
            { _, _, box in
                SourceBox<() -> Void>.from(box)?.handler()
                return 0
            }, box.retained())
        let owned = try self.own(source, status, box, "make timer")
        sd_event_source_set_enabled(owned.source, Int32(SD_EVENT_OFF))
        return LoopTimer(owned)
    }

    /// Calls a handler for each signal of a kind, such as `SIGTERM`.
    ///
    /// Blocks the signal in the calling thread; call it before other threads are started, since they
    /// inherit that. Throws `EBUSY` when the loop handles this signal already.
    package func onSignal(
        _ signal: Int32, handler: @escaping () -> Void
    ) throws(SystemError) -> SignalWatch {
        self.checkIsolated()
        let box = SourceBox(handler)
        var source: OpaquePointer?
        let status = sd_event_add_signal(
            self.state.event, &source, signal | SD_EVENT_SIGNAL_PROCMASK,
            { _, _, box in
                SourceBox<() -> Void>.from(box)?.handler()
                return 0
            }, box.retained())
        return SignalWatch(try self.own(source, status, box, "watch signal \(signal)"))
    }

    /// Keeps the service manager's watchdog quiet for as long as the loop turns.
    ///
    /// Returns false when the manager does not ask for it; nothing wakes up then.
    /// `sd_event_set_watchdog(3)`.
    package func enableWatchdog() throws(SystemError) -> Bool {
        self.checkIsolated()
        let status = sd_event_set_watchdog(self.state.event, 1)
        guard status >= 0 else { throw SystemError(-status, "sd_event_set_watchdog") }
        return status > 0
    }

    /// Binds a new source and its box to a handle, or lets the box go when there is no source.
    private func own<Handler>(
        _ source: OpaquePointer?, _ status: Int32, _ box: SourceBox<Handler>, _ context: String
    ) throws(SystemError) -> OwnedSource {
        guard status >= 0, let source else {
            box.released()
            precondition(-status != EBADF, "a closed descriptor was watched")
            throw SystemError(-status, context)
        }
        sd_event_source_set_destroy_callback(source) { box in
            guard let box else { return }
            Unmanaged<AnyObject>.fromOpaque(box).release()
        }
        return OwnedSource(source, loop: self)
    }
}
