internal import Crypto
package import Formats

/// What users ask for: rooms, messages, people, the profile.
extension Node {
    /// Does what is asked, behind what was asked before it.
    mutating func handleRequest(_ what: Request, _ request: RequestID) {
        guard what.isChange else { return self.perform(what, request, nil) }
        let isSought = self.looksUp(what, request)
        guard isSought || !self.disk.requestLine.isEmpty else {
            return self.perform(what, request, nil)
        }
        self.disk.requestLine.add(request, what, isSought: isSought)
    }

    mutating func lookedUp(_ request: RequestID, _ finding: RequestLine.Finding) {
        self.disk.requestLine.settle(request, finding)
        while let next = self.disk.requestLine.next() {
            self.perform(next.what, next.id, next.finding)
        }
    }

    /// Asks the store whether something was sent before; false where it has no key, or that is known.
    private mutating func looksUp(_ what: Request, _ request: RequestID) -> Bool {
        guard case .send(let outgoing) = what, let key = IdempotencyKey(outgoing) else {
            return false
        }
        #if MUTANTS
            if Mutant.sendAgainUnderAKey.isActive { return false }
        #endif
        if self.disk.requestLine.isEmpty {
            guard self.obstacle(to: outgoing) == nil, self.disk.recentKeys.pending(key) == nil,
                self.disk.recentKeys.recent(key) == nil
            else { return false }
        }
        self.actions.append(.lookUp(request, key.conversation, key: key.text))
        return true
    }

    private mutating func perform(
        _ what: Request, _ request: RequestID, _ finding: RequestLine.Finding?
    ) {
        switch what {
        case .join(let room): self.join(room, request)
        case .leave(let conversation): self.leave(conversation, request)
        case .erase(let conversation, let targets): self.erase(targets, in: conversation, request)
        case .expire(let id, let bound): self.expire(bound, in: id, request)
        case .send(let outgoing): self.sendMessage(outgoing, request, finding)
        case .connect(let address, let key, let deadline):
            self.performDialling(
                self.dialling.connect(
                    address, expecting: key, request, by: deadline, at: self.now))
        case .reach(let port, let own): self.examineLinks(port: port, besides: own, request)
        case .profile(let name, let status, let picture):
            self.changeProfile(name, status, picture, request)
        case .stand(let peer, let standing): self.stand(peer, standing, request)
        case .forget(let peer): self.forget(peer, request)
        case .verify(let peer, let code): self.verify(peer, code, request)
        case .beginDirect(let peer): self.beginDirect(with: peer, request)
        case .joinSecret(let room): self.joinSecret(room, request)
        case .groupCreate(let name, let realm, let history):
            self.createGroup(name, in: realm, history, request)
        case .joinGroup(let invitation): self.joinGroup(by: invitation, request)
        case .groupAct(let id, let kind, let since):
            self.act(kind, in: id, since: since, request)
        case .syncActs(let ids, let person, let device):
            self.syncActs(of: ids, besides: person, device, request)
        case .acceptGroup(let id): self.acceptGroup(id, request)
        case .declineGroup(let id): self.declineGroup(id, request)
        case .restoreGroup(let founding): self.restoreGroup(founding, request)
        case .accept(let peer): self.acceptRequest(of: peer, request)
        case .decline(let peer): self.declineRequest(of: peer, request)
        case .arrange(let id, let arrangement): self.arrange(id, arrangement, request)
        case .read(let id, let cursor): self.read(id, through: cursor, request)
        case .retain(let id, let retention): self.retain(id, retention, request)
        case .restore(let contacts): self.restorePeople(of: contacts, request)
        case .presence(let presence): self.setPresence(presence, request)
        case .typing(let conversation): self.typing(in: conversation, request)
        case .openStream(let id, let name, let isOrdered, let member):
            self.openStream(name, in: id, isOrdered: isOrdered, for: member, request)
        case .sendPacket(let stream, let bytes): self.sendPacket(bytes, of: stream, request)
        case .closeStream(let stream): self.closeStream(stream, request)
        case .callSignal(let id, let member, let isDevice, let bytes):
            self.sendCall(bytes, in: id, to: member, isDevice: isDevice, request)
        case .linkDevice(let peer): self.linkDevice(peer, request)
        case .confirmDevice(let check): self.confirmDevice(check, request)
        case .approveDevice(let code): self.approveDevice(code, request)
        case .revokeDevice(let peer, let since): self.revokeDevice(peer, since: since, request)
        case .importItems(let items): self.importItems(items, request)
        case .siteSignals(let places): self.takeSiteSignals(places, request)
        case .renameDevice(let peer, let name): self.renameDevice(peer, name, request)
        }
    }

