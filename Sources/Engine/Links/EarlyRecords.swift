internal import Formats

/// Records that a peer has sent of authors who no shared conversation knows yet: their first entries follow.
struct EarlyRecords: Sendable {
    private var records: [PeerID: [RecordKey: Record]] = [:]
    private(set) var count = 0
    /// What they take.
    private(set) var byteCount = 0

    var isEmpty: Bool { self.count == 0 }

    /// Gives the records of an author, ascending, and forgets them.
    mutating func take(of author: PeerID) -> [Record] {
        guard !self.isEmpty, let found = self.records.removeValue(forKey: author) else { return [] }
        self.count -= found.count
        for record in found.values { self.byteCount -= record.keptBytes }
        // A dictionary keeps its room; a newcomer has such a one on each of a hundred links.
        if self.isEmpty { self.records = [:] }
        return found.values.sorted { $0.key < $1.key }
    }

    /// Keeps a record, where there is room.
    mutating func keep(_ record: Record) {
        if let known = self.records[record.author]?[record.key] {
            guard record.supersedes(known) else { return }
            self.byteCount -= known.keptBytes
        } else {
            guard self.count < Limits.earlyRecords else { return }
            self.count += 1
        }
        self.byteCount += record.keptBytes
        self.records[record.author, default: [:]][record.key] = record
    }
}
