package import Formats

/// Files that come from other sites if no linked peer has them.
///
/// `Docs/Protocol/Sites.md` section 9.
extension Node {
    // MARK: What is wanted

    /// The subjects of the parts that this node looks for and no linked peer has.
    ///
    /// - Parameter bytes: larger files go over links alone.
    package func siteWants(of realm: Realm, upTo bytes: UInt64) -> [String] {
        var wants: [String] = []
        var roots: [ConversationID: [SiteRoot]] = [:]
        for sought in self.transfers.downloads.sought(upTo: bytes) {
            var isFirst = true
            for conversation in sought.places.compactMap(\.conversation) {
                if roots[conversation] == nil {
                    roots[conversation] = self.siteRoots(of: conversation, in: realm)
                }
                for root in roots[conversation] ?? [] {
                    // Anywhere but in the first place it is looked whether there is anything.
                    for part in isFirst ? sought.parts[...] : sought.parts.prefix(1) {
                        guard wants.count < Limits.siteWants else { return wants }
                        let subject = root.subject(of: .part(SitePart.Name(sought.blob, part)))
                        if !wants.contains(subject) { wants.append(subject) }
                    }
                    isFirst = false
                }
            }
        }
        return wants
    }

    /// What names and seals a conversation of a realm, by the newest secret first.
    private func siteRoots(of id: ConversationID, in realm: Realm) -> [SiteRoot] {
        guard let conversation = self.conversations.table[id],
            self.siteScope(of: conversation, in: realm.id) == .all
        else { return [] }
        guard conversation.kind.group == nil else {
            return Array(self.groups.siteRoots(of: id).prefix(Limits.siteFileRoots))
        }
        return realm.secrets(at: self.now.wall).compactMap { SiteRoot(conversation.kind, by: $0) }
    }

    // MARK: What comes

    /// Gives a part to the file that waits for it; nil where its bytes are being checked.
    mutating func importPart(_ part: SitePart) -> SiteVerdict? {
        guard self.transfers.downloads.lacks(part.name) else { return .known }
        // In the place of what was deleted.
        guard let size = self.transfers.downloads.byteCount(of: part.name),
            !part.bytes.isEmpty || size == 0
        else { return .known }
        guard part.bytes.count == size else { return .refused(.forged) }
        guard self.transfers.downloads.hasRoom else { return .refused(.room) }
        self.transferred(.brought(part))
        return nil
    }

    /// What became of a part that other sites have brought.
    mutating func settleParts(_ event: FileEvent) {
        let ended: [RequestID]
        switch event {
        case .stored(let blob, let part, from: .sites, let isRight):
            ended = self.disk.siteImports.settle(
                SitePart.Name(blob, part), as: isRight ? .taken : .refused(.forged))
        case .unstored(let blob, _): ended = self.disk.siteImports.settle(blob, as: .refused(.room))
        default: return
        }
        for request in ended { self.settleSite(request) }
    }
}

extension LinkID {
    /// Names all other sites as the sender of a part; no link has this id.
    package static let sites = LinkID(.max)
}

extension Limits {
    /// The most parts of files that other sites are asked for at once.
    static let siteWants = 64
    /// Of these, so many of one file.
    static let siteWantsPerFile = 16
    /// Under so many keys of a group its files are looked for, the newest first.
    static let siteFileRoots = 8
    /// Keys of a group under which is read what other sites have, the newest.
    static let siteKeysRead = 64
    /// Keys of its own that a device gives to each member without a link, the newest.
    static let siteKeysGiven = 16
    /// All keys of a group that a device gives at a time.
    static let siteGifts = 1_024
    /// Keys of a group that letters have brought and no log tells of, of all who give.
    static let siteKeysWaiting = 1_024
}
