internal import Crypto

/// Links: which one of two stays, whether they live, what came in on them.
extension Node {
    // MARK: Opening

    mutating func linkOpened(_ id: LinkID, _ info: LinkInfo, address: String, dial: DialID?) {
        let link = Link(id: id, info: info, address: address, dial: dial, now: self.now)
        let obstacle = self.obstacle(to: info)
        if let dial {
            self.perform(
                self.dialling.dialReached(
                    dial, info.peer, obstacle, at: self.now, using: &self.random))
        }
        switch obstacle?.reason {
        case .ownAddress: self.actions.append(.close(id, .`self`, "this node dialled itself"))
        case .some where info.peer == self.id:
            self.turnAway(link, .identityInUse, "the same key runs in another daemon")
            self.alertIdentityInUse(at: address)
        case .some: self.turnAway(link, .busy, "all \(Limits.links) links are taken")
        case nil:
            if let old = self.linkOfPeer[info.peer].flatMap({ self.links[$0] }) {
                self.decide(between: old, and: link)
            } else {
                self.adopt(link)
            }
        }
    }

    /// Why there can be no link with whoever has shaken hands.
    private func obstacle(to info: LinkInfo) -> DialFailure? {
        if info.peer == self.id {
            return info.boot == self.boot
                ? DialFailure(.ownAddress, "the address is this node's own")
                : DialFailure(.rejected, "the same key runs in another daemon")
        }
        guard self.links.count >= Limits.links else { return nil }
        return DialFailure(.rejected, "all \(Limits.links) links are taken")
    }

    mutating func turnAway(_ link: Link, _ reason: GoawayReason, _ text: String) {
        self.actions.append(.close(link.id, reason, text))
        self.refuse(address: link.address, peer: link.info.peer, text)
    }

    private mutating func alertIdentityInUse(at address: String) {
        self.raiseAlert(
            .identityInUse,
            "another daemon runs with this identity key (seen at \(address)); stop one of them: "
                + "a copied identity.key must not run twice")
    }

    private mutating func decide(between old: Link, and new: Link) {
        #if MUTANTS
            if Mutant.keepEveryLink.isActive { return self.adopt(new) }
        #endif
        let peer = new.info.peer
        switch LinkContest.verdict(own: self.id, older: old.info, newer: new.info) {
        case .newer:
            self.close(old.id, .duplicate, "another link stays")
            // A link that had challenged the old one has taken its place now.
            if let other = self.linkOfPeer[peer].flatMap({ self.links[$0] }) {
                self.decide(between: other, and: new)
            } else {
                self.adopt(new)
            }
        case .olderIfAlive(let refusal, let text):
            guard self.contest.challengers[peer] == nil else {
                self.actions.append(.close(new.id, .duplicate, "a link is being decided on"))
                return
            }
            let probe = self.ping(old.id)
            self.perform(
                self.contest.challenge(by: new, refusal, text, probe: probe, at: self.now))
        }
    }

    /// The older link has not answered: the newer one takes its place.
    mutating func probeDue(_ peer: PeerID) {
        guard let challenger = self.contest.takeChallenger(of: peer) else { return }
        if let old = self.linkOfPeer[peer] { self.close(old, .dead, "no answer to a probe") }
        self.adopt(challenger)
    }

    private mutating func adopt(_ challenger: Challenger) {
        self.adopt(challenger.link)
        for frame in challenger.frames { self.received(frame, on: challenger.link.id) }
    }

    private mutating func adopt(_ link: Link) {
        let (id, peer) = (link.id, link.info.peer)
        self.links[id] = link
        self.links[id]?.newsTold = self.news.last
        self.linkOfPeer[peer] = id
        self.log(.info, "linked to \(peer.shortText) at \(link.address)")
        self.perform(
            self.dialling.peerLinked(peer, address: link.listenAddress, at: self.now))
        self.ping(id)
        self.actions.append(.arm(.ping(id), at: self.now.monotonic + Limits.pingMilliseconds))
        self.announceRooms(on: id)
        if let record = self.profiles[self.id] { self.send(.records([record]), on: id) }
    }

