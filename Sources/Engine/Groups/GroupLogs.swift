internal import Crypto
internal import Formats

/// A log of a group whose next entry is not taken until something changes.
struct WaitingLog: Hashable, Sendable {
    enum Reason: Hashable, Sendable {
        /// What opens the entry is not here.
        case key(Bytes32)
        /// Its author is out, or is not known to have been brought in.
        case standing
    }

    /// The first entry that is not taken.
    var seq: UInt64
    var reason: Reason
}

/// What a conversation keeps because it is a group.
struct GroupLogs: Sendable {
    /// The members by the acts that are here.
    var people: Set<PersonID> = []
    /// Those devices of members that are known here, ascending.
    var devices: [PeerID] = []
    private(set) var waiting: [LogName: WaitingLog] = [:]

    /// The last entry of a log that is taken.
    func limit(of name: LogName) -> UInt64 { self.waiting[name].map { $0.seq - 1 } ?? .max }

    /// Holds a log back; false where it is held back there already.
    mutating func hold(_ name: LogName, _ waiting: WaitingLog) -> Bool {
        guard self.waiting[name] != waiting else { return false }
        self.waiting[name] = waiting
        return true
    }

    mutating func release(_ name: LogName) { self.waiting[name] = nil }
}
