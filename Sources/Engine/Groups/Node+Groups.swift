internal import Crypto
internal import Formats

/// Groups: what the user asks of them, what links bring, and what follows from what is on the disk.
///
/// What they are is decided by ``Groups``; this only takes it to links, to the disk and to the user.
extension Node {
    // MARK: Asked by the user

    /// Founds a group.
    mutating func createGroup(
        _ name: RoomName, in realm: RealmID, _ history: Group.History, _ request: RequestID
    ) {
        guard self.own.realms.contains(realm) else {
            return self.answer(request, .failed(.notInRealm))
        }
        guard self.conversations.table.count < Limits.conversations else {
            return self.answer(request, .failed(.tooManyRooms))
        }
        let group = Group(
            owner: self.own.person.publicKeys, nonce: self.random.bytes32(), realm: realm,
            history: history, suite: .xchacha20Poly1305, name: name)
        let founding = Act(
            .create(group), in: group.id, basis: [], time: self.actTime,
            certificate: self.own.certificate, by: self.own.signer)
        self.begin(.group(group))
        self.disk.commits.groups.add(self.groups.begin(group, with: [founding]))
        self.disk.commits.answers.append((request, .joined(group.id)))
    }

    /// Signs an act, which is answered once it is on the disk.
    mutating func act(
        _ kind: ActKind, in id: ConversationID, since: UInt64?, _ request: RequestID
    ) {
        guard self.isGroup(id) else { return self.answer(request, .failed(.unknownConversation)) }
        guard self.isJoinedOrWillBe(id) else {
            return self.answer(request, .failed(self.notMember(in: id)))
        }
        var kind = kind
        if case .remove(let person, let seen) = kind, seen.isEmpty {
            kind = .remove(person, seen: self.positions(of: person, in: id))
        }
        if case .link = kind,
            self.groups.openLinks(of: id, at: self.now.wall).count >= Limits.groupLinks
        {
            return self.answer(request, .failed(.tooManyLinks))
        }
        do throws(ActRefusal) {
            let writes = try self.sign(kind, in: id, since: since)
            guard let act = writes.acts.last else { return }
            self.disk.commits.answers.append((request, .acted(id, act.id)))
        } catch {
            self.answer(request, .failed(.refusedAct(error.reason)))
        }
    }

    /// Leaves a group; whoever shares it is told once that is on the disk.
    mutating func leaveGroup(_ group: Group, _ request: RequestID) {
        guard self.isJoinedOrWillBe(group.id) else {
            return self.answer(request, .failed(self.notMember(in: group.id)))
        }
        if self.groups.isInside(group.id) {
            // By rule a leave ends none: one with an old basis would put out who came by them.
            let own = self.groups.openLinks(of: group.id, at: self.now.wall).filter {
                $0.statement.author == self.own.certificate.personID
            }
            for link in own { _ = try? self.sign(.endLink(link.id), in: group.id) }
            do throws(ActRefusal) {
                _ = try self.sign(.leave, in: group.id)
            } catch  where error.reason == .share {
                // Others have used up the room: the user is out all the same, and is not asked again.
                self.disk.commits.groups.add(self.groups.turnDown(group.id, at: self.now.wall))
            } catch {
                return self.answer(request, .failed(.refusedAct(error.reason)))
            }
        }
        // Who leaves before they are inside does not come after that either.
        if let writes = self.groups.endJoin(group.id) { self.disk.commits.groups.add(writes) }
        self.disk.commits.membership[group.id] = ConversationMembership(
            .group(group), isJoined: false)
        self.disk.commits.answers.append((request, .left(group.id)))
    }

    /// Enters a group into which somebody has brought the user.
    mutating func acceptGroup(_ id: ConversationID, _ request: RequestID) {
        guard let waiting = self.groupRequest(id), let group = waiting.founding else {
            return self.answer(request, .failed(.unknownConversation))
        }
        if let obstacle = self.obstacle(toEnter: id, in: group.realm) {
            return self.answer(request, .failed(obstacle))
        }
        guard let writes = self.groups.accept(id, at: self.now.wall) else { return }
        self.enter(group, writes, request)
        self.tellAnswered(id, isAccepted: true)
    }

