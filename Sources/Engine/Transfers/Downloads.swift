internal import Formats

/// The files that are fetched: whom to ask for what, and what has come.
///
/// Knows nothing of the bytes but how many there are; whether they are right the shell says.
/// `Docs/Protocol/Files.md` section 3.
struct Downloads: Sendable {
    /// A part that a link was asked for.
    private struct Asked: Sendable {
        var blob: BlobID
        var part: BlobPart
        var bytes: [UInt8] = []
        /// When it was asked for, or what is before it on the link had come: a byte of it moves nothing.
        var since: UInt64
        /// Whether it may be asked of somebody else, too.
        var isLate = false
    }

    private var table: [BlobID: Download] = [:]
    /// Those whose turn has come, oldest first.
    private var active: [BlobID] = []
    /// The others: those that somebody waits for, and those that are fetched by themselves.
    private var waiting: (awaited: [BlobID], others: [BlobID]) = ([], [])
    private var asked: [LinkID: [UInt64: Asked]] = [:]
    private var lastNumber: UInt64 = 0
    private var regards: [LinkID: Regard] = [:]
    /// Those who brought the last part in time: the others are asked for one at a time.
    private var prompt: Set<LinkID> = []
    /// Parts that have come and are on their way to the disk.
    private var storing = 0
    private var armedAt: UInt64?

    var isEmpty: Bool { self.table.isEmpty }

    /// Those that are under way or wait, oldest first.
    var reports: [TransferReport] {
        (self.active + self.waiting.awaited + self.waiting.others).compactMap {
            self.table[$0]?.report
        }
    }

    func report(of blob: BlobID) -> TransferReport? { self.table[blob]?.report }

    /// Those whose turn has come, oldest first.
    var open: [Download] { self.active.compactMap { self.table[$0] } }

    func download(_ blob: BlobID) -> Download? { self.table[blob] }

    /// Parts that peers are asked for, or that are on their way to the disk.
    var underWay: Int { self.askedCount + self.storing }

    /// What there is of it and how much there may be, in words.
    var bounds: [(count: Int, limit: Int, what: String)] {
        [
            (self.table.count, Limits.downloads, "downloads"),
            (self.active.count, Limits.openDownloads, "open downloads"),
            (self.underWay, Limits.partsUnderWay, "parts of files under way"),
            (
                self.asked.values.map(\.count).max() ?? 0, Limits.partsPerLink,
                "parts of files asked of a link"
            ),
            (self.lateCount, Limits.lateParts, "late parts of files"),
            (self.strangersCount, Limits.strangersParts, "parts of files asked of strangers"),
        ]
    }

    /// What of a file is here; nil where it is not fetched, or not yet looked at.
    func standing(of blob: BlobID) -> BlobStanding? {
        guard let download = self.table[blob],
            download.phase == .fetching || download.phase == .finishing
        else { return nil }
        return BlobStanding(chunks: download.chunks, nodes: download.nodes)
    }

    // MARK: What is wanted

    /// Begins to fetch a file, or notes that somebody waits for it.
    ///
    /// - Parameters:
    ///   - author: who tells of it; nil where that is not known.
    ///   - stored: about how many bytes are here from an earlier run.
    mutating func fetch(
        _ blob: BlobID, _ layout: BlobLayout, in place: BlobPlace, by author: PeerID? = nil,
        isAwaited: Bool, stored: UInt64 = 0
    ) -> [Step] {
        if let author { self.table[blob]?.authors.insert(author) }
        if var known = self.table[blob] {
            if known.layout != layout, !known.isProven {
                // The size is wrong in one of two messages. Who waits for it says which is meant; others
                // who do get what has this id.
                guard isAwaited, self.remove(blob) != nil else { return [] }
                return [.task(.close(blob, isRemoved: true))]
                    + self.fetch(blob, layout, in: place, by: author, isAwaited: true)
            }
            if !known.places.contains(place) { known.places.append(place) }
            if isAwaited && !known.isAwaited {
                known.isAwaited = true
                if let index = self.waiting.others.firstIndex(of: blob) {
                    self.waiting.others.remove(at: index)
                    self.waiting.awaited.append(blob)
                }
            }
            self.table[blob] = known
            return []
        }
        var download = Download(blob, layout, in: place, isAwaited: isAwaited)
        if let author { download.authors.insert(author) }
        download.foundBytes = stored
        guard self.table.count < Limits.downloads else {
            return [.task(.tell(download.report(.failed(.busy))))]
        }
        self.table[blob] = download
        if isAwaited {
            self.waiting.awaited.append(blob)
        } else {
            self.waiting.others.append(blob)
        }
        let next = self.startNext()
        // A picture that was not begun is sought again by its profile.
        let isNoted = !download.isPicture && self.table[blob]?.phase == .waiting
        return [.task(.tell(download.report))] + (isNoted ? [.task(.note(blob))] : []) + next
    }

