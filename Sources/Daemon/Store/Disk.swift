internal import Engine
internal import Posix
internal import Storage

/// The store, the thread on which it lives, and what is under way there.
struct Disk {
    private let store: MessageStore
    private let executor: ThreadExecutor
    private var isClosed = false
    var scheduler = StoreScheduler()
    var tasks = TaskTable()
    var rest = RestSchedule()
    private var isLogToBeEmptied = false
    /// Why commits fail, as the log says it already; nil while they succeed.
    private var failing: StoreFailure.Reason?

    init(_ store: MessageStore, on executor: ThreadExecutor) {
        self.store = store
        self.executor = executor
    }

    /// The store; nil once it is being closed.
    var open: MessageStore? { self.isClosed ? nil : self.store }

    /// Gives the store to whoever closes it, once.
    mutating func takeToClose() -> MessageStore? {
        defer { self.isClosed = true }
        return self.open
    }

    /// Does something with the store on this thread; nil, and nothing is done, where its own is not idle.
    func ifIdle<Value: Sendable>(
        _ body: (isolated MessageStore) -> Value
    ) -> Value? {
        guard let store = self.open else { return nil }
        return self.executor.runIfIdle { store.assumeIsolated(body) }
    }

    /// Notes how a commit went; whether that is a failure which the log does not tell yet.
    mutating func isNewFailure(_ reason: StoreFailure.Reason?) -> Bool {
        defer { self.failing = reason }
        return reason != nil && reason != self.failing
    }

    /// Plans to empty the write-ahead log; false where that is planned.
    mutating func planLogEmptying() -> Bool {
        defer { self.isLogToBeEmptied = true }
        return !self.isLogToBeEmptied
    }

    mutating func logEmptyingDue() { self.isLogToBeEmptied = false }
}