    /// Enters a group in which another device of the user is: as its invitation here says, or by its founding alone.
    mutating func enterOwnGroup(_ group: Group, _ founding: Act) {
        if let writes = self.groups.accept(group.id, at: self.now.wall) {
            self.enter(group, writes, nil)
            self.tellAnswered(group.id, isAccepted: true)
        } else {
            self.enter(group, self.groups.begin(group, with: [founding]), nil)
        }
    }

    func obstacle(toEnter id: ConversationID, in realm: RealmID) -> RequestError? {
        guard self.own.realms.contains(realm) else { return .notInRealm }
        let hasRoom =
            self.conversations.table[id] != nil
            || self.conversations.table.count < Limits.conversations
        return hasRoom ? nil : .tooManyRooms
    }

    mutating func enter(_ group: Group, _ writes: GroupWrites, _ request: RequestID?) {
        self.begin(.group(group))
        self.disk.commits.groups.add(writes)
        if let request { self.disk.commits.answers.append((request, .joined(group.id))) }
        self.changed(.requests)
    }

    /// Turns down a group; nobody is told.
    mutating func declineGroup(_ id: ConversationID, _ request: RequestID) {
        let isOpen = self.groups.join(id) != nil
        guard let writes = isOpen ? self.groups.endJoin(id) : self.groups.decline(id) else {
            return self.answer(request, .failed(.unknownConversation))
        }
        self.disk.commits.groups.add(writes)
        self.disk.commits.answers.append((request, .declinedGroup(id)))
        self.tellAnswered(id, isAccepted: false)
    }

    private mutating func tellAnswered(_ id: ConversationID, isAccepted: Bool) {
        let notice = Notice(.answered(id, isAccepted: isAccepted), at: self.now.wall)
        self.disk.commits.add([notice])
        self.changed(.requests)
    }

    /// Groups into which somebody has brought the user, who has not answered.
    package var pendingGroupRequests: [GroupRequest] { self.groups.pendingRequests }

    func groupRequest(_ id: ConversationID) -> GroupRequest? {
        self.groups.pendingRequests.first { $0.group == id }
    }

    private mutating func sign(
        _ kind: ActKind, in id: ConversationID, since: UInt64? = nil
    ) throws(ActRefusal) -> GroupWrites {
        let writes = try self.groups.sign(
            kind, in: id, since: since, at: self.actTime, by: self.actSigner)
        self.disk.commits.groups.add(writes)
        return writes
    }

    var actSigner: ActSigner {
        ActSigner(certificate: self.own.certificate, device: self.own.signer)
    }

    var actTime: HybridTime { self.clocks.own.own(after: HybridTime(0)) }

    /// How far the logs of somebody are here, the newest of them.
    private func positions(of person: PersonID, in id: ConversationID) -> [LogPosition] {
        let known = self.conversations.table[known: id]
        let logs = known.logs.keys.filter {
            known.log($0).person == person && known.log($0).head.seq > 0
        }
        let newest = logs.sorted { known.log($1).head.time < known.log($0).head.time }
            .prefix(Limits.removedLogs).sorted()
        return newest.map { LogPosition(log: $0, seq: known.log($0).head.seq) }
    }

    // MARK: Links

