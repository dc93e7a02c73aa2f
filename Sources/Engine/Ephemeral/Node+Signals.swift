internal import Crypto
package import Formats

/// What ``Signals`` decides is done here.
extension Node {
    /// What the own user is.
    package var ownPresence: Presence { self.signals.ownPresence }

    /// What somebody tells of themselves, on a link or else by way of servers; nil for who tells nothing.
    package func presence(of peer: PeerID) -> Presence? {
        guard let link = self.links.id(of: peer) else {
            return self.persons.people.isRevoked(peer)
                ? nil : self.signals.sites.presence(of: peer)
        }
        return self.signals.presence(on: link)
    }

    /// Who tells how reachable they are, who writes where, and whose pictures are here, as those are told
    /// who begin to follow.
    package var standingSignals: [Signal] {
        let peers = self.signals.sites.present + self.links.peers
        let present = Set(peers).sorted().compactMap { peer in
            self.presence(of: peer).map { Signal.presence(peer, $0) }
        }
        return present + self.signals.typing
            + self.conversationsWithHoles.map { .missing($0) }
            + self.transfers.pictures.shown.map {
                .picture($0, self.transfers.pictures.picture(of: $0))
            }
    }

    /// Has those who follow lists told that one has changed.
    mutating func changed(_ list: ChangedList) { self.actions.append(.changed(list)) }

    /// Other rooms are announced, and those of them that the user is in have other members.
    mutating func changedRooms(_ rooms: some Collection<ConversationID>) {
        self.changed(.rooms)
        for id in rooms.sorted() where self.conversations.table[id]?.isJoined == true {
            self.changed(.members(id))
        }
    }

    mutating func perform(_ wanted: [SignalAction]) {
        for action in wanted {
            switch action {
            case .perform(let action): self.actions.append(action)
            case .send(let frame, let link): self.send(frame, on: link)
            case .write(let notice): self.disk.commits.add([notice])
            case .spread(let frame, let links):
                for link in links { self.sendEncoded(frame, on: link) }
            }
        }
    }

    // MARK: Asked by the user

    mutating func setPresence(_ presence: Presence, _ request: RequestID) {
        self.perform(self.signals.set(presence, at: self.now))
        self.answer(request, .presence(presence))
    }

    /// The user has changed what they want of the node: from here on nobody is told whether they are
    /// there, or everybody who may know is.
    mutating func setPreferences(_ preferences: NodePreferences) {
        self.own.configuration.preferences = preferences
        self.lookAtStreams()
        guard preferences.tellsPresence else { return self.signals.tellNobody() }
        for id in self.links.ids { self.openPresence(on: id) }
    }

    mutating func openPresence(on id: LinkID) {
        guard self.own.configuration.preferences.tellsPresence else { return }
        self.perform(self.signals.open(id, of: self.links, self.conversations, at: self.now))
    }

    mutating func typing(in id: ConversationID, _ request: RequestID) {
        guard self.conversations.table.has(id) else {
            return self.answer(request, .failed(.unknownConversation))
        }
        guard self.isJoinedOrWillBe(id) else {
            return self.answer(request, .failed(self.notMember(in: id)))
        }
        guard self.own.configuration.preferences.tellsTyping, let outlet = self.outlet(of: id)
        else { return self.answer(request, .typing(told: 0)) }
        self.perform(self.signals.tellTypingAtSites(in: id, at: self.now))
        let (told, wanted) = self.signals.tellTyping(
            in: outlet, using: &self.random, at: self.now)
        self.perform(wanted)
        self.answer(request, .typing(told: told))
    }

    /// Where in a conversation signals go, to all members or to one; nil where the user is not in it.
    private func outlet(of id: ConversationID, for member: StreamMember? = nil) -> SignalOutlet? {
        guard self.conversations.table.has(id), self.isJoinedOrWillBe(id) else { return nil }
        let listeners = self.links.sharing(id).filter {
            self.links[$0].info.features.contains(.ephemeral)
                && !self.conversations.isWaitingToBeLetIn(id, on: $0, of: self.links)
                && (member?.isAt(self.links[$0].info) ?? true)
        }
        return SignalOutlet(
            conversation: id, own: self.id, listeners: listeners,
            key: self.keyring.current(in: id), isSealed: self.keyring.isSealed(id))
    }

    private func outlet(ofStream stream: UInt64) -> SignalOutlet? {
        guard let place = self.signals.place(of: stream) else { return nil }
        return self.outlet(of: place.conversation, for: place.member)
    }

    /// Why nothing can be sent to one member; nil where it can.
    private func obstacle(to member: StreamMember, in id: ConversationID) -> RequestError? {
        if self.outlet(of: id, for: member)?.listeners.isEmpty == false { return nil }
        let devices = member.person.map { self.persons.people.devices(of: $0) } ?? []
        let isThere = devices.union([member.device]).contains {
            self.obstacle(to: .named([$0]), in: id) == nil
        }
        return isThere ? .notLinked(member.device) : .notInRoom([member.device])
    }