    /// Gives those that wait their turn; one that somebody waits for has a place of its own.
    private mutating func startNext() -> [Step] {
        var steps: [Step] = []
        while let blob = self.takeWaiting() {
            self.active.append(blob)
            guard let download = self.table[blob] else { continue }
            self.table[blob]?.phase = .opening
            steps.append(.task(.open(blob, download.layout)))
        }
        return steps
    }

    /// Those that nobody has keep no place from others, as long as not too many are open.
    private mutating func takeWaiting() -> BlobID? {
        let limit = Limits.activeDownloads
        let busy = self.active.count { self.table[$0]?.isSeeking == false }
        guard self.active.count < Limits.openDownloads else { return nil }
        if !self.waiting.awaited.isEmpty, busy < 2 * limit {
            return self.waiting.awaited.removeFirst()
        }
        guard !self.waiting.others.isEmpty, busy < limit else { return nil }
        return self.waiting.others.removeFirst()
    }

    /// Ends one, for whatever reason.
    mutating func end(_ blob: BlobID, _ failure: TransferFailure) -> [Step] {
        guard let download = self.remove(blob) else { return [] }
        let isRemoved =
            switch failure {
            case .cancelled, .gone, .unavailable, .notPicture: true
            case .diskFull, .quota, .storage, .busy: false
            }
        return [
            .task(.close(blob, isRemoved: isRemoved)),
            .task(.tell(download.report(.failed(failure)))),
            .changed(BlobHoldings(blob, .nothing), isLast: true),
        ] + self.startNext()
    }

    private mutating func remove(_ blob: BlobID) -> Download? {
        guard let download = self.table.removeValue(forKey: blob) else { return nil }
        self.active.removeAll { $0 == blob }
        self.waiting.awaited.removeAll { $0 == blob }
        self.waiting.others.removeAll { $0 == blob }
        self.forgetAsked(of: blob)
        return download
    }

    /// Whatever was asked for of a file is dropped when it comes.
    private mutating func forgetAsked(of blob: BlobID) {
        for link in self.asked.keys {
            self.asked[link] = self.asked[link]?.filter { $0.value.blob != blob }
        }
    }

    /// What was stored of a file is not there any longer, or not right: it is looked at anew.
    mutating func reopen(_ blob: BlobID) -> [Step] {
        guard let download = self.table[blob],
            download.phase == .fetching || download.phase == .finishing
        else { return [] }
        self.forgetAsked(of: blob)
        self.table[blob]?.reopen()
        return [.task(.open(blob, download.layout))]
    }

    // MARK: What is here

    /// What tells of one; nothing where it is not fetched.
    func places(of blob: BlobID) -> [BlobPlace] { self.table[blob]?.places ?? [] }

    /// One of the places that tell of a file does so no longer: nobody is asked there from here on.
    mutating func forget(_ place: BlobPlace, of blob: BlobID) {
        guard self.places(of: blob).contains(where: { $0 != place }) else { return }
        self.table[blob]?.places.removeAll { $0 == place }
    }

    /// What tells of those whose turn has come.
    var activePlaces: Set<BlobPlace> { Set(self.active.flatMap { self.places(of: $0) }) }

