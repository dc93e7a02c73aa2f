import Glibc
import Posix

/// Waiting on several descriptors at once: poll(2).
enum PollWait {
    /// What a wait came to.
    struct Outcome: Equatable {
        /// Those of the descriptors that have bytes, an end or an error to read.
        var readable: Set<Int32> = []
        /// Whether the reader of the watched pipe has gone.
        var pipeClosed = false
        /// Whether the time was up first.
        var timedOut: Bool { self.readable.isEmpty && !self.pipeClosed }
    }

    /// Waits until one of the descriptors is readable, the pipe has lost its reader or the time is
    /// up; without a time it waits for ever.
    ///
    /// Throws where a signal has come.
    static func until(
        readable descriptors: [Int32], closed pipe: Int32? = nil, millisecondsAtMost: Int32?
    ) throws(Failure) -> Outcome {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        if let interrupts = Interrupts.descriptor {
            entries.append(pollfd(fd: interrupts, events: Int16(POLLIN), revents: 0))
        }
        // Without asked events only errors are reported: for a pipe, that nobody reads.
        if let pipe { entries.append(pollfd(fd: pipe, events: 0, revents: 0)) }
        while true {
            let count = poll(&entries, nfds_t(entries.count), millisecondsAtMost ?? -1)
            let code = errno
            guard !Interrupts.isWaiting else { throw .interrupted() }
            if count >= 0 { break }
            guard code == EINTR else {
                throw Failure(
                    .internalError, why: "poll failed with errno \(code)",
                    next: "please report this bug in stoa")
            }
        }
        var outcome = Outcome()
        for entry in entries where entry.revents != 0 {
            if entry.fd == pipe, entry.events == 0 {
                outcome.pipeClosed = true
            } else {
                outcome.readable.insert(entry.fd)
            }
        }
        return outcome
    }

    /// Waits until one of the descriptors can be read, one of them can be written, or the time is up;
    /// gives those that can.
    static func any(
        readable: [Int32], writable: Int32?, millisecondsAtMost: Int32?
    ) -> Set<Int32> {
        var entries = readable.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        if let writable { entries.append(pollfd(fd: writable, events: Int16(POLLOUT), revents: 0)) }
        // Interrupted by a signal it says that nothing is ready, and whoever waits looks at the time.
        _ = poll(&entries, nfds_t(entries.count), millisecondsAtMost ?? -1)
        return Set(entries.filter { $0.revents != 0 }.map(\.fd))
    }

    /// Waits until a descriptor takes bytes or is broken; throws if it does not and a signal has come.
    static func until(writable descriptor: Int32) throws(Failure) {
        while true {
            let ready = self.any(
                readable: Interrupts.descriptor.map { [$0] } ?? [], writable: descriptor,
                millisecondsAtMost: nil)
            if ready.contains(descriptor) { return }
            guard !Interrupts.isWaiting else { throw .interrupted() }
        }
    }

    /// Waits for so long; throws where a signal has come.
    static func pause(milliseconds: Int32) throws(Failure) {
        _ = try self.until(readable: [], millisecondsAtMost: milliseconds)
    }
}
