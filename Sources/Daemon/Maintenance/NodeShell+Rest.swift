internal import Engine
internal import Formats
internal import Loop
internal import Posix
internal import Storage

/// Giving back the memory that work has left, once there is no more of it.
extension NodeShell {
    /// Notes that the store is used.
    func noteStoreUse() {
        guard self.disk.rest.used(at: SystemClock.monotonicMilliseconds()) else { return }
        self.lookForRest(after: RestSchedule.quietMilliseconds)
    }

    private func lookForRest(after milliseconds: UInt64) {
        self.after(milliseconds, accuracy: .milliseconds(1_000)) {
            guard self.life.isRunning else { return }
            // Relocations and all that a start does once are half of what the process has touched; what it
            // needs day by day stays. That goes also where there is never a rest.
            ProcessEnvironment.releaseCode()
            if let later = self.disk.rest.due(at: SystemClock.monotonicMilliseconds()) {
                self.lookForRest(after: later)
            } else {
                self.giveBackMemory()
            }
        }
    }

    private func giveBackMemory() {
        self.ask { (store) async throws(StoreFailure) in
            await store.releaseMemory()
        } then: { _ in
            ProcessEnvironment.releaseHeap()
            if self.disk.rest.rested() { self.lookForRest(after: RestSchedule.quietMilliseconds) }
        }
    }
}