    /// Takes a frame of a group; false where its credit goes back once what it brought is on the disk.
    mutating func receiveGroupFrame(_ frame: Frame, on id: LinkID) -> Bool {
        if case .epochKeys(let conversation, let keys) = frame,
            self.conversations.table[conversation]?.kind.direct != nil
        {
            self.receiveDirectKeys(keys, of: conversation, on: id)
            return self.disk.commits.groups.isEmpty
        }
        guard !self.isStrange(frame, on: id) else { return true }
        let tier = self.tier(of: self.links[id].info.peer)
        let actions = self.groups.receive(frame, on: id, as: tier, at: self.now.wall)
        self.perform(actions)
        if case .epochKeys(let group, _) = frame { self.lookForAnnouncements(in: group) }
        if case .actHeads(let heads) = frame { self.cutRevoked(in: heads.group) }
        return self.disk.commits.groups.isEmpty
    }

    /// Acts that were ahead of time are taken once they are due, and heads are tied that nobody has tied.
    mutating func takeDueActs() {
        if self.groups.isAnyActWaiting { self.perform(self.groups.takeDue(at: self.now.wall)) }
        for id in self.groups.tiesDue(at: self.now.monotonic, using: &self.random) {
            _ = try? self.sign(.tie, in: id)
        }
    }

    mutating func perform(_ actions: [GroupAction]) {
        for action in actions {
            switch action {
            case .send(let frame, let link):
                guard self.links.has(link), !self.links.isDoomed(link) else { continue }
                guard self.links[link].info.features.contains(.groups) else { continue }
                self.send(frame, on: link)
            case .write(let writes):
                self.disk.commits.groups.add(writes)
                self.open(with: writes.epochs)
                if !writes.requests.isEmpty || !writes.endedRequests.isEmpty {
                    self.changed(.requests)
                }
            case .violation(let link, let what): self.violation(link, what)
            case .asked(let request, let group, let link):
                self.askUser(request, of: group, from: Source(self.links[link].address))
            case .entered(let request, let group, let host): self.enter(request, group, host)
            case .joinAnswered(let id, let obstacle, let link):
                self.joinAnswered(id, obstacle, on: link)
            }
        }
    }

    /// Whether a frame of a group may still be sent that has waited for credit.
    func mayTellGroup(_ frame: Frame, on id: LinkID) -> Bool {
        switch frame {
        // Who is told that somebody is out is a member no longer.
        case .acts(let group, _):
            self.groups.table[group] != nil || self.groups.join(group) != nil
        case .actWant(let want): self.groups.table[want.group] != nil
        case .actHeads(let heads): self.groups.concerns(heads.group, id)
        case .epochKeys(let conversation, _)
        where self.conversations.table[conversation]?.kind.direct != nil:
            self.mayTellDirectKeys(of: conversation, on: id)
        case .epochKeys(let group, _), .sealedKeys(let group, _): self.groups.concerns(group, id)
        default: false
        }
    }

    /// Begins and ends what is shared of a group as its members come and go.
    mutating func settleGroupShares(of id: ConversationID) {
        for link in self.links.ids
        where self.groups.concerns(id, link) != self.links.isShared(id, on: link) {
            self.sendShares(on: link)
            self.settleShares(on: link)
        }
    }

    // MARK: Somebody brings the user in

    mutating func askUser(_ request: GroupRequest, of group: Group, from source: Source) {
        var request = request
        request.source = source.description
        let author = request.author.map { self.persons.people.devices(of: $0) } ?? []
        guard !author.contains(where: { self.standing(of: $0) == .blocked }) else { return }
        // Strangers ask once, and not again for an hour after the user has declined.
        let isStrange = ([request.device] + author).allSatisfy { self.tier(of: $0) == .stranger }
        if isStrange, self.groups.hasAsked(request, at: self.now.wall) {
            return self.groups.requests.turnAway()
        }
        let room = self.groups.requests.room(
            for: request.group, from: request.source, at: self.now.wall
        ) {
            let tiers = self.tiers(of: $0.map(\.device) + [request.device])
            return ([request] + $0).map {
                FairShare.Claim(
                    key: $0.group, tier: tiers[$0.device] ?? .stranger,
                    comesFirst: self.links.hasPlace($0.device),
                    source: Source(description: $0.source), author: $0.device,
                    number: Int64(clamping: $0.time))
            }
        }
        guard let room else { return self.groups.requests.turnAway() }
        for gone in room {
            self.groups.requests.turnAway()
            self.disk.commits.groups.add(self.groups.endRequest(gone.group))
        }
        // Who was asked before is not called again, however often they are brought in.
        let isFirst = self.groups.requests.all[request.group] == nil
        self.disk.commits.groups.add(self.groups.ask(request))
        self.changed(.requests)
        guard isFirst else { return }
        let tier = self.tier(of: request.inviter)
        self.disk.commits.add([
            Notice(.invited(request.inviter, to: request.group), of: tier, at: self.now.wall)
        ])
    }

