/// What the peer of a link says to have of logs, by the numbers of these (``LogNumbers``).
///
/// In a room of a thousand people a node has a thousand rows on each of a hundred links. Of nearly all of them a seq
/// and a tag say everything: these take sixteen bytes, where a row in a dictionary by the log's name took 260.
struct PeerRows: Sendable {
    /// A row of which nothing special is said.
    private struct Place: Sendable {
        /// No log has as many entries.
        static let none = Place(seq: .max, headTag: 0)

        var seq: UInt64
        var headTag: UInt64
    }

    private var places: [Place] = []
    /// The rows that say more.
    private var others: [UInt32: ClockRow] = [:]
    private(set) var count = 0

    var isEmpty: Bool { self.count == 0 }

    /// The numbers of the logs of which the peer takes nothing.
    var refused: [UInt32] { self.others.filter { $0.value.state == .refused }.map(\.key) }

    /// The row of a log, without the log's tag, which its number stands for; nil where there is none.
    subscript(number: UInt32) -> ClockRow? {
        guard Int(number) < self.places.count else { return nil }
        let place = self.places[Int(number)]
        guard place.seq == .max else {
            return ClockRow(tag: 0, state: .open, seq: place.seq, headTag: place.headTag)
        }
        return self.others.isEmpty ? nil : self.others[number]
    }

    /// Keeps a row; false where it is the one that is kept.
    @discardableResult
    mutating func update(_ row: ClockRow, of number: UInt32) -> Bool {
        var row = row
        row.tag = 0
        let earlier = self[number]
        guard earlier != row else { return false }
        if earlier == nil { self.count += 1 }
        let missing = Int(number) + 1 - self.places.count
        if missing > 0 {
            self.places.append(contentsOf: repeatElement(.none, count: missing))
        }
        let isPlain =
            row.state == .open && row.first == 1 && row.whole == nil && row.shown == nil
            && row.seq < .max
        self.places[Int(number)] = isPlain ? Place(seq: row.seq, headTag: row.headTag) : .none
        if !isPlain {
            self.others[number] = row
        } else if !self.others.isEmpty {
            self.others[number] = nil
        }
        return true
    }

    /// Forgets the row of a log; false where there is none.
    @discardableResult
    mutating func remove(_ number: UInt32) -> Bool {
        guard self[number] != nil else { return false }
        self.count -= 1
        self.places[Int(number)] = .none
        self.others[number] = nil
        return true
    }
}
