/// The files that are fetched: whom to ask for what, and what has come.
///
/// Knows nothing of the bytes but how many there are; whether they are right the shell says.
/// `Docs/Protocol/Files.md` section 3.
struct Downloads: Sendable {
    /// What the node is to do.
    enum Step: Hashable, Sendable {
        case task(FileTask)
        case send(Frame, LinkID)
        /// A peer has sent what is not part of the file.
        case accuse(LinkID, BlobID)
        /// More of a file is here than before; the last time that this is said where it has ended.
        case changed(BlobHoldings, isLast: Bool)
    }

    /// A part that a link was asked for.
    private struct Asked: Sendable {
        var blob: BlobID
        var part: BlobPart
        var bytes: [UInt8] = []
        var deadline: UInt64
    }

    private var table: [BlobID: Download] = [:]
    /// Those whose turn has come, oldest first.
    private var active: [BlobID] = []
    /// The others: those that somebody waits for, and those that are fetched by themselves.
    private var waiting: (awaited: [BlobID], others: [BlobID]) = ([], [])
    private var asked: [LinkID: [UInt64: Asked]] = [:]
    private var lastNumber: UInt64 = 0
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
    mutating func fetch(
        _ blob: BlobID, _ layout: BlobLayout, in place: BlobPlace, isAwaited: Bool
    ) -> [Step] {
        if var known = self.table[blob] {
            if known.layout != layout, !known.isProven {
                // The size is wrong in one of two messages. Who waits for it says which is meant; others
                // who do get what has this id.
                guard isAwaited, self.remove(blob) != nil else { return [] }
                return [.task(.close(blob, isRemoved: true))]
                    + self.fetch(blob, layout, in: place, isAwaited: true)
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
        let download = Download(blob, layout, in: place, isAwaited: isAwaited)
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
            download.gaveUp(part)
            download.sources[link]?.isBad = true
            self.table[blob] = download
            let others = self.asked[link]?.filter { $0.value.blob == blob } ?? [:]
            for number in others.keys { self.giveUp(number, of: link) }
            return [.accuse(link, blob)] + self.plan(at: now)
        }
        download.keep(part)
        self.table[blob] = download
        var steps: [Step] = []
        if part.isChunk, !download.isWhole {
            let holdings = BlobHoldings(blob, BlobHoldings.Extent(download.chunks))
            steps = [.task(.tell(download.report)), .changed(holdings, isLast: false)]
        }
        // Others are told once it is kept.
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
        for blob in self.active { self.table[blob]?.sources[link] = nil }
        return self.active.isEmpty ? [] : self.plan(at: now)
    }

    // MARK: Asking

    private mutating func giveUp(_ number: UInt64, of link: LinkID) {
        guard let asked = self.asked[link]?.removeValue(forKey: number) else { return }
        self.table[asked.blob]?.gaveUp(asked.part)
    }

    private var askedCount: Int { self.asked.values.reduce(0) { $0 + $1.count } }

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
        for blob in self.active where free > 0 {
            guard let links = self.table[blob]?.usable else { continue }
            for link in links {
                while free > 0, self.asked[link]?.count ?? 0 < Limits.partsPerLink,
                    let part = self.table[blob]?.nextPart(from: link)
                {
                    self.lastNumber += 1
                    self.asked[link, default: [:]][self.lastNumber] = Asked(
                        blob: blob, part: part, deadline: now + Limits.partMilliseconds)
                    self.table[blob]?.began(part)
                    free -= 1
                    steps.append(
                        .send(
                            .blobWant(BlobWant(number: self.lastNumber, blob: blob, part: part)),
                            link))
                }
            }
        }
        return steps
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
        asked.deadline = now + Limits.partMilliseconds
        guard asked.bytes.count == count else {
            self.asked[link]?[piece.number] = asked
            return []
        }
        self.storing += 1
        return [.task(.store(asked.blob, asked.part, asked.bytes, from: link))] + self.plan(at: now)
    }

    /// A peer does not serve what it was asked for: until it says what it has it is not asked again.
    mutating func unavailable(_ number: UInt64, on link: LinkID, at now: UInt64) -> [Step] {
        guard let asked = self.asked[link]?[number] else { return [] }
        self.giveUp(number, of: link)
        self.table[asked.blob]?.sources[link]?.chunks = nil
        return self.plan(at: now)
    }

    // MARK: Time

    /// Gives up what does not come, and asks again who had nothing.
    mutating func wake(at now: UInt64, links: (BlobPlace) -> [LinkID]) -> [Step] {
        self.armedAt = nil
        for (link, all) in self.asked {
            for (number, asked) in all where asked.deadline <= now {
                self.giveUp(number, of: link)
                // Until it says again what it has.
                self.table[asked.blob]?.sources[link]?.chunks = nil
            }
        }
        var steps: [Step] = []
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

    /// When to be woken next; nil where there is nothing to wait for.
    mutating func nextWake(after now: UInt64) -> UInt64? {
        let soon = now + Limits.partMilliseconds
        let moments = self.active.compactMap { self.table[$0] }.map {
            $0.isSeeking && $0.seekAt > now ? $0.seekAt : soon
        }
        // What goes on meanwhile puts nothing off.
        self.armedAt = moments.min().map { min($0, self.armedAt ?? .max) }
        return self.armedAt
    }
}
