internal import Formats

/// Records that wait for the disk: of each key the latest, in the order in which they came.
///
/// Peers may bring more of them at once than one transaction is to write.
struct WaitingRecords: Sendable {
    /// What somebody waits for, which goes with the next batch.
    private var first: [RecordKey: Record] = [:]
    private var records: [RecordKey: Record] = [:]
    /// The keys of these, and of some that were taken out.
    private var turns = Turns<RecordKey>()

    /// What peers have brought takes so much.
    private(set) var byteCount = 0
    /// The same by author.
    private var bytes: [PeerID: Int] = [:]
    /// Those for which there is no room on the disk any longer.
    var dropped: Set<RecordKey> = []

    var isEmpty: Bool { self.first.isEmpty && self.records.isEmpty && self.dropped.isEmpty }

    subscript(key: RecordKey) -> Record? { self.first[key] ?? self.records[key] }

    /// Takes a record in the place of any other of its key.
    ///
    /// - Parameter isFirst: whether the next batch has it in any case.
    mutating func add(_ record: Record, isFirst: Bool = false) {
        let key = record.key
        self.remove(key)
        guard !isFirst && self.first[key] == nil else {
            self.first[key] = record
            return
        }
        self.records[key] = record
        self.note(record.keptBytes, of: key.author)
        self.turns.add(key)
    }

    /// Takes out what some have written.
    mutating func forget(_ authors: Set<PeerID>) {
        self.first = self.first.filter { !authors.contains($0.key.author) }
        for key in self.records.keys where authors.contains(key.author) { self.remove(key) }
    }

    @discardableResult
    private mutating func remove(_ key: RecordKey) -> Record? {
        guard let record = self.records.removeValue(forKey: key) else { return nil }
        self.note(-record.keptBytes, of: key.author)
        return record
    }

    private mutating func note(_ change: Int, of author: PeerID) {
        self.byteCount += change
        let bytes = self.bytes[author, default: 0] + change
        self.bytes[author] = bytes == 0 ? nil : bytes
    }

    /// What peers have brought of an author.
    func byteCount(of author: PeerID) -> Int { self.bytes[author] ?? 0 }

    /// Takes out what the next batch is to have, ascending.
    mutating func takeNext() -> [Record] {
        var taken = Array(self.first.values)
        self.first = [:]
        var bytes = 0
        while bytes < Limits.recordBytesPerBatch, let key = self.turns.next() {
            guard let record = self.remove(key) else { continue }
            taken.append(record)
            bytes += record.keptBytes
        }
        return taken.sorted { $0.key < $1.key }
    }
}
