/// The tasks that a shell has begun and that have not ended, so that stopping can wait for them.
struct TaskTable {
    private var tasks: [UInt64: Task<Void, Never>] = [:]
    private var last: UInt64 = 0

    /// Whether none is under way.
    var isEmpty: Bool { self.tasks.isEmpty }

    /// The number of the next task.
    mutating func number() -> UInt64 {
        self.last += 1
        return self.last
    }

    /// Keeps a task until ``ended(_:)`` is told of its number.
    mutating func keep(_ task: Task<Void, Never>, as number: UInt64) { self.tasks[number] = task }

    /// Forgets a task that has ended.
    mutating func ended(_ number: UInt64) { self.tasks[number] = nil }

    /// Cancels all, which go on to their ends.
    func cancel() {
        for number in self.tasks.keys.sorted() { self.tasks[number]?.cancel() }
    }
}
