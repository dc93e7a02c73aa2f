internal import Formats

/// Whether links live: pings, rest, doubt, a network that changes, and what clocks say in pings.
extension Node {
    /// Pings a link; gives what the answer must carry.
    @discardableResult
    mutating func ping(_ id: LinkID) -> UInt64 {
        let nonce: UInt64 = self.random.next()
        self.links[id].pulse.ping(nonce, at: self.now)
        self.links[id].large.ping()
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
        self.takeDueActs()
        self.perform(self.groups.giveMoreKeys(on: id))
        for conversation in self.conversations.directKeys.giveMore(on: id) {
            self.giveDirectKeys(of: conversation, on: id)
        }
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

    mutating func look(at id: LinkID, in wait: UInt64) {
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
            && self.disk.held.first == nil
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
        if self.links[id].pulse.send(at: self.now) || self.links[id].large.isLookDue {
            self.lookSoon()
        }
    }

    /// Has links be looked at from which a sign is due, or on which a large packet may be lost.
    mutating func lookSoon() {
        if !self.links.isPulseArmed { self.armPulse(after: Limits.unansweredMilliseconds) }
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
        self.lookAtFlights()
    }

    /// Asks the system of links whether what was sent on them is still on its way, where a large packet may be.
    private mutating func lookAtFlights() {
        let due = self.links.ids.filter { self.links[$0].large.isLookDue }
        for id in due { self.links[id].large.look() }
        if !due.isEmpty { self.actions.append(.seeFlights(due)) }
    }

    /// Where large packets are lost the peer is dialled beside the link, with small ones.
    ///
    /// Once by each host even where a stranger has dialled: that is no more than a dial back.
    mutating func flightsSeen(_ flights: [LinkID: Flight]) {
        for (id, flight) in flights.sorted(by: { $0.key < $1.key }) where self.links.has(id) {
            let link = self.links[id]
            let isLost = self.links[id].large.see(
                flight, openFor: self.now.monotonic - link.openedAt)
            if isLost {
                let peer = link.info.peer
                let isNews = self.dialling.narrow.note(
                    peer, link.address, self.tier(of: peer), at: self.now)
                if isNews || self.mayBeDialledAnew(link) {
                    self.performDialling(self.dialling.dialBeside(peer, at: self.now))
                }
                let next =
                    self.dialling.leads(to: peer).isEmpty
                    ? "no address is known at which to dial it with small ones"
                    : "dialling it again with small ones"
                self.logLink(
                    "large packets to \(peer.shortText) at \(link.address) are lost; \(next)",
                    with: peer)
            } else if self.links[id].large.isLookDue {
                if !self.links.isPulseArmed { self.armPulse(after: Limits.pulseCheckMilliseconds) }
            }
        }
    }

    /// Of two strangers the one dials anew that has dialled; else any could have this node dial them.
    func mayBeDialledAnew(_ link: Link) -> Bool {
        link.dial != nil || self.tier(of: link.info.peer) > .stranger
    }

    /// A doubted link has ended, as the system ends it after some seconds: what is dialled beside it goes on.
    mutating func keepDialling(_ link: Link) {
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
        self.links[id].large.pong()
        self.links.contest.accepted(by: self.links[id].info.peer)
        self.updateShutOutAlert()
        self.clockRead(on: id)
    }

    /// Whether peers turn this daemon away because its key runs in another one.
    ///
    /// Anybody may say so. It counts by whom the node trusts; by others only while nobody takes a link,
    /// and then nothing that is sent here reaches anybody, whatever the reason.
    package var isShutOut: Bool {
        let peers = self.links.contest.shutOutBy(at: self.now)
        guard !peers.isEmpty else { return false }
        return !self.links.all.contains { $0.pulse.roundTrip != nil }
            || peers.contains { self.tier(of: $0) > .stranger }
    }

    mutating func updateShutOutAlert() {
        guard self.isShutOut else { return self.alerts.clear(.shutOut, at: self.now) }
        self.raiseAlert(
            .shutOut,
            "peers refuse this daemon and say that another one runs with its identity key: what "
                + "is sent here reaches nobody, and may be disputed later; stop one of the two, and "
                + "move the data directory aside on the machine that should be a different person",
            lasting: Limits.alertMilliseconds)
    }

    /// Does nothing: no clock but the own one counts.
    private mutating func believe(_ clock: UInt64) {
        #if MUTANTS
            self.clocks.own.believe(clock)
        #endif
    }

    private mutating func clockRead(on id: LinkID) {
        if let lead = self.links[id].pulse.clockLead {
            let person = self.links[id].info.certificate.personID
            let isKnown = self.tier(of: self.links[id].info.peer) >= .known
            self.clocks.peers.read(lead, of: person, isKnown: isKnown, on: id)
        }
        self.updateClockAlert()
    }
}
