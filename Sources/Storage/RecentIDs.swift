/// Where the newest entries are, by the first bytes of their ids: what the table `ids` lacks.
///
/// Ids are random, so each that goes into a large index by itself rewrites a page of it. Here as
/// many gather as the index has pages several times over; then they go there in stretches of
/// neighbours, which share pages. Everything here follows from the rows of `entries`, so it may be
/// thrown away at any time and read again. `Docs/Decisions/0008-ids-are-indexed-later.md`.
struct RecentIDs {
    /// An entry, by the first bytes of its id and its arrival number.
    struct Place: Hashable, Comparable {
        let prefix: Int64
        let arrival: Int64

        static func < (left: Place, right: Place) -> Bool {
            (left.prefix, left.arrival) < (right.prefix, right.arrival)
        }
    }

    /// How far the index has come; a row of the file.
    struct Progress: Hashable {
        /// Up to this arrival number it has all.
        var indexed: Int64
        /// Up to this one it has those whose first bytes are less than `through`.
        var end: Int64
        var through: Int64
    }

    /// How many gather before they are sorted; hardly more than twice as many are here, in 2 MiB.
    static let batchCount = 32_768

    /// How many gather here.
    private let batchCount: Int
    /// The fewest that are moved at a time: single ones would each rewrite a page.
    private var stretchCount: Int { max(1, self.batchCount / 128) }
    /// How far the index is when it has what was taken.
    private(set) var progress: Progress
    /// Arrival numbers by first bytes.
    private var arrivals: [Int64: Int64] = [:]
    /// Those whose first bytes another entry here has, too; only somebody's hard work makes any.
    private var others: [Int64: [Int64]] = [:]
    /// Those that are on their way into the index, greatest first.
    private var sorted: [Place] = []
    /// Whether entries could not be read; then new ones go to the index at once.
    var hasGaps = false
    /// How many have come for which as many may be moved.
    private var due = 0

    /// Starts with nothing.
    init(_ progress: Progress, batchCount: Int) {
        self.progress = progress
        self.batchCount = batchCount
    }

    /// Takes in what the file has behind ``Progress/indexed``, in any order, once.
    mutating func read(_ places: [Place]) {
        for place in places {
            if place.arrival <= self.progress.end {
                guard place.prefix >= self.progress.through else { continue }
                self.sorted.append(place)
            }
            self.keep(place)
        }
        self.sorted.sort(by: >)
        // Many short runs of the program would otherwise leave more and more.
        self.due = max(0, self.count - 2 * self.batchCount)
    }

    /// How many first bytes are here.
    var count: Int { self.arrivals.count }

    /// Adds a new entry.
    mutating func add(_ place: Place) {
        self.keep(place)
        self.due += 1
    }

    private mutating func keep(_ place: Place) {
        if self.arrivals[place.prefix] == nil {
            self.arrivals[place.prefix] = place.arrival
        } else {
            self.others[place.prefix, default: []].append(place.arrival)
        }
    }

    /// The entries whose ids begin so, of those that are here.
    func find(_ prefix: Int64) -> [Int64] {
        guard let arrival = self.arrivals[prefix] else { return [] }
        return [arrival] + (self.others[prefix] ?? [])
    }

    /// Takes out what is to be put into the index now, sorted; mostly nothing.
    ///
    /// `newest` is the newest arrival number given.
    mutating func take(newest: Int64) -> [Place] {
        if self.hasGaps { return [] }
        if self.sorted.isEmpty {
            guard self.count >= self.batchCount else {
                self.due = 0
                return []
            }
            self.sort(newest: newest)
        }
        guard self.due >= self.stretchCount else { return [] }
        // A little more than came, so that a round ends before as many have come again.
        let taken = Array(self.sorted.suffix(self.due + self.due / 4).reversed())
        self.sorted.removeLast(taken.count)
        self.due = 0
        for place in taken { self.forget(place) }
        self.progress.through = taken.last?.prefix ?? self.progress.through
        if self.sorted.isEmpty { self.progress.indexed = self.progress.end }
        return taken
    }

    private mutating func sort(newest: Int64) {
        self.sorted.reserveCapacity(self.count)
        for (prefix, arrival) in self.arrivals {
            self.sorted.append(Place(prefix: prefix, arrival: arrival))
        }
        for (prefix, arrivals) in self.others {
            for arrival in arrivals {
                self.sorted.append(Place(prefix: prefix, arrival: arrival))
            }
        }
        self.sorted.sort(by: >)
        self.progress.end = newest
        self.progress.through = .min
    }

    private mutating func forget(_ place: Place) {
        var rest = self.find(place.prefix)
        rest.removeAll { $0 == place.arrival }
        self.arrivals[place.prefix] = rest.first
        if self.others[place.prefix] != nil {
            self.others[place.prefix] = rest.count > 1 ? Array(rest.dropFirst()) : nil
        }
    }
}
