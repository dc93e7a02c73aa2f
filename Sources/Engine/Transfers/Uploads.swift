internal import Formats

/// What peers fetch here: who may have which file, and whose turn it is to be sent a part.
///
/// `Docs/Protocol/Files.md` section 3.
struct Uploads: Sendable {
    /// A part that is sent.
    private struct Part: Sendable {
        var want: BlobWant
        /// Nil while it is being read.
        var bytes: [UInt8]?
        var offset = 0
    }

    /// A file that is being looked up for a peer.
    private struct Look: Sendable {
        var place: BlobPlace
        /// Whether the place tells of it no longer, or is shared no longer, since it was asked: the answer
        /// that is to come is of before.
        var isVoid = false
    }

    /// What one peer was told of and wants.
    private struct Peer: Sendable {
        /// The files that it may have, by the place of which it asked; the latest last.
        var offered: [(blob: BlobID, place: BlobPlace)] = []
        var looks: [BlobID: Look] = [:]
        var wants: [BlobWant] = []
        var parts: [Part] = []

        /// Whether it was told of a file, and may have it.
        func isOffered(_ blob: BlobID) -> Bool {
            #if MUTANTS
                if Mutant.serveUnreferenced.isActive { return true }
            #endif
            return self.offered.contains { $0.blob == blob }
        }
    }

    private var peers: [LinkID: Peer] = [:]
    /// The peers that wait for a part to be read, each once.
    private var turns: [LinkID] = []
    private var reading = 0
    /// When those who asked for a file that is fetched here were told how much of it has come.
    private var toldAt: [BlobID: UInt64] = [:]
    /// What they are to be told when it is time.
    private var untold: [BlobID: BlobHoldings] = [:]

    var isEmpty: Bool { self.peers.isEmpty }

    /// Parts that peers want and that are not sent yet.
    var owed: Int { self.peers.values.reduce(0) { $0 + $1.wants.count + $1.parts.count } }

    /// What there is of it and how much there may be, in words.
    var bounds: [(count: Int, limit: Int, what: String)] {
        func most(_ count: (Peer) -> Int) -> Int { self.peers.values.map(count).max() ?? 0 }
        let loaded = self.peers.values.reduce(0) { $0 + $1.parts.count }
        return [
            (most { $0.offered.count }, Limits.offersPerLink, "files offered on a link"),
            (most { $0.looks.count }, Limits.looksPerLink, "files looked up for a link"),
            (most { $0.wants.count }, 2 * Limits.partsPerLink, "parts wanted on a link"),
            (most { $0.parts.count }, Limits.partsLoadedPerLink, "parts read for a link"),
            (loaded, Limits.partsLoaded, "parts read"),
        ]
    }

    // MARK: Who may have what

    /// A peer asks for a file of a conversation that it shares, or for a picture of a profile that it may
    /// see: gives whether to look for it.
    mutating func ask(_ blob: BlobID, in place: BlobPlace, on link: LinkID) -> Bool {
        guard self.peers[link]?.looks.count ?? 0 < Limits.looksPerLink,
            self.peers[link]?.looks[blob] == nil
        else { return false }
        self.peers[link, default: Peer()].looks[blob] = Look(place: place)
        return true
    }

    /// What of a file is here; nil where the place does not tell of it, and nothing of it is served.
    mutating func looked(
        _ link: LinkID, _ blob: BlobID, _ standing: BlobStanding?
    ) -> BlobHoldings? {
        guard var peer = self.peers.removeValue(forKey: link) else { return nil }
        defer { self.peers[link] = peer }
        guard let look = peer.looks.removeValue(forKey: blob) else { return nil }
        guard let standing, !look.isVoid else { return BlobHoldings(blob, .nothing) }
        peer.offered.removeAll { $0.blob == blob }
        if peer.offered.count >= Limits.offersPerLink { peer.offered.removeFirst() }
        peer.offered.append((blob, look.place))
        return BlobHoldings(blob, BlobHoldings.Extent(standing.chunks))
    }

