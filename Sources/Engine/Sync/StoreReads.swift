internal import Formats

/// What a run that is read from the store is for.
enum ReadPurpose: Hashable, Sendable {
    /// Own entries to push on.
    case live(LinkID, LogKey)
    /// Entries that a peer wants.
    case sync(LinkID, Serving)
    /// Own view of a log that may have forked.
    case fork(LogKey)
    /// Own view of a log of which a site has brought another one.
    case siteFork(VerifiedRun)
    /// Payloads that a peer asks for.
    case payloads(LinkID, PayloadServing)
    /// What is stored of entries whose payloads have come.
    case fill(PayloadArrival)
    /// The own entry before a fork point that a peer has proven.
    case end(ForkProof)
    /// The proof of a fork that a peer is owed.
    case proof(LinkID, LogKey)
}

/// The reads that the store has not answered.
struct StoreReads: Sendable {
    private var purposes: [ReadID: ReadPurpose] = [:]
    private var last: UInt64 = 0

    var count: Int { self.purposes.count }

    mutating func begin(_ purpose: ReadPurpose) -> ReadID {
        self.last += 1
        let read = ReadID(self.last)
        self.purposes[read] = purpose
        return read
    }

    /// What a read was for; nil where its link has ended meanwhile.
    mutating func end(_ read: ReadID) -> ReadPurpose? { self.purposes.removeValue(forKey: read) }

    /// Forgets what was read for a link that is gone.
    mutating func drop(of link: LinkID) {
        self.purposes = self.purposes.filter { entry in
            switch entry.value {
            case .live(let reader, _), .sync(let reader, _): reader != link
            case .payloads(let reader, _), .proof(let reader, _): reader != link
            case .fork, .siteFork, .end, .fill: true
            }
        }
    }
}
