import Glibc

/// A value that several threads use, one at a time.
///
/// As `Synchronization.Mutex`, but on pthread_mutex_lock(3), which the thread sanitizer knows: what it
/// then reports is a race and not a lock that it does not see.
package final class Protected<Value>: @unchecked Sendable {  // the value is under the mutex
    // It has a fixed address, because the C library keeps pointers to it.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    /// Protects a value.
    package init(_ value: sending Value) {
        self.value = value
        pthread_mutex_init(self.mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(self.mutex)
        self.mutex.deallocate()
    }

    /// Runs something short while no other thread can use the value; not from within itself.
    package func withLock<Result>(_ body: (inout Value) -> sending Result) -> sending Result {
        pthread_mutex_lock(self.mutex)
        defer { pthread_mutex_unlock(self.mutex) }
        return body(&self.value)
    }
}
