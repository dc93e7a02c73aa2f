/// A watched signal; it is watched until ``cancel()`` or the last reference goes.
///
/// The signal stays blocked afterwards, so one that comes late ends nothing by surprise.
package final class SignalWatch {
    private var owned: OwnedSource?

    init(_ owned: consuming OwnedSource) {
        self.owned = consume owned
    }

    /// Stops watching and lets the handler go.
    ///
    /// Traps off the loop's thread.
    package func cancel() {
        self.owned?.checkIsolated()
        self.owned = nil
    }
}