    private mutating func announceRooms(on link: LinkID) {
        #if MUTANTS
            for (room, conversation) in self.conversationTable.sorted(by: { $0.key < $1.key })
            where Mutant.tellStrangers.isActive && conversation.isJoined {
                self.share(room, on: link)
            }
        #endif
        let names = self.conversationTable.values.filter(\.isJoined).map(\.name).sorted()
        var gathered: [RoomName] = []
        var bytes = 0
        for name in names.prefix(Limits.roomsPerPeer) {
            if bytes + name.text.utf8.count + 1 > Limits.controlFrameBytes - 16 {
                self.send(.rooms(gathered), on: link)
                (gathered, bytes) = ([], 0)
            }
            gathered.append(name)
            bytes += name.text.utf8.count + 1
        }
        if !gathered.isEmpty { self.send(.rooms(gathered), on: link) }
    }

    // MARK: Closing

    mutating func linkClosed(_ id: LinkID, _ failure: SessionFailure?) {
        if let action = self.contest.challengerClosed(id) { return self.perform([action]) }
        guard let link = self.links[id] else { return }
        if let failure {
            self.refuse(address: link.address, peer: link.info.peer, "\(failure)")
        }
        self.forget(link, penalty: failure != nil)
    }

    /// Ends a link with a reason; the shell says goodbye and closes it.
    mutating func close(_ id: LinkID, _ reason: GoawayReason, _ text: String) {
        guard let link = self.links[id] else { return }
        self.actions.append(.close(id, reason, text))
        let penalty = [.protocolViolation, .identityInUse, .blocked, .storage].contains(reason)
        self.forget(link, penalty: penalty)
    }

    /// Ends a link whose peer broke the protocol.
    mutating func violation(_ id: LinkID, _ what: String) {
        guard let link = self.links[id] else { return }
        self.refuse(address: link.address, peer: link.info.peer, what)
        self.close(id, .protocolViolation, what)
    }

    private mutating func forget(_ link: Link, penalty: Bool) {
        let (id, peer) = (link.id, link.info.peer)
        self.log(.info, "unlinked from \(peer.shortText) at \(link.address)")
        self.links[id] = nil
        for room in link.shared.keys { self.forgetSharer(id, of: room) }
        self.earlyHolders.remove(id)
        self.clocks.set(nil, of: id)
        if self.linkOfPeer[peer] == id { self.linkOfPeer[peer] = nil }
        self.actions.append(.disarm(.ping(id)))
        self.reads = self.reads.filter { entry in
            switch entry.value {
            case .live(let reader, _), .sync(let reader, _): reader != id
            case .fork, .end: true
            }
        }
        self.dropFetches(of: link)
        self.perform(
            self.dialling.peerUnlinked(
                peer, address: link.listenAddress, lastHeard: link.lastHeardWall(at: self.now)))
        if let challenger = self.contest.takeChallenger(of: peer) {
            self.actions.append(.disarm(.probe(peer)))
            self.adopt(challenger)
        } else {
            self.perform(
                self.dialling.redialPeer(
                    peer, isRefused: penalty, at: self.now, using: &self.random))
        }
        self.updateClockAlert()
        // Who waits for delivery may now wait for fewer.
        for key in self.deliveries.keys { self.checkDeliveries(of: key) }
    }

    // MARK: Liveness

    /// Pings a link; gives what the answer must carry.
    @discardableResult
    mutating func ping(_ id: LinkID) -> UInt64 {
        let nonce: UInt64 = self.random.next()
        self.links[id]?.pingNonce = nonce
        self.links[id]?.pingSent = self.now
        self.send(.ping(nonce: nonce, clock: self.now.wall), on: id)
        return nonce
    }

    mutating func pingDue(_ id: LinkID) {
        guard let link = self.links[id] else { return }
        guard self.now.monotonic - link.lastHeard < Limits.silenceMilliseconds else {
            return self.close(id, .dead, "nothing was heard for a minute")
        }
        self.ping(id)
        self.releaseIfDue()
        self.refreshDigests(on: id)
        self.actions.append(.arm(.ping(id), at: self.now.monotonic + Limits.pingMilliseconds))
    }

    /// The network is another one: links prove that they live, and what did not answer gets a chance.
    ///
    /// A stream from an address that is gone would be noticed only after a minute of silence.
    mutating func networkChanged() {
        self.networkChangedAt = self.now.monotonic
        for id in self.links.keys.sorted() { self.ping(id) }
        self.actions.append(
            .arm(.networkCheck, at: self.now.monotonic + Limits.networkCheckMilliseconds))
        self.perform(self.dialling.redialAll(at: self.now))
    }

