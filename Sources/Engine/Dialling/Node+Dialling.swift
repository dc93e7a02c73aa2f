internal import Formats

/// What ``Dialling`` and ``LinkContest`` decide is done here.
extension Node {
    mutating func performDialling(_ wanted: [DiallingAction]) {
        for action in wanted {
            switch action {
            case .perform(let action): self.actions.append(action)
            case .tell(let text):
                self.perform(
                    self.alerts.linkLine(text, about: LogSubject(), at: self.now))
            case .keep(let peer): self.disk.commits.peers[peer.id] = peer
            case .alert:
                self.raiseAlert(
                    .announcements,
                    "more than \(Limits.targets) hosts announce themselves, and too few of them answer; "
                        + "somebody may be inventing them. Contacts are dialled first, newcomers "
                        + "may be found late; to dial one now: stoa connect ADDRESS",
                    lasting: Limits.overflowAlertMilliseconds)
            case .refuse(let address, let peer, let reason):
                self.refuse(address: address, peer: peer, reason)
            }
        }
    }

    mutating func performContest(_ wanted: [ContestAction]) {
        for action in wanted {
            switch action {
            case .perform(let action): self.actions.append(action)
            case .turnAway(let link, let reason, let text): self.turnAway(link, reason, text)
            case .refuse(let challenger): self.refuseChallenger(challenger)
            }
        }
    }

    private mutating func refuseChallenger(_ challenger: Challenger) {
        let (link, peer) = (challenger.link, challenger.link.info.peer)
        self.actions.append(.close(link.id, challenger.refusal, challenger.refusalText))
        guard challenger.refusal == .identityInUse else { return }
        self.refuse(address: link.address, peer: peer, challenger.refusalText)
        self.raiseAlert(
            .identityInUse, about: peer,
            "the identity key of \(peer.shortText) runs in two daemons (the second at "
                + "\(Source(link.address))); tell that person: a copied identity.key must not run twice",
            lasting: Limits.alertMilliseconds)
    }
}