    mutating func answer(_ request: RequestID, _ answer: Answer) {
        self.actions.append(.answer(request, answer))
    }

    private mutating func fail(_ request: RequestID, _ error: RequestError) {
        self.answer(request, .failed(error))
    }

    // MARK: People

    private mutating func changeProfile(
        _ name: String?, _ status: String?, _ picture: PictureChange, _ request: RequestID
    ) {
        // Another change may be on its way to the disk.
        let now = self.record(self.ownProfile)?.profile ?? self.profile(of: self.id)
        var profile = Profile(
            name: name ?? now.name, status: status ?? now.status, picture: now.picture)
        switch picture {
        case .keep: break
        case .none: profile.picture = nil
        case .take(let picture): profile.picture = picture
        }
        guard profile.isWithinLimits else {
            let isName = !Profile.isShort(profile.name)
            return self.fail(
                request, .size(limit: isName ? Limits.nameCharacters : Limits.statusBytes))
        }
        if let name {
            guard !NameLook(name).isMisleading else {
                return self.fail(request, .misleadingName)
            }
        }
        self.setProfile(profile, request: request)
    }

    // MARK: Rooms

    /// Whether the user is in a room, counting what is on its way to the disk.
    func isJoinedOrWillBe(_ id: ConversationID) -> Bool {
        if let isJoined = self.disk.commits.isJoined(id) { return isJoined }
        return self.conversations.table.has(id) && self.conversations.table[known: id].isJoined
    }

    private mutating func join(_ room: Room, _ request: RequestID) {
        guard self.own.realms.contains(room.realm) else { return self.fail(request, .notInRealm) }
        let id = room.conversation
        if self.conversations.table[id]?.isJoined == true && self.isJoinedOrWillBe(id) {
            self.answer(request, .joined(id))
            return
        }
        guard
            self.conversations.table[id] != nil
                || self.conversations.table.count < Limits.conversations
        else { return self.fail(request, .tooManyRooms) }
        self.enterRoom(room, request)
    }

    mutating func enterRoom(_ room: Room, _ request: RequestID?) {
        let id = room.conversation
        if self.conversations.table[id] == nil {
            self.conversations.table[id] = Conversation(.room(room), isJoined: false)
        }
        self.disk.commits.membership[id] = ConversationMembership(.room(room), isJoined: true)
        self.disk.commits.add(
            Draft(conversation: id, content: .join(room.name), request: request, outgoing: nil))
    }

    private mutating func leave(_ id: ConversationID, _ request: RequestID) {
        guard let kind = self.conversations.table[id]?.kind else {
            return self.fail(request, .unknownConversation)
        }
        guard kind.direct == nil else { return self.fail(request, .directStays) }
        if let group = kind.group { return self.leaveGroup(group, request) }
        guard self.isJoinedOrWillBe(id) else { return self.fail(request, self.notMember(in: id)) }
        // The store may have come from a machine that could seal so.
        if let obstacle = self.sealingObstacle(in: id) { return self.fail(request, obstacle) }
        self.disk.commits.membership[id] = ConversationMembership(kind, isJoined: false)
        self.disk.commits.add(
            Draft(conversation: id, content: .leave, request: request, outgoing: nil))
    }

    /// A join is on disk: peers are told.
    mutating func joined(_ id: ConversationID) {
        self.endRequest(for: id)
        let wasShared = self.conversations.table[known: id].isShared
        self.conversations.table[known: id].join()
        guard !wasShared else {
            for link in self.links.sharing(id) {
                let isOfKnown = self.isOfKnown(link)
                self.catchUp.payloadWants.look(at: link, in: id, isOfKnown: isOfKnown)
                // Leaving has ended it, though the two still share what a peer is to have of that.
                self.perform(self.groups.exchange(id, on: link))
            }
            return
        }
        self.announce(id)
        self.seek()
    }

