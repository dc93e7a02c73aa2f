/// What people are told: lines of the log, alerts, refusals; and the time that some of them are about.
extension Node {
    mutating func log(
        _ level: LogLevel, _ text: String, about subject: LogSubject = LogSubject()
    ) {
        self.actions.append(.log(level, text, subject))
    }

    /// Raises an alert by what this node has seen itself; never by what a stranger says.
    mutating func raiseAlert(
        _ code: Alert.Code, about peer: PeerID? = nil, in conversation: ConversationID? = nil,
        _ text: String, lasting duration: UInt64? = nil
    ) {
        let isTrusted = peer.map { self.tier(of: $0) > .stranger } ?? true
        let isNews = self.alerts.raise(
            code, about: peer, isTrusted: isTrusted, text, lasting: duration, at: self.now)
        guard isNews else { return }
        let subject = LogSubject(peer: peer, conversation: conversation, alert: code)
        guard !isTrusted else {
            return self.log(code == .damage ? .error : .warning, text, about: subject)
        }
        self.logThinned(text, about: subject)
    }

    /// Writes a warning that peers can cause again and again, where it is one of few.
    mutating func logThinned(_ text: String, about subject: LogSubject = LogSubject()) {
        if let line = self.alerts.thinning.line(text, at: self.now) {
            self.log(.warning, line, about: subject)
        }
    }

    /// Says that somebody is linked, or no longer; of strangers few lines.
    mutating func logLink(_ text: String, with peer: PeerID) {
        let subject = LogSubject(peer: peer)
        guard self.tier(of: peer) <= .stranger else {
            return self.log(.info, text, about: subject)
        }
        if let line = self.alerts.linkThinning.line(text, at: self.now) {
            self.log(.info, line, about: subject)
        }
    }

    /// Has subscribers told that somebody whom the user knows is linked, or no longer.
    mutating func tellLinked(_ peer: PeerID, _ isLinked: Bool) {
        guard self.tier(of: peer) > .stranger else { return }
        self.disk.commits.add([Notice(.linked(peer, isLinked), at: self.now.wall)])
    }

    /// The store's file was read: what is damaged in it, or nil where a whole reading found nothing.
    mutating func damageFound(_ text: String?) {
        if let text {
            self.raiseAlert(.damage, text)
        } else {
            self.alerts.clear(.damage, at: self.now)
        }
    }

    /// Has subscribers told of alerts, where that is due.
    mutating func tellAlerts() {
        self.lookWhoIsMissing()
        self.alerts.expire(at: self.now)
        let notices = self.alerts.notices.take(at: self.now)
        if !notices.isEmpty { self.disk.commits.add(notices) }
        if let moment = self.alerts.newMoment(besides: self.absences.next) {
            self.actions.append(.arm(.alerts, at: moment))
        }
    }

    private mutating func lookWhoIsMissing() {
        guard let next = self.absences.next, next <= self.now.monotonic else { return }
        let here = Set(self.links.all.map(\.info.certificate.personID))
        if self.absences.look(at: self.now, isHere: { here.contains($0) }) { self.examineMissing() }
    }

    /// Those who are missed, of whom the user still knows.
    private var missed: [Absences.Missed] {
        self.absences.missed.filter { self.tier(of: $0.device) >= .known }
    }

    /// Others are missed than before: the alert says so once it is known how this machine is.
    private mutating func examineMissing() {
        guard !self.missed.isEmpty else { return self.alerts.clear(.missing, at: self.now) }
        if let found = self.absences.found(at: self.now) { return self.tellMissing(besides: found) }
        if self.absences.beginExamination() { self.actions.append(.examine) }
    }

    /// The machine was looked at.
    mutating func examined(_ found: [String]) {
        self.absences.examined(found, at: self.now)
        self.tellMissing(besides: found)
    }

    /// Says who is missed, and what was found on this machine that may be why; nothing where they have come
    /// back meanwhile.
    private mutating func tellMissing(besides found: [String]) {
        let missed = self.missed
        guard let first = missed.first else { return }
        let status = missed.count == 1 ? self.peerStatus(of: first.device) : nil
        let failure = status?.failedDial.map { failed in
            ([status?.addresses.first].compactMap { $0 } + [failed.failure.detail])
                .joined(separator: ": ")
        }
        let names = missed.map { missed in
            let name = self.profile(of: missed.device).name
            return name.isEmpty ? missed.device.shortText : name
        }
        self.raiseAlert(
            .missing,
            Absences.text(
                of: names, links: self.links.count, failure: failure, found: found))
    }

    /// The last link with a peer has ended, with a goodbye or without.
    mutating func noteGone(_ info: LinkInfo, isLost: Bool) {
        let person = info.certificate.personID
        guard isLost else { return self.missNoLonger(person) }
        guard self.mayBeMissed(info.peer) else { return }
        self.absences.lost(person, info.peer, boot: info.boot, at: self.now)
    }

    /// A peer says that its daemon ends, on a link or on one that is held back beside it.
    mutating func noteGoodbye(_ info: LinkInfo) {
        guard self.mayBeMissed(info.peer) else { return }
        self.absences.saidGoodbye(info.certificate.personID, boot: info.boot)
    }

    private func mayBeMissed(_ peer: PeerID) -> Bool {
        let tier = self.tier(of: peer)
        return tier == .known || tier == .verified
    }

    /// Somebody is here, or has said goodbye.
    mutating func missNoLonger(_ person: PersonID) {
        let before = self.absences.missed
        self.absences.forget(person)
        if self.absences.missed != before { self.examineMissing() }
    }

    /// The user knows somebody no longer.
    mutating func dropAbsence(of person: PersonID) {
        self.missNoLonger(person)
        self.absences.drop(person)
    }

    /// The own network is another one: this node has left those whom it missed.
    mutating func missNobody() {
        self.absences.moved(at: self.now)
        self.examineMissing()
    }

    mutating func refuse(address: String?, peer: PeerID?, _ reason: String) {
        let line = self.alerts.refuse(address: address, peer: peer, reason, at: self.now)
        if let (level, text) = line { self.log(level, text, about: LogSubject(peer: peer)) }
    }

    mutating func updateClockAlert() {
        if let text = self.clocks.peers.warning(at: self.now) {
            self.raiseAlert(.clock, text)
        } else {
            self.alerts.clear(.clock, at: self.now)
        }
    }

    /// Releases held entries that are due since the clock was set.
    mutating func releaseIfDue() {
        if self.clocks.own.isDue(self.disk.held) { self.disk.commits.release = true }
    }

    /// Wakes the node when the first held entry is due.
    mutating func armRelease() {
        guard self.disk.held.count > 0 else { return }
        // After each share others have their turn, however many are due at once.
        let wait = max(self.clocks.own.wait(until: self.disk.held), Limits.releasePauseMilliseconds)
        self.actions.append(.arm(.release, at: self.now.monotonic + wait))
    }
}
