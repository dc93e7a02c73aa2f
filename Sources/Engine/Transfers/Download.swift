internal import Formats

/// One file that is fetched: what of it is here, who has what, and what is asked for next.
struct Download: Sendable {
    /// Somebody who was asked what they have of it.
    struct Source: Sendable {
        /// What tells both sides of it, in the order in which they are asked there.
        var places: [BlobPlace] = []
        /// In how many of these they were asked.
        var askedCount = 0
        /// What they have; nil before they have said.
        var chunks: ChunkSet?
        /// Whether they have sent what was not right.
        var isBad = false
        /// When they are asked again who did not serve what they said that they have, and how often they did
        /// not.
        var askAgainAt: UInt64?
        var misses: UInt64 = 0
    }

    enum Phase: Hashable, Sendable {
        /// Its turn has not come.
        case waiting
        /// The shell looks what is here.
        case opening
        case fetching
        /// All is stored, and is being kept.
        case finishing
    }

    /// How many chunks are looked at for the one that fewest have.
    private static let rarityWindow = 256

    let blob: BlobID
    let layout: BlobLayout
    /// What tells of it.
    var places: [BlobPlace]
    var isAwaited: Bool
    /// About how many of its bytes are here, until they are looked at.
    var foundBytes: UInt64 = 0
    /// Who has told of it: they are asked first.
    var authors: Set<PeerID> = []
    var phase = Phase.waiting
    private(set) var chunks: ChunkSet
    private(set) var nodes: Set<BlobPart> = []
    /// Parts that are asked for and not late, or on their way to the disk.
    private(set) var underWay: Set<BlobPart> = []
    /// Of these, those on their way to the disk.
    private(set) var storing: Set<BlobPart> = []
    var sources: [LinkID: Source] = [:]
    /// All chunks before this one are here.
    private var next = 0
    /// When those who had nothing are asked again, and how often they were since something came.
    private(set) var seekAt: UInt64 = 0
    private var seeks: UInt64 = 0

    init(_ blob: BlobID, _ layout: BlobLayout, in place: BlobPlace, isAwaited: Bool) {
        self.blob = blob
        self.layout = layout
        self.places = [place]
        self.isAwaited = isAwaited
        self.chunks = ChunkSet(of: layout.chunkCount)
    }

    var isWhole: Bool { self.chunks.isWhole }

    /// Whether something of it is here, which nothing can be of a file of another size than it was said to
    /// have.
    var isProven: Bool { self.chunks.count > 0 || !self.nodes.isEmpty }

    /// Whether only profiles tell of it.
    var isPicture: Bool { self.places.allSatisfy(\.isProfile) }

    /// Whether nobody who is linked is known to have some of it: it waits, and does nothing.
    var isSeeking: Bool {
        self.phase == .fetching && self.underWay.isEmpty && self.usable.isEmpty
    }

    /// Whether nobody who is linked has it, by what all have said.
    var isHopeless: Bool {
        self.phase == .fetching && self.underWay.isEmpty
            && self.sources.values.allSatisfy { $0.isBad || $0.chunks?.count == 0 }
    }

    /// How many of its bytes are here.
    var stored: UInt64 {
        if self.phase == .waiting || self.phase == .opening {
            return min(self.foundBytes, self.layout.size)
        }
        let last = self.layout.chunkCount - 1
        let full = self.chunks.count - (self.chunks.contains(last) ? 1 : 0)
        let lastBytes = self.chunks.contains(last) ? self.layout.byteCount(of: .chunk(last)) : 0
        return UInt64(full) * UInt64(BlobLayout.chunkBytes) + UInt64(lastBytes)
    }

    /// Takes what the shell has found.
    mutating func open(_ standing: BlobStanding) {
        self.phase = .fetching
        self.chunks = standing.chunks
        #if MUTANTS
            if Mutant.forgetPieces.isActive { self.chunks = ChunkSet(of: self.layout.chunkCount) }
        #endif
        self.nodes = standing.nodes
        self.next = 0
    }

    /// The shell looks again what is here.
    mutating func reopen() {
        self.foundBytes = self.stored
        self.phase = .opening
        self.underWay = []
        self.storing = []
    }

    mutating func began(_ part: BlobPart) { self.underWay.insert(part) }

    mutating func gaveUp(_ part: BlobPart) { self.underWay.remove(part) }

    /// A part has come whole; false where it has come already, from somebody else.
    mutating func arrived(_ part: BlobPart) -> Bool {
        guard !self.has(part), self.storing.insert(part).inserted else { return false }
        self.underWay.insert(part)
        return true
    }

    func has(_ part: BlobPart) -> Bool {
        part.isChunk ? self.chunks.contains(part.index) : self.nodes.contains(part)
    }

    /// A part that has come is not what it should be.
    mutating func reject(_ part: BlobPart) {
        self.storing.remove(part)
        self.underWay.remove(part)
    }

