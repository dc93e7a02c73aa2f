internal import Formats

/// The acts of a group, each behind those that its author had seen, and who had seen what.
struct ActGraph {
    /// In an order in which each follows its basis.
    private(set) var ids: [ActID] = []
    private(set) var acts: [ActStatement] = []
    /// Where an act is in that order.
    private(set) var index: [ActID: Int] = [:]
    /// Acts of whose past something is missing.
    private(set) var waiting: [ActID] = []
    /// The founding act: the smallest, where several claim to be it. A group's id names one.
    private(set) var root: Int?
    /// The longest way from an act without a basis.
    private(set) var depths: [Int] = []
    /// The latest time of an act and of all in its past.
    private(set) var times: [UInt64] = []
    /// A bit for each act that is in the past of another.
    private var pasts: [[UInt64]] = []

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
            self.acts[$0].deed == .create && self.acts[$0].basis.isEmpty
        }.min { self.ids[$0] < self.ids[$1] }
        self.trace()
    }

    private mutating func trace() {
        let words = (self.count + 63) / 64
        for (place, act) in self.acts.enumerated() {
            var past = [UInt64](repeating: 0, count: words)
            var depth = 0
            var time = act.time
            if let root, root != place { past[root / 64] |= 1 << UInt64(root % 64) }
            for before in act.basis.compactMap({ self.index[$0] }) {
                for word in past.indices { past[word] |= self.pasts[before][word] }
                past[before / 64] |= 1 << UInt64(before % 64)
                depth = max(depth, self.depths[before] + 1)
                time = max(time, self.times[before])
            }
            self.pasts.append(past)
            self.depths.append(depth)
            self.times.append(time)
        }
    }

    /// Whether the author of an act had seen another one.
    func isSeen(_ earlier: Int, by later: Int) -> Bool {
        self.pasts[later][earlier / 64] >> UInt64(earlier % 64) & 1 == 1
    }

    /// Whether neither author had seen the other's act.
    func areApart(_ one: Int, _ other: Int) -> Bool {
        !self.isSeen(one, by: other) && !self.isSeen(other, by: one)
    }

    /// The act itself, or the one that it accepts.
    func meant(by place: Int) -> Int {
        guard case .accept(let id) = self.acts[place].deed else { return place }
        return self.index[id] ?? place
    }
}
