internal import Formats

/// Pictures of people: fetched by themselves from whoever may see the profile that names them, and
/// served to nobody else.
///
/// `Docs/Protocol/Files.md` section 5.
extension Transfers {
    /// The picture that somebody's profile names, and what it is where it is here; nil for none.
    func picture(of peer: PeerID) -> (picture: ProfilePicture, type: PictureType?)? {
        guard let picture = self.pictures.picture(of: peer) else { return nil }
        return (picture, self.pictures.type(of: picture.blob))
    }

    // MARK: Profiles change

    /// A profile stands: its picture is fetched, and the one before goes, unless another profile names it.
    mutating func name(
        _ picture: ProfilePicture?, of author: PeerID, _ neighbours: Neighbours, at now: UInt64
    ) -> [TransferAction] {
        var wanted: [TransferAction] = []
        if let gone = self.pictures.name(picture, of: author) {
            self.releasePicture(gone, neighbours, at: now, &wanted)
        }
        guard let picture else { return wanted + [self.tell(author)] }
        // The same one as somebody else's.
        if self.pictures.type(of: picture.blob) != nil { return wanted + [self.tell(author)] }
        // Of the own one the disk knows more than any peer.
        if author == neighbours.own.device {
            self.begin(author, picture, neighbours, at: now, &wanted)
        } else {
            self.seekPictures([author], neighbours, at: now, &wanted)
        }
        return wanted
    }

    /// Somebody is forgotten, and what was here of them.
    mutating func forgetPicture(
        of author: PeerID, _ neighbours: Neighbours, at now: UInt64
    ) -> [TransferAction] {
        var wanted: [TransferAction] = []
        if let gone = self.pictures.forget(author) {
            self.releasePicture(gone, neighbours, at: now, &wanted)
        }
        return wanted
    }

    /// The copy of a picture is damaged or gone: it is sought again.
    mutating func losePicture(
        _ blob: BlobID, _ neighbours: Neighbours, at now: UInt64,
        _ wanted: inout [TransferAction]
    ) {
        guard self.pictures.lose(blob) else { return }
        let owners = self.pictures.owners(of: blob)
        for author in owners { wanted.append(self.tell(author)) }
        let own = neighbours.own.device
        if let picture = self.pictures.picture(of: own), picture.blob == blob {
            self.begin(own, picture, neighbours, at: now, &wanted)
        }
        self.seekPictures(owners, neighbours, at: now, &wanted)
    }

    private mutating func releasePicture(
        _ blob: BlobID, _ neighbours: Neighbours, at now: UInt64,
        _ wanted: inout [TransferAction]
    ) {
        self.endDamage(of: blob, isHealed: false, &wanted)
        for link in self.uploads.drop(blob, ofProfile: true) where neighbours.links.has(link) {
            wanted.append(.send(.blobHoldings(BlobHoldings(blob, .nothing)), link))
        }
        if self.downloads.places(of: blob).allSatisfy(\.isProfile) {
            self.perform(self.downloads.end(blob, .gone), neighbours, at: now, &wanted)
        }
        wanted.append(.perform(.transfer(.release(blob))))
    }

    private func tell(_ author: PeerID) -> TransferAction {
        let picture = self.picture(of: author).flatMap { $0.type == nil ? nil : $0.picture }
        return .perform(.signal([.picture(author, picture)]))
    }

    // MARK: Fetching

    /// A peer may see profiles from here on that it could not before: it is asked for what is lacking.
    mutating func seekPictures(
        on id: LinkID, _ neighbours: Neighbours, at now: UInt64
    ) -> [TransferAction] {
        var wanted: [TransferAction] = []
        guard neighbours.links[id].info.features.contains(.blobs) else { return wanted }
        for author in self.pictures.coming where neighbours.maySeeProfile(of: author, on: id) {
            guard let picture = self.pictures.picture(of: author) else { continue }
            self.perform(
                self.downloads.ask(id, in: .profile(author), for: picture.blob), neighbours,
                at: now, &wanted)
        }
        // Strangers first of all: there may be thousands, and none of theirs comes by itself.
        let sought = neighbours.tiers(of: self.pictures.lacking).filter { $0.value > .stranger }
            .keys
        let seen = sought.filter { neighbours.maySeeProfile(of: $0, on: id) }.sorted()
        if !seen.isEmpty { self.seekPictures(seen, neighbours, at: now, &wanted) }
        return wanted
    }

    /// Fetches those pictures that come by themselves, where somebody is linked who may have them.
    mutating func seekPictures(
        _ authors: [PeerID], _ neighbours: Neighbours, at now: UInt64
    ) -> [TransferAction] {
        var wanted: [TransferAction] = []
        self.seekPictures(authors, neighbours, at: now, &wanted)
        return wanted
    }