    /// A leave is on disk: somebody else in the room is to have it before this node is silent there.
    mutating func left(_ id: ConversationID) {
        // Also of a group whose acts never came, which so no act says that the user has left.
        self.groups.end(id)
        guard self.conversations.table[known: id].isJoined else { return }
        self.conversations.table[known: id].leave(
            own: self.id, isAwaited: !self.listeners(in: id).isEmpty)
        self.dropHoles(of: id)
        self.endDeparture(id)
    }

    /// Ends sharing rooms that were left and whose leave a peer has.
    mutating func endDepartures() {
        guard !self.links.departing.isEmpty else { return }
        for id in self.links.departing.sorted() { self.endDeparture(id) }
        self.links.departing = []
    }

    /// Tells peers that this node is in a room no longer, once one of them has the leave.
    private mutating func endDeparture(_ id: ConversationID) {
        let conversation = self.conversations.table[known: id]
        let leave = conversation.log(self.ownLog).head.seq
        let isKnown = self.links.sharing(id).contains {
            self.links[$0].shared[known: id].seq(of: self.ownLog, conversation.numbers) >= leave
        }
        guard !conversation.isJoined,
            !conversation.isShared || isKnown || self.isLeaveDeclined(conversation)
        else { return }
        self.conversations.table[known: id].departed()
        self.retract(id)
    }

    /// Whether all other members are linked, were told of the leave and take nothing: they have left,
    /// too, and each would wait for the other for ever.
    private func isLeaveDeclined(_ conversation: Conversation) -> Bool {
        conversation.members.filter { $0 != self.id }.allSatisfy { member in
            let link = self.links.link(with: member)
            return link?.shared[conversation.id]?.digests.isDeclined ?? false
        }
            && self.listeners(in: conversation.id).allSatisfy {
                self.links[$0].shared[known: conversation.id].digests.isDeclined
            }
    }

    /// The links on which the own log of a room is being sent: who joined just now may be nobody's member here yet.
    private func listeners(in id: ConversationID) -> [LinkID] {
        self.links.sharing(id).filter {
            (self.links[$0].shared[known: id].fed[self.ownLog] ?? 0) > 0
        }
    }

    /// Takes what the user says of a conversation in their list; subscribers are told once it is on disk.
    private mutating func arrange(
        _ id: ConversationID, _ change: ArrangementChange, _ request: RequestID
    ) {
        guard self.conversations.table.has(id), self.isJoinedOrWillBe(id) else {
            return self.fail(request, self.notMember(in: id))
        }
        self.disk.commits.choices.arrange(id, change)
        self.disk.commits.answers.append((request, .arranged(id)))
    }

    /// Notes what the user has read; the store says through which entries that is.
    private mutating func read(_ id: ConversationID, through cursor: Cursor, _ request: RequestID) {
        guard self.conversations.table.has(id) else {
            return self.fail(request, .unknownConversation)
        }
        self.disk.commits.choices.addRead(id, through: cursor)
        self.disk.commits.answers.append((request, .arranged(id)))
    }

    /// Keeps so much of what is said in a conversation; the shell asks for what is over it to go.
    private mutating func retain(
        _ id: ConversationID, _ retention: Retention, _ request: RequestID
    ) {
        guard self.conversations.table.has(id), self.isJoinedOrWillBe(id) else {
            return self.fail(request, self.notMember(in: id))
        }
        self.disk.commits.choices.retentions[id] = retention
        self.disk.commits.answers.append((request, .arranged(id)))
    }

    /// What is to go by what the user keeps, at a moment in wall-clock milliseconds.
    package func retentionBounds(at now: UInt64) -> [(id: ConversationID, bound: RetentionBound)] {
        var bounds: [(id: ConversationID, bound: RetentionBound)] = []
        for conversation in self.conversations.table.values.sorted(by: { $0.id < $1.id }) {
            for bound in self.retentionBounds(by: conversation.retention, at: now) {
                bounds.append((conversation.id, bound))
            }
        }
        return bounds
    }

    /// What is to go by what the user keeps, which both hold where both are said.
    package func retentionBounds(by retention: Retention, at now: UInt64) -> [RetentionBound] {
        var bounds: [RetentionBound] = []
        if let days = retention.days {
            let kept = UInt64(days) * Limits.dayMilliseconds
            bounds.append(.before(HybridTime(wallMilliseconds: now > kept ? now - kept : 0)))
        }
        if let bytes = retention.bytes { bounds.append(.above(bytes: bytes)) }
        return bounds
    }

