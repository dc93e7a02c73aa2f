package import Formats

/// Files: fetched from whoever has them, and served to those with whom a conversation is shared that
/// tells of them.
///
/// `Docs/Protocol/Files.md`.
extension Node {
    /// How far the files are that are fetched, oldest first.
    package var transfers: [TransferReport] { self.downloads.reports }

    /// How far one is; nil where it is not fetched.
    package func transfer(of blob: BlobID) -> TransferReport? { self.downloads.report(of: blob) }

    mutating func transferred(_ event: FileEvent) {
        let now = self.now.monotonic
        switch event {
        case .fetch(let blob, let layout, let place, let author, let isAwaited):
            self.pictures.began(blob)
            self.perform(
                self.downloads.fetch(blob, layout, in: place, by: author, isAwaited: isAwaited))
            // Where it is sought already, another message tells of more who may have it.
            for link in self.holders(of: [place])[place] ?? [] {
                self.perform(self.downloads.ask(link, in: place, for: blob))
            }
        case .cancel(let blob):
            self.perform(self.downloads.end(blob, .cancelled))
            self.endDamage(of: blob, isHealed: false)
        case .opened(let blob, let standing):
            let holders = self.holders(of: Set(self.downloads.places(of: blob)))
            self.perform(
                self.downloads.opened(blob, standing, links: { holders[$0] ?? [] }, at: now))
        case .stored(let blob, let part, let link, let isRight):
            self.perform(
                self.downloads.stored(blob, part, from: link, isRight: isRight, at: now))
        case .unstored(let blob, let failure):
            self.perform(self.downloads.unstored(blob, failure, at: now))
        case .finished(let blob, let beginning):
            self.perform(
                self.takePicture(blob, beginning: beginning)
                    ? self.downloads.finished(blob) : self.downloads.end(blob, .notPicture))
            self.endDamage(of: blob, isHealed: true)
        case .found(let blob, let beginning):
            if !self.takePicture(blob, beginning: beginning) {
                self.actions.append(.transfer(.release(blob)))
            }
        case .failed(let blob, let failure): self.perform(self.downloads.end(blob, failure))
        case .damaged(let blob, let told, let name): self.fileDamaged(blob, told, called: name)
        case .looked(let link, let blob, let standing):
            let known = standing.map { self.downloads.standing(of: blob) ?? $0 }
            if let holdings = self.uploads.looked(link, blob, known) {
                self.send(.blobHoldings(holdings), on: link)
            }
        case .read(let link, let number, let bytes):
            guard self.links.has(link) else { break }
            if self.uploads.read(number, bytes, on: link) {
                self.pumpPieces(link)
            } else {
                self.send(.blobUnavailable(number: number), on: link)
            }
        }
        self.planUploads()
        self.armTransfers()
    }

    /// Those links whose peers may have what some places tell of, and know of files.
    private func holders(of places: Set<BlobPlace>) -> [BlobPlace: [LinkID]] {
        var holders: [BlobPlace: [LinkID]] = [:]
        for place in places {
            let links =
                switch place {
                case .conversation(let conversation): self.links.sharing(conversation)
                case .profile(let author):
                    self.links.ids.filter { self.maySeeProfile(of: author, on: $0) }
                }
            holders[place] = links.filter { self.links[$0].info.features.contains(.blobs) }
        }
        return holders
    }

    /// Whether anybody is linked who may have what a place tells of.
    func hasHolders(of place: BlobPlace) -> Bool {
        self.holders(of: [place])[place]?.isEmpty == false
    }

    mutating func perform(_ steps: [Downloads.Step]) {
        for step in steps {
            switch step {
            case .task(let task): self.actions.append(.transfer(task))
            case .send(let frame, let link):
                guard self.links.has(link) else { continue }
                if case .blobAsk = frame { self.regard([link]) }
                self.send(frame, on: link)
            case .accuse(let link, let blob):
                guard self.links.has(link) else { continue }
                self.logThinned(
                    "\(self.links[link].info.peer.shortText) sent data that is not part of file "
                        + "\(blob.description.prefix(8)); it is not asked for that file again")
            case .changed(let holdings, let isLast):
                if isLast { self.endPicture(holdings.blob) }
                self.tellHoldings(holdings, isLast: isLast)
            }
        }
    }

    // MARK: Messages with files

    /// A message with a file has come: a small one of somebody who is trusted is fetched at once.
    mutating func noteFile(_ file: AttachedFile, of author: PeerID, in conversation: ConversationID)
    {
        guard author != self.id, file.size <= self.own.configuration.preferences.autoFetchBytes,
            let layout = BlobLayout(size: file.size),
            self.tier(of: author) > .stranger
                || self.conversationTable[known: conversation].room == nil
        else { return }
        self.transferred(
            .fetch(
                file.blob, layout, in: .conversation(conversation), by: author, isAwaited: false))
    }

    /// No message tells of a file any longer: it is removed, fetched and served no more.
    ///
    /// One that a profile names, too, stays as a picture.
    mutating func releaseFile(_ blob: BlobID) {
        if !self.pictures.isNamed(blob) {
            let ended = self.downloads.end(blob, .gone)
            self.perform(ended)
            if ended.isEmpty { self.actions.append(.transfer(.close(blob, isRemoved: true))) }
            self.endDamage(of: blob, isHealed: false)
        }
        for link in self.uploads.drop(blob, ofProfile: false) {
            self.send(.blobHoldings(BlobHoldings(blob, .nothing)), on: link)
        }
    }