    /// The shell has looked what of a file is here; `links` are those who may have what a place tells of.
    mutating func opened(
        _ blob: BlobID, _ standing: BlobStanding, links: (BlobPlace) -> [LinkID],
        at now: UInt64
    ) -> [Step] {
        guard self.table[blob]?.phase == .opening else { return [] }
        self.table[blob]?.open(standing)
        if standing.chunks.isWhole { return self.finish(blob) }
        var steps: [Step] = []
        for place in self.places(of: blob) {
            for link in links(place) { steps += self.ask(link, in: place, for: blob) }
        }
        if standing.chunks.count > 0 {
            let holdings = BlobHoldings(blob, BlobHoldings.Extent(standing.chunks))
            steps.append(.changed(holdings, isLast: false))
        }
        return steps + self.plan(at: now) + self.told(blob) + self.startNext()
    }

    private mutating func finish(_ blob: BlobID) -> [Step] {
        self.table[blob]?.phase = .finishing
        return [.task(.finish(blob))]
    }

    mutating func finished(_ blob: BlobID) -> [Step] {
        guard let download = self.remove(blob) else { return [] }
        return [
            .task(.tell(download.report(.done))),
            .changed(BlobHoldings(blob, .whole), isLast: true),
        ] + self.startNext()
    }

    /// A part that a peer has sent was checked.
    mutating func stored(
        _ blob: BlobID, _ part: BlobPart, from link: LinkID, isRight: Bool, at now: UInt64
    ) -> [Step] {
        self.storing -= 1
        guard var download = self.table[blob] else { return self.plan(at: now) }
        guard isRight else {
            download.reject(part)
            download.sources[link]?.isBad = true
            self.table[blob] = download
            let others = self.asked[link]?.filter { $0.value.blob == blob } ?? [:]
            for number in others.keys { self.giveUp(number, of: link) }
            return [.accuse(link, blob)] + self.plan(at: now)
        }
        download.keep(part)
        download.served(link)
        self.table[blob] = download
        var steps: [Step] = link == .sites ? [.task(.tell(download.report))] : []
        if part.isChunk, !download.isWhole {
            let holdings = BlobHoldings(blob, BlobHoldings.Extent(download.chunks))
            steps = [.task(.tell(download.report)), .changed(holdings, isLast: false)]
        }
        // Others are told once it is kept, and other sites what is wanted below a node of the tree.
        if download.isWhole {
            return [.task(.tell(download.report))] + self.finish(blob) + self.plan(at: now)
        }
        return steps + self.plan(at: now)
    }

    /// A part that a peer has sent could not be stored.
    mutating func unstored(_ blob: BlobID, _ failure: TransferFailure, at now: UInt64) -> [Step] {
        self.storing -= 1
        return self.end(blob, failure) + self.plan(at: now)
    }

    // MARK: Who has what

    /// Somebody who may have what a place tells of is asked for it, once its turn has come.
    mutating func ask(_ link: LinkID, in place: BlobPlace, for blob: BlobID) -> [Step] {
        guard let download = self.table[blob], download.phase == .fetching,
            download.sources[link]?.places.contains(place) != true
        else { return [] }
        self.table[blob]?.sources[link, default: Download.Source()].places.append(place)
        return self.askOn(link, for: blob)
    }

    /// Asks in the next place that tells both of a file: another answer is waited for, and who has
    /// something of it is asked nowhere else.
    private mutating func askOn(_ link: LinkID, for blob: BlobID) -> [Step] {
        guard let download = self.table[blob], var source = download.sources[link],
            !source.isBad, source.askedCount == 0 || source.chunks?.count == 0
        else { return [] }
        let left = source.places.dropFirst(source.askedCount)
        guard let place = left.first(where: download.places.contains) else { return [] }
        source.askedCount = (source.places.firstIndex(of: place) ?? 0) + 1
        source.chunks = nil
        source.askAgainAt = nil
        self.table[blob]?.sources[link] = source
        return [.send(.blobAsk(place.conversation, blob), link)]
    }