    mutating func openStream(
        _ name: StreamName, in id: ConversationID, isOrdered: Bool, for member: PeerID?,
        _ request: RequestID
    ) {
        guard self.conversations.table.has(id) else {
            return self.answer(request, .failed(.unknownConversation))
        }
        guard self.isJoinedOrWillBe(id) else {
            return self.answer(request, .failed(self.notMember(in: id)))
        }
        if let obstacle = self.keyObstacle(in: id) {
            return self.answer(request, .failed(obstacle))
        }
        let member = member.map { StreamMember(device: $0, person: self.keys(of: $0)?.id) }
        if let obstacle = member.flatMap({ self.obstacle(to: $0, in: id) }) {
            return self.answer(request, .failed(obstacle))
        }
        self.answer(
            request,
            self.signals.openStream(
                name, in: id, isOrdered: isOrdered, for: member, using: &self.random, at: self.now))
    }

    /// Why nothing can be sealed in a conversation now.
    ///
    /// Where the next key of a group is due, which comes only with an entry, it is made, and the client asks again.
    private mutating func keyObstacle(in id: ConversationID) -> RequestError? {
        guard self.conversations.table.has(id), self.keyring.isSealed(id),
            self.keyring.current(in: id) == nil
        else { return nil }
        if let obstacle = self.sealingObstacle(in: id) { return obstacle }
        self.askForKey(of: id)
        return .tooFast(milliseconds: Limits.keyRetryMilliseconds)
    }

    mutating func sendPacket(_ bytes: [UInt8], of stream: UInt64, _ request: RequestID) {
        if let place = self.signals.place(of: stream),
            let obstacle = self.keyObstacle(in: place.conversation)
        {
            return self.answer(request, .failed(obstacle))
        }
        // Who sends to one wants to know that they are gone; who sends to all sends to whoever is there.
        if let place = self.signals.place(of: stream), let member = place.member,
            let obstacle = self.obstacle(to: member, in: place.conversation)
        {
            return self.answer(request, .failed(obstacle))
        }
        let (answer, wanted) = self.signals.send(
            bytes, of: stream, to: self.outlet(ofStream: stream), using: &self.random,
            at: self.now)
        self.perform(wanted)
        self.answer(request, answer)
    }

    mutating func closeStream(_ stream: UInt64, _ request: RequestID) {
        let (answer, wanted) = self.signals.close(
            stream, to: self.outlet(ofStream: stream), using: &self.random)
        self.perform(wanted)
        self.answer(request, answer)
    }

    /// Sends a piece of what arranges a call to one member: to the device that is named, or to each of theirs.
    mutating func sendCall(
        _ bytes: [UInt8], in id: ConversationID, to peer: PeerID, isDevice: Bool,
        _ request: RequestID
    ) {
        guard self.conversations.table.has(id) else {
            return self.answer(request, .failed(.unknownConversation))
        }
        guard self.isJoinedOrWillBe(id) else {
            return self.answer(request, .failed(self.notMember(in: id)))
        }
        guard self.keyring.isSealed(id) else {
            return self.answer(request, .failed(.callInOpenRoom))
        }
        if let obstacle = self.keyObstacle(in: id) {
            return self.answer(request, .failed(obstacle))
        }
        let member = StreamMember(device: peer, person: isDevice ? nil : self.keys(of: peer)?.id)
        if let obstacle = self.obstacle(to: member, in: id) {
            return self.answer(request, .failed(obstacle))
        }
        guard var outlet = self.outlet(of: id, for: member) else {
            return self.answer(request, .failed(self.notMember(in: id)))
        }
        outlet.listeners = outlet.listeners.filter {
            self.links[$0].info.features.contains(.calls)
        }
        let (answer, wanted) = self.signals.sendCall(
            bytes, to: outlet, of: self.links, using: &self.random, at: self.now)
        self.perform(wanted)
        self.answer(request, answer)
    }

    // MARK: Told by peers

    mutating func receivePresence(_ presence: Presence, _ byteCount: Int, on id: LinkID) {
        self.perform(
            self.signals.receive(
                presence, byteCount, on: id, of: &self.links, self.conversations, at: self.now))
    }

    mutating func receiveEphemeral(_ piece: EphemeralPiece, _ byteCount: Int, on id: LinkID) {
        let (body, wanted) = self.signals.read(
            piece, byteCount, on: id, of: &self.links, self.conversations, self.keyring,
            own: self.id, at: self.now)
        self.perform(wanted)
        guard case .typing? = body else { return }
        let tier = self.tier(of: self.links[id].info.peer)
        self.perform(
            self.signals.noteTyping(
                in: piece.conversation, on: id, of: self.links, tier, at: self.now))
    }
}
