internal import Crypto
internal import Formats

/// Realms that the user joins, leaves and renews, and which of them each link shares.
///
/// `Docs/Protocol/Sync.md` sections 1 and 2.
extension Node {
    // MARK: The own realms

    mutating func setRealms(_ realms: Realms) {
        self.disk.commits.add(realms.notices(since: self.own.realms, at: self.now.wall))
        self.noteOwnRealms(as: realms)
        self.own.realms = realms
        self.renewSecrets()
        self.followRealmsWithAddresses()
        self.followOwn()
    }

    /// The earlier secret of a realm has ended, or the clock was set.
    mutating func secretsDue() { self.renewSecrets() }

    /// Goes on with the secrets that count now: in handshakes, and on each link.
    mutating func renewSecrets() {
        self.armSecrets()
        let secrets = self.own.realms.secrets(at: self.now.wall)
        guard secrets != self.own.secrets else { return }
        self.own.secrets = secrets
        self.actions.append(.hold(secrets))
        for link in self.links.ids {
            self.sendRealms(on: link)
            let had = self.links[link].realms.common.count
            self.settleRealms(on: link)
            // Nothing more will be said here; who dials again is told so before the handshake.
            if had > 0 && self.links[link].realms.common.isEmpty {
                self.links.doom(link, .shutdown, "the two share no realm now")
            }
        }
    }

    private mutating func armSecrets() {
        guard let end = self.own.realms.nextEnd(after: self.now.wall) else { return }
        // The wall clock may be set meanwhile, so it is looked at once in a while.
        let wait = min(end - self.now.wall, Limits.secretsMilliseconds)
        self.actions.append(.arm(.secrets, at: self.now.monotonic + wait))
    }

    // MARK: Realms of a link

    mutating func sendRealms(on id: LinkID) {
        let tags = self.links[id].realms.tags
        let all = LinkTags.filled(
            self.own.secrets.map { tags.realm($0, by: tags.own) }, to: Limits.realmTagCounts
        ) {
            var writer = WireWriter(capacity: 16)
            for _ in 0..<2 { writer.u64(self.random.next()) }
            return Bytes16(writer.bytes) ?? .zero
        }
        self.send(.realms(all), on: id)
    }

    mutating func receiveRealms(_ tags: [Bytes16], on id: LinkID) {
        guard self.links[id].realms.receive(tags) else {
            return self.violation(id, "realms change too often")
        }
        self.stir(id)
        self.settleRealms(on: id)
    }

    /// Begins and ends what is shared on a link as its common realms have changed.
    private mutating func settleRealms(on id: LinkID) {
        let change = self.links[id].realms.settle(self.own.secrets)
        for realm in change.ended {
            self.endRealm(realm, on: id)
            self.whereabouts.end(realm, on: id)
        }
        // For the peer the earlier secret may have ended before it heard of this one, and with it all
        // that was announced to it.
        for realm in change.begun + change.renewed { self.announceRooms(of: realm, on: id) }
        self.beginAddresses(of: change.begun + change.renewed, on: id)
        let changed = Set(change.begun + change.ended)
        if self.conversations.table.values.contains(where: {
            $0.name == nil && $0.isShared && $0.belongs(to: changed)
        })
            || self.groups.joins.contains(where: { join in
                join.labelled.map { changed.contains($0.realm) } ?? false
            })
        {
            self.sendShares(on: id)
        }
        self.settleShares(on: id)
        self.tellProfile(on: id)
        self.seekPictures(on: id)
        self.withdrawPictures(from: id)
    }

    private mutating func endRealm(_ realm: RealmID, on id: LinkID) {
        if self.links[id].rooms.count > 0 {
            let ended = self.links[id].rooms.named.filter { $0.value.realm == realm }.keys
            self.links[id].rooms.end(realm)
            self.changedRooms(ended)
        }
        for conversation in self.links[id].shared.keys.sorted()
        where self.conversations.table[known: conversation].realm == realm {
            self.unshare(conversation, on: id)
        }
    }

    private mutating func announceRooms(of realm: RealmID, on id: LinkID) {
        let rooms = self.conversations.table.values.filter { $0.isShared && $0.realm == realm }
        var gathered: [RoomName] = []
        var bytes = 0
        let names = rooms.compactMap(\.name).sorted {
            $0.text.utf8.lexicographicallyPrecedes($1.text.utf8)
        }
        for name in names {
            if bytes + name.text.utf8.count + 1 > Limits.controlFrameBytes - 32 {
                self.announce(gathered, of: realm, on: id)
                (gathered, bytes) = ([], 0)
            }
            gathered.append(name)
            bytes += name.text.utf8.count + 1
        }
        if !gathered.isEmpty { self.announce(gathered, of: realm, on: id) }
    }

    private mutating func announce(_ names: [RoomName], of realm: RealmID, on id: LinkID) {
        guard let tag = self.links[id].realms.common[realm] else { return }
        self.send(.rooms(tag, names), on: id)
    }

