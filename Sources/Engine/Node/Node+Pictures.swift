package import Formats

/// Pictures of people: fetched by themselves from whoever may see the profile that names them, and
/// served to nobody else.
///
/// `Docs/Protocol/Files.md` section 5.
extension Node {
    // MARK: What is known

    /// The picture that somebody's profile names, and what it is where it is here; nil for none.
    package func picture(of peer: PeerID) -> (picture: ProfilePicture, type: PictureType?)? {
        guard let picture = self.pictures.picture(of: peer) else { return nil }
        return (picture, self.pictures.type(of: picture.blob))
    }

    /// Whether a profile names a blob as a picture.
    package func isPicture(_ blob: BlobID) -> Bool { self.pictures.isNamed(blob) }

    /// Somebody whose profile names a blob as a picture; nil where none does.
    package func pictureOwner(of blob: BlobID) -> PeerID? { self.pictures.owners(of: blob).first }

    /// Whether a peer may see the profile of somebody, who it is, and so their picture: whoever may be
    /// sent the record, by the same rule.
    func maySeeProfile(of author: PeerID, on id: LinkID) -> Bool {
        #if MUTANTS
            if Mutant.serveAnyPicture.isActive { return true }
        #endif
        if author == self.id { return self.maySeeProfile(id) }
        if author == self.links[id].info.peer { return true }
        return self.links[id].shared.keys.contains {
            self.conversationTable[known: $0].count(of: author) > 0
                && !self.conversationTable[known: $0].isRequest
        }
    }

    // MARK: Profiles change

    /// A profile stands: its picture is fetched, and the one before goes, unless another profile names it.
    mutating func notePicture(of author: PeerID) {
        let picture = self.profiles.profile(of: author)?.picture
        guard picture != self.pictures.picture(of: author) else { return }
        if let gone = self.pictures.name(picture, of: author) { self.releasePicture(gone) }
        guard let picture else { return self.tellPicture(of: author) }
        // The same one as somebody else's.
        if self.pictures.type(of: picture.blob) != nil { return self.tellPicture(of: author) }
        // Of the own one the disk knows more than any peer.
        if author == self.id {
            self.beginPicture(of: author, picture, isAwaited: false)
        } else {
            self.seekPictures([author])
        }
    }

    /// Somebody is forgotten, and what was here of them.
    mutating func forgetPicture(of author: PeerID) {
        if let gone = self.pictures.forget(author) { self.releasePicture(gone) }
    }

    /// The copy of a picture is damaged or gone: it is sought again.
    mutating func losePicture(_ blob: BlobID) {
        guard self.pictures.lose(blob) else { return }
        let owners = self.pictures.owners(of: blob)
        for author in owners { self.tellPicture(of: author) }
        if let picture = self.pictures.picture(of: self.id), picture.blob == blob {
            self.beginPicture(of: self.id, picture, isAwaited: false)
        }
        self.seekPictures(owners)
    }

    private mutating func releasePicture(_ blob: BlobID) {
        self.endDamage(of: blob, isHealed: false)
        for link in self.uploads.drop(blob, ofProfile: true) where self.links.has(link) {
            self.send(.blobHoldings(BlobHoldings(blob, .nothing)), on: link)
        }
        if self.downloads.places(of: blob).allSatisfy(\.isProfile) {
            self.perform(self.downloads.end(blob, .gone))
        }
        self.actions.append(.transfer(.release(blob)))
    }

    private mutating func tellPicture(of author: PeerID) {
        let picture = self.picture(of: author).flatMap { $0.type == nil ? nil : $0.picture }
        self.actions.append(.signal([.picture(author, picture)]))
    }

    // MARK: Fetching

    /// A peer may see profiles from here on that it could not before: it is asked for what is lacking.
    mutating func seekPictures(on id: LinkID) {
        guard self.links[id].info.features.contains(.blobs) else { return }
        for author in self.pictures.coming where self.maySeeProfile(of: author, on: id) {
            guard let picture = self.pictures.picture(of: author) else { continue }
            self.perform(self.downloads.ask(id, in: .profile(author), for: picture.blob))
        }
        // Strangers first of all: there may be thousands, and none of theirs comes by itself.
        let sought = self.tiers(of: self.pictures.lacking).filter { $0.value > .stranger }.keys
        let seen = sought.filter { self.maySeeProfile(of: $0, on: id) }.sorted()
        if !seen.isEmpty { self.seekPictures(seen) }
    }

