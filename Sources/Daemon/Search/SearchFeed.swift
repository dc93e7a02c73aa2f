internal import Engine
internal import Formats
internal import Posix
internal import Storage

/// The index of what can be found, once somebody has searched, and how far it is.
///
/// Lives on the loop.
final class SearchFeed {
    /// What it is doing.
    enum Phase {
        /// Nobody has searched yet, in this start or an earlier one.
        case unused
        /// The file is being opened.
        case opening
        case open(SearchIndex)
        /// It cannot be had, and why.
        case failed(StoreFailure)
    }

    var phase = Phase.unused
    /// Whether messages are being put into it.
    var isFeeding = false
    /// Whether it is to be fed again once it has been.
    var isBehind = false
    /// How much is put into it at a time.
    var pace = IndexPace()
    /// Whether a turn for feeding is planned.
    var isPlanned = false
    /// Places of messages that are gone and must not be found.
    var removals: [Int64] = []
    /// Who waits until all messages are in it.
    var waiting: [() -> Void] = []

    /// The open index; nil where there is none.
    var index: SearchIndex? {
        if case .open(let index) = self.phase { index } else { nil }
    }

    /// Gives those who wait, once.
    func takeWaiting() -> [() -> Void] {
        defer { self.waiting = [] }
        return self.waiting
    }
}
