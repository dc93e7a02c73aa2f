internal import Formats

/// What the peer of a link says to have of logs, by the numbers of these (``LogNumbers``).
///
/// In a room of a thousand people a node has a thousand rows on each of a hundred links. Of nearly all of them a seq
/// and a tag say everything: these take sixteen bytes, where a row in a dictionary by the log's name took 260. What
/// rows say beside that peers may say of all logs, too, so that of strangers is bounded: ``forgetSpecials(but:)``.
struct PeerRows: Sendable {
    private struct Place: Sendable {
        /// No log has as many entries.
        static let none = Place(seq: .max, headTag: 0)

        var seq: UInt64
        var headTag: UInt64
    }

    /// What a row says beside that.
    private struct Special: Sendable {
        var first: UInt64
        /// As `shown`, the largest number for none.
        var whole: UInt64
        var shown: UInt64
        var state: ClockRow.State

        /// Nil where a row says nothing special.
        init?(_ row: ClockRow) {
            let isPlain =
                row.state == .open && row.first == 1 && row.whole == nil && row.shown == nil
            guard !isPlain else { return nil }
            self.first = row.first
            self.whole = row.whole ?? .max
            self.shown = row.shown ?? .max
            self.state = row.state
        }
    }

    private var places: [Place] = []
    private var specials: [UInt32: Special] = [:]
    private(set) var count = 0

    var isEmpty: Bool { self.count == 0 }

    /// How many rows say something special.
    var specialCount: Int { self.specials.count }

    /// The numbers of the logs of which the peer takes nothing.
    var refused: [UInt32] { self.specials.filter { $0.value.state == .refused }.map(\.key) }

    /// The row of a log, without the log's tag, which its number stands for; nil where there is none.
    subscript(number: UInt32) -> ClockRow? {
        guard Int(number) < self.places.count else { return nil }
        let place = self.places[Int(number)]
        guard place.seq < Place.none.seq else { return nil }
        var row = ClockRow(tag: 0, state: .open, seq: place.seq, headTag: place.headTag)
        guard !self.specials.isEmpty, let special = self.specials[number] else { return row }
        row.state = special.state
        row.first = special.first
        row.whole = special.whole == .max ? nil : special.whole
        row.shown = special.shown == .max ? nil : special.shown
        return row
    }

    /// Keeps a row; false where it is the one that is kept.
    @discardableResult
    mutating func update(_ row: ClockRow, of number: UInt32) -> Bool {
        guard row.seq < Place.none.seq else { return false }
        var row = row
        row.tag = 0
        let earlier = self[number]
        guard earlier != row else { return false }
        if earlier == nil { self.count += 1 }
        let missing = Int(number) + 1 - self.places.count
        if missing > 0 {
            self.places.append(contentsOf: repeatElement(.none, count: missing))
        }
        self.places[Int(number)] = Place(seq: row.seq, headTag: row.headTag)
        self.setSpecial(Special(row), of: number)
        return true
    }

    private mutating func setSpecial(_ special: Special?, of number: UInt32) {
        guard special != nil || !self.specials.isEmpty else { return }
        self.specials[number] = special
        // A dictionary keeps its room.
        if self.specials.isEmpty { self.specials = [:] }
    }

    /// Forgets the row of a log; false where there is none.
    @discardableResult
    mutating func remove(_ number: UInt32) -> Bool {
        guard self[number] != nil else { return false }
        self.count -= 1
        self.places[Int(number)] = .none
        self.setSpecial(nil, of: number)
        return true
    }

    /// Forgets what is special about rows, but for those of some logs: the peer counts as one that has all payloads
    /// up to where it has entries, and takes all logs.
    mutating func forgetSpecials(but isKept: (UInt32) -> Bool) {
        self.specials = self.specials.filter { isKept($0.key) }
    }
}
