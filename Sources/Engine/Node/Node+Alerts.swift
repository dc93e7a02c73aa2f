/// What people are told: lines of the log, alerts, refusals; and the time that some of them are about.
extension Node {
    mutating func log(_ level: LogLevel, _ text: String) {
        self.actions.append(.log(level, text))
    }

    /// Raises an alert by what this node has seen itself; never by what a stranger says.
    mutating func raiseAlert(
        _ code: Alert.Code, about peer: PeerID? = nil, _ text: String,
        lasting duration: UInt64? = nil
    ) {
        let isTrusted = peer.map { self.tier(of: $0) > .stranger } ?? true
        let isNews = self.alerts.raise(
            code, about: peer, isTrusted: isTrusted, text, lasting: duration, at: self.now)
        guard isNews else { return }
        guard !isTrusted else { return self.log(code == .damage ? .error : .warning, text) }
        self.logThinned(text)
    }

    /// Writes a warning that peers can cause again and again, where it is one of few.
    mutating func logThinned(_ text: String) {
        if let line = self.alerts.thinning.line(text, at: self.now) { self.log(.warning, line) }
    }

    /// Says that somebody is linked, or no longer; of strangers few lines.
    mutating func logLink(_ text: String, with peer: PeerID) {
        guard self.tier(of: peer) <= .stranger else { return self.log(.info, text) }
        if let line = self.alerts.linkThinning.line(text, at: self.now) { self.log(.info, line) }
    }

    /// Has subscribers told that somebody whom the user knows is linked, or no longer.
    mutating func tellLinked(_ peer: PeerID, _ isLinked: Bool) {
        guard self.tier(of: peer) > .stranger else { return }
        self.commits.add([Notice(.linked(peer, isLinked), at: self.now.wall)])
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
        self.alerts.expire(at: self.now)
        let notices = self.alerts.notices.take(at: self.now)
        if !notices.isEmpty { self.commits.add(notices) }
        if let moment = self.alerts.newMoment() {
            self.actions.append(.arm(.alerts, at: moment))
        }
    }

    mutating func refuse(address: String?, peer: PeerID?, _ reason: String) {
        let line = self.alerts.refuse(address: address, peer: peer, reason, at: self.now)
        if let (level, text) = line { self.log(level, text) }
    }

    mutating func updateClockAlert() {
        if let text = self.peerClocks.warning(at: self.now) {
            self.raiseAlert(.clock, text)
        } else {
            self.alerts.clear(.clock, at: self.now)
        }
    }

    /// Releases held entries that are due since the clock was set.
    mutating func releaseIfDue() {
        if let first = self.held.first, !self.time.isAhead(first) { self.commits.release = true }
    }

    /// Wakes the node when the first held entry is due.
    mutating func armRelease() {
        guard let first = self.held.first else { return }
        let moment = self.now.monotonic + self.time.wait(until: first)
        self.actions.append(.arm(.release, at: moment))
    }
}
