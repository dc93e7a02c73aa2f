internal import Engine
internal import Formats

/// One part of an ``Engine/Expiry``: which entries are to go of those that are looked at.
struct ExpiryWalk {
    /// Those that are older may go.
    let before: HybridTime
    /// Where it begins.
    let position: ExpiryPosition
    /// How many bytes have to go.
    var excess = Int64.max
    /// What counts as gone already, by arrival.
    var gone: Set<Int64> = []
    /// What is to go, and whose it is.
    private(set) var aged: [(row: EntryRow, author: PeerID)] = []
    private(set) var bytes: Int64 = 0
    /// Where the next part begins; nil where all is done.
    private(set) var next: ExpiryPosition?
    private let steps: [RetentionStep]
    private let isBounded: Bool
    private var left: [UInt64]
    private var last: ExpiryPosition?
    private var looked = 0

    /// - Parameter isBounded: whether no more may go than one transaction takes.
    init(_ expiry: Expiry, isBounded: Bool = true) {
        if case .before(let time) = expiry.bound {
            self.before = time
        } else {
            self.before = HybridTime(.max)
        }
        self.position = expiry.after ?? ExpiryPosition(of: 0)
        self.steps = expiry.steps
        self.isBounded = isBounded
        self.left = self.position.left ?? []
        if self.position.left == nil, self.position.step < self.steps.count {
            self.left = self.steps[self.position.step].most
        }
    }

    /// Whether enough has been found, or as much as one part may have.
    var isOver: Bool { self.bytes >= self.excess || self.isFull }

    private var isFull: Bool {
        self.isBounded
            && (self.aged.count == Limits.expiredPerBatch
                || self.bytes >= Int64(Limits.expiredBytesPerBatch))
    }

    /// Comes to an entry.
    mutating func look(at row: EntryRow) {
        self.looked += 1
        self.last = ExpiryPosition(
            time: row.time, number: row.arrival, step: self.position.step)
    }

    /// Takes the entry that it has come to, which may go, unless its share has lost enough.
    mutating func take(_ row: EntryRow, by author: PeerID, _ bytes: Int64) {
        guard !self.gone.contains(row.arrival) else { return }
        if self.position.step < self.steps.count {
            let name = LogName(author: author, incarnation: UInt64(stored: row.incarnation))
            guard let share = self.steps[self.position.step].shares[name], self.left[share] > 0
            else { return }
            self.left[share] -= min(self.left[share], UInt64(clamping: bytes))
        }
        self.aged.append((row, author))
        self.bytes += bytes
    }

    /// All rows were looked at that are there, or as many as may be.
    mutating func end(rowLimit: Int) {
        guard self.bytes < self.excess else { return }
        if self.isFull || self.looked >= rowLimit, var last = self.last {
            last.left = self.left
            self.next = last
        } else if self.position.step + 1 < self.steps.count {
            self.next = ExpiryPosition(of: self.position.step + 1)
        }
    }
}
