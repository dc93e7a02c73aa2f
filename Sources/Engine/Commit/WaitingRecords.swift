/// Records that wait for the disk: of each key the latest, in the order in which they came.
///
/// Peers may bring more of them at once than one transaction is to write.
struct WaitingRecords: Sendable {
    /// What somebody waits for, which goes with the next batch.
    private var first: [RecordKey: Record] = [:]
    private var records: [RecordKey: Record] = [:]
    /// The keys of these, and of some that were taken out.
    private var turns = Turns<RecordKey>()

    var isEmpty: Bool { self.first.isEmpty && self.records.isEmpty }

    subscript(key: RecordKey) -> Record? { self.first[key] ?? self.records[key] }

    /// Takes a record in the place of any other of its key.
    ///
    /// - Parameter isFirst: whether the next batch has it in any case.
    mutating func add(_ record: Record, isFirst: Bool = false) {
        let key = record.key
        if isFirst || self.first[key] != nil {
            self.records[key] = nil
            self.first[key] = record
        } else {
            self.records[key] = record
            self.turns.add(key)
        }
    }

    /// Takes out what some have written.
    mutating func forget(_ authors: Set<PeerID>) {
        self.first = self.first.filter { !authors.contains($0.key.author) }
        self.records = self.records.filter { !authors.contains($0.key.author) }
    }

    /// Takes out what the next batch is to have, ascending.
    mutating func takeNext() -> [Record] {
        var taken = Array(self.first.values)
        self.first = [:]
        var bytes = 0
        while bytes < Limits.recordBytesPerBatch, let key = self.turns.next() {
            guard let record = self.records.removeValue(forKey: key) else { continue }
            taken.append(record)
            bytes += record.keptBytes
        }
        return taken.sorted { $0.key < $1.key }
    }
}
