import Glibc

/// A first-in first-out queue between threads, whose reader sleeps while it is empty.
package final class BlockingQueue<Element>: @unchecked Sendable {  // all state is under the mutex
    // Both have fixed addresses, because the C library keeps pointers to them.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let filled = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var elements: [Element] = []
    private var isFinished = false

    package init() {
        pthread_mutex_init(self.mutex, nil)
        pthread_cond_init(self.filled, nil)
    }

    deinit {
        pthread_cond_destroy(self.filled)
        pthread_mutex_destroy(self.mutex)
        self.filled.deallocate()
        self.mutex.deallocate()
    }

    /// Adds an element; returns false, and adds nothing, when finished or when so many wait already.
    package func append(_ element: sending Element, limit: Int = .max) -> Bool {
        pthread_mutex_lock(self.mutex)
        guard !self.isFinished, self.elements.count < limit else {
            pthread_mutex_unlock(self.mutex)
            return false
        }
        self.elements.append(element)
        let isFirst = self.elements.count == 1
        pthread_mutex_unlock(self.mutex)
        // After the lock, which the reader would otherwise wake up to and wait for.
        if isFirst { pthread_cond_signal(self.filled) }
        return true
    }

    /// Takes all that wait, sleeping until there is something; empty once finished and drained.
    package func takeAll() -> [Element] {
        pthread_mutex_lock(self.mutex)
        defer { pthread_mutex_unlock(self.mutex) }
        while self.elements.isEmpty, !self.isFinished {
            pthread_cond_wait(self.filled, self.mutex)
        }
        let taken = self.elements
        self.elements = []
        return taken
    }

    /// Lets the reader end after what waits already.
    package func finish() {
        pthread_mutex_lock(self.mutex)
        defer { pthread_mutex_unlock(self.mutex) }
        self.isFinished = true
        pthread_cond_broadcast(self.filled)
    }
}
