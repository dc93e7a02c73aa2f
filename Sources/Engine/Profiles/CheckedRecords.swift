internal import Crypto
internal import Formats

/// Records whose signatures were found right, while their authors are not known yet: to a newcomer each of its links
/// sends all of them, and each is checked once.
struct CheckedRecords: Sendable {
    private var hashes: Set<Bytes32> = []

    /// Whether a record was found right before; its hash is over all of it, with the signature.
    func contains(_ record: Record) -> Bool { self.hashes.contains(record.hash) }

    /// Notes that a record was found right; of too many all are forgotten, and checked anew.
    mutating func insert(_ record: Record) {
        if self.hashes.count >= Limits.checkedRecords { self.hashes = [] }
        self.hashes.insert(record.hash)
    }
}