    /// Fetches those pictures that come by themselves, where somebody is linked who may have them.
    mutating func seekPictures(_ authors: [PeerID]) {
        let tiers = self.tiers(of: authors.filter { self.pictures.isLacking($0) })
        for author in authors {
            guard let tier = tiers[author], tier > .stranger,
                let picture = self.pictures.picture(of: author),
                // Whoever has the secret of a realm makes as many keys as they like.
                self.pictures.bytes + picture.size <= Limits.budget(of: tier).pictureBytes,
                self.hasHolders(of: .profile(author)),
                self.pictures.mayBegin(author, at: self.now.monotonic)
            else { continue }
            self.beginPicture(of: author, picture, isAwaited: false)
        }
        // Some may have to wait for their turn.
        if self.pictures.nextDue != nil { self.armTransfers() }
    }

    private mutating func beginPicture(
        of author: PeerID, _ picture: ProfilePicture, isAwaited: Bool
    ) {
        self.transferred(
            .fetch(picture.blob, picture.layout, in: .profile(author), isAwaited: isAwaited))
    }

    /// Those whose turn has come again.
    mutating func picturesDue() {
        let due = self.pictures.due(at: self.now.monotonic)
        if !due.isEmpty { self.seekPictures(due) }
    }

    /// A peer has a picture that it did not have when it was asked.
    mutating func notePictureHolder(_ holdings: BlobHoldings, on id: LinkID) {
        guard holdings.extent == .whole, self.downloads.report(of: holdings.blob) == nil else {
            return
        }
        let owners = self.pictures.someOwners(of: holdings.blob)
        let seen = owners.filter { self.maySeeProfile(of: $0, on: id) }.sorted()
        if !seen.isEmpty { self.seekPictures(seen) }
    }

    /// A blob is whole and right: where a profile names it, it is shown and served from here on, if it is
    /// a picture; false where it is not, and nothing else tells of it.
    mutating func takePicture(_ blob: BlobID, beginning: [UInt8]) -> Bool {
        guard self.pictures.isNamed(blob) else { return true }
        let owners = self.pictures.owners(of: blob)
        guard self.pictures.take(blob, beginning: beginning) else {
            let names = owners.prefix(4).map { "@\($0.shortText)" }.joined(separator: ", ")
            self.logThinned(
                "the profile picture of \(names) is not a PNG, JPEG or WebP and was not kept")
            return !self.downloads.places(of: blob).allSatisfy(\.isProfile)
        }
        for author in owners { self.tellPicture(of: author) }
        return true
    }

    /// A transfer has ended: a picture that has not come is sought again later.
    mutating func endPicture(_ blob: BlobID) {
        for author in self.pictures.ended(blob) {
            self.pictures.rest(author, at: self.now.monotonic)
        }
    }

    // MARK: Serving

    /// A peer asks for the picture of somebody, without saying whose.
    mutating func receivePictureAsk(_ blob: BlobID, on id: LinkID) {
        // Own ones first: what is asked for is in most cases the picture of who is asked.
        let owners =
            (self.pictures.picture(of: self.id)?.blob == blob ? [self.id] : [])
            + self.pictures.someOwners(of: blob)
        guard let author = owners.first(where: { self.maySeeProfile(of: $0, on: id) }) else {
            return self.send(.blobHoldings(BlobHoldings(blob, .nothing)), on: id)
        }
        guard self.uploads.ask(blob, in: .profile(author), on: id) else { return }
        let isHere = self.pictures.type(of: blob) != nil
        let standing = BlobStanding(chunks: isHere ? ChunkSet(all: 1) : ChunkSet(of: 1))
        if let holdings = self.uploads.looked(id, blob, standing) {
            self.send(.blobHoldings(holdings), on: id)
        }
    }

    /// A peer shares less than before.
    mutating func withdrawPictures(from id: LinkID) {
        guard !self.uploads.isEmpty else { return }
        var kept: [PeerID: Bool] = [:]
        for author in self.uploads.pictured(on: id) {
            kept[author] = self.maySeeProfile(of: author, on: id)
        }
        self.uploads.keepPictures(for: id) { kept[$0] == true }
    }

    /// Whether a picture that was offered to a peer may be sent to it.
    func mayServe(_ blob: BlobID, on id: LinkID) -> Bool {
        guard case .profile(let author) = self.uploads.place(of: blob, on: id) else { return true }
        return self.pictures.picture(of: author)?.blob == blob
            && self.pictures.type(of: blob) != nil && self.maySeeProfile(of: author, on: id)
    }
}
