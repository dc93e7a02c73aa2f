/// What is worth nothing later: who is there, who writes, streams that nobody keeps.
///
/// `Docs/Protocol/Ephemeral.md`.
extension Node {
    /// What the own user is.
    package var ownPresence: Presence { self.presences.own }

    /// What somebody tells of themselves; nil for who is not linked or tells nothing.
    package func presence(of peer: PeerID) -> Presence? {
        self.links.id(of: peer).flatMap { self.presences.presence(on: $0) }
    }

    /// Who tells how reachable they are, who writes where, and whose pictures are here, as those are told
    /// who begin to follow.
    package var signals: [Signal] {
        let present = self.links.peers.sorted().compactMap { peer in
            self.presence(of: peer).map { Signal.presence(peer, $0) }
        }
        return present + self.typists.all.map { .typing($0.peer, $0.conversation, true) }
            + self.pictures.shown.map { .picture($0, self.pictures.picture(of: $0)) }
    }

    // MARK: What others are told

    mutating func setPresence(_ presence: Presence, _ request: RequestID) {
        self.presences.set(presence)
        self.tellPresence()
        self.answer(request, .presence(presence))
    }

    /// A conversation is shared on a link from here on, or somebody was let in: its peer may know whether
    /// the user is there.
    mutating func openPresence(on id: LinkID) {
        guard self.own.configuration.preferences.tellsPresence,
            self.links[id].info.features.contains(.ephemeral),
            !self.presences.isOpen(id)
        else { return }
        let isAny = self.links[id].shared.keys.contains { !self.isWaitingToBeLetIn($0, on: id) }
        guard isAny else { return }
        self.presences.open(id)
        self.tellPresence()
    }

    /// The user has changed what they want of the node: from here on nobody is told whether they are
    /// there, or everybody who may know is.
    mutating func setPreferences(_ preferences: NodePreferences) {
        self.own.configuration.preferences = preferences
        guard preferences.tellsPresence else { return self.presences.tellNobody() }
        for id in self.links.ids { self.openPresence(on: id) }
    }

    private mutating func tellPresence() {
        for link in self.presences.takeDue(at: self.now.monotonic) {
            self.send(.presence(self.presences.own), on: link)
        }
        self.armSignals()
    }

    mutating func typing(in id: ConversationID, _ request: RequestID) {
        guard self.conversations.table.has(id) else {
            return self.answer(request, .failed(.unknownConversation))
        }
        guard self.isJoinedOrWillBe(id) else {
            return self.answer(request, .failed(.notMember))
        }
        self.answer(request, .typing(told: self.tellTyping(in: id)))
    }

    /// Tells those who are linked and share a conversation that the user writes there; says how many were
    /// told.
    private mutating func tellTyping(in id: ConversationID) -> Int {
        guard self.own.configuration.preferences.tellsTyping, !self.listeners(in: id).isEmpty,
            self.typists.tell(in: id, at: self.now.monotonic)
        else { return 0 }
        return self.send(.typing, stream: 0, in: id)
    }

    /// The links on which what is worth nothing later goes out of a conversation.
    private func listeners(in id: ConversationID) -> [LinkID] {
        self.links.sharing(id).filter {
            self.links[$0].info.features.contains(.ephemeral)
                && !self.isWaitingToBeLetIn(id, on: $0)
        }
    }

    /// Sends to all who are linked and share a conversation; says to how many.
    private mutating func send(
        _ body: EphemeralBody, stream: UInt64, in id: ConversationID
    ) -> Int {
        let (links, key) = (self.listeners(in: id), self.keyring.current(in: id))
        guard !links.isEmpty, key != nil || !self.keyring.isSealed(id) else { return 0 }
        let piece = body.piece(
            in: id, stream: stream, by: self.id, with: key, using: &self.random)
        let frame = Frame.ephemeral(piece).encoded
        for link in links { self.sendEncoded(frame, on: link) }
        return links.count
    }

    // MARK: Streams

    mutating func openStream(
        _ name: StreamName, in id: ConversationID, isOrdered: Bool, _ request: RequestID
    ) {
        guard self.conversations.table.has(id) else {
            return self.answer(request, .failed(.unknownConversation))
        }
        guard self.isJoinedOrWillBe(id) else {
            return self.answer(request, .failed(.notMember))
        }
        if self.keyring.isSealed(id), self.keyring.current(in: id) == nil {
            return self.answer(request, .failed(.cannotSeal))
        }
        let number = max(1, self.random.next())
        switch self.streams.open(
            number, name, in: id, isOrdered: isOrdered, at: self.now.monotonic)
        {
        case .opened: self.answer(request, .streamOpened(number))
        case .tooMany: self.answer(request, .failed(.tooManyStreams))
        case .tooFast(let wait): self.answer(request, .failed(.tooFast(milliseconds: wait)))
        }
    }

