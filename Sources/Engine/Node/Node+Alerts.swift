/// What people are told: lines of the log, alerts, refusals; and the time that some of them are about.
extension Node {
    mutating func log(_ level: LogLevel, _ text: String) {
        self.actions.append(.log(level, text))
    }

    mutating func raiseAlert(_ code: Alert.Code, about peer: PeerID? = nil, _ text: String) {
        let isNews = self.alerts.raise(code, about: peer, text, at: self.now)
        if isNews { self.log(code == .damage ? .error : .warning, text) }
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
        let notices = self.alerts.notices.take(at: self.now)
        if !notices.isEmpty { self.commits.add(notices) }
        if let moment = self.alerts.notices.newMoment() {
            self.actions.append(.arm(.alerts, at: moment))
        }
    }

    mutating func refuse(address: String?, peer: PeerID?, _ reason: String) {
        let (level, text) = self.alerts.refuse(
            address: address, peer: peer, reason, at: self.now)
        self.log(level, text)
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
