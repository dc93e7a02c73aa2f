package import Crypto

/// What a replica has of a conversation in two hashes, so that what is equal costs nothing more.
///
/// `Docs/Protocol/Sync.md` section 3.
package struct ConversationDigest: Hashable, Sendable {
    /// Over the logs.
    package var logs: Bytes32
    /// Over the records.
    package var records: Bytes32

    /// Combines two hashes.
    package init(logs: Bytes32, records: Bytes32) {
        self.logs = logs
        self.records = records
    }
}
