package import Posix

/// One thread for calls that block, whose results come back to an event loop in order.
///
/// The thread sleeps while there is nothing to do and ends with the last reference to the worker,
/// after the calls that wait.
package final class Worker: Sendable {
    /// Calls that may wait when nothing else is said.
    package static let usualCapacity = 1_024

    private let loop: EventLoop
    private let calls = BlockingQueue<@Sendable () -> Void>()
    private let capacity: Int

    /// Starts the thread under a name of at most 15 bytes; throws as pthread_create(3) does.
    package init(
        name: String, loop: EventLoop, capacity: Int = Worker.usualCapacity
    ) throws(SystemError) {
        self.loop = loop
        self.capacity = capacity
        let calls = self.calls
        try OSThread.start(name: name) {
            while true {
                let batch = calls.takeAll()
                if batch.isEmpty { return }
                for call in batch { call() }
            }
        }
    }

    deinit {
        self.calls.finish()
    }

    /// Runs a blocking call on the worker's thread and then hands its result to a closure on the loop.
    ///
    /// Call it on the loop. Returns false, and runs neither, when as many calls wait as the capacity
    /// allows. The closure is also let go on the loop.
    @discardableResult
    package func run<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, then: @escaping (Result) -> Void
    ) -> Bool {
        self.loop.checkIsolated()
        let loop = self.loop
        let parcel = Parcel(then)
        return self.calls.append(
            {
                let result = work()
                loop.post {
                    parcel.open()?(result)
                }
            }, limit: self.capacity)
    }

    /// Carries a closure of the loop through the worker's thread without opening it there.
    private final class Parcel<Content>: @unchecked Sendable {  // content is only used on the loop
        private var content: Content?

        init(_ content: Content) {
            self.content = content
        }

        /// Takes the content out, so that whichever thread drops the parcel last drops an empty one.
        func open() -> Content? {
            defer { self.content = nil }
            return self.content
        }
    }
}
