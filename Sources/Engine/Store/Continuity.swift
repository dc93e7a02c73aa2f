package import Crypto
package import Formats

/// What a place outside the own log remembers of the last start, to tell a store that went on from
/// one that was put back.
///
/// The store and a continuity file in another directory each keep one; design: an own log may only
/// go on in the same incarnation while both tell the same story. A log that went on after its store
/// had been put back to an earlier state would fork.
package struct Continuity: Hashable, Sendable {
    /// Whose logs the store calls its own.
    package var owner: PeerID
    /// How many starts have written to the store.
    package var starts: UInt64
    /// Random, fresh with the first commit of each start: equal on both sides only when one start
    /// wrote both.
    package var token: Bytes32
    /// The inode of the store's file; a restored file has another one.
    package var inode: UInt64
    /// When that inode was made, in nanoseconds since 1970; nil where the file system does not say.
    package var birthNanoseconds: Int64?
    /// Grows with every own entry; the continuity file learns of it after the commit, without a
    /// sync of its own.
    package var mark: Int64

    /// Gathers what is remembered.
    package init(
        owner: PeerID, starts: UInt64, token: Bytes32, inode: UInt64, birthNanoseconds: Int64?,
        mark: Int64
    ) {
        self.owner = owner
        self.starts = starts
        self.token = token
        self.inode = inode
        self.birthNanoseconds = birthNanoseconds
        self.mark = mark
    }

    /// Whether the own logs may go on: the store is the very file that the continuity file last
    /// saw.
    ///
    /// It must also have all that the continuity file knows to have been written. `store` holds
    /// what the database says, with the inode and birth time of its file; `file` what the
    /// continuity file says; nil where there is none or it cannot be read. A store that is ahead of
    /// its continuity file lost nothing: the continuity file is not synced with each commit.
    package static func isProven(store: Continuity?, file: Continuity?) -> Bool {
        guard let store, let file else { return false }
        return store.owner == file.owner && store.starts == file.starts
            && store.token == file.token && store.inode == file.inode
            && store.birthNanoseconds == file.birthNanoseconds && store.mark >= file.mark
    }
}
