import CSystemd

/// A watched descriptor; it is watched until ``cancel()`` or the last reference goes.
package final class IOWatch {
    private var owned: OwnedSource?
    /// What the descriptor is watched for.
    package private(set) var interest: IOEvents

    init(_ owned: consuming OwnedSource, interest: IOEvents) {
        self.owned = consume owned
        self.interest = interest
        if interest.epoll == 0 { self.set(interest) }
    }

    /// Changes what is reported; with an empty set nothing is, not even a hang-up.
    ///
    /// After ``cancel()`` it has no effect. Traps off the loop's thread.
    package func set(_ interest: IOEvents) {
        self.owned?.checkIsolated()
        self.interest = interest
        guard let source = self.source else { return }
        if interest.epoll == 0 {
            sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
        } else {
            sd_event_source_set_io_events(source, interest.epoll)
            sd_event_source_set_enabled(source, Int32(SD_EVENT_ON))
        }
    }

    /// Has a watch come after all others that have something and a smaller rank; 0 is the usual one.
    ///
    /// Among those of one rank each has its turn. Traps off the loop's thread.
    package func setRank(_ rank: Int) {
        self.owned?.checkIsolated()
        guard let source = self.source else { return }
        sd_event_source_set_priority(source, Int64(SD_EVENT_PRIORITY_NORMAL) + Int64(rank))
    }

    /// Stops watching; the handler is not called again and is let go.
    ///
    /// Traps off the loop's thread.
    package func cancel() {
        self.owned?.checkIsolated()
        self.owned = nil
    }

    private var source: OpaquePointer? { self.owned?.source }
}
