internal import Crypto
internal import Formats

/// Which realms the two ends of a link share, as far as this one knows.
///
/// A realm is common while each side has sent a tag of it that the other can make, too.
/// `Docs/Protocol/Sync.md` section 1.
struct LinkRealms: Sendable {
    let tags: LinkTags
    /// What the peer has sent last.
    private var theirs: Set<Bytes16> = []
    /// The common realms, each with the own tag under which its rooms are announced.
    private(set) var common: [RealmID: Bytes16] = [:]
    /// The tags by which the peer announces rooms of common realms.
    private var recognized: [Bytes16: RealmID] = [:]
    /// How often the peer has changed its tags since the link was looked at.
    private var changes = 0

    init(_ tags: LinkTags) { self.tags = tags }

    /// What has become common, and what is so no longer; ascending.
    struct Change: Hashable {
        var begun: [RealmID] = []
        var ended: [RealmID] = []
        /// What is common by another secret than before.
        var renewed: [RealmID] = []
    }

    /// Takes the tags of the peer in the place of earlier ones; false where they come too often.
    mutating func receive(_ tags: [Bytes16]) -> Bool {
        self.theirs = Set(tags)
        self.changes += 1
        return self.changes <= Limits.realmChangesPerPing
    }

    /// Lets the peer change its tags as often again.
    mutating func pinged() { self.changes = 0 }

    /// Compares what both sides have; call it whenever either has changed.
    mutating func settle(_ own: [RealmSecret]) -> Change {
        let tags = self.common
        let before = Set(tags.keys)
        self.common = [:]
        self.recognized = [:]
        for secret in own {
            let expected = self.tags.realm(secret, by: self.tags.peer)
            guard self.theirs.contains(expected) else { continue }
            self.recognized[expected] = secret.realm
            // The newest secret comes first.
            if self.common[secret.realm] == nil {
                self.common[secret.realm] = self.tags.realm(secret, by: self.tags.own)
            }
        }
        let now = Set(self.common.keys)
        return Change(
            begun: now.subtracting(before).sorted(), ended: before.subtracting(now).sorted(),
            renewed: now.intersection(before).filter { self.common[$0] != tags[$0] }.sorted())
    }

    /// The common realm of which the peer sends a tag; nil for any other.
    func realm(of tag: Bytes16) -> RealmID? { self.recognized[tag] }

    /// Whether a realm is common.
    func isCommon(_ realm: RealmID) -> Bool { self.common[realm] != nil }

    /// Whether a realm with a secret is common.
    var isFellow: Bool { self.common.keys.contains { $0 != .open } }
}
