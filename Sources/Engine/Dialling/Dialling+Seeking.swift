internal import Formats

/// Services that are dialled although there are links enough, since somebody is looked for whom any of them may be.
///
/// `Docs/Decisions/0039-links-are-found-by-trial.md`.
extension Dialling {
    /// Whether a dial goes to an address that the user has named.
    func isChosen(_ dial: DialID) -> Bool {
        if case .fixed? = self.dials[dial] { true } else { false }
    }

    /// A peer is linked for a moment only, and not remembered for that.
    mutating func peerTried(_ peer: PeerID) -> [DiallingAction] {
        self.noteLinked(peer)
        return self.take()
    }

    /// A peer is linked: what leads to it is not set aside any longer.
    mutating func noteLinked(_ peer: PeerID) {
        self.linked.insert(peer)
        self.doubted.remove(peer)
        self.tried.subtract(self.leads(to: peer).keys)
        self.answerLinked()
    }

    /// Says whom the user knows, before the start and whenever that changes.
    mutating func setWanted(_ peers: Set<PeerID>) { self.wanted = peers }

    /// Somebody else is looked for than before: all services are tried again, at once those of whom the user knows.
    mutating func seek(at now: Instant) -> [DiallingAction] {
        let known = self.tried.filter { id in
            self.targets[id]?.peer.map { self.wanted.contains($0) } ?? false
        }
        self.takeUpTried(at: now)
        for id in known.sorted() where !id.isTold {
            self.queue.remove(id)
            self.dial(id, at: now)
        }
        self.armSeek(at: now)
        return self.take()
    }

    /// Another service has its turn, where anybody is looked for.
    mutating func seekDue(
        isSeeking: Bool, at now: Instant, using random: inout some RandomNumberGenerator
    ) -> [DiallingAction] {
        self.isSeekArmed = false
        self.dialWaiting(at: now, using: &random)
        guard isSeeking || self.linked.count < self.budget.wanted else { return self.take() }
        if self.linked.count >= self.budget.wanted, self.serviceDials < Limits.serviceDials {
            self.dialOne(at: now, using: &random)
        }
        self.armSeek(at: now)
        return self.take()
    }

    /// Looks in a moment at the services that wait: whether anybody is looked for among them, or more may be dialled.
    mutating func armSeek(at now: Instant) {
        guard !self.isSeekArmed, self.queue.count > 0 else { return }
        self.isSeekArmed = true
        self.perform(.arm(.seek, at: now.monotonic + Limits.seekMilliseconds))
    }

    /// Leaves a service, or a device with a record, undialled whose peer needs no link, until all are tried again; false where links are missing.
    mutating func setAside(_ id: TargetID, at now: Instant) -> Bool {
        switch id {
        case .service, .told: break
        case .fixed, .remembered: return false
        }
        guard self.linked.count >= self.budget.wanted else { return false }
        self.perform(.disarm(.redial(id)))
        self.queue.remove(id)
        self.targets[known: id].backoffSteps = 0
        // It keeps that also where it waits for a place among those that are dialled.
        _ = self.giveTurn(id, at: now)
        self.tried.insert(id)
        return true
    }

    /// Has those wait for their turn that were set aside.
    mutating func takeUpTried(at now: Instant) {
        let tried = self.tried
        self.tried = []
        for id in tried.sorted() {
            if case .told(let peer) = id {
                guard self.linked.count < self.budget.wanted || self.wanted.contains(peer) else {
                    self.tried.insert(id)
                    continue
                }
                self.perform(
                    .arm(.redial(id), at: now.monotonic + Limits.toldFirstMilliseconds))
            } else {
                self.queueService(id)
            }
        }
    }
}
