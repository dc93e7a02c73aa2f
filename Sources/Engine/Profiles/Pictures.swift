internal import Formats

/// The pictures that profiles name: whose they are, which are here, and when the others are sought.
///
/// `Docs/Protocol/Files.md` section 5.
struct Pictures: Sendable {
    private var named: [PeerID: ProfilePicture] = [:]
    private var owners: [BlobID: ListedSet<PeerID>] = [:]
    /// Those that are whole, right and pictures.
    private var here: [BlobID: PictureType] = [:]
    /// Those that were fetched and are no pictures.
    private var wrong: Set<BlobID> = []
    private var underWay: Set<BlobID> = []
    /// When somebody's was sought last.
    private var begunAt: [PeerID: UInt64] = [:]
    /// When somebody's is to be sought again.
    private var dueAt: [PeerID: UInt64] = [:]
    /// The bytes of those that are here or on their way.
    private(set) var bytes: UInt64 = 0

    init(_ profiles: Profiles) {
        for author in profiles.authors {
            _ = self.name(profiles.profile(of: author)?.picture, of: author)
        }
    }

    // MARK: Whose they are

    /// Takes what somebody's profile names; gives the picture that no profile names any longer.
    mutating func name(_ picture: ProfilePicture?, of author: PeerID) -> BlobID? {
        let earlier = self.named[author]
        guard picture != earlier else { return nil }
        self.named[author] = picture
        if let picture { self.owners[picture.blob, default: ListedSet()].insert(author) }
        self.dueAt[author] = nil
        guard let earlier, earlier.blob != picture?.blob else { return nil }
        self.owners[earlier.blob]?.remove(author)
        guard self.owners[earlier.blob]?.isEmpty == true else { return nil }
        self.owners[earlier.blob] = nil
        self.wrong.remove(earlier.blob)
        self.uncount(earlier)
        self.here[earlier.blob] = nil
        self.underWay.remove(earlier.blob)
        return earlier.blob
    }

    func isNamed(_ blob: BlobID) -> Bool { self.owners[blob] != nil }

    /// The picture that somebody's profile names; nil for none.
    func picture(of author: PeerID) -> ProfilePicture? { self.named[author] }

    /// Whose pictures are on their way, in order.
    var coming: [PeerID] {
        self.underWay.flatMap { self.owners[$0]?.elements ?? [] }.sorted()
    }

    /// Whose picture it is, in order.
    func owners(of blob: BlobID) -> [PeerID] { (self.owners[blob]?.elements ?? []).sorted() }

    /// Some of them, in whatever order: a peer asks as often as it likes, and thousands of profiles may
    /// name one picture.
    func someOwners(of blob: BlobID) -> [PeerID] {
        Array((self.owners[blob]?.elements ?? []).prefix(Limits.pictureOwners))
    }

    /// Forgets somebody; gives the picture that no profile names any longer.
    mutating func forget(_ author: PeerID) -> BlobID? {
        defer { self.begunAt[author] = nil }
        return self.name(nil, of: author)
    }

    // MARK: Which are here

    /// What it is; nil for one that is not here.
    func type(of blob: BlobID) -> PictureType? { self.here[blob] }

    /// Those whose picture is here, in order.
    var shown: [PeerID] {
        self.named.filter { self.here[$0.value.blob] != nil }.keys.sorted()
    }

    /// A blob that profiles name is whole and right; false where it is no picture, and is not sought again.
    mutating func take(_ blob: BlobID, beginning: [UInt8]) -> Bool {
        precondition(self.isNamed(blob), "only what a profile names is a picture")
        guard let type = PictureType(beginning: beginning) else {
            self.wrong.insert(blob)
            return false
        }
        if self.here.updateValue(type, forKey: blob) == nil, !self.underWay.contains(blob) {
            self.bytes += self.size(of: blob)
        }
        self.underWay.remove(blob)
        return true
    }

    /// One is not here any longer, by damage; false where it was not.
    mutating func lose(_ blob: BlobID) -> Bool {
        guard self.here.removeValue(forKey: blob) != nil else { return false }
        self.bytes -= min(self.bytes, self.size(of: blob))
        return true
    }

    /// Its transfer has begun.
    mutating func began(_ blob: BlobID) {
        guard self.isNamed(blob), self.here[blob] == nil, self.underWay.insert(blob).inserted
        else { return }
        self.bytes += self.size(of: blob)
    }

    /// Its transfer has ended; gives those whose picture it would be, where it has not come.
    mutating func ended(_ blob: BlobID) -> [PeerID] {
        guard self.underWay.remove(blob) != nil else { return [] }
        self.bytes -= min(self.bytes, self.size(of: blob))
        return self.owners(of: blob)
    }

    private func size(of blob: BlobID) -> UInt64 {
        self.owners[blob]?.elements.first.flatMap { self.named[$0]?.size } ?? 0
    }

    private mutating func uncount(_ picture: ProfilePicture) {
        guard self.here[picture.blob] != nil || self.underWay.contains(picture.blob) else { return }
        self.bytes -= min(self.bytes, picture.size)
    }

    // MARK: Which are sought

    /// Those whose picture is not here, nor on its way, nor known to be none.
    var lacking: [PeerID] { self.named.keys.filter { self.isLacking($0) } }

    /// Whether somebody has a picture that is not here, nor on its way, nor known to be none.
    func isLacking(_ author: PeerID) -> Bool {
        guard let blob = self.named[author]?.blob else { return false }
        return self.here[blob] == nil && !self.underWay.contains(blob)
            && !self.wrong.contains(blob)
    }

    /// Whether somebody's may be sought now; one that has to wait has its turn by ``due(at:)``.
    mutating func mayBegin(_ author: PeerID, at now: UInt64) -> Bool {
        if let begun = self.begunAt[author], now < begun + Limits.pictureMilliseconds {
            self.dueAt[author] = begun + Limits.pictureMilliseconds
            return false
        }
        self.begunAt[author] = now
        self.dueAt[author] = nil
        return true
    }

    /// Nobody who is linked has somebody's: it is sought again after a long while.
    mutating func rest(_ author: PeerID, at now: UInt64) {
        self.dueAt[author] = now + Limits.pictureRetryMilliseconds
    }

    /// Those whose turn has come, in order.
    mutating func due(at now: UInt64) -> [PeerID] {
        let due = self.dueAt.filter { now >= $0.value }.keys.sorted()
        for author in due { self.dueAt[author] = nil }
        return due
    }

    var nextDue: UInt64? { self.dueAt.values.min() }
}