    /// A link has come to share a conversation: it is asked for what of it is fetched.
    mutating func shared(_ conversation: ConversationID, with link: LinkID) -> [Step] {
        var steps: [Step] = []
        for blob in self.active {
            guard self.places(of: blob).contains(.conversation(conversation)) else { continue }
            steps += self.ask(link, in: .conversation(conversation), for: blob)
        }
        return steps
    }

    /// A peer has left a conversation: it is asked for files in others that both are in.
    mutating func unshared(_ conversation: ConversationID, with link: LinkID) -> [Step] {
        var steps: [Step] = []
        for blob in self.active {
            self.table[blob]?.leave(.conversation(conversation), with: link)
            steps += self.askOn(link, for: blob)
        }
        return steps
    }

    /// A peer says what it has.
    mutating func receive(_ holdings: BlobHoldings, on link: LinkID, at now: UInt64) -> [Step] {
        guard var source = self.table[holdings.blob]?.sources[link],
            let total = self.table[holdings.blob]?.layout.chunkCount
        else { return [] }
        switch holdings.extent {
        case .nothing: source.chunks = ChunkSet(of: total)
        case .whole: source.chunks = ChunkSet(all: total)
        case .chunks(let bytes):
            // Of whoever lies about the number nothing is believed.
            source.chunks = ChunkSet(bytes, of: total) ?? ChunkSet(of: total)
        }
        self.table[holdings.blob]?.sources[link] = source
        return self.askOn(link, for: holdings.blob) + self.plan(at: now)
            + self.told(holdings.blob)
    }

    private func told(_ blob: BlobID) -> [Step] {
        self.table[blob].map { [.task(.tell($0.report))] } ?? []
    }

    mutating func closed(_ link: LinkID, at now: UInt64) -> [Step] {
        for number in self.asked[link].map({ Array($0.keys) }) ?? [] {
            self.giveUp(number, of: link)
        }
        self.asked[link] = nil
        self.regards[link] = nil
        self.prompt.remove(link)
        var left: [BlobID] = []
        for blob in self.active where self.table[blob]?.sources.removeValue(forKey: link) != nil {
            left.append(blob)
        }
        return self.plan(at: now) + left.flatMap { self.told($0) }
    }

    // MARK: Asking

    private mutating func giveUp(_ number: UInt64, of link: LinkID) {
        guard let asked = self.asked[link]?.removeValue(forKey: number), !asked.isLate else {
            return
        }
        self.table[asked.blob]?.gaveUp(asked.part)
    }

    /// Parts that are asked for and not late.
    private var askedCount: Int {
        self.asked.values.reduce(0) { $0 + $1.values.count { !$0.isLate } }
    }

    private var lateCount: Int {
        self.asked.values.reduce(0) { $0 + $1.values.count(where: \.isLate) }
    }

    /// Learns who is at the other end of a link: the last word counts.
    mutating func regard(_ link: LinkID, _ peer: PeerID, as tier: Tier) {
        self.regards[link] = Regard(peer: peer, tier: tier)
    }

    /// The links of which it is known who is there.
    var regarded: [LinkID] { self.regards.keys.sorted() }

    /// Who is asked first for a file: who has told of it and those whom the user knows, then fellows.
    private func rank(_ link: LinkID, for download: Download) -> Int {
        guard let regard = self.regards[link] else { return 2 }
        let isAuthor =
            download.authors.contains(regard.peer)
            || download.places.contains(.profile(regard.peer))
        if isAuthor || regard.tier >= .known { return 0 }
        return regard.tier == .fellow ? 1 : 2
    }

    /// Whether a link may be asked for a part more.
    ///
    /// Who is not known has a share of all, and whoever has not
    /// shown that they answer is asked for one part.
    private func mayBeAsked(_ link: LinkID, rank: Int, strangers: Int, atMost most: Int) -> Bool {
        guard rank == 0 || strangers < most else { return false }
        let limit = self.prompt.contains(link) ? Limits.partsPerLink : 1
        return self.asked[link]?.count ?? 0 < limit
    }

    /// How many parts, not late, are asked of people whom the user does not know.
    private var strangersCount: Int {
        var count = 0
        for (link, all) in self.asked {
            for asked in all.values where !asked.isLate {
                guard let download = self.table[asked.blob] else { continue }
                count += self.rank(link, for: download) == 0 ? 0 : 1
            }
        }
        return count
    }

