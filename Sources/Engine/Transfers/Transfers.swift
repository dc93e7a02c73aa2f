internal import Formats

/// What ``Transfers`` wants done, in order.
enum TransferAction: Hashable, Sendable {
    case perform(Action)
    case send(Frame, LinkID)
    /// Write a warning that peers can cause again and again, where it is one of few.
    case warn(String)
    /// Raise the alert of damaged files by these texts, or end it where there are none.
    case tellDamage(String?, logged: String?)
    /// Send what is ready on a link as far as the peer takes it.
    case pump(LinkID)
}

/// Files: fetched from whoever has them, and served to those with whom a conversation is shared that
/// tells of them; and the pictures that profiles name.
///
/// `Docs/Protocol/Files.md`.
package struct Transfers: Sendable {
    var downloads = Downloads()
    var uploads = Uploads()
    var pictures: Pictures
    var damagedFiles = DamagedFiles()

    /// Part of the warning about a peer that sends wrong parts; whoever watches for it looks for this.
    package static let wrongPartText = "sent data that is not part of file"

    init(pictures: Pictures) { self.pictures = pictures }

    // MARK: What becomes of files

    /// Something has become of a file, or is wanted of it; ``goOn(_:at:)`` is due then.
    mutating func take(
        _ event: FileEvent, _ neighbours: Neighbours, at now: UInt64
    ) -> [TransferAction] {
        var wanted: [TransferAction] = []
        self.take(event, neighbours, at: now, &wanted)
        return wanted
    }

    private mutating func take(
        _ event: FileEvent, _ neighbours: Neighbours, at now: UInt64,
        _ wanted: inout [TransferAction]
    ) {
        switch event {
        case .fetch(let blob, let layout, let place, let author, let isAwaited, let stored):
            self.pictures.began(blob)
            let begun = self.downloads.fetch(
                blob, layout, in: place, by: author, isAwaited: isAwaited, stored: stored)
            self.perform(begun, neighbours, at: now, &wanted)
            // Where it is sought already, another message tells of more who may have it.
            for link in neighbours.holders(of: place) {
                let asked = self.downloads.ask(link, in: place, for: blob)
                self.perform(asked, neighbours, at: now, &wanted)
            }
        case .cancel(let blob):
            self.perform(self.downloads.end(blob, .cancelled), neighbours, at: now, &wanted)
            self.endDamage(of: blob, isHealed: false, &wanted)
        case .opened(let blob, let standing):
            let holders = neighbours.holders(of: Set(self.downloads.places(of: blob)))
            let opened = self.downloads.opened(
                blob, standing, links: { holders[$0] ?? [] }, at: now)
            self.perform(opened, neighbours, at: now, &wanted)
        case .brought(let part):
            self.perform(self.downloads.receive(part), neighbours, at: now, &wanted)
        case .stored(let blob, let part, let link, let isRight):
            let stored = self.downloads.stored(blob, part, from: link, isRight: isRight, at: now)
            self.perform(stored, neighbours, at: now, &wanted)
        case .unstored(let blob, let failure):
            let ended = self.downloads.unstored(blob, failure, at: now)
            self.perform(ended, neighbours, at: now, &wanted)
        case .finished(let blob, let beginning):
            let isKept = self.takePicture(blob, beginning: beginning, &wanted)
            let ended =
                isKept ? self.downloads.finished(blob) : self.downloads.end(blob, .notPicture)
            self.perform(ended, neighbours, at: now, &wanted)
            self.endDamage(of: blob, isHealed: true, &wanted)
        case .found(let blob, let beginning):
            if !self.takePicture(blob, beginning: beginning, &wanted) {
                wanted.append(.perform(.transfer(.release(blob))))
            }
        case .failed(let blob, let failure):
            self.perform(self.downloads.end(blob, failure), neighbours, at: now, &wanted)
        case .damaged(let blob, let told, let name):
            self.damaged(blob, told, called: name, neighbours, at: now, &wanted)
        case .looked(let link, let blob, let standing):
            let known = standing.map { self.downloads.standing(of: blob) ?? $0 }
            if let holdings = self.uploads.looked(link, blob, known) {
                wanted.append(.send(.blobHoldings(holdings), link))
            }
        case .read(let link, let number, let bytes):
            guard neighbours.links.has(link) else { break }
            wanted.append(
                self.uploads.read(number, bytes, on: link)
                    ? .pump(link) : .send(.blobUnavailable(number: number), link))
        }
    }

    /// Reads what is to be sent next, and says when there is something to do again.
    mutating func goOn(_ neighbours: Neighbours, at now: UInt64) -> [TransferAction] {
        var wanted = self.planUploads()
        self.arm(neighbours, at: now, &wanted)
        return wanted
    }

    /// Fetches a file, as if it were asked for from outside.
    mutating func fetch(
        _ event: FileEvent, _ neighbours: Neighbours, at now: UInt64,
        _ wanted: inout [TransferAction]
    ) {
        self.take(event, neighbours, at: now, &wanted)
        wanted += self.goOn(neighbours, at: now)
    }

    mutating func perform(
        _ steps: [Downloads.Step], _ neighbours: Neighbours, at now: UInt64,
        _ wanted: inout [TransferAction]
    ) {
        for step in steps {
            switch step {
            case .task(let task): wanted.append(.perform(.transfer(task)))
            case .send(let frame, let link):
                guard neighbours.links.has(link) else { continue }
                if case .blobAsk = frame { self.regard([link], neighbours) }
                wanted.append(.send(frame, link))
            case .accuse(let link, let blob):
                guard neighbours.links.has(link) else { continue }
                wanted.append(
                    .warn(
                        "\(neighbours.links[link].info.peer.shortText) \(Self.wrongPartText) "
                            + "\(blob.description.prefix(8)); it is not asked for that file again"
                    ))
            case .changed(let holdings, let isLast):
                if isLast { self.endPicture(holdings.blob, at: now) }
                let told = self.uploads.changed(holdings, isLast: isLast, at: now)
                if let told { self.send(told, neighbours, &wanted) }
            }
        }
    }

    /// Says who is at the other end of links that are asked for files.
    private mutating func regard(_ links: [LinkID], _ neighbours: Neighbours) {
        let tiers = neighbours.tiers(of: Set(links.map { neighbours.links[$0].info.peer }))
        for link in links {
            let peer = neighbours.links[link].info.peer
            self.downloads.regard(link, peer, as: tiers[peer] ?? .stranger)
        }
    }

    mutating func arm(
        _ neighbours: Neighbours, at now: UInt64, _ wanted: inout [TransferAction]
    ) {
        let next = [
            self.downloads.nextWake(after: now), self.uploads.nextTold,
            neighbours.links.count == 0 ? nil : self.pictures.nextDue,
        ].compactMap(\.self).min()
        if let next { wanted.append(.perform(.arm(.transfers, at: max(next, now)))) }
    }

    // MARK: Messages with files

    /// No message tells of a file any longer: it is removed, fetched and served no more.
    ///
    /// One that a profile names, too, stays as a picture.
    mutating func release(
        _ blob: BlobID, _ neighbours: Neighbours, at now: UInt64
    ) -> [TransferAction] {
        var wanted: [TransferAction] = []
        if !self.pictures.isNamed(blob) {
            let ended = self.downloads.end(blob, .gone)
            self.perform(ended, neighbours, at: now, &wanted)
            if ended.isEmpty {
                wanted.append(.perform(.transfer(.close(blob, isRemoved: true))))
            }
            self.endDamage(of: blob, isHealed: false, &wanted)
        }
        for link in self.uploads.drop(blob, ofProfile: false) {
            wanted.append(.send(.blobHoldings(BlobHoldings(blob, .nothing)), link))
        }
        return wanted
    }

    /// No message of a conversation tells of a file any longer, but one of another one does: it stays, and
    /// is served there alone.
    mutating func withdraw(_ blob: BlobID, in conversation: ConversationID) -> [TransferAction] {
        self.downloads.forget(.conversation(conversation), of: blob)
        return self.uploads.drop(blob, of: .conversation(conversation)).map {
            .send(.blobHoldings(BlobHoldings(blob, .nothing)), $0)
        }
    }

    // MARK: Damage

    /// A copy here turned out to be damaged or gone: it is offered no longer, fetched again, and people are
    /// told.
    private mutating func damaged(
        _ blob: BlobID, _ told: [FileTold], called name: String, _ neighbours: Neighbours,
        at now: UInt64, _ wanted: inout [TransferAction]
    ) {
        self.send(BlobHoldings(blob, .nothing), neighbours, &wanted)
        self.losePicture(blob, neighbours, at: now, &wanted)
        self.perform(self.downloads.reopen(blob), neighbours, at: now, &wanted)
        for one in told {
            self.fetch(
                .fetch(blob, one.layout, in: one.place, isAwaited: false), neighbours, at: now,
                &wanted)
        }
        if self.damagedFiles.note(blob, called: name) { wanted.append(self.tellDamage) }
    }

    /// A file is whole again, or nothing tells of it any longer.
    mutating func endDamage(
        of blob: BlobID, isHealed: Bool, _ wanted: inout [TransferAction]
    ) {
        guard self.damagedFiles.end(blob) else { return }
        if isHealed {
            let name = DamagedFiles.loggedName(of: blob)
            wanted.append(.perform(.log(.info, "the copy of \(name) is whole again")))
        }
        wanted.append(self.tellDamage)
    }

    private var tellDamage: TransferAction {
        .tellDamage(self.damagedFiles.text, logged: self.damagedFiles.loggedText)
    }

    // MARK: Fetching

    /// A link has come to share a conversation.
    mutating func shared(
        _ conversation: ConversationID, with id: LinkID, _ neighbours: Neighbours, at now: UInt64
    ) -> [TransferAction] {
        var wanted: [TransferAction] = []
        self.perform(
            self.downloads.shared(conversation, with: id), neighbours, at: now, &wanted)
        self.arm(neighbours, at: now, &wanted)
        return wanted
    }

    mutating func receive(
        _ holdings: BlobHoldings, on id: LinkID, _ neighbours: Neighbours, at now: UInt64
    ) -> [TransferAction] {
        var wanted = self.take(
            self.downloads.receive(holdings, on: id, at: now), neighbours, at: now)
        self.notePictureHolder(holdings, on: id, neighbours, at: now, &wanted)
        return wanted
    }

    mutating func receiveUnavailable(
        _ number: UInt64, on id: LinkID, _ neighbours: Neighbours, at now: UInt64
    ) -> [TransferAction] {
        self.take(self.downloads.unavailable(number, on: id, at: now), neighbours, at: now)
    }

    mutating func receive(
        _ piece: BlobPiece, on id: LinkID, _ neighbours: Neighbours, at now: UInt64
    ) -> [TransferAction] {
        self.take(self.downloads.receive(piece, on: id, at: now), neighbours, at: now)
    }

    /// Does what an answer leads to; whoever is asked for something by it has their time from now on.
    private mutating func take(
        _ steps: [Downloads.Step], _ neighbours: Neighbours, at now: UInt64
    ) -> [TransferAction] {
        guard !steps.isEmpty else { return [] }
        var wanted: [TransferAction] = []
        self.perform(steps, neighbours, at: now, &wanted)
        self.arm(neighbours, at: now, &wanted)
        return wanted
    }

    // MARK: Serving

    mutating func receiveAsk(
        _ blob: BlobID, in conversation: ConversationID, on id: LinkID
    ) -> [TransferAction] {
        guard self.uploads.ask(blob, in: .conversation(conversation), on: id) else { return [] }
        return [.perform(.transfer(.look(id, conversation, blob)))]
    }

    mutating func receiveWant(
        _ want: BlobWant, on id: LinkID, _ neighbours: Neighbours
    ) -> [TransferAction] {
        guard self.mayServe(want.blob, on: id, neighbours), self.uploads.want(want, on: id) else {
            return [.send(.blobUnavailable(number: want.number), id)]
        }
        return self.planUploads()
    }

    mutating func planUploads() -> [TransferAction] {
        guard self.uploads.isDue else { return [] }
        return self.uploads.takeReads().map { link, want in
            .perform(.transfer(.read(link, number: want.number, want.blob, want.part)))
        }
    }

    /// The next piece for a peer that may be sent so many bytes; nil where nothing is ready.
    mutating func nextPiece(on id: LinkID, credit: Int) -> BlobPiece? {
        credit >= Limits.plaintextBytes ? self.uploads.nextPiece(on: id) : nil
    }

    private func send(
        _ holdings: BlobHoldings, _ neighbours: Neighbours, _ wanted: inout [TransferAction]
    ) {
        for link in self.uploads.askers(of: holdings.blob) where neighbours.links.has(link) {
            wanted.append(.send(.blobHoldings(holdings), link))
        }
    }

    // MARK: Links and time

    /// A link has ended, and is not among the neighbours any more.
    mutating func closed(
        _ id: LinkID, _ neighbours: Neighbours, at now: UInt64
    ) -> [TransferAction] {
        var wanted: [TransferAction] = []
        self.uploads.closed(id)
        self.perform(self.downloads.closed(id, at: now), neighbours, at: now, &wanted)
        return wanted + self.planUploads()
    }

    /// A conversation is shared on a link no longer.
    mutating func unshared(
        _ conversation: ConversationID, with id: LinkID, _ neighbours: Neighbours,
        at now: UInt64
    ) -> [TransferAction] {
        var wanted: [TransferAction] = []
        self.uploads.unshared(conversation, with: id)
        self.withdrawPictures(from: id, neighbours)
        self.perform(
            self.downloads.unshared(conversation, with: id), neighbours, at: now, &wanted)
        return wanted
    }

    mutating func wake(_ neighbours: Neighbours, at now: UInt64) -> [TransferAction] {
        var wanted: [TransferAction] = []
        let holders = neighbours.holders(of: self.downloads.activePlaces)
        // The user may have come to know somebody meanwhile.
        self.regard(self.downloads.regarded, neighbours)
        self.perform(
            self.downloads.wake(at: now, links: { holders[$0] ?? [] }), neighbours, at: now,
            &wanted)
        let due = self.pictures.due(at: now)
        if !due.isEmpty { self.seekPictures(due, neighbours, at: now, &wanted) }
        for holdings in self.uploads.takeUntold(at: now) {
            self.send(holdings, neighbours, &wanted)
        }
        self.arm(neighbours, at: now, &wanted)
        return wanted
    }
}