    // MARK: Conversations of a link

    mutating func receiveRooms(_ tag: Bytes16, _ names: [RoomName], on id: LinkID) {
        // It may have been left just now.
        guard let realm = self.links[id].realms.realm(of: tag) else { return }
        self.stir(id)
        let limit = Limits.budget(of: self.tier(of: self.links[id].info.peer)).roomNames
        var added: [ConversationID] = []
        defer { if !added.isEmpty { self.changedRooms(added) } }
        for name in names {
            let room = Room(name, in: realm)
            let conversation = room.conversation
            let isOwn = self.conversations.table[conversation]?.isShared == true
            guard self.links[id].rooms.isInTime(conversation) else {
                return self.violation(id, "it leaves rooms and comes back too often")
            }
            if self.links[id].rooms.add(room, isOwn: isOwn, limit: limit) {
                added.append(conversation)
            }
            if isOwn && self.links[id].rooms.contains(conversation) {
                self.share(conversation, on: id)
            }
        }
    }

    mutating func receiveRoomsLeft(_ conversations: [ConversationID], on id: LinkID) {
        var removed: [ConversationID] = []
        for conversation in conversations {
            // What is shared by its tag ends with that.
            guard self.links[id].rooms.remove(conversation) else { continue }
            removed.append(conversation)
            if self.links.isShared(conversation, on: id) {
                self.links[id].rooms.noteLeft(conversation)
            }
            self.unshare(conversation, on: id)
        }
        if !removed.isEmpty { self.changedRooms(removed) }
    }

    /// Tells peers of its realm that this node is in a conversation.
    ///
    /// Of a group all are sent tags anew: members whom this node does not know yet greet it then.
    mutating func announce(_ id: ConversationID) {
        let conversation = self.conversations.table[known: id]
        let isGroup = conversation.kind.group != nil
        for link in self.links.ids where isGroup || self.concerns(conversation.kind, link) {
            if let room = conversation.room {
                self.announce([room.name], of: room.realm, on: link)
                if self.links[link].rooms.contains(id) { self.share(id, on: link) }
            } else {
                self.sendShares(on: link)
                self.settleShares(on: link)
            }
        }
    }

    /// Tells peers of its realm that this node is in a conversation no longer.
    mutating func retract(_ id: ConversationID) {
        let conversation = self.conversations.table[known: id]
        // A group that the user has left concerns nobody by now.
        let isGroup = conversation.kind.group != nil
        for link in self.links.ids where isGroup || self.concerns(conversation.kind, link) {
            if conversation.name != nil {
                self.send(.roomsLeft([id]), on: link)
            } else {
                self.sendShares(on: link)
            }
            self.unshare(id, on: link)
        }
    }

    /// Sends a tag for each conversation that is no open room, among random ones.
    mutating func sendShares(on id: LinkID) {
        let realms = self.links[id].realms
        let shared = self.conversations.table.values.filter {
            $0.name == nil && $0.isShared && self.concerns($0.kind, id)
        }
        let tags = (shared.map(\.id) + self.linksToShow(on: id)).map {
            realms.tags.share($0, by: realms.tags.own)
        }
        let all = LinkTags.filled(tags, to: Limits.shareTagCounts) { self.random.next() }
        self.send(.shares(all), on: id)
    }

    mutating func receiveShares(_ tags: [UInt64], on id: LinkID) {
        self.links[id].shares = Set(tags)
        self.settleShares(on: id)
        self.perform(self.groups.greet(on: id))
        self.meetByLinks(on: id)
    }

    /// Shares those conversations that are no open rooms which both sides have shown.
    mutating func settleShares(on id: LinkID) {
        self.meetPerson(on: id)
        let tags = self.links[id].tags
        let others = self.conversations.table.values.filter { $0.name == nil && $0.isShared }
        var shown: Set<ConversationID> = []
        defer { self.groups.noteShown(shown, on: id) }
        for conversation in others.sorted(by: { $0.id < $1.id }) {
            #if MUTANTS
                if Mutant.shareWithAnybody.isActive {
                    self.share(conversation.id, on: id)
                    continue
                }
            #endif
            let isGroup = conversation.kind.group != nil
            let isMeant = self.concerns(conversation.kind, id)
            let isShown =
                (isGroup || isMeant)
                && self.links[id].shares.contains(tags.share(conversation.id, by: tags.peer))
            if isShown, isGroup { shown.insert(conversation.id) }
            if isShown, isMeant {
                self.share(conversation.id, on: id)
            } else {
                self.unshare(conversation.id, on: id)
            }
        }
    }

    // MARK: The own profile

    /// Sends the own profile once the peer may see it.
    mutating func tellProfile(on id: LinkID) {
        guard !self.links[id].isProfileTold,
            self.conversations.maySeeOwnProfile(id, of: self.links),
            let record = self.persons.profiles.record(self.ownProfile)
        else { return }
        self.links[id].isProfileTold = true
        self.send(.records([record]), on: id)
    }
}
