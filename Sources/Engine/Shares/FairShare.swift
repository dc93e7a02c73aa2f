internal import Formats

/// Who gives way where there is no room for all: one rule for every bounded place that others can fill.
///
/// Keys cost nothing, addresses of a local network do. So of all claims that of the lowest tier gives way; there, that
/// of somebody who is neither linked now nor was answered by a person; there, that of the source with most; there,
/// that of the author with most; and of this author the largest, of equals the newest. So a flood gives way to itself,
/// whenever it comes, and nobody gains by coming first.
///
/// It is made for a moment: who is linked, and who is trusted how far, changes.
struct FairShare<Key: Hashable & Sendable>: Sendable {
    /// Something that takes room.
    struct Claim: Sendable {
        var key: Key
        /// How far its author is trusted.
        var tier: Tier
        /// Whether its author is linked now, or a person has answered it: it comes first within its tier.
        var comesFirst = false
        /// From where it came; nil where that is not known, which counts as one source.
        var source: Source?
        var author: PeerID
        /// Whether its author is proven to have cheated with it: of one source those authors give way first, and of one
        /// author those claims.
        var isForked = false
        /// How much room it takes, 1 at least.
        var weight = 1
        /// What came later has a greater number, whatever time it claims.
        var number: Int64
    }

    /// How much room all claims take that have not given way.
    private(set) var total = 0
    /// Those who rank the same, the first to give way last.
    private var groups: [Heap<Bringer>]

    /// Takes all claims on one place.
    init(_ claims: [Claim]) {
        let groups = Dictionary(grouping: claims) {
            Rank(tier: $0.tier.shared, comesFirst: $0.comesFirst)
        }
        self.groups = groups.sorted { $1.key < $0.key }.map { Heap(Self.bringers(of: $0.value)) }
        self.total = claims.reduce(0) { $0 + max(1, $1.weight) }
    }

    /// The source with most of those who give way first, and what the author with most has there; nil where nothing is
    /// claimed.
    var largest: (source: Source?, mostOfAuthor: Int)? {
        self.groups.last?.largest.map { ($0.source, $0.authors.elements.map(\.weight).max() ?? 0) }
    }

    /// Takes out the claim that gives way next; nil where none is left.
    mutating func next() -> Claim? {
        while !self.groups.isEmpty {
            let last = self.groups.count - 1
            if let claim = self.groups[last].takeOut({ $0.next() }) {
                self.total -= max(1, claim.weight)
                return claim
            }
            self.groups.removeLast()
        }
        return nil
    }

    /// Takes out what gives way until the rest takes no more room than this; gives it in its order.
    mutating func giveWay(downTo bound: Int) -> [Claim] {
        var gone: [Claim] = []
        while self.total > bound, let claim = self.next() { gone.append(claim) }
        return gone
    }

    /// Which claims give way to a newcomer, where all may take so much room; nil where it has to stay out, since it
    /// would be among the next to give way.
    ///
    /// Of equal claims the newcomer is the newest, so no two change places for ever.
    static func room(for newcomer: Claim, among claims: [Claim], within bound: Int) -> [Claim]? {
        var newcomer = newcomer
        newcomer.number = .max
        var shares = FairShare(claims + [newcomer])
        let gone = shares.giveWay(downTo: bound)
        return gone.contains { $0.key == newcomer.key } ? nil : gone
    }

    /// Whether of equal claims one of the source with most gives way to another's: that must have fewer also with this
    /// one, or the two would change places for ever.
    static func gives(_ most: Int, to own: Int) -> Bool { most > own + 1 }

    /// The most of each with which all together are within a bound, 0 at least.
    static func level(of sizes: [Int], within bound: Int) -> Int {
        var (low, high) = (0, max(0, sizes.max() ?? 0))
        while low < high {
            let middle = (low + high + 1) / 2
            if sizes.reduce(0, { $0 + min($1, middle) }) <= bound {
                low = middle
            } else {
                high = middle - 1
            }
        }
        return low
    }

