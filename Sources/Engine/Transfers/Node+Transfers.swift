package import Formats

/// What ``Transfers`` decides is done here.
extension Node {
    /// How far the files are that are fetched, oldest first.
    package var transferReports: [TransferReport] { self.transfers.downloads.reports }

    /// How far one is; nil where it is not fetched.
    package func transfer(of blob: BlobID) -> TransferReport? {
        self.transfers.downloads.report(of: blob)
    }

    /// The picture that somebody's profile names, and what it is where it is here; nil for none.
    package func picture(of peer: PeerID) -> (picture: ProfilePicture, type: PictureType?)? {
        self.transfers.picture(of: peer)
    }

    /// Whether a profile names a blob as a picture.
    package func isPicture(_ blob: BlobID) -> Bool { self.transfers.pictures.isNamed(blob) }

    /// Somebody whose profile names a blob as a picture; nil where none does.
    package func pictureOwner(of blob: BlobID) -> PeerID? {
        self.transfers.pictures.owners(of: blob).first
    }

    private var neighbours: Neighbours {
        Neighbours(
            own: self.ownKeys, links: self.links, conversations: self.conversations,
            people: self.persons.people, known: self.dialling.known)
    }

    mutating func perform(_ wanted: [TransferAction]) {
        for action in wanted {
            switch action {
            case .perform(let action): self.actions.append(action)
            case .send(let frame, let link): self.send(frame, on: link)
            case .warn(let text): self.logThinned(text)
            case .tellDamage(let text?, let logged):
                self.raiseAlert(.fileDamage, text, logged: logged)
            case .tellDamage(nil, _): self.alerts.clear(.fileDamage, at: self.now)
            case .pump(let link): self.pumpPieces(link)
            }
        }
    }

    mutating func transferred(_ event: FileEvent) {
        let now = self.now.monotonic
        self.perform(self.transfers.take(event, self.neighbours, at: now))
        self.perform(self.transfers.goOn(self.neighbours, at: now))
        self.settleParts(event)
    }

    // MARK: Messages and profiles

    /// A message with a file has come: a small one of somebody who is trusted is fetched at once.
    mutating func noteFile(_ file: AttachedFile, of author: PeerID, in conversation: ConversationID)
    {
        guard author != self.id, file.size <= self.own.configuration.preferences.autoFetchBytes,
            let layout = BlobLayout(size: file.size),
            self.tier(of: author) > .stranger
                || self.conversations.table[known: conversation].room == nil
        else { return }
        self.transferred(
            .fetch(
                file.blob, layout, in: .conversation(conversation), by: author, isAwaited: false))
    }

    /// Files are gone of which messages told.
    mutating func releaseFile(_ blob: BlobID) {
        self.perform(self.transfers.release(blob, self.neighbours, at: self.now.monotonic))
    }

    mutating func notePicture(of author: PeerID) {
        let picture = self.persons.profiles.profile(of: author)?.picture
        guard picture != self.transfers.pictures.picture(of: author) else { return }
        self.perform(
            self.transfers.name(picture, of: author, self.neighbours, at: self.now.monotonic))
    }

    mutating func forgetPicture(of author: PeerID) {
        self.perform(
            self.transfers.forgetPicture(of: author, self.neighbours, at: self.now.monotonic))
    }

    mutating func seekPictures(of authors: [PeerID]) {
        self.perform(
            self.transfers.seekPictures(authors, self.neighbours, at: self.now.monotonic))
    }

    // MARK: Links

    mutating func seekFiles(of conversation: ConversationID, on id: LinkID) {
        guard !self.transfers.downloads.isEmpty, self.links[id].info.features.contains(.blobs)
        else { return }
        self.perform(
            self.transfers.shared(
                conversation, with: id, self.neighbours, at: self.now.monotonic))
    }

    mutating func seekPictures(on id: LinkID) {
        self.perform(
            self.transfers.seekPictures(on: id, self.neighbours, at: self.now.monotonic))
    }

    mutating func withdrawPictures(from id: LinkID) {
        self.transfers.withdrawPictures(from: id, self.neighbours)
    }

    mutating func endTransfers(of conversation: ConversationID, on id: LinkID) {
        self.perform(
            self.transfers.unshared(
                conversation, with: id, self.neighbours, at: self.now.monotonic))
    }

    mutating func endTransfers(on id: LinkID) {
        self.perform(self.transfers.closed(id, self.neighbours, at: self.now.monotonic))
    }

    mutating func transfersDue() {
        self.perform(self.transfers.wake(self.neighbours, at: self.now.monotonic))
    }

    /// Sends what is ready as far as the peer takes it.
    mutating func pumpPieces(_ id: LinkID) {
        guard !self.transfers.uploads.isEmpty else { return }
        while let piece = self.transfers.nextPiece(
            on: id, credit: self.links[id].flow.credit(on: .blob))
        {
            self.send(.blobPiece(piece), on: id)
        }
        self.perform(self.transfers.planUploads())
    }

    // MARK: Frames

    mutating func receiveHoldings(_ holdings: BlobHoldings, on id: LinkID) {
        self.perform(
            self.transfers.receive(holdings, on: id, self.neighbours, at: self.now.monotonic))
    }

    mutating func receiveBlobUnavailable(_ number: UInt64, on id: LinkID) {
        self.perform(
            self.transfers.receiveUnavailable(
                number, on: id, self.neighbours, at: self.now.monotonic))
    }

    mutating func receivePiece(_ piece: BlobPiece, on id: LinkID) {
        self.perform(
            self.transfers.receive(piece, on: id, self.neighbours, at: self.now.monotonic))
    }

    mutating func receiveBlobAsk(
        _ blob: BlobID, in conversation: ConversationID, on id: LinkID
    ) {
        self.perform(self.transfers.receiveAsk(blob, in: conversation, on: id))
    }

    mutating func receivePictureAsk(_ blob: BlobID, on id: LinkID) {
        self.perform(self.transfers.receivePictureAsk(blob, on: id, self.neighbours))
    }

    mutating func receiveBlobWant(_ want: BlobWant, on id: LinkID) {
        self.perform(self.transfers.receiveWant(want, on: id, self.neighbours))
    }
}