    mutating func networkCheckDue() {
        guard let changed = self.networkChangedAt.take() else { return }
        for id in self.links.keys.sorted() where (self.links[id]?.lastHeard ?? .max) <= changed {
            self.close(id, .dead, "no answer since the network changed")
        }
    }

    private mutating func received(clock: UInt64, on id: LinkID, roundTrip: UInt64?) {
        if roundTrip == nil && self.links[id]?.clockLead != nil { return }
        let reading = clock &+ (roundTrip ?? 0) / 2
        let lead = reading &- self.now.monotonic
        self.links[id]?.clockLead = lead
        self.clocks.set(lead, of: id)
        if let roundTrip { self.links[id]?.roundTrip = roundTrip }
        self.updateClockAlert()
        self.releaseIfDue()
    }

    // MARK: Frames

    mutating func received(_ received: ReceivedFrame, on id: LinkID) {
        guard let peer = self.links[id]?.heard(at: self.now) else {
            return self.perform(self.contest.hold(received, on: id))
        }
        if !self.contest.isEmpty, case .pong(let nonce, _) = received.frame {
            let latest = self.links[id]?.pingNonce ?? 0
            self.perform(self.contest.receivePong(nonce, from: peer, latest: latest))
        }
        guard self.links[id]?.take(received) == true else {
            return self.violation(id, "more was sent than the credit allows")
        }
        guard let frame = received.frame else {
            return self.consume(received.byteCount, on: received.channel, of: id)
        }
        switch frame {
        case .liveRun(let run), .syncRun(let run):
            // Credit for what is accepted returns when it is on disk.
            self.received(run, received, on: id)
            return
        default:
            self.dispatch(frame, on: id)
        }
        self.consume(received.byteCount, on: received.channel, of: id)
    }

    private mutating func dispatch(_ frame: Frame, on id: LinkID) {
        switch frame {
        case .ping(let nonce, let clock):
            self.send(.pong(nonce: nonce, clock: self.now.wall), on: id)
            self.received(clock: clock, on: id, roundTrip: nil)
        case .pong(let nonce, let clock):
            guard let link = self.links[id], link.pingNonce == nonce, let sent = link.pingSent
            else { return }
            self.links[id]?.pingSent = nil
            self.received(
                clock: clock, on: id, roundTrip: self.now.monotonic - sent.monotonic)
        case .credit(let channel, let bytes):
            guard self.links[id]?.earn(bytes, on: channel) == true else {
                return self.violation(id, "more credit than was ever used")
            }
            self.pump(id)
        case .goaway(let reason, let text): self.receivedGoaway(reason, text, on: id)
        case .rooms(let names): self.received(names, on: id)
        case .roomsLeft(let rooms):
            for room in rooms {
                self.links[id]?.rooms[room] = nil
                self.unshare(room, on: id)
            }
        case .digest(let conversation, let digest): self.received(digest, of: conversation, on: id)
        case .clock(let conversation, let isComplete, let rows):
            self.received(rows, of: conversation, isComplete: isComplete, on: id)
        case .want(let want): self.received(want, on: id)
        case .unavailable(let conversation, let tag, _):
            self.unavailable(tag, in: conversation, on: id)
        case .records(let records): self.received(records, on: id)
        case .recordClock(let conversation, let rows):
            self.received(rows, of: conversation, on: id)
        case .forkProof(let proof): self.received(proof, on: id)
        case .liveRun, .syncRun:
            preconditionFailure("runs are taken before")
        }
    }

    private mutating func receivedGoaway(_ reason: GoawayReason?, _ text: String, on id: LinkID) {
        guard let link = self.links[id] else { return }
        switch reason {
        case .identityInUse:
            self.alertIdentityInUse(at: link.address)
        case .protocolViolation, .busy, .blocked, .storage, nil:
            self.refuse(
                address: link.address, peer: link.info.peer,
                "the peer said goodbye: \(reason.map { "\($0)" } ?? "unknown reason") \(text)")
        case .shutdown, .duplicate, .`self`, .dead:
            break
        }
        self.actions.append(.close(id, .shutdown, ""))
        let penalty = reason != .shutdown && reason != .duplicate && reason != .dead
        self.forget(link, penalty: penalty)
    }

    /// Counts bytes as consumed and gives credit back once it is worth a frame.
    mutating func consume(_ bytes: Int, on channel: Channel, of id: LinkID) {
        if let credit = self.links[id]?.consume(bytes, on: channel) { self.send(credit, on: id) }
    }
}
