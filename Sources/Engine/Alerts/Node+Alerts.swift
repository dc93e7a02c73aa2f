internal import Formats

/// What ``Alerts`` decides is done here; and what is told of the time that some of it is about.
extension Node {
    mutating func log(
        _ level: LogLevel, _ text: String, about subject: LogSubject = LogSubject()
    ) {
        self.actions.append(.log(level, text, subject))
    }

    mutating func perform(_ wanted: [AlertAction]) {
        for action in wanted { self.perform(action) }
    }

    mutating func perform(_ action: AlertAction?) {
        switch action {
        case .perform(let action)?: self.actions.append(action)
        case .write(let notices)?: self.disk.commits.add(notices)
        case .tellMissing(let missed, let found)?: self.tellMissing(missed, besides: found)
        case nil: break
        }
    }

    /// Raises an alert by what this node has seen itself; never by what a stranger says.
    ///
    /// - Parameter logged: the line of the log; needed where the text has a name that a lock hides.
    mutating func raiseAlert(
        _ code: Alert.Code, about peer: PeerID? = nil, in conversation: ConversationID? = nil,
        _ text: String, logged: String? = nil, lasting duration: UInt64? = nil
    ) {
        let isTrusted = peer.map { self.tier(of: $0) > .stranger } ?? true
        self.perform(
            self.alerts.line(
                raising: code, about: peer, in: conversation, isTrusted: isTrusted, text,
                logged: logged ?? text, lasting: duration, at: self.now))
    }

    /// Writes a warning that peers can cause again and again, where it is one of few.
    mutating func logThinned(_ text: String, about subject: LogSubject = LogSubject()) {
        self.perform(self.alerts.warning(text, about: subject, at: self.now))
    }

    /// Says that somebody is linked, or no longer; of strangers few lines.
    mutating func logLink(_ text: String, with peer: PeerID) {
        let subject = LogSubject(peer: peer)
        guard self.tier(of: peer) <= .stranger else {
            return self.log(.info, text, about: subject)
        }
        self.perform(self.alerts.linkLine(text, about: subject, at: self.now))
    }

    /// Reads the own clock; says so where what it says cannot be, until it is set right.
    mutating func lookAtClock() {
        let change = self.clocks.look(at: self.now)
        if change.isForward, self.clocks.own.isDue(self.disk.held) {
            self.disk.commits.release = true
        }
        guard let warning = change.warning else { return }
        guard warning.isEmpty else { return self.raiseAlert(.wrongClock, warning) }
        self.alerts.clear(.wrongClock, at: self.now)
        self.log(.notice, "this machine's clock is right again: messages have true times")
    }

    /// The store's file was read: what is damaged in it, or nil where a whole reading found nothing.
    mutating func damageFound(_ text: String?) {
        if let text {
            self.raiseAlert(.damage, text)
        } else {
            self.alerts.clear(.damage, at: self.now)
        }
    }

    package func hasAlert(_ code: Alert.Code) -> Bool {
        self.alerts.all.contains { $0.code == code }
    }

    /// What keeps messages from other sites; whoever says so says it again, or has ended.
    mutating func sitesAre(_ problem: String?) {
        if let problem {
            self.raiseAlert(.sites, problem, lasting: Limits.sitesAlertMilliseconds)
        } else {
            self.alerts.clear(.sites, at: self.now)
        }
    }

    /// Has subscribers told of alerts, where that is due.
    mutating func tellAlerts() {
        if let next = self.alerts.absences.next, next <= self.now.monotonic {
            let tiers = self.absentTiers
            self.perform(self.alerts.lookWhoIsMissing(self.links, tiers, at: self.now))
        }
        self.perform(self.alerts.goOn(at: self.now))
    }

    // MARK: Who is missed

    /// How far those are trusted who are gone.
    private var absentTiers: [PeerID: Tier] { self.tiers(of: self.alerts.absences.devices) }

    private mutating func tellMissing(
        _ missed: [Absences.Missed], besides found: [String]
    ) {
        let status = missed.count == 1 ? self.peerStatus(of: missed[0].device) : nil
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

    mutating func examined(_ found: [String]) {
        self.perform(self.alerts.examined(found, self.absentTiers, at: self.now))
    }

    mutating func noteGone(_ info: LinkInfo, isLost: Bool) {
        self.perform(
            self.alerts.linkEnded(
                info, isLost: isLost, self.tier(of: info.peer), self.absentTiers, at: self.now))
    }

    mutating func noteGoodbye(_ info: LinkInfo) {
        self.alerts.saidGoodbye(info, self.tier(of: info.peer))
    }

    mutating func missNoLonger(_ person: PersonID) {
        self.perform(self.alerts.missNoLonger(person, self.absentTiers, at: self.now))
    }

    mutating func dropAbsence(of person: PersonID) {
        self.perform(self.alerts.forget(person, self.absentTiers, at: self.now))
    }

    mutating func missNobody() {
        self.perform(self.alerts.moved(self.absentTiers, at: self.now))
    }

    // MARK: Refusals and the time

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
