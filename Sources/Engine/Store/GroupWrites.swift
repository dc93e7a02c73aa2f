package import Crypto
package import Formats

/// What one transaction writes of groups.
package struct GroupWrites: Hashable, Sendable {
    /// Acts to keep, each behind those of its basis; one that is there already is left as it is.
    package var acts: [Act] = []
    /// Acts that are not kept any longer, before those are.
    package var goneActs: [ConversationID: Set<ActID>] = [:]
    /// Keys to keep.
    package var epochs: [HeldEpoch] = []
    /// Groups of which no act and no key is kept, before all of these.
    package var forgotten: Set<ConversationID> = []
    /// Requests to keep, in the place of an earlier one of the same group.
    package var requests: [GroupRequest] = []
    /// Groups of which no request is kept, before those are.
    package var endedRequests: Set<ConversationID> = []

    package init() {}

    package var isEmpty: Bool {
        self.acts.isEmpty && self.goneActs.isEmpty && self.epochs.isEmpty && self.forgotten.isEmpty
            && self.requests.isEmpty && self.endedRequests.isEmpty
    }

    /// Adds what is written behind this.
    mutating func add(_ later: GroupWrites) {
        self.acts += later.acts
        self.goneActs.merge(later.goneActs) { $0.union($1) }
        self.epochs += later.epochs
        self.forgotten.formUnion(later.forgotten)
        let ended = later.endedRequests.union(later.requests.map(\.group))
        self.requests.removeAll { ended.contains($0.group) }
        self.requests += later.requests
        self.endedRequests.formUnion(later.endedRequests)
    }
}

/// A key of a group, and what its maker announced of it.
package struct HeldEpoch: Hashable, Sendable {
    package var group: ConversationID
    package var epoch: Epoch
    /// Nil where it is not for the user, who was no member when it was made: what it seals is kept unread.
    package var key: Bytes32?
    /// Whether the log that announces it is here as far as that: others may never find the announcement otherwise, so
    /// nothing is sealed with it before, and nobody is given it.
    package var isPlaced: Bool

    package init(group: ConversationID, epoch: Epoch, key: Bytes32?, isPlaced: Bool = false) {
        self.group = group
        self.epoch = epoch
        self.key = key
        self.isPlaced = isPlaced
    }
}

/// That somebody has brought the user into a group, which the user has not accepted yet, or has declined.
///
/// One row of the store for each group; nothing else of it is kept before the user has accepted.
package struct GroupRequest: Hashable, Sendable {
    package var group: ConversationID
    /// The device that brought the acts.
    package var device: PeerID
    /// The act that asks: of one that is declined, the same does not ask again.
    package var add: ActID
    /// The founding, what asks, and as much between the two as came with it, oldest first.
    ///
    /// At most ``Limits/actsFrameBytes``; none once it is declined.
    package var acts: [Act]
    /// When it came, wall-clock milliseconds.
    package var time: UInt64
    /// From where it came.
    package var source: String
    /// Whether the user has declined it, of which nobody is told.
    package var isDeclined: Bool { self.acts.isEmpty }

    package init(
        group: ConversationID, device: PeerID, add: ActID, acts: [Act], time: UInt64,
        source: String
    ) {
        self.group = group
        self.device = device
        self.add = add
        self.acts = acts
        self.time = time
        self.source = source
    }
}
