import Glibc

/// SIGINT and SIGTERM for commands that run until they are told to end.
enum InterruptSignals {
    /// From here on the two signals end the process well, but only inside `whileAllowed`.
    ///
    /// So the end never falls between a line that was written and its acknowledgement.
    static func endWellWhenAllowed() {
        self.change(SIG_BLOCK)
        // The handler captures nothing and calls one function that is safe in handlers.
        signal(SIGINT) { _ in _exit(0) }
        signal(SIGTERM) { _ in _exit(0) }
    }

    /// Runs something that may take long, during which the two signals are let through.
    static func whileAllowed<R>(_ body: () throws(Failure) -> R) throws(Failure) -> R {
        self.change(SIG_UNBLOCK)
        defer { self.change(SIG_BLOCK) }
        return try body()
    }

    private static func change(_ how: Int32) {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        sigprocmask(how, &set, nil)
    }
}
