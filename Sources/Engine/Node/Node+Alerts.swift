/// What people are told: lines of the log, alerts, refusals; and the time that some of them are about.
extension Node {
    mutating func log(_ level: LogLevel, _ text: String) {
        self.actions.append(.log(level, text))
    }

    mutating func raiseAlert(_ code: Alert.Code, about peer: PeerID? = nil, _ text: String) {
        let isNews = self.alerts.raise(code, about: peer, text, at: self.now)
        if isNews { self.log(.warning, text) }
    }

    mutating func refuse(address: String?, peer: PeerID?, _ reason: String) {
        let (level, text) = self.alerts.refuse(
            address: address, peer: peer, reason, at: self.now)
        self.log(level, text)
    }

    mutating func updateClockAlert() {
        if let text = self.time.warning {
            self.raiseAlert(.clock, text)
        } else {
            self.alerts.clear(.clock)
        }
    }

    /// Releases held entries that a better knowledge of the time shows to be due.
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