    /// A part is on disk.
    mutating func keep(_ part: BlobPart) {
        self.storing.remove(part)
        self.underWay.remove(part)
        self.seeks = 0
        if part.isChunk { self.chunks.insert(part.index) } else { self.nodes.insert(part) }
    }

    /// Those who had nothing are asked again: ever less often, since whoever knows of the file tells those
    /// who have asked as soon as something of it is there.
    mutating func seek(at now: UInt64) {
        self.seekAt = now + Self.pause(after: self.seeks)
        self.seeks += 1
    }

    private static func pause(after times: UInt64) -> UInt64 {
        min(Limits.seekFirstMilliseconds << min(times, 16), Limits.seekLastMilliseconds)
    }

    /// Somebody has not served what they said that they have: until they are asked again they are no source.
    mutating func miss(_ link: LinkID, at now: UInt64) {
        guard var source = self.sources[link], source.askAgainAt == nil else { return }
        source.chunks = nil
        source.askAgainAt = now + Self.pause(after: source.misses)
        source.misses += 1
        self.sources[link] = source
    }

    /// Forgets what somebody said in a conversation that they have left.
    mutating func leave(_ place: BlobPlace, with link: LinkID) {
        guard var source = self.sources[link], let index = source.places.firstIndex(of: place)
        else { return }
        source.places.remove(at: index)
        if index < source.askedCount { source.askedCount -= 1 }
        self.sources[link] = source.places.isEmpty && !source.isBad ? nil : source
    }

    /// Somebody has served a part.
    mutating func served(_ link: LinkID) { self.sources[link]?.misses = 0 }

    /// Who may be asked for something: who has only what is here is no source.
    var usable: [LinkID] {
        self.sources.filter {
            !$0.value.isBad && $0.value.chunks?.hasMore(than: self.chunks) == true
        }.keys.sorted()
    }

    /// What a source is asked for next; nil where it has nothing that is lacking.
    ///
    /// Nodes come before the chunks that they check. Where somebody waits for the file chunks come in
    /// their order, else the one of the next ones that fewest have: so a file whose author leaves stays
    /// whole among those who have begun to fetch it.
    ///
    /// - Parameter late: what it was asked for before and has not brought.
    mutating func nextPart(from link: LinkID, besides late: Set<BlobPart> = []) -> BlobPart? {
        guard self.phase == .fetching, let source = self.sources[link], !source.isBad,
            let theirs = source.chunks
        else { return nil }
        self.next = self.chunks.firstMissing(from: self.next) ?? self.layout.chunkCount
        let partial = self.sources.values.compactMap(\.chunks).filter { !$0.isWhole }
        let isRarest = !self.isAwaited && !partial.isEmpty
        var best: (part: BlobPart, holders: Int)?
        var (chunk, looked) = (self.next, 0)
        while let missing = self.chunks.firstMissing(from: chunk), looked < Self.rarityWindow {
            chunk = missing + 1
            guard theirs.contains(missing), let part = self.obtainable(.chunk(missing)),
                !late.contains(part)
            else {
                // What is asked for already costs nothing of the window, so that it moves on.
                if theirs.contains(missing) { continue }
                looked += 1
                continue
            }
            guard part.isChunk, isRarest else { return part }
            looked += 1
            let holders = partial.count { $0.contains(missing) }
            if best.map({ holders < $0.holders }) ?? true { best = (part, holders) }
        }
        return best?.part
    }

    /// The part itself, or the first node above it that is lacking; nil where that is under way.
    private func obtainable(_ part: BlobPart) -> BlobPart? {
        let part = self.checkable(part)
        return self.underWay.contains(part) ? nil : part
    }

    /// The part itself, or the first node above it that is lacking: what can be checked.
    func checkable(_ part: BlobPart) -> BlobPart {
        var part = part
        while let parent = self.layout.parent(of: part), !self.nodes.contains(parent) {
            part = parent
        }
        return part
    }

    func report(_ state: TransferReport.State) -> TransferReport {
        TransferReport(
            blob: self.blob, place: self.places.first { !$0.isProfile } ?? self.places[0],
            size: self.layout.size, stored: self.stored, sources: self.usable.count, state: state)
    }

    /// How far it is.
    var report: TransferReport {
        switch self.phase {
        case .waiting: self.report(.waiting)
        case .opening, .finishing: self.report(.fetching)
        case .fetching: self.report(self.usable.isEmpty ? .seeking : .fetching)
        }
    }
}

extension Downloads {
    /// What the node is to do.
    enum Step: Hashable, Sendable {
        case task(FileTask)
        case send(Frame, LinkID)
        /// A peer has sent what is not part of the file.
        case accuse(LinkID, BlobID)
        /// More of a file is here than before; the last time that this is said where it has ended.
        case changed(BlobHoldings, isLast: Bool)
    }

    /// Who is at the other end of a link, and how far the user trusts them.
    struct Regard: Sendable {
        var peer: PeerID
        var tier: Tier
    }
}