    mutating func sendPacket(_ bytes: [UInt8], of stream: UInt64, _ request: RequestID) {
        guard (1...Limits.streamPacketBytes).contains(bytes.count) else {
            return self.answer(
                request, .failed(.packetSize(bytes.count, limit: Limits.streamPacketBytes)))
        }
        switch self.streams.next(bytes, of: stream, at: self.now.monotonic) {
        case .packet(let id, let packet):
            let isMember = self.conversations.table.has(id) && self.isJoinedOrWillBe(id)
            let told = isMember ? self.send(.packet(packet), stream: stream, in: id) : 0
            self.answer(request, .packetSent(number: packet.number, told: told))
        case .tooFast(let wait):
            self.answer(request, .failed(.tooFast(milliseconds: wait)))
        case .unknown: self.answer(request, .failed(.unknownStream))
        }
    }

    mutating func closeStream(_ stream: UInt64, _ request: RequestID) {
        guard let (id, end) = self.streams.close(stream) else {
            return self.answer(request, .failed(.unknownStream))
        }
        if self.conversations.table.has(id), self.isJoinedOrWillBe(id) {
            _ = self.send(.packet(end), stream: stream, in: id)
        }
        self.answer(request, .streamClosed)
    }

    // MARK: What others tell

    mutating func receivePresence(_ presence: Presence, _ byteCount: Int, on id: LinkID) {
        guard self.takeEphemeral(byteCount, in: nil, on: id), self.links[id].shared.count > 0,
            self.presences.receive(presence, on: id, at: self.now.monotonic)
        else { return }
        self.signal([.presence(self.links[id].info.peer, presence)])
    }

    /// Takes what is worth nothing later, in a conversation that is shared.
    mutating func receiveEphemeral(_ piece: EphemeralPiece, _ byteCount: Int, on id: LinkID) {
        let conversation = piece.conversation
        guard self.takeEphemeral(byteCount, in: conversation, on: id),
            self.conversations.table[known: conversation].isJoined,
            !self.isWaitingToBeLetIn(conversation, on: id)
        else { return }
        let peer = self.links[id].info.peer
        let body = EphemeralBody(
            piece, by: peer, with: self.keyring.current(in: conversation),
            isSealed: self.keyring.isSealed(conversation))
        switch body {
        case .typing where piece.stream == 0:
            let place = Typists.Place(conversation: conversation, peer: peer)
            let (isNews, ended) = self.typists.receive(
                place, on: id, at: self.now.monotonic, self.tier(of: peer),
                from: Source(self.links[id].address))
            guard isNews else { return }
            if let ended { self.endTyping([ended]) }
            self.signal([.typing(peer, conversation, true)])
            self.armSignals()
        case .packet(let packet) where piece.stream != 0:
            self.signal([.packet(peer, conversation, stream: piece.stream, packet)])
        case .typing, .packet, nil: break
        }
    }

    /// Whether a frame came in time.
    private mutating func takeEphemeral(
        _ byteCount: Int, in conversation: ConversationID?, on id: LinkID
    ) -> Bool {
        guard !self.links[id].ephemeral.take(byteCount, in: conversation, at: self.now) else {
            return true
        }
        let dropped = self.links[id].ephemeral.dropped
        // Worth a line ever more rarely: a flood must not fill the log.
        if dropped & (dropped - 1) == 0 {
            self.log(
                .debug,
                "\(self.links[id].info.peer.shortText) sends ephemeral frames too fast: "
                    + "\(dropped) dropped")
        }
        return false
    }

    // MARK: The end of it

    /// What people have sent they write no longer.
    mutating func endTyping(_ changes: [Change]) {
        guard !self.typists.isEmpty else { return }
        var ended: [Signal] = []
        for case .message(let message) in changes where Change.message(message).kind == .message {
            let place = Typists.Place(
                conversation: message.conversation, peer: message.author)
            guard self.typists.end(place) else { continue }
            ended.append(.typing(place.peer, place.conversation, false))
        }
        self.signal(ended)
    }

    /// A conversation is shared on a link no longer.
    mutating func endSignals(of conversation: ConversationID, on id: LinkID) {
        self.links[id].ephemeral.drop(conversation)
        self.endTyping(self.typists.end(on: id, in: conversation))
        guard self.links[id].shared.count == 0 else { return }
        self.endPresence(on: id, of: self.links[id].info.peer)
    }

    /// A link has ended.
    mutating func endSignals(of link: Link) {
        self.endTyping(self.typists.end(on: link.id))
        self.endPresence(on: link.id, of: link.info.peer)
    }

    private mutating func endTyping(_ places: [Typists.Place]) {
        self.signal(places.map { .typing($0.peer, $0.conversation, false) })
    }

    private mutating func endPresence(on id: LinkID, of peer: PeerID) {
        guard self.presences.close(id) else { return }
        self.signal([.presence(peer, nil)])
    }

    mutating func signalsDue() {
        self.endTyping(self.typists.takeOver(at: self.now.monotonic))
        self.tellPresence()
    }

    private mutating func armSignals() {
        guard let next = [self.presences.nextDue, self.typists.nextOver].compactMap(\.self).min()
        else { return }
        self.actions.append(.arm(.signals, at: max(next, self.now.monotonic)))
    }

    private mutating func signal(_ signals: [Signal]) {
        if !signals.isEmpty { self.actions.append(.signal(signals)) }
    }
}