    /// No message of a conversation tells of a file any longer, but one of another one does: it stays, and
    /// is served there alone.
    mutating func withdrawFile(_ blob: BlobID, in conversation: ConversationID) {
        self.downloads.forget(.conversation(conversation), of: blob)
        for link in self.uploads.drop(blob, of: .conversation(conversation)) {
            self.send(.blobHoldings(BlobHoldings(blob, .nothing)), on: link)
        }
    }

    // MARK: Damage

    /// A copy here turned out to be damaged or gone: it is offered no longer, fetched again, and people are
    /// told.
    private mutating func fileDamaged(_ blob: BlobID, _ told: [FileTold], called name: String) {
        self.sendHoldings(BlobHoldings(blob, .nothing))
        self.losePicture(blob)
        self.perform(self.downloads.reopen(blob))
        for one in told {
            self.transferred(.fetch(blob, one.layout, in: one.place, isAwaited: false))
        }
        if self.damagedFiles.note(blob, called: name) { self.tellDamage() }
    }

    /// A file is whole again, or nothing tells of it any longer.
    mutating func endDamage(of blob: BlobID, isHealed: Bool) {
        guard let name = self.damagedFiles.end(blob) else { return }
        if isHealed { self.log(.info, "the copy of \(name) is whole again") }
        self.tellDamage()
    }

    private mutating func tellDamage() {
        if let text = self.damagedFiles.text {
            self.raiseAlert(.fileDamage, text)
        } else {
            self.alerts.clear(.fileDamage, at: self.now)
        }
    }

    // MARK: Fetching

    /// Says who is at the other end of links that are asked for files.
    private mutating func regard(_ links: [LinkID]) {
        let tiers = self.tiers(of: Set(links.map { self.links[$0].info.peer }))
        for link in links {
            let peer = self.links[link].info.peer
            self.downloads.regard(link, peer, as: tiers[peer] ?? .stranger)
        }
    }

    /// A link has come to share a conversation.
    mutating func seekFiles(of conversation: ConversationID, on id: LinkID) {
        guard !self.downloads.isEmpty, self.links[id].info.features.contains(.blobs) else { return }
        self.perform(self.downloads.shared(conversation, with: id))
        self.armTransfers()
    }

    mutating func receiveHoldings(_ holdings: BlobHoldings, on id: LinkID) {
        self.take(self.downloads.receive(holdings, on: id, at: self.now.monotonic))
        self.notePictureHolder(holdings, on: id)
    }

    /// Does what an answer leads to; whoever is asked for something by it has their time from now on.
    private mutating func take(_ steps: [Downloads.Step]) {
        guard !steps.isEmpty else { return }
        self.perform(steps)
        self.armTransfers()
    }

    mutating func receiveBlobUnavailable(_ number: UInt64, on id: LinkID) {
        self.take(self.downloads.unavailable(number, on: id, at: self.now.monotonic))
    }

    mutating func receivePiece(_ piece: BlobPiece, on id: LinkID) {
        self.take(self.downloads.receive(piece, on: id, at: self.now.monotonic))
    }

    // MARK: Serving

    mutating func receiveBlobAsk(
        _ blob: BlobID, in conversation: ConversationID, on id: LinkID
    ) {
        guard self.uploads.ask(blob, in: .conversation(conversation), on: id) else { return }
        self.actions.append(.transfer(.look(id, conversation, blob)))
    }

    mutating func receiveBlobWant(_ want: BlobWant, on id: LinkID) {
        guard self.mayServe(want.blob, on: id), self.uploads.want(want, on: id) else {
            return self.send(.blobUnavailable(number: want.number), on: id)
        }
        self.planUploads()
    }

    private mutating func planUploads() {
        guard self.uploads.isDue else { return }
        for (link, want) in self.uploads.takeReads() {
            self.actions.append(
                .transfer(.read(link, number: want.number, want.blob, want.part)))
        }
    }

    /// Sends what is ready as far as the peer takes it.
    mutating func pumpPieces(_ id: LinkID) {
        guard !self.uploads.isEmpty else { return }
        while self.links[id].flow.credit(on: .blob) >= Limits.plaintextBytes,
            let piece = self.uploads.nextPiece(on: id)
        {
            self.send(.blobPiece(piece), on: id)
        }
        self.planUploads()
    }

    private mutating func tellHoldings(_ holdings: BlobHoldings, isLast: Bool) {
        let told = self.uploads.changed(holdings, isLast: isLast, at: self.now.monotonic)
        if let told { self.sendHoldings(told) }
    }

    private mutating func sendHoldings(_ holdings: BlobHoldings) {
        for link in self.uploads.askers(of: holdings.blob) where self.links.has(link) {
            self.send(.blobHoldings(holdings), on: link)
        }
    }

    // MARK: Links and time

    mutating func endTransfers(on id: LinkID) {
        self.uploads.closed(id)
        self.perform(self.downloads.closed(id, at: self.now.monotonic))
        self.planUploads()
    }

    mutating func transfersDue() {
        let holders = self.holders(of: self.downloads.activePlaces)
        // The user may have come to know somebody meanwhile.
        self.regard(self.downloads.regarded)
        self.perform(
            self.downloads.wake(at: self.now.monotonic, links: { holders[$0] ?? [] }))
        self.picturesDue()
        for holdings in self.uploads.takeUntold(at: self.now.monotonic) {
            self.sendHoldings(holdings)
        }
        self.armTransfers()
    }

    mutating func armTransfers() {
        let next = [
            self.downloads.nextWake(after: self.now.monotonic), self.uploads.nextTold,
            self.links.count == 0 ? nil : self.pictures.nextDue,
        ].compactMap(\.self).min()
        if let next { self.actions.append(.arm(.transfers, at: max(next, self.now.monotonic))) }
    }
}