    private static func bringers(of claims: [Claim]) -> [Bringer] {
        Dictionary(grouping: claims, by: \.source).map { source, claims in
            let authors = Dictionary(grouping: claims, by: \.author).map { author, claims in
                Author(
                    id: author, weight: claims.reduce(0) { $0 + max(1, $1.weight) },
                    claims: claims.sorted { Self.staysLonger($0, than: $1) })
            }
            return Bringer(
                source: source, name: source?.description ?? "",
                weight: authors.reduce(0) { $0 + $1.weight },
                newest: claims.map(\.number).max() ?? 0, authors: Heap(authors))
        }
    }

    /// Whether of two claims of one author the other gives way first.
    private static func staysLonger(_ claim: Claim, than other: Claim) -> Bool {
        guard claim.isForked == other.isForked else { return other.isForked }
        return (claim.weight, claim.number) < (other.weight, other.number)
    }

    /// Who ranks higher gives way later.
    struct Rank: Hashable, Comparable {
        var tier: Tier
        var comesFirst: Bool

        static func < (left: Rank, right: Rank) -> Bool {
            (left.tier, left.comesFirst ? 1 : 0) < (right.tier, right.comesFirst ? 1 : 0)
        }
    }

    /// All of one author that came from one source.
    private struct Author: Comparable {
        let id: PeerID
        var weight: Int
        /// The next to give way last; never empty while it is in a heap.
        var claims: [Claim]

        var newest: Int64 { self.claims.last?.number ?? .min }

        static func == (left: Author, right: Author) -> Bool { !(left < right) && !(right < left) }

        static func < (left: Author, right: Author) -> Bool {
            let isForked = right.claims.last?.isForked == true
            guard isForked == (left.claims.last?.isForked == true) else { return isForked }
            return (left.weight, left.newest, left.id) < (right.weight, right.newest, right.id)
        }

        mutating func next() -> Claim? {
            let claim = self.claims.popLast()
            self.weight -= claim.map { max(1, $0.weight) } ?? 0
            return claim
        }
    }

    /// All that came from one source.
    private struct Bringer: Comparable {
        let source: Source?
        /// Its text, to compare by.
        let name: String
        var weight: Int
        /// Of two with as much room that gives way whose newest claim is newer.
        let newest: Int64
        var authors: Heap<Author>

        static func == (left: Bringer, right: Bringer) -> Bool {
            !(left < right) && !(right < left)
        }

        static func < (left: Bringer, right: Bringer) -> Bool {
            (left.weight, left.newest, left.name) < (right.weight, right.newest, right.name)
        }

        mutating func next() -> Claim? {
            let claim = self.authors.takeOut { $0.next() }
            self.weight -= claim.map { max(1, $0.weight) } ?? 0
            return claim
        }
    }

    /// Elements of which the largest is looked at again and again, and is smaller after each time.
    private struct Heap<Element: Comparable & Sendable>: Sendable {
        private(set) var elements: [Element]

        var largest: Element? { self.elements.first }

        init(_ elements: [Element]) {
            // Whatever is in descending order is a heap.
            self.elements = elements.sorted { $1 < $0 }
        }

        /// Takes something out of the largest; who has nothing left goes.
        mutating func takeOut(_ take: (inout Element) -> Claim?) -> Claim? {
            while !self.elements.isEmpty {
                let claim = take(&self.elements[0])
                if claim == nil {
                    self.elements.swapAt(0, self.elements.count - 1)
                    self.elements.removeLast()
                }
                self.sink()
                if let claim { return claim }
            }
            return nil
        }

        private mutating func sink() {
            var place = 0
            while true {
                var most = place
                for child in [2 * place + 1, 2 * place + 2] where child < self.elements.count {
                    if self.elements[most] < self.elements[child] { most = child }
                }
                guard most != place else { return }
                self.elements.swapAt(place, most)
                place = most
            }
        }
    }
}

extension Tier {
    /// The tier that counts where room is shared: whom the user knows, verified or not, is one.
    var shared: Tier { self == .verified ? .known : self }
}