    /// Who was told of a file and is to hear of it again.
    func askers(of blob: BlobID) -> [LinkID] {
        self.peers.filter { $0.value.offered.contains { $0.blob == blob } }.keys.sorted()
    }

    /// Where a peer was told of a file; nil where it was not.
    func place(of blob: BlobID, on link: LinkID) -> BlobPlace? {
        self.peers[link]?.offered.first { $0.blob == blob }?.place
    }

    /// No message tells of a file any longer, or no profile: nobody is served it who was for that reason;
    /// gives who had asked.
    mutating func drop(_ blob: BlobID, ofProfile isProfile: Bool) -> [LinkID] {
        self.drop(blob) { $0.isProfile == isProfile }
    }

    /// One place does not tell of a file any longer: nobody is served it who was for that reason; gives
    /// who had asked.
    mutating func drop(_ blob: BlobID, of place: BlobPlace) -> [LinkID] {
        self.drop(blob) { $0 == place }
    }

    private mutating func drop(_ blob: BlobID, where isGone: (BlobPlace) -> Bool) -> [LinkID] {
        let askers = self.askers(of: blob).filter {
            self.place(of: blob, on: $0).map(isGone) == true
        }
        for link in askers { self.withdraw(blob, on: link) }
        for link in self.peers.keys
        where self.peers[link]?.looks[blob].map({ isGone($0.place) }) == true {
            self.peers[link]?.looks[blob]?.isVoid = true
        }
        return askers
    }

    /// Serves a peer a file no longer.
    private mutating func withdraw(_ blob: BlobID, on link: LinkID) {
        self.peers[link]?.offered.removeAll { $0.blob == blob }
        self.peers[link]?.wants.removeAll { $0.blob == blob }
        // One that is being read comes back, and is dropped then.
        self.peers[link]?.parts.removeAll { $0.want.blob == blob && $0.bytes != nil }
    }

    /// A link and this node share a conversation no longer.
    mutating func unshared(_ conversation: ConversationID, with link: LinkID) {
        guard let peer = self.peers[link] else { return }
        for offer in peer.offered where offer.place == .conversation(conversation) {
            self.withdraw(offer.blob, on: link)
        }
        for (blob, look) in peer.looks where look.place == .conversation(conversation) {
            self.peers[link]?.looks[blob]?.isVoid = true
        }
    }

    /// Whose pictures a peer was offered.
    func pictured(on link: LinkID) -> Set<PeerID> {
        var authors: Set<PeerID> = []
        for offer in self.peers[link]?.offered ?? [] {
            if case .profile(let author) = offer.place { authors.insert(author) }
        }
        return authors
    }

    /// A peer may see some profiles no longer: it is served those pictures alone that it still may.
    mutating func keepPictures(for link: LinkID, where maySee: (PeerID) -> Bool) {
        for offer in self.peers[link]?.offered ?? [] {
            if case .profile(let author) = offer.place, !maySee(author) {
                self.withdraw(offer.blob, on: link)
            }
        }
    }

    mutating func closed(_ link: LinkID) {
        guard let peer = self.peers.removeValue(forKey: link) else { return }
        self.reading -= peer.parts.count { $0.bytes == nil }
        self.turns.removeAll { $0 == link }
    }

    /// More of a file is here; gives what those who asked for it are told now.
    mutating func changed(_ holdings: BlobHoldings, isLast: Bool, at now: UInt64) -> BlobHoldings? {
        let blob = holdings.blob
        if isLast {
            self.toldAt[blob] = nil
            self.untold[blob] = nil
            return holdings
        }
        guard !self.askers(of: blob).isEmpty else { return nil }
        let last = self.toldAt[blob] ?? 0
        guard now >= last + Limits.holdingsMilliseconds else {
            self.untold[blob] = holdings
            return nil
        }
        self.toldAt[blob] = now
        self.untold[blob] = nil
        return holdings
    }