    // MARK: The disk

    /// Ends the groups that the acts of the next batch put the user out of, in that batch: once the acts are on the disk
    /// they are no news any more.
    mutating func leaveWithActs() {
        guard !self.disk.commits.isResting else { return }
        for id in self.groups.ending(with: self.disk.commits.groups.acts)
        where self.disk.commits.membership[id] == nil && self.isJoinedOrWillBe(id) {
            guard let group = self.groups.table[id]?.group else { continue }
            self.disk.commits.membership[id] = ConversationMembership(
                .group(group), isJoined: false)
        }
    }

    /// What a batch has brought to the disk of groups counts from here on.
    mutating func settleGroups(_ flight: InFlight) {
        let (changes, actions) = self.groups.stored(flight.batch.groups)
        self.perform(actions)
        for change in changes { self.settle(change, flight) }
        self.settleDirectKeys(flight.batch.groups.epochs)
        for request in flight.batch.groups.requests { self.showLink(of: request) }
    }

    private mutating func settle(_ change: GroupChange, _ flight: InFlight) {
        let id = change.group
        guard let group = self.groups.table[id]?.group else { return }
        self.open(with: change.keys)
        if change.went.contains(self.own.certificate.personID) {
            self.groups.end(id)
            if flight.batch.membership[id] == nil, self.isJoinedOrWillBe(id) {
                self.disk.commits.membership[id] = ConversationMembership(
                    .group(group), isJoined: false)
            }
        }
        for turn in change.turns.prefix(Limits.rosterNotices) {
            let by = turn.by.flatMap { self.persons.people.devices(of: $0).first }
            let tier =
                turn.by == self.own.certificate.personID ? .own : by.map { self.tier(of: $0) }
            self.disk.commits.add([
                Notice(.turned(id, turn), of: tier ?? .stranger, at: self.now.wall)
            ])
        }
        if change.isTold {
            self.changed(.roster(id))
            self.cutRevoked(in: id)
        }
        if change.needsTie { _ = try? self.sign(.tie, in: id) }
        guard self.conversations.table.has(id) else { return }
        if change.releases { self.releaseLogs(of: id) }
        if change.isRosterNew { self.settleGroupShares(of: id) }
        if change.isLinkNew { for link in self.links.ids { self.meetByLinks(on: link) } }
    }

    /// None of a batch is on the disk: what was signed or taken is written again, but of no key that it was made for
    /// entries that are not, or that its announcement has come.
    mutating func groupsFailed(_ flight: InFlight) {
        var again = flight.batch.groups
        again.epochs.removeAll {
            flight.madeKeys.contains($0) || flight.placedKeys.contains($0)
        }
        for (id, change) in flight.batch.membership where change.kind.group != nil {
            // Also where the user has left before the join was on the disk.
            let isIn = self.conversations.table[id]?.isJoined == true
            guard !isIn, self.disk.commits.isJoined(id) != true else { continue }
            if self.conversations.table.has(id) {
                self.groups.end(id)
            } else {
                self.groups.forget(id)
                again.acts.removeAll { $0.group == id }
                self.keyring.remove(id)
            }
        }
        again.add(self.disk.commits.groups)
        self.disk.commits.groups = again
    }
}
