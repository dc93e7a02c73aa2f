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

    package init() {}

    package var isEmpty: Bool {
        self.acts.isEmpty && self.goneActs.isEmpty && self.epochs.isEmpty && self.forgotten.isEmpty
    }
}

/// A key of a group that is here, and what its maker announced of it.
package struct HeldEpoch: Hashable, Sendable {
    package var group: ConversationID
    package var epoch: Epoch
    package var key: Bytes32

    package init(group: ConversationID, epoch: Epoch, key: Bytes32) {
        self.group = group
        self.epoch = epoch
        self.key = key
    }
}
