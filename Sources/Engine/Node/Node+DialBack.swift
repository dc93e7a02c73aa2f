/// What peers ask for that concerns no conversation: to be dialled back.
extension Node {
    mutating func receiveDialBack(_ port: UInt16, on id: LinkID) {
        let link = self.links[id]
        // Who does not know the answer did not ask.
        guard link.info.features.contains(.dialBack) else { return }
        guard let address = self.dialBacks.ask(port, id, at: link.address, self.now) else {
            return self.send(.dialledBack(.notTried), on: id)
        }
        let dial = self.dialling.nextDial()
        self.dialBacks.began(dial, for: id)
        self.actions.append(.dial(dial, address: address, expecting: link.info.peer))
    }

    /// Tells who had asked for a dial what became of it, where it still is there to be told.
    mutating func dialBackEnded(_ dial: DialID, _ outcome: DialBackOutcome) {
        guard let link = self.dialBacks.ended(dial), self.links.has(link) else { return }
        self.send(.dialledBack(outcome), on: link)
    }

    /// Takes what is worth nothing later; no stream is defined, so that it is only counted.
    mutating func receiveEphemeral(_ piece: EphemeralPiece, _ byteCount: Int, on id: LinkID) {
        guard !self.links[id].ephemeral.take(byteCount, at: self.now) else { return }
        let dropped = self.links[id].ephemeral.dropped
        // Worth a line ever more rarely: a flood must not fill the log.
        guard dropped & (dropped - 1) == 0 else { return }
        self.log(
            .debug,
            "\(self.links[id].info.peer.shortText) sends ephemeral frames too fast: \(dropped) dropped"
        )
    }
}