    /// What is told now that some time has passed.
    mutating func takeUntold(at now: UInt64) -> [BlobHoldings] {
        let due = self.untold.values.filter {
            now >= (self.toldAt[$0.blob] ?? 0) + Limits.holdingsMilliseconds
        }
        for holdings in due {
            self.untold[holdings.blob] = nil
            self.toldAt[holdings.blob] = now
        }
        return due.sorted { $0.blob < $1.blob }
    }

    /// Of how many files that come others are to be told.
    var untoldCount: Int { max(self.untold.count, self.toldAt.count) }

    /// When something is to be told next; nil where nothing is.
    var nextTold: UInt64? {
        self.untold.keys.map { (self.toldAt[$0] ?? 0) + Limits.holdingsMilliseconds }.min()
    }

    // MARK: What is sent

    /// A peer wants a part; false where it is not served.
    mutating func want(_ want: BlobWant, on link: LinkID) -> Bool {
        let peer = self.peers[link] ?? Peer()
        guard peer.isOffered(want.blob), peer.wants.count < 2 * Limits.partsPerLink else {
            return false
        }
        self.peers[link, default: peer].wants.append(want)
        if !self.turns.contains(link) { self.turns.append(link) }
        return true
    }

    /// The parts to read now: of each peer in turn, two ahead, and no more of all than fit the bound.
    mutating func takeReads() -> [(link: LinkID, want: BlobWant)] {
        var reads: [(LinkID, BlobWant)] = []
        var waiting: [LinkID] = []
        var loaded = self.peers.values.reduce(0) { $0 + $1.parts.count }
        while let link = self.turns.first {
            self.turns.removeFirst()
            guard let peer = self.peers[link], let want = peer.wants.first else { continue }
            guard peer.parts.count < Limits.partsLoadedPerLink, loaded < Limits.partsLoaded else {
                waiting.append(link)
                continue
            }
            self.peers[link]?.wants.removeFirst()
            self.peers[link]?.parts.append(Part(want: want))
            loaded += 1
            self.reading += 1
            reads.append((link, want))
            if peer.wants.count > 1 { self.turns.append(link) }
        }
        self.turns = waiting
        return reads
    }

    /// A part was read; gives false where it is not here, and the peer is told so.
    mutating func read(_ number: UInt64, _ bytes: [UInt8]?, on link: LinkID) -> Bool {
        guard let peer = self.peers[link],
            let index = peer.parts.firstIndex(where: { $0.want.number == number && $0.bytes == nil }
            )
        else { return true }
        self.reading -= 1
        let blob = peer.parts[index].want.blob
        guard let bytes, peer.isOffered(blob) else {
            self.peers[link]?.parts.remove(at: index)
            return false
        }
        self.peers[link]?.parts[index].bytes = bytes
        return true
    }

    /// The next piece for a peer, where a whole one may be sent; nil where nothing is ready.
    mutating func nextPiece(on link: LinkID) -> BlobPiece? {
        guard let part = self.peers[link]?.parts.first, let bytes = part.bytes else { return nil }
        let end = min(part.offset + BlobPiece.byteLimit, bytes.count)
        let piece = BlobPiece(
            number: part.want.number, offset: part.offset, bytes: Array(bytes[part.offset..<end]))
        if end == bytes.count {
            self.peers[link]?.parts.removeFirst()
            if let peer = self.peers[link], !peer.wants.isEmpty, !self.turns.contains(link) {
                self.turns.append(link)
            }
        } else {
            self.peers[link]?.parts[0].offset = end
        }
        return piece
    }

    /// Whether a part can be read for somebody.
    var isDue: Bool { !self.turns.isEmpty }
}

extension BlobHoldings.Extent {
    /// How much some chunks are.
    init(_ chunks: ChunkSet) {
        if chunks.isWhole {
            self = .whole
        } else {
            self = chunks.count == 0 ? .nothing : .chunks(chunks.bytes)
        }
    }
}
