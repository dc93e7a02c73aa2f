package import Crypto
package import Formats

/// Groups over servers between sites.
///
/// `Docs/Protocol/Sites.md` sections 2 and 11.
extension Node {
    // MARK: What goes out

    /// What names and seals a run of a group; nil where its key is not here.
    package func siteRoot(of group: ConversationID, under key: Bytes32) -> SiteRoot? {
        self.groups.siteRoot(of: group, under: key)
    }

    /// How many acts have come since the start; ``siteActs(of:from:bytes:)`` gives them.
    package var actCount: Int { self.groups.arrivals.count }

    /// The acts that have come behind a place, of groups that go to the sites of a realm; about so many bytes of them.
    ///
    /// Of a group that was left the own alone: that the user has left it.
    package func siteActs(
        of realm: Realm, from place: Int, bytes: Int
    ) -> (acts: [(act: Act, root: SiteRoot)], through: Int) {
        var found: [(Act, SiteRoot)] = []
        var left = bytes
        var through = min(max(place, 0), self.groups.arrivals.count)
        var scopes: [ConversationID: SiteScope?] = [:]
        for arrival in self.groups.arrivals[through...] {
            let scope =
                scopes[arrival.group]
                ?? self.conversations.table[arrival.group].flatMap {
                    self.siteScope(of: $0, in: realm.id)
                }
            scopes[arrival.group] = .some(scope)
            if let scope, let act = self.groups.table[arrival.group]?.acts[arrival.act],
                scope == .all || act.statement.author == self.own.certificate.personID,
                let root = self.groups.siteRoot(of: act)
            {
                left -= act.encoded.count
                guard left > 0 || found.isEmpty else { break }
                found.append((act, root))
            }
            through += 1
        }
        return (found, through)
    }

    /// Whether what is no entry may be told in a group now: under a key that is for nobody who is out.
    func mayTell(_ group: ConversationID) -> Bool {
        if case .use = self.keyToWrite(in: group) { true } else { false }
    }

    // MARK: What comes in

    /// Whether an item may come under a root: acts only from somebody who has had a key of their group.
    package func admits(_ item: SiteItem, under root: SiteRoot) -> Bool {
        guard case .act(let act) = item else { return true }
        return self.groups.siteRoots(of: act.group).contains(root)
    }

    mutating func importAct(_ act: Act) -> SiteVerdict {
        let (verdict, actions) = self.groups.importAct(act, at: self.now.wall)
        self.perform(actions)
        return verdict
    }
}