    /// Asks for as much as may be under way at a time.
    ///
    /// A picture that nobody has who is linked keeps no place from others.
    private mutating func plan(at now: UInt64) -> [Step] {
        var steps: [Step] = []
        for blob in self.active
        where self.table[blob].map({ $0.isPicture && $0.isHopeless }) == true {
            steps += self.end(blob, .unavailable)
        }
        var free = Limits.partsUnderWay - self.askedCount - self.storing
        var strangers = self.strangersCount
        for blob in self.active where free > 0 {
            guard let download = self.table[blob] else { continue }
            let links = download.usable.map { (rank: self.rank($0, for: download), link: $0) }
            let isServed = links.contains { $0.rank == 0 && self.prompt.contains($0.link) }
            let most = isServed ? Limits.strangersPartsBeside : Limits.strangersParts
            for (rank, link) in links.sorted(by: { $0 < $1 }) {
                while free > 0,
                    self.mayBeAsked(link, rank: rank, strangers: strangers, atMost: most),
                    let want = self.want(of: blob, on: link, at: now)
                {
                    free -= 1
                    strangers += rank == 0 ? 0 : 1
                    steps.append(want)
                }
            }
        }
        return steps
    }

    /// Asks a link for the next part of a file that it has; nil where there is none.
    private mutating func want(of blob: BlobID, on link: LinkID, at now: UInt64) -> Step? {
        let late = self.askedParts(of: blob, on: link)
        guard let part = self.table[blob]?.nextPart(from: link, besides: late) else { return nil }
        self.lastNumber += 1
        self.asked[link, default: [:]][self.lastNumber] = Asked(blob: blob, part: part, since: now)
        self.table[blob]?.began(part)
        return .send(.blobWant(BlobWant(number: self.lastNumber, blob: blob, part: part)), link)
    }

    private func askedParts(of blob: BlobID, on link: LinkID) -> Set<BlobPart> {
        Set(self.asked[link]?.values.lazy.filter { $0.blob == blob }.map(\.part) ?? [])
    }

    /// Takes bytes of a part that was asked for; others are dropped.
    mutating func receive(_ piece: BlobPiece, on link: LinkID, at now: UInt64) -> [Step] {
        guard var asked = self.asked[link]?[piece.number],
            let layout = self.table[asked.blob]?.layout
        else { return [] }
        let count = layout.byteCount(of: asked.part)
        guard piece.offset == asked.bytes.count, piece.offset + piece.bytes.count <= count,
            !piece.bytes.isEmpty || count == 0
        else {
            // It was asked for once, in order, and no more of it.
            self.giveUp(piece.number, of: link)
            self.table[asked.blob]?.sources[link]?.isBad = true
            return [.accuse(link, asked.blob)] + self.plan(at: now)
        }
        // Out of the table while it grows, so that it is not copied.
        self.asked[link]?[piece.number] = nil
        if asked.bytes.isEmpty { asked.bytes.reserveCapacity(count) }
        asked.bytes += piece.bytes
        #if MUTANTS
            if Mutant.renewByBytes.isActive { asked.since = now }
        #endif
        guard asked.bytes.count == count else {
            self.asked[link]?[piece.number] = asked
            return []
        }
        return self.take(asked, from: link, at: now)
    }

    /// A part has come whole.
    ///
    /// What was asked for behind it has its time from now on.
    private mutating func take(_ asked: Asked, from link: LinkID, at now: UInt64) -> [Step] {
        if !asked.isLate { self.prompt.insert(link) }
        for number in self.asked[link]?.keys.sorted() ?? [] {
            self.asked[link]?[number]?.since = now
        }
        guard self.table[asked.blob]?.arrived(asked.part) == true else { return self.plan(at: now) }
        self.storing += 1
        return [.task(.store(asked.blob, asked.part, asked.bytes, from: link))] + self.plan(at: now)
    }

