internal import Formats

/// Some of the acts of one ``ActGraph``, by their places in it.
struct ActSet: Hashable {
    private var words: [UInt64]

    /// An empty set, with room for so many acts.
    init(room: Int) { self.words = [UInt64](repeating: 0, count: (room + 63) / 64) }

    var count: Int { self.words.reduce(0) { $0 + $1.nonzeroBitCount } }

    func contains(_ place: Int) -> Bool {
        self.words[place / 64] >> UInt64(place % 64) & 1 == 1
    }

    mutating func insert(_ place: Int) { self.words[place / 64] |= 1 << UInt64(place % 64) }

    mutating func formUnion(_ other: ActSet) {
        for word in self.words.indices { self.words[word] |= other.words[word] }
    }

    func intersection(_ other: ActSet) -> ActSet {
        var both = self
        for word in both.words.indices { both.words[word] &= other.words[word] }
        return both
    }

    func isSubset(of other: ActSet) -> Bool {
        self.words.indices.allSatisfy { self.words[$0] & ~other.words[$0] == 0 }
    }
}

/// The acts of a group, each behind those that its author had seen, and who had seen what.
struct ActGraph {
    /// In an order in which each follows its basis.
    private(set) var ids: [ActID] = []
    private(set) var acts: [ActStatement] = []
    /// Where an act is in that order.
    private(set) var index: [ActID: Int] = [:]
    /// Acts of whose past something is missing.
    private(set) var waiting: [ActID] = []
    /// The founding act.
    ///
    /// The smallest, where several claim to be it: a group's id names one.
    private(set) var root: Int?
    /// The longest way from an act without a basis.
    private(set) var depths: [Int] = []
    /// The latest time of an act and of all in its past.
    private(set) var times: [UInt64] = []
    /// What is in the past of each.
    private var pasts: [ActSet] = []

    var count: Int { self.ids.count }

    init(_ statements: [ActID: ActStatement]) {
        var lacks: [ActID: Int] = [:]
        var followers: [ActID: [ActID]] = [:]
        var ready: [ActID] = []
        for id in statements.keys.sorted() {
            let basis = Set(statements[id]?.basis ?? [])
            if basis.isEmpty { ready.append(id) } else { lacks[id] = basis.count }
            for before in basis { followers[before, default: []].append(id) }
        }
        while let id = ready.popLast() {
            guard let act = statements[id] else { continue }
            self.index[id] = self.ids.count
            self.ids.append(id)
            self.acts.append(act)
            for next in followers[id] ?? [] {
                lacks[next, default: 1] -= 1
                guard lacks[next] == 0 else { continue }
                lacks[next] = nil
                ready.append(next)
            }
        }
        self.waiting = lacks.keys.sorted()
        self.root = self.ids.indices.filter {
            self.acts[$0].kind.isFounding && self.acts[$0].basis.isEmpty
        }.min { self.ids[$0] < self.ids[$1] }
        self.trace()
    }

    private mutating func trace() {
        for (place, act) in self.acts.enumerated() {
            var past = ActSet(room: self.count)
            var depth = 0
            var time = act.time
            if let root, root != place { past.insert(root) }
            for before in act.basis.compactMap({ self.index[$0] }) {
                past.formUnion(self.pasts[before])
                past.insert(before)
                depth = max(depth, self.depths[before] + 1)
                time = max(time, self.times[before])
            }
            self.pasts.append(past)
            self.depths.append(depth)
            self.times.append(time)
        }
    }

    /// Whether the author of an act had seen another one.
    func isSeen(_ earlier: Int, by later: Int) -> Bool { self.pasts[later].contains(earlier) }

    /// All acts that somebody knew who had seen these; nil where one of them is not here.
    func reach(of basis: some Sequence<ActID>) -> ActSet? {
        var reached = ActSet(room: self.count)
        for id in basis {
            guard let place = self.index[id] else { return nil }
            reached.formUnion(self.pasts[place])
            reached.insert(place)
        }
        return reached
    }

    /// The acts of a set, as they were signed.
    func statements(_ places: ActSet) -> [ActID: ActStatement] {
        var found: [ActID: ActStatement] = [:]
        for place in self.ids.indices where places.contains(place) {
            found[self.ids[place]] = self.acts[place]
        }
        return found
    }

    /// Whether neither author had seen the other's act.
    func areApart(_ one: Int, _ other: Int) -> Bool {
        !self.isSeen(one, by: other) && !self.isSeen(other, by: one)
    }

    /// The act itself, or the one that it accepts.
    func meant(by place: Int) -> Int {
        guard case .accept(let id) = self.acts[place].kind else { return place }
        return self.index[id] ?? place
    }
}

extension ActKind {
    var isFounding: Bool { if case .create = self { true } else { false } }
}
