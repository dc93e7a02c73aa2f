internal import Crypto

/// Links: which one of two stays, whether they live, what came in on them.
extension Node {
    // MARK: Opening

    mutating func linkOpened(_ id: LinkID, _ info: LinkInfo, address: String, dial: DialID?) {
        var link = Link(id: id, info: info, address: address, dial: dial, now: self.now)
        link.isChosen = dial.map { self.dialling.isChosen($0) } ?? false
        let reception = self.reception(of: link)
        let obstacle: DialFailure? =
            if case .refused(let failure, _) = reception { failure } else { nil }
        if dial == nil {
            // Before the two links are compared, of which the one that was asked on may end.
            self.reachability.accepted(from: info.peer, at: self.now)
            self.tellReach()
        }
        if let dial {
            // Told before the two links are compared, of which the one that asked may end.
            self.dialBackEnded(dial, obstacle == nil ? .reached : .refused)
            self.performDialling(
                self.dialling.dialReached(
                    dial, info.peer, obstacle, at: self.now, using: &self.random))
        }
        switch reception {
        case .refused(_, .`self`):
            self.actions.append(.close(id, .`self`, "this node dialled itself"))
        case .refused(let failure, let reason):
            self.turnAway(link, reason, failure.detail)
            if reason == .identityInUse { self.alertIdentityInUse(at: address) }
        case .rival(let old): self.decide(between: old, and: link)
        case .place(let replaced):
            if let replaced { self.replace(replaced) }
            self.adopt(link)
        case .trial:
            link.trialEnd = self.now.monotonic + Limits.trialMilliseconds
            self.adopt(link)
        }
    }

    /// What becomes of a link with whoever has shaken hands.
    private enum Reception {
        /// There can be none.
        case refused(DialFailure, GoawayReason)
        /// There is one already.
        case rival(Link)
        /// It has a place, which may be that of another one.
        case place(replacing: LinkID?)
        /// It is open for a moment, for the peer to say in which conversations it is.
        case trial
    }

    private func reception(of link: Link) -> Reception {
        let info = link.info
        if info.peer == self.id {
            return info.boot == self.own.boot
                ? .refused(DialFailure(.ownAddress, "the address is this node's own"), .`self`)
                : .refused(
                    DialFailure(.rejected, "the same key runs in another daemon"), .identityInUse)
        }
        guard !self.isBlocked(info) else {
            return .refused(DialFailure(.rejected, Self.notWanted), .blocked)
        }
        // Of two links to one peer one stays.
        if let old = self.links.link(with: info.peer) { return .rival(old) }
        let budget = self.own.configuration.linkBudget
        guard !LinkPlaces.hasPlace(beside: self.links.count, in: budget) else {
            return .place(replacing: nil)
        }
        let newcomer = self.occupant(link)
        switch LinkPlaces.verdict(for: newcomer, among: self.occupants, in: budget) {
        case .free: return .place(replacing: nil)
        case .replaces(let other): return .place(replacing: other)
        case .full:
            let trials = self.links.all.filter(\.isOnTrial).map { self.occupant($0) }
            guard LinkPlaces.mayTry(newcomer, beside: trials) else {
                return .refused(DialFailure(.rejected, Self.noPlace), .busy)
            }
            return .trial
        }
    }

    /// Ends a link whose place another one takes.
    mutating func replace(_ id: LinkID) {
        self.closeWithChallenger(id, .busy, "its place is for somebody else")
    }

    /// Ends a link of which no other one to the same peer is to have the place.
    mutating func closeWithChallenger(_ id: LinkID, _ reason: GoawayReason, _ text: String) {
        let peer = self.links[id].info.peer
        if let challenger = self.contest.takeChallenger(of: peer) {
            self.actions.append(.disarm(.probe(peer)))
            self.turnAway(challenger.link, reason, text)
        }
        self.close(id, reason, text)
    }

    private static var notWanted: String { "not wanted" }
    private static var noPlace: String { "all links that it could have are taken" }

    /// The links that have a place.
    var occupants: [LinkPlaces.Occupant] {
        self.links.all.filter { !$0.isOnTrial }.map { self.occupant($0) }
    }

