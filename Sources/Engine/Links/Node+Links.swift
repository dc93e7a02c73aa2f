internal import Crypto
internal import Formats

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
            self.perform(self.probes.accepted(from: info.peer, self.links, at: self.now))
        }
        if let dial {
            // Told before the two links are compared, of which the one that asked may end.
            self.perform(self.probes.dialEnded(dial, obstacle == nil ? .reached : .refused))
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
        guard !self.isRevoked(info.peer, as: info.certificate.personID) else {
            return .refused(DialFailure(.rejected, "a device that was revoked"), .blocked)
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
        if let challenger = self.links.contest.takeChallenger(of: peer) {
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
            new.linkedSince = old.linkedSince
            self.close(old.id, .duplicate, "another link stays")
            // A link that had challenged the old one has taken its place now.
            if let other = self.links.link(with: peer) {
                self.decide(between: other, and: new)
            } else {
                self.adopt(new)
            }
        case .olderIfAlive(let refusal, let text):
            guard self.links.contest.challengers[peer] == nil else {
                self.actions.append(.close(new.id, .duplicate, "a link is being decided on"))
                return
            }
            let probe = self.ping(old.id)
            self.performContest(
                self.links.contest.challenge(
                    by: new, isKnown: self.tier(of: peer) >= .known, refusal, text, probe: probe,
                    at: self.now))
        }
    }

    /// The older link has not answered: the newer one takes its place.
    mutating func probeDue(_ peer: PeerID) {
        guard let challenger = self.links.contest.takeChallenger(of: peer) else { return }
        let old = self.links.link(with: peer)
        if let old { self.close(old.id, .dead, "no answer to a probe") }
        self.adoptChallenger(challenger, insteadOf: old)
    }

    private mutating func adoptChallenger(_ challenger: Challenger, insteadOf old: Link?) {
        var link = challenger.link
        link.trialEnd = old?.trialEnd
        link.linkedSince = old?.linkedSince ?? link.linkedSince
        self.adopt(link)
        for frame in challenger.frames where !self.links.isDoomed(challenger.link.id) {
            self.receiveFrame(frame, on: challenger.link.id)
        }
    }

    private mutating func adopt(_ link: Link) {
        let (id, peer) = (link.id, link.info.peer)
        self.links.add(link)
        self.groups.linked(id, link.info)
        self.links[id].newsTold = self.catchUp.news.last
        let person = link.info.certificate.personID
        self.persons.people.met(peer, of: person)
        self.inheritStanding(peer, of: person)
        if let end = link.trialEnd {
            self.performDialling(self.dialling.peerTried(peer))
            self.actions.append(.arm(.trial(id), at: end))
        } else {
            self.welcome(link)
        }
        self.ping(id)
        self.look(at: id, in: Limits.pingMilliseconds)
        // The peer may have asked for small packets.
        if link.dial == nil { self.actions.append(.seeFlights([id])) }
        self.sendRealms(on: id)
        self.sendShares(on: id)
        #if MUTANTS
            for (conversation, known) in self.conversations.table.sorted(by: { $0.key < $1.key })
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
        self.perform(
            self.signals.linked(
                link, self.tier(of: peer), self.links, self.conversations, at: self.now))
        if self.tier(of: peer) == .stranger { self.changed(.peers) }
        self.missNoLonger(link.info.certificate.personID)
        if self.isOwnDevice(peer) { self.tellRevocations(on: link.id) }
        // Whose a device was is remembered where it was revoked: what was said of it then is not said of another person.
        let keys = link.info.certificate.keys
        let earlier = self.dialling.known[peer]?.person
        let isSold = earlier.map { $0 != keys && self.isRevoked(peer, as: $0.id) } ?? false
        self.performDialling(
            self.dialling.peerLinked(
                peer, address: link.listenAddress, of: isSold ? nil : keys, at: self.now))
    }

    // MARK: Closing

    mutating func linkClosed(_ id: LinkID, _ failure: SessionFailure?) {
        if let action = self.links.contest.challengerClosed(id) {
            return self.performContest([action])
        }
        guard let link = self.links.find(id) else { return }
        if let failure {
            self.refuse(address: link.address, peer: link.info.peer, "\(failure)")
        }
        self.forget(link, failure != nil ? .refused : .ended, .lost)
    }

    /// Ends a link with a reason; the shell says goodbye and closes it.
    ///
    /// Only for what no frame of that link is the cause of: those mark it (``LinkTable/doom(_:_:_:)``).
    mutating func close(_ id: LinkID, _ reason: GoawayReason, _ text: String) {
        self.actions.append(.close(id, reason, text))
        self.forget(self.links[id], LinkEnding(reason), Comings.Ending(reason))
    }

    /// Ends the links that were marked while the event was handled.
    mutating func closeDoomed() {
        while let doom = self.links.takeDoomed() { self.close(doom.link, doom.reason, doom.text) }
    }

    private mutating func forget(_ link: Link, _ ending: LinkEnding, _ how: Comings.Ending) {
        let (id, peer) = (link.id, link.info.peer)
        let places = Signals.places(of: id, self.links, self.conversations)
        // Else who ends each link at once is dialled again each second.
        let ending = link.isOnTrial && ending == .ended ? .tried : ending
        if link.isOnTrial {
            self.actions.append(.disarm(.trial(id)))
        } else {
            self.logLink("unlinked from \(peer.shortText) at \(link.address)", with: peer)
        }
        self.links.remove(id)
        self.groups.unlinked(id)
        self.conversations.directKeys.unlinked(id)
        self.whereabouts.end(id)
        if link.rooms.count > 0 { self.changedRooms(link.rooms.named.keys) }
        for (conversation, sync) in link.shared.sorted(by: { $0.key < $1.key }) {
            self.noteTold(sync, of: conversation, by: peer)
        }
        self.dropRequests(of: link)
        self.persons.profiles.dropEarly(of: id)
        self.clocks.peers.drop(id)
        self.dropHeldElsewhere(nil, of: id)
        self.actions.append(.disarm(.ping(id)))
        self.disk.reads.drop(of: id)
        self.catchUp.forkSearches.end(of: id)
        self.perform(self.probes.linkEnded(id, self.links, at: self.now))
        self.perform(self.devices.linkEnded(id))
        self.dropFetches(of: link)
        self.catchUp.payloadWants.drop(id)
        self.endTransfers(on: id)
        let isReplaced = self.links.contest.challengers[peer] != nil
        self.perform(
            self.signals.linkEnded(
                link, isReplaced ? .replaced : how, self.tier(of: peer), in: places, at: self.now))
        self.performDialling(
            self.dialling.peerUnlinked(
                peer, address: link.listenAddress,
                lastHeard: link.isOnTrial ? nil : link.pulse.lastHeardWall(at: self.now)))
        if let challenger = self.links.contest.takeChallenger(of: peer) {
            self.actions.append(.disarm(.probe(peer)))
            self.adoptChallenger(challenger, insteadOf: link)
        } else {
            if !link.isOnTrial {
                self.noteGone(link.info, isLost: how == .lost)
                if self.tier(of: peer) == .stranger { self.changed(.peers) }
            }
            self.performDialling(
                self.dialling.redialPeer(peer, ending, at: self.now, using: &self.random))
            self.keepDialling(link)
        }
        self.updateClockAlert()
        // Who waits for delivery may now wait for fewer.
        for key in self.receipts.waits.keys(where: link.shared.has) {
            self.checkDeliveries(of: key)
        }
    }

    mutating func receiveGoaway(_ reason: GoawayReason?, _ text: String, on id: LinkID) {
        let link = self.links[id]
        switch reason {
        case .shutdown: self.noteGoodbye(link.info)
        case .identityInUse:
            self.links.contest.shutOut(by: link.info.peer, at: self.now)
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
        self.forget(link, LinkEnding(reason), Comings.Ending(saidBy: reason))
        if reason == .identityInUse { self.updateShutOutAlert() }
    }
}
