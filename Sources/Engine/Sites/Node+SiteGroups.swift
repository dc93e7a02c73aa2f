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
        var through = self.groups.arrivals.begin(of: place)
        var scopes: [ConversationID: SiteScope?] = [:]
        for arrival in self.groups.arrivals.suffix(from: through) {
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

    /// Another number whenever ``siteGifts(of:)`` or ``siteInvitations(of:)`` may give something else.
    package var giftChanges: UInt64 {
        self.conversations.table.values.reduce(self.groups.giftChanges) {
            $0 &+ UInt64($1.kind.group == nil ? 0 : $1.logs.count)
        }
    }

    /// Keys for members of groups of a realm who have no link here.
    package func siteGifts(of realm: Realm) -> [SiteGift] {
        self.groups(of: realm).flatMap { id in
            self.groups.siteGifts(of: id) { self.unlinkedDevices(of: $0, in: id, isNew: $1) }
        }
    }

    /// What tells people who were brought into groups of a realm that they were: each by a device of theirs.
    package func siteInvitations(
        of realm: Realm
    ) -> [(invitation: SiteInvitation, device: PeerID)] {
        var found: [(SiteInvitation, PeerID)] = []
        for id in self.groups(of: realm) {
            let known = self.conversations.table[known: id]
            let writers = Set(known.logs.keys.compactMap { known.log($0).person })
            let all = self.groups.siteInvitations(of: id, but: writers).sorted { $0.key < $1.key }
            for (person, invitation) in all {
                let devices = self.unlinkedDevices(of: person, in: id, isNew: true)
                if let device = devices.first { found.append((invitation, device)) }
            }
        }
        return found
    }

    private func groups(of realm: Realm) -> [ConversationID] {
        self.conversations.table.values.filter {
            $0.kind.group != nil && self.siteScope(of: $0, in: realm.id) == .all
        }.map(\.id).sorted()
    }

    /// The devices of a member that have no link here now and are not cut, as far as they are known.
    private func unlinkedDevices(
        of person: PersonID, in id: ConversationID, isNew: Bool
    ) -> [PeerID] {
        var devices = self.persons.people.devices(of: person)
        let logs = self.conversations.table[known: id].logs.keys
        for name in logs where self.conversations.table[known: id].log(name).person == person {
            devices.insert(name.author)
        }
        for act in self.groups.table[id]?.acts.values ?? [:].values {
            if act.statement.author == person, let device = act.statement.device {
                devices.insert(device)
            }
        }
        // Of somebody new no log is in the group: others are.
        if isNew || devices.isEmpty { devices.formUnion(self.persons.people.authors(of: person)) }
        return devices.filter {
            self.links.link(with: $0) == nil && !self.isRevoked($0, as: person)
                && !self.isBlocked($0, of: person)
        }.sorted().suffix(Limits.devicesPerPerson)
    }

    /// The certificate of a device, as far as it is in memory; that of a log's beginning is on the disk.
    package func certificate(of device: PeerID, in group: ConversationID) -> Certificate? {
        if let link = self.links.link(with: device) { return link.info.certificate }
        return self.groups.table[group]?.acts.values.first { $0.statement.device == device }?
            .certificate
    }

    /// The letter that brings a key to a device, and the inbox where it belongs.
    ///
    /// - Parameter certificate: that of the device, which was checked.
    package func letter(
        _ gift: SiteGift, to certificate: Certificate, in realm: Realm
    ) -> (letter: SiteItem, inbox: SiteInbox)? {
        guard certificate.personID == gift.person,
            let sealed = SealedKey(
                gift.key, forSitesOf: gift.group, to: gift.device, at: certificate.deviceAddress,
                by: self.own.signer)
        else { return nil }
        return self.letter(.key(sealed, of: gift.group), to: certificate, in: realm)
    }

    /// The letter that brings something to a person, and the inbox where it belongs.
    package func letter(
        _ item: SiteItem, to certificate: Certificate, in realm: Realm
    ) -> (letter: SiteItem, inbox: SiteInbox)? {
        let inbox = SiteInbox(
            RealmSecret(realm: realm.id, bytes: realm.secret), of: certificate.keys)
        return inbox.letter(item, from: self.own.certificate).map { ($0, inbox) }
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

    /// Takes a key from a letter, if the device that gives it is a member's.
    mutating func importKey(
        _ sealed: SealedKey, of group: ConversationID, from certificate: Certificate
    ) -> SiteVerdict {
        let giver = certificate.personID
        guard sealed.device == self.id, !self.isBlocked(sealed.giver, of: giver),
            self.groups.table[group] != nil || self.groups.requests.all[group] != nil
        else { return .refused(.foreign) }
        if self.groups.table[group]?.epochs[sealed.epoch]?.key != nil { return .known }
        guard certificate.isValid(for: sealed.giver), sealed.isValid(in: group),
            let key = sealed.opened(
                in: group, with: AgreementKey(DeviceAddress.secret(of: self.own.signer)))
        else { return .refused(.forged) }
        guard !self.isRevoked(sealed.giver, as: giver) else { return .refused(.foreign) }
        let (verdict, actions) = self.groups.importKey(
            key, of: group, from: giver, on: sealed.giver)
        self.perform(actions)
        self.lookForAnnouncements(in: group)
        return verdict
    }

    /// Asks the user whom somebody has brought into a group, within the bounds of what links bring.
    mutating func importInvitation(
        _ invitation: SiteInvitation, from certificate: Certificate
    ) -> SiteVerdict {
        let act = invitation.act
        guard let device = act.statement.device, act.certificate == certificate,
            act.brings == self.own.certificate.personID,
            certificate.personID != self.own.certificate.personID,
            !self.isBlocked(device, of: certificate.personID),
            !self.isRevoked(device, as: certificate.personID)
        else { return .refused(.foreign) }
        guard self.groups.table[act.group]?.isActive != true,
            self.groups.requests.all[act.group]?.add != act.id
        else { return .known }
        guard act.isValid() else { return .refused(.forged) }
        let checked = [device: certificate]
        guard
            invitation.acts.allSatisfy({
                $0.statement.basis.isEmpty == $0.statement.kind.isFounding
                    && ($0.id == act.id || $0.isValid(knowing: checked))
            })
        else { return .refused(.forged) }
        guard
            let (request, founding) = self.groups.considerAtSite(
                invitation.acts, of: act.group, at: self.now.wall),
            self.own.realms.contains(founding.realm)
        else { return .refused(.foreign) }
        self.askUser(request, of: founding, from: .sites)
        let isAsked = self.groups.requests.all[act.group]?.add == act.id
        return isAsked ? .taken : .refused(.early)
    }

    mutating func importAct(_ act: Act) -> SiteVerdict {
        let (verdict, actions) = self.groups.importAct(act, at: self.now.wall)
        self.perform(actions)
        return verdict
    }
}