    func occupant(_ link: Link) -> LinkPlaces.Occupant {
        var tier = self.tier(of: link.info.peer)
        // Who has shaken hands by the secret of a realm is in it.
        if link.info.realm != .open { tier = max(tier, .fellow) }
        // The user has named the address.
        if link.isChosen { tier = max(tier, .known) }
        return LinkPlaces.Occupant(
            link: link.id, source: Source(link.address), tier: tier, isDialled: link.dial != nil)
    }

    mutating func turnAway(_ link: Link, _ reason: GoawayReason, _ text: String) {
        self.actions.append(.close(link.id, reason, text))
        self.refuse(address: link.address, peer: link.info.peer, text)
    }

    private mutating func alertIdentityInUse(at address: String) {
        self.raiseAlert(
            .identityInUse,
            "another daemon runs with this identity key (seen at \(Source(address))); stop one of "
                + "them: a copied identity.key must not run twice",
            lasting: Limits.alertMilliseconds)
    }

    private mutating func decide(between old: Link, and new: Link) {
        #if MUTANTS
            if Mutant.keepEveryLink.isActive { return self.adopt(new) }
        #endif
        let peer = new.info.peer
        switch LinkContest.verdict(own: self.id, older: old.info, newer: new.info) {
        case .newer:
            // What has no place gets none by being opened twice.
            var new = new
            new.trialEnd = old.trialEnd
            self.close(old.id, .duplicate, "another link stays")
            // A link that had challenged the old one has taken its place now.
            if let other = self.links.link(with: peer) {
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
            self.performContest(
                self.contest.challenge(
                    by: new, isKnown: self.tier(of: peer) >= .known, refusal, text, probe: probe,
                    at: self.now))
        }
    }

    /// The older link has not answered: the newer one takes its place.
    mutating func probeDue(_ peer: PeerID) {
        guard let challenger = self.contest.takeChallenger(of: peer) else { return }
        let old = self.links.link(with: peer)
        if let old { self.close(old.id, .dead, "no answer to a probe") }
        self.adoptChallenger(challenger, insteadOf: old)
    }

    private mutating func adoptChallenger(_ challenger: Challenger, insteadOf old: Link?) {
        var link = challenger.link
        link.trialEnd = old?.trialEnd
        self.adopt(link)
        for frame in challenger.frames where !self.links.isDoomed(challenger.link.id) {
            self.receiveFrame(frame, on: challenger.link.id)
        }
    }

    private mutating func adopt(_ link: Link) {
        let (id, peer) = (link.id, link.info.peer)
        self.links.add(link)
        self.links[id].newsTold = self.news.last
        let person = link.info.certificate.personID
        self.people.met(peer, of: person)
        self.inheritStanding(peer, of: person)
        if let end = link.trialEnd {
            self.performDialling(self.dialling.peerTried(peer))
            self.actions.append(.arm(.trial(id), at: end))
        } else {
            self.welcome(link)
        }
        self.ping(id)
        self.look(at: id, in: Limits.pingMilliseconds)
        self.sendRealms(on: id)
        self.sendShares(on: id)
        #if MUTANTS
            for (conversation, known) in self.conversationTable.sorted(by: { $0.key < $1.key })
            where Mutant.tellStrangers.isActive && known.isJoined {
                self.share(conversation, on: id)
            }
        #endif
    }

    /// Takes note of a peer whose link has a place.
    mutating func welcome(_ link: Link) {
        let peer = link.info.peer
        self.logLink("linked to \(peer.shortText) at \(link.address)", with: peer)
        self.readmitLogs(of: peer)
        self.lookAtPerson(of: link.info, at: link.address)
        self.tellLinked(peer, true)
        self.missNoLonger(link.info.certificate.personID)
        self.performDialling(
            self.dialling.peerLinked(
                peer, address: link.listenAddress, of: link.info.certificate.keys, at: self.now))
    }

    // MARK: Closing

    mutating func linkClosed(_ id: LinkID, _ failure: SessionFailure?) {
        if let action = self.contest.challengerClosed(id) { return self.performContest([action]) }
        guard let link = self.links.find(id) else { return }
        if let failure {
            self.refuse(address: link.address, peer: link.info.peer, "\(failure)")
        }
        self.forget(link, failure != nil ? .refused : .ended, isLost: true)
    }

    /// Ends a link with a reason; the shell says goodbye and closes it.
    ///
    /// Only for what no frame of that link is the cause of: those mark it (``LinkTable/doom(_:_:_:)``).
    mutating func close(_ id: LinkID, _ reason: GoawayReason, _ text: String) {
        self.actions.append(.close(id, reason, text))
        self.forget(self.links[id], LinkEnding(reason), isLost: reason == .dead)
    }

    /// Ends the links that were marked while the event was handled.
    mutating func closeDoomed() {
        while let doom = self.links.takeDoomed() { self.close(doom.link, doom.reason, doom.text) }
    }

    private mutating func forget(_ link: Link, _ ending: LinkEnding, isLost: Bool) {
        let (id, peer) = (link.id, link.info.peer)
        // Else who ends each link at once is dialled again each second.
        let ending = link.isOnTrial && ending == .ended ? .tried : ending
        if link.isOnTrial {
            self.actions.append(.disarm(.trial(id)))
        } else {
            self.logLink("unlinked from \(peer.shortText) at \(link.address)", with: peer)
        }
        self.links.remove(id)
        self.dropRequests(of: link)
        self.profiles.dropEarly(of: id)
        self.peerClocks.drop(id)
        self.dropHeldElsewhere(nil, of: id)
        self.actions.append(.disarm(.ping(id)))
        self.reads.drop(of: id)
        self.forkSearches.end(of: id)
        self.dialBacks.forget(id)
        self.reachability.linkEnded(id, at: self.now)
        self.packetTrial.linkEnded(id)
        self.tellReach()
        self.dropFetches(of: link)
        self.payloadWants.drop(id)
        self.endTransfers(on: id)
        self.endSignals(of: link)
        self.performDialling(
            self.dialling.peerUnlinked(
                peer, address: link.listenAddress,
                lastHeard: link.isOnTrial ? nil : link.pulse.lastHeardWall(at: self.now)))
        if let challenger = self.contest.takeChallenger(of: peer) {
            self.actions.append(.disarm(.probe(peer)))
            self.adoptChallenger(challenger, insteadOf: link)
        } else {
            if !link.isOnTrial {
                self.tellLinked(peer, false)
                self.noteGone(link.info, isLost: isLost)
            }
            self.performDialling(
                self.dialling.redialPeer(peer, ending, at: self.now, using: &self.random))
            self.keepDialling(link)
        }
        self.updateClockAlert()
        // Who waits for delivery may now wait for fewer.
        for key in self.deliveries.keys(where: link.shared.has) { self.checkDeliveries(of: key) }
    }

    // MARK: Liveness

    /// Pings a link; gives what the answer must carry.
    @discardableResult
    private mutating func ping(_ id: LinkID) -> UInt64 {
        let nonce: UInt64 = self.random.next()
        self.links[id].pulse.ping(nonce, at: self.now)
        self.send(.ping(nonce: nonce, clock: self.now.wall), on: id)
        return nonce
    }

    /// A link is looked at: it is pinged where that is due, and what has changed meanwhile is told.
    mutating func pingDue(_ id: LinkID) {
        // The timer may have been due when the link ended.
        guard self.links.has(id) else { return }
        guard !self.links[id].pulse.isDead(at: self.now) else {
            return self.close(id, .dead, "nothing was heard for a minute")
        }
        let interval = Pulse.interval(beside: self.links.count)
        let isAnswered = self.links[id].pulse.isAnswered
        if !self.mayRest || self.links[id].pulse.isPingDue(every: interval, at: self.now) {
            self.ping(id)
        }
        self.links[id].realms.pinged()
        self.links[id].rooms.pinged()
        self.releaseIfDue()
        self.renewProfile()
        self.refreshDigests(on: id)
        let isResting = self.mayRest && isAnswered && self.isQuiet(id)
        self.links.isResting = self.links.isResting || isResting
        self.look(at: id, in: isResting ? interval : Limits.pingMilliseconds)
    }

    /// Whether there are so many links that they are pinged more rarely than they are looked at.
    private var mayRest: Bool {
        Pulse.interval(beside: self.links.count) > Limits.pingMilliseconds
    }

    private mutating func look(at id: LinkID, in wait: UInt64) {
        self.links[id].pulse.lookAt = self.now.monotonic + wait
        self.actions.append(.arm(.ping(id), at: self.now.monotonic + wait))
    }

    /// A peer says something that is answered when its link is looked at: that is soon.
    mutating func stir(_ id: LinkID) {
        guard self.links[id].pulse.lookAt > self.now.monotonic + Limits.pingMilliseconds else {
            return
        }
        self.look(at: id, in: Limits.pingMilliseconds)
    }

    /// Whether nothing was written since a link was looked at, and its peer has all that is here, and no more.
    private func isQuiet(_ id: LinkID) -> Bool {
        self.now.monotonic >= self.links.changedAt + Limits.pingMilliseconds
            && self.held.first == nil
            && self.links[id].shared.values.allSatisfy(\.digests.isSettled)
    }

    /// Something was written: links that rest are looked at soon, one after the other.
    mutating func noteWritten() {
        self.links.changedAt = self.now.monotonic
        guard self.links.isResting else { return }
        self.links.isResting = false
        let soon = Limits.pingMilliseconds
        for (number, id) in self.links.ids.enumerated()
        where self.links[id].pulse.lookAt > self.now.monotonic + soon {
            self.look(at: id, in: soon * UInt64(number + 1) / UInt64(self.links.count))
        }
    }

    /// Something was sent on a link: its peer is to give a sign.
    mutating func awaitSign(on id: LinkID) {
        guard self.links[id].pulse.send(at: self.now), !self.links.isPulseArmed else { return }
        self.armPulse(after: Limits.unansweredMilliseconds)
    }

    private mutating func armPulse(after wait: UInt64) {
        self.links.isPulseArmed = true
        self.actions.append(.arm(.pulse, at: self.now.monotonic + wait))
    }

    /// Looks at the links from which a sign is due: a stream that takes what is sent and brings nothing may be
    /// dead, and TCP would notice that its network is back long after it is.
    mutating func pulseDue() {
        self.links.isPulseArmed = false
        var isWaiting = false
        for id in self.links.ids {
            let check = self.links[id].pulse.check(at: self.now)
            isWaiting = isWaiting || check != .fine
            let peer = self.links[id].info.peer
            switch check {
            case .fine, .wait: break
            case .ask: self.ping(id)
            case .doubt:
                guard self.mayBeDialledAnew(self.links[id]) else { break }
                self.performDialling(self.dialling.dialBeside(peer, at: self.now))
            }
        }
        for (peer, until) in self.links.lost.sorted(by: { $0.key < $1.key }) {
            if self.links.id(of: peer) != nil || self.now.monotonic >= until {
                self.links.lost[peer] = nil
            } else {
                self.performDialling(self.dialling.dialBeside(peer, at: self.now))
                isWaiting = true
            }
        }
        if isWaiting { self.armPulse(after: Limits.pulseCheckMilliseconds) }
    }

    /// Of two strangers the one dials anew that has dialled; else any could have this node dial them.
    private func mayBeDialledAnew(_ link: Link) -> Bool {
        link.dial != nil || self.tier(of: link.info.peer) > .stranger
    }

    /// A doubted link has ended, as the system ends it after some seconds: what is dialled beside it goes on.
    private mutating func keepDialling(_ link: Link) {
        guard link.pulse.isDoubted, self.mayBeDialledAnew(link),
            self.links.lost.count < Limits.links
        else { return }
        self.links.lost[link.info.peer] = self.now.monotonic + Limits.silenceMilliseconds
        if !self.links.isPulseArmed { self.armPulse(after: Limits.pulseCheckMilliseconds) }
    }

    /// The network is another one: links prove that they live, and what did not answer gets a chance.
    ///
    /// A stream from an address that is gone would be noticed only after a minute of silence.
    mutating func networkChanged() {
        self.links.networkChangedAt = self.now.monotonic
        self.missNobody()
        for id in self.links.ids { self.ping(id) }
        self.actions.append(
            .arm(.networkCheck, at: self.now.monotonic + Limits.networkCheckMilliseconds))
        self.performDialling(self.dialling.redialAll(at: self.now, using: &self.random))
        self.searchPeers()
    }

    /// Begins to look for peers, where there is discovery.
    mutating func searchPeers() {
        guard self.own.configuration.discovers else { return }
        self.performDialling(self.dialling.search(at: self.now))
    }

    mutating func networkCheckDue() {
        guard let changed = self.links.networkChangedAt.take() else { return }
        for id in self.links.ids where self.links[id].pulse.lastHeard <= changed {
            self.close(id, .dead, "no answer since the network changed")
        }
    }

    mutating func receivePing(_ nonce: UInt64, clock: UInt64, on id: LinkID) {
        self.send(.pong(nonce: nonce, clock: self.now.wall), on: id)
        self.believe(clock)
        if self.links[id].pulse.receivePing(clock: clock, at: self.now) { self.clockRead(on: id) }
    }

    mutating func receivePong(_ nonce: UInt64, clock: UInt64, on id: LinkID) {
        self.believe(clock)
        guard self.links[id].pulse.receivePong(nonce, clock: clock, at: self.now) else { return }
        self.contest.accepted(by: self.links[id].info.peer)
        self.updateShutOutAlert()
        self.clockRead(on: id)
    }

    /// Whether peers turn this daemon away because its key runs in another one.
    ///
    /// Anybody may say so. It counts by whom the node trusts; by others only while nobody takes a link,
    /// and then nothing that is sent here reaches anybody, whatever the reason.
    public var isShutOut: Bool {
        let peers = self.contest.shutOutBy(at: self.now)
        guard !peers.isEmpty else { return false }
        return !self.links.all.contains { $0.pulse.roundTrip != nil }
            || peers.contains { self.tier(of: $0) > .stranger }
    }

    private mutating func updateShutOutAlert() {
        guard self.isShutOut else { return self.alerts.clear(.shutOut, at: self.now) }
        self.raiseAlert(
            .shutOut,
            "peers turn this daemon away and say that another one runs with its identity key: what "
                + "is sent here reaches nobody, and may be disputed later; stop one of the two, and "
                + "move the data directory aside on the machine that is to be somebody else",
            lasting: Limits.alertMilliseconds)
    }

    /// Does nothing: no clock but the own one counts.
    private mutating func believe(_ clock: UInt64) {
        #if MUTANTS
            self.time.believe(clock)
        #endif
    }

    private mutating func clockRead(on id: LinkID) {
        if let lead = self.links[id].pulse.clockLead {
            let person = self.links[id].info.certificate.personID
            let isKnown = self.tier(of: self.links[id].info.peer) >= .known
            self.peerClocks.read(lead, of: person, isKnown: isKnown, on: id)
        }
        self.updateClockAlert()
    }

    mutating func receiveGoaway(_ reason: GoawayReason?, _ text: String, on id: LinkID) {
        let link = self.links[id]
        switch reason {
        case .shutdown: self.noteGoodbye(link.info)
        case .identityInUse:
            self.contest.shutOut(by: link.info.peer, at: self.now)
            self.refuse(
                address: link.address, peer: link.info.peer,
                "the peer said goodbye: the same key is linked from another start")
        case .protocolViolation, .busy, .blocked, .storage, nil:
            self.refuse(
                address: link.address, peer: link.info.peer,
                "the peer said goodbye: \(reason.map { "\($0)" } ?? "unknown reason") \(text)")
        case .duplicate, .`self`, .dead, .notNeeded: break
        }
        self.actions.append(.close(id, .shutdown, ""))
        self.forget(link, LinkEnding(reason), isLost: reason == .dead)
        if reason == .identityInUse { self.updateShutOutAlert() }
    }
}