    /// A part has come by way of other sites.
    mutating func receive(_ part: SitePart) -> [Step] {
        guard self.lacks(part.name), self.table[part.name.blob]?.arrived(part.name.part) == true
        else { return [] }
        self.storing += 1
        return [.task(.store(part.name.blob, part.name.part, part.bytes, from: .sites))]
    }

    /// A peer does not serve what it was asked for: it is asked later what it has.
    mutating func unavailable(_ number: UInt64, on link: LinkID, at now: UInt64) -> [Step] {
        guard let asked = self.asked[link]?[number] else { return [] }
        self.giveUp(number, of: link)
        self.table[asked.blob]?.miss(link, at: now)
        return self.plan(at: now)
    }

    // MARK: Time

    /// Gives up what does not come, and asks again who had nothing.
    mutating func wake(at now: UInt64, links: (BlobPlace) -> [LinkID]) -> [Step] {
        self.armedAt = nil
        self.noteLate(at: now)
        var steps = self.askAgain(at: now)
        for blob in self.active {
            guard let download = self.table[blob], download.phase == .fetching,
                download.usable.isEmpty, download.seekAt <= now
            else { continue }
            self.table[blob]?.seek(at: now)
            for (link, source) in download.sources where !source.isBad {
                self.table[blob]?.sources[link] = nil
            }
            // Of a picture nobody is asked again: without sources it ends.
            guard !download.isPicture || !download.underWay.isEmpty else { continue }
            for place in download.places {
                for link in links(place) { steps += self.ask(link, in: place, for: blob) }
            }
        }
        return steps + self.plan(at: now) + self.startNext()
    }

    /// What is late may be asked of others, too, and is given up in the end.
    private mutating func noteLate(at now: UInt64) {
        var late: [(since: UInt64, number: UInt64, link: LinkID)] = []
        for (link, all) in self.asked {
            for (number, asked) in all where asked.since + Limits.slowPartMilliseconds <= now {
                self.prompt.remove(link)
                if asked.since + Limits.partMilliseconds <= now {
                    self.giveUp(number, of: link)
                    self.table[asked.blob]?.miss(link, at: now)
                    continue
                }
                if !asked.isLate { self.table[asked.blob]?.gaveUp(asked.part) }
                self.asked[link]?[number]?.isLate = true
                late.append((asked.since, number, link))
            }
        }
        for (_, number, link) in late.sorted(by: { $0 < $1 }).dropLast(Limits.lateParts) {
            guard let asked = self.asked[link]?[number] else { continue }
            self.giveUp(number, of: link)
            self.table[asked.blob]?.miss(link, at: now)
        }
    }

    /// Those are asked again who did not serve what they said that they have.
    private mutating func askAgain(at now: UInt64) -> [Step] {
        var steps: [Step] = []
        for blob in self.active {
            guard let download = self.table[blob], download.phase == .fetching,
                !download.isPicture
            else { continue }
            for (link, source) in download.sources.sorted(by: { $0.key < $1.key }) {
                guard let moment = source.askAgainAt, moment <= now else { continue }
                self.table[blob]?.sources[link]?.askedCount = 0
                steps += self.askOn(link, for: blob)
            }
        }
        return steps
    }

    /// When to be woken next; nil where there is nothing to wait for.
    mutating func nextWake(after now: UInt64) -> UInt64? {
        let soon = now + Limits.seekFirstMilliseconds
        var moments: [UInt64] = []
        for download in self.active.compactMap({ self.table[$0] }) {
            let isSeeking = download.isSeeking && download.seekAt > now
            moments.append(isSeeking ? download.seekAt : soon)
            if !download.isPicture {
                moments += download.sources.values.compactMap(\.askAgainAt).filter { $0 > now }
            }
        }
        for asked in self.asked.values.joined().map(\.value) {
            let patience =
                asked.isLate ? Limits.partMilliseconds : Limits.slowPartMilliseconds
            moments.append(asked.since + patience)
        }
        // What goes on meanwhile puts nothing off.
        self.armedAt = moments.min().map { min($0, self.armedAt ?? .max) }
        return self.armedAt
    }
}
