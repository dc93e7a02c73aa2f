internal import Crypto
package import Formats

/// Links of groups: how the user comes by one, and how members meet who does.
extension Node {
    // MARK: The newcomer

    /// Comes into a group by the line of a link: at once where a member is linked, else when one is.
    mutating func joinGroup(by invitation: GroupInvitation, _ request: RequestID) {
        let id = invitation.group
        guard !self.isJoinedOrWillBe(id) else { return self.answer(request, .joined(id)) }
        if let obstacle = self.obstacle(toEnter: id, in: invitation.realm) {
            return self.answer(request, .failed(obstacle))
        }
        guard self.groupRequest(id) == nil else { return self.acceptGroup(id, request) }
        guard self.groups.join(id) != nil || self.groups.joins.count < Limits.ownJoins else {
            return self.answer(request, .failed(.tooManyJoins))
        }
        let until = self.now.monotonic + Limits.joinAnswerMilliseconds
        let writes = self.groups.join(
            by: invitation, request, until: until, at: self.actTime, by: self.actSigner)
        self.armGroups()
        self.changed(.requests)
        guard writes.isEmpty else { return self.disk.commits.groups.add(writes) }
        if let join = self.groups.join(id) { self.showLink(of: join) }
    }

    /// Joins of the user who is not in yet, and what stands in their way.
    package var groupJoins: [(join: GroupRequest, obstacle: JoinObstacle)] {
        self.groups.joins.map { ($0, self.groups.obstacle(to: $0.group)) }
    }

    /// The line of a link that this device has made; nil for any other.
    package func groupInvitation(by link: ActID, in id: ConversationID) -> GroupInvitation? {
        self.groups.invitation(by: link, in: id, of: self.own.signer)
    }

    /// Shows a link to all who might be members, once the user's join is on the disk.
    mutating func showLink(of join: GroupRequest) {
        guard join.device == self.id, let realm = join.labelled?.realm,
            self.groups.joinsToShow.contains(join)
        else { return }
        let peers = self.links.ids.filter {
            self.links[$0].realms.isCommon(realm)
                && self.links[$0].info.features.contains(.groups)
        }
        for link in peers {
            self.sendShares(on: link)
            self.meetByLinks(on: link)
        }
        guard peers.isEmpty, let request = self.groups.joining[join.group]?.takeRequest() else {
            return
        }
        self.answer(request, .waitsToJoin(join.group, .unanswered))
    }

    /// A member has shown the group.
    mutating func enter(_ request: GroupRequest, _ group: Group, _ host: PersonID) {
        if let obstacle = self.obstacle(toEnter: group.id, in: group.realm) {
            guard let asked = self.groups.joining[group.id]?.takeRequest() else { return }
            return self.answer(asked, .failed(obstacle))
        }
        guard
            let (writes, asked) = self.groups.enter(
                request, host: host, at: self.now.wall)
        else { return }
        self.enter(group, writes, asked)
    }

    mutating func joinAnswered(_ id: ConversationID, _ obstacle: JoinObstacle, on link: LinkID) {
        let asked = self.groups.answered(id, obstacle, on: link)
        if let asked { self.answer(asked, .waitsToJoin(id, obstacle)) }
        self.changed(.requests)
    }

    /// Says what has become of joins: one is over where its link shows so.
    mutating func joinsDue() {
        for (id, request) in self.groups.joinsDue(at: self.now.monotonic) {
            let obstacle = self.groups.obstacle(to: id)
            switch obstacle {
            case .unanswered, .approval: self.answer(request, .waitsToJoin(id, obstacle))
            // Other members may know of no end.
            case .ended: self.answer(request, .failed(.link(obstacle)))
            case .expired, .altered:
                if let writes = self.groups.endJoin(id) { self.disk.commits.groups.add(writes) }
                self.answer(request, .failed(.link(obstacle)))
                self.changed(.requests)
            }
        }
        self.armGroups()
    }

    // MARK: The members

    /// Links of groups whose tags a peer is shown: those by which the user comes, and those that it has shown first.
    func linksToShow(on id: LinkID) -> [ConversationID] {
        let opened = self.groups.peers[id]?.openedLinks ?? []
        let own = self.groups.joinsToShow.filter { join in
            join.labelled.map { self.links[id].realms.isCommon($0.realm) } ?? false
        }.compactMap(\.joined?.link)
        return Set(own).union(opened).sorted().map { ConversationID($0.hash) }
    }

    /// Shows links of groups to a peer that shows them, and joins to one that shows theirs.
    mutating func meetByLinks(on id: LinkID) {
        let tags = self.links[id].tags
        let shown = self.links[id].shares
        func isShown(_ link: ActID, of realm: RealmID) -> Bool {
            self.links[id].realms.isCommon(realm)
                && shown.contains(tags.share(ConversationID(link.hash), by: tags.peer))
        }
        let met = self.groups.links(for: id).filter { isShown($0.link, of: $0.realm) }
        if self.groups.open(met.map(\.link), to: id) { self.sendShares(on: id) }
        for join in self.groups.joinsToShow {
            guard let link = join.joined?.link, let realm = join.labelled?.realm,
                isShown(link, of: realm)
            else { continue }
            self.perform(self.groups.show(join, on: id))
        }
    }

    /// Whether somebody comes by a link who is not in the realm of its group.
    func isStrange(_ frame: Frame, on id: LinkID) -> Bool {
        guard case .acts(let group, let acts) = frame,
            let realm = self.groups.table[group]?.group.realm,
            !self.groups.concerns(group, id), !self.links[id].realms.isCommon(realm)
        else { return false }
        let person = self.links[id].info.certificate.personID
        return acts.contains { $0.isJoin(of: person) }
    }
}