    mutating func seekPictures(
        _ authors: [PeerID], _ neighbours: Neighbours, at now: UInt64,
        _ wanted: inout [TransferAction]
    ) {
        let tiers = neighbours.tiers(of: authors.filter { self.pictures.isLacking($0) })
        for author in authors {
            guard let tier = tiers[author], tier > .stranger,
                let picture = self.pictures.picture(of: author),
                // Whoever has the secret of a realm makes as many keys as they like.
                self.pictures.bytes + picture.size <= Limits.budget(of: tier).pictureBytes,
                !neighbours.holders(of: .profile(author)).isEmpty,
                self.pictures.mayBegin(author, at: now)
            else { continue }
            self.begin(author, picture, neighbours, at: now, &wanted)
        }
        // Some may have to wait for their turn.
        if self.pictures.nextDue != nil { self.arm(neighbours, at: now, &wanted) }
    }

    private mutating func begin(
        _ author: PeerID, _ picture: ProfilePicture, _ neighbours: Neighbours, at now: UInt64,
        _ wanted: inout [TransferAction]
    ) {
        self.fetch(
            .fetch(picture.blob, picture.layout, in: .profile(author), isAwaited: false),
            neighbours, at: now, &wanted)
    }

    /// A peer has a picture that it did not have when it was asked.
    mutating func notePictureHolder(
        _ holdings: BlobHoldings, on id: LinkID, _ neighbours: Neighbours, at now: UInt64,
        _ wanted: inout [TransferAction]
    ) {
        guard holdings.extent == .whole, self.downloads.report(of: holdings.blob) == nil else {
            return
        }
        let owners = self.pictures.someOwners(of: holdings.blob)
        let seen = owners.filter { neighbours.maySeeProfile(of: $0, on: id) }.sorted()
        if !seen.isEmpty { self.seekPictures(seen, neighbours, at: now, &wanted) }
    }

    /// A blob is whole and right: where a profile names it, it is shown and served from here on, if it is
    /// a picture; false where it is not, and nothing else tells of it.
    mutating func takePicture(
        _ blob: BlobID, beginning: [UInt8], _ wanted: inout [TransferAction]
    ) -> Bool {
        guard self.pictures.isNamed(blob) else { return true }
        let owners = self.pictures.owners(of: blob)
        guard self.pictures.take(blob, beginning: beginning) else {
            let names = owners.prefix(4).map { "@\($0.shortText)" }.joined(separator: ", ")
            wanted.append(
                .warn("the profile picture of \(names) is not a PNG, JPEG or WebP and was not kept")
            )
            return !self.downloads.places(of: blob).allSatisfy(\.isProfile)
        }
        for author in owners { wanted.append(self.tell(author)) }
        return true
    }

    /// A transfer has ended: a picture that has not come is sought again later.
    mutating func endPicture(_ blob: BlobID, at now: UInt64) {
        for author in self.pictures.ended(blob) { self.pictures.rest(author, at: now) }
    }

    // MARK: Serving

    /// A peer asks for the picture of somebody, without saying whose.
    mutating func receivePictureAsk(
        _ blob: BlobID, on id: LinkID, _ neighbours: Neighbours
    ) -> [TransferAction] {
        let own = neighbours.own.device
        // Own ones first: what is asked for is in most cases the picture of who is asked.
        let owners =
            (self.pictures.picture(of: own)?.blob == blob ? [own] : [])
            + self.pictures.someOwners(of: blob)
        guard let author = owners.first(where: { neighbours.maySeeProfile(of: $0, on: id) }) else {
            return [.send(.blobHoldings(BlobHoldings(blob, .nothing)), id)]
        }
        guard self.uploads.ask(blob, in: .profile(author), on: id) else { return [] }
        let isHere = self.pictures.type(of: blob) != nil
        let standing = BlobStanding(chunks: isHere ? ChunkSet(all: 1) : ChunkSet(of: 1))
        let holdings = self.uploads.looked(id, blob, standing)
        return holdings.map { [.send(.blobHoldings($0), id)] } ?? []
    }

    /// A peer shares less than before.
    mutating func withdrawPictures(from id: LinkID, _ neighbours: Neighbours) {
        guard !self.uploads.isEmpty else { return }
        var kept: [PeerID: Bool] = [:]
        for author in self.uploads.pictured(on: id) {
            kept[author] = neighbours.maySeeProfile(of: author, on: id)
        }
        self.uploads.keepPictures(for: id) { kept[$0] == true }
    }

    /// Whether a picture that was offered to a peer may be sent to it.
    func mayServe(_ blob: BlobID, on id: LinkID, _ neighbours: Neighbours) -> Bool {
        guard case .profile(let author) = self.uploads.place(of: blob, on: id) else { return true }
        return self.pictures.picture(of: author)?.blob == blob
            && self.pictures.type(of: blob) != nil
            && neighbours.maySeeProfile(of: author, on: id)
    }
}