    /// How much is kept of a conversation.
    package func retention(of id: ConversationID) -> Retention {
        self.conversations.table[id]?.retention ?? Retention()
    }

    private mutating func erase(
        _ targets: [EntryTarget], in id: ConversationID, _ request: RequestID
    ) {
        guard self.conversations.table[id] != nil else {
            return self.fail(request, .unknownConversation)
        }
        guard self.isJoinedOrWillBe(id) else { return self.fail(request, self.notMember(in: id)) }
        guard (1...Limits.ownEraseTargets).contains(targets.count) else {
            return self.fail(request, .size(limit: Limits.ownEraseTargets))
        }
        if let obstacle = self.sealingObstacle(in: id) { return self.fail(request, obstacle) }
        let sorted = targets.sorted { ($0.log, $0.seq) < ($1.log, $1.seq) }
        self.disk.commits.add(
            Draft(conversation: id, content: .erase(sorted), request: request, outgoing: nil))
    }

    // MARK: Messages

    private mutating func sendMessage(
        _ outgoing: Outgoing, _ request: RequestID, _ finding: RequestLine.Finding?
    ) {
        if let obstacle = self.obstacle(to: outgoing) { return self.fail(request, obstacle) }
        if let key = IdempotencyKey(outgoing) {
            var earlier: EarlierSend?
            switch finding {
            case .failed(let failure)?: return self.fail(request, .storage(failure))
            case .earlier(let found)?: earlier = found
            case nil: break
            }
            #if MUTANTS
                let isForgotten = Mutant.sendAgainUnderAKey.isActive
            #else
                let isForgotten = false
            #endif
            if !isForgotten {
                if self.isAnswered(outgoing, key, request, earlier: earlier) { return }
                self.disk.recentKeys.begin(key, outgoing.content)
            }
        }
        self.disk.commits.add(
            Draft(
                conversation: outgoing.conversation, content: outgoing.content,
                request: request, outgoing: outgoing))
    }

    /// Why a message cannot be sent; nil where it can.
    private func obstacle(to outgoing: Outgoing) -> RequestError? {
        guard self.conversations.table.has(outgoing.conversation) else {
            return .unknownConversation
        }
        guard self.isJoinedOrWillBe(outgoing.conversation) else {
            return self.notMember(in: outgoing.conversation)
        }
        let kind = self.conversations.table[known: outgoing.conversation].kind
        if let realm = kind.realm, !self.own.realms.contains(realm) { return .notInRealm }
        // It would wait for a link that the user wants none of.
        if let peer = kind.direct?.device, self.standing(of: peer) == .blocked {
            return .blocked(peer)
        }
        if let obstacle = self.sealingObstacle(in: outgoing.conversation) { return obstacle }
        if case .topic = outgoing.content, kind.group != nil,
            !self.groups.isAdmin(self.own.certificate.personID, in: outgoing.conversation)
        {
            return .refusedAct(.notAdmin)
        }
        guard outgoing.content.hasSendableText else { return .size(limit: Limits.textBytes) }
        guard self.disk.commits.drafts.count + self.disk.requestLine.count < Limits.waitingDrafts
        else {
            return .busy
        }
        return outgoing.wait.flatMap {
            self.obstacle(to: $0.aim.goal, in: outgoing.conversation)
        }
    }

    /// Whether a message was sent under its key before, or is being sent; then the request is
    /// answered, or will be with that one.
    private mutating func isAnswered(
        _ outgoing: Outgoing, _ key: IdempotencyKey, _ request: RequestID, earlier: EarlierSend?
    ) -> Bool {
        if let content = self.disk.recentKeys.pending(key) {
            if outgoing.content.isRepeat(of: content) {
                self.disk.recentKeys.join(key, request)
                self.receipts.waits.keep(outgoing.wait, of: request)
            } else {
                self.fail(request, .keyReused)
            }
            return true
        }
        guard let earlier = self.disk.recentKeys.recent(key) ?? earlier else { return false }
        // Where the message is gone, the key alone has to do.
        if outgoing.content.isRepeat(of: earlier.content ?? outgoing.content) {
            self.answerRepeated(request, earlier.message, waiting: outgoing.wait)
        } else {
            self.fail(request, .keyReused)
        }
        return true
    }
}
