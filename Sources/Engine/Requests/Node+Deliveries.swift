package import Crypto
package import Formats

/// Waits for the delivery of own messages: who has one, as each member says of itself.
///
/// A member can lie about itself only, and in an open room those count whom the user knows: see
/// ``DeliveryGoal``.
extension Node {
    /// Why a wait for a goal in a conversation could never end; nil where it can.
    func obstacle(to goal: DeliveryGoal, in conversation: ConversationID) -> RequestError? {
        let members = self.tally(of: conversation, nil).members
        switch goal {
        case .members: return nil
        case .all: return members.contains { $0.isKnown && !$0.isOwn } ? nil : .nobodyKnown
        case .named(let peers):
            let strange = peers.subtracting(members.map(\.peer))
            return strange.isEmpty ? nil : .notInRoom(strange.sorted())
        }
    }

    /// What has become of an own entry at each other member of its conversation, the people first whom
    /// the user knows.
    package func outcomes(
        of seq: UInt64, in key: LogKey
    ) -> [(peer: PeerID, outcome: DeliveryOutcome)] {
        self.tally(of: key.conversation, key).outcomes(of: seq) {
            self.isHeardThroughOthers($0, in: key.conversation)
        }
    }

    /// The same of what is sealed with a key, at those members alone whom it is for.
    package func outcomes(
        of seq: UInt64, in key: LogKey, under epoch: Bytes32
    ) -> [(peer: PeerID, outcome: DeliveryOutcome)] {
        let all = self.outcomes(of: seq, in: key)
        guard let readers = self.groups.readers(under: epoch, in: key.conversation) else {
            return all
        }
        return all.filter { self.person(of: $0.peer).map(readers.contains) ?? false }
    }

    /// What has become of an own message that was sent a moment ago, or under its key before.
    package func outcomes(of message: SentMessage) -> [(peer: PeerID, outcome: DeliveryOutcome)] {
        guard let (key, head) = self.ownLog(holding: message) else { return [] }
        return self.outcomes(
            of: self.receipts.waits.ownIDs.seq(of: message.id, in: key) ?? head, in: key)
    }

    /// Own logs with messages for others, and up to where any of these has them.
    package var reached: [(key: LogKey, seq: UInt64)] {
        var reached: [(LogKey, UInt64)] = []
        for conversation in self.conversations.table.values where conversation.isJoined {
            guard conversation.members.contains(where: { $0 != self.id }) else { continue }
            for (name, log) in conversation.logs where name.author == self.id && log.head.seq > 0 {
                let key = LogKey(conversation: conversation.id, name: name)
                let seq = self.receipts.marks.positions(of: key).values.map(\.stored).max() ?? 0
                if seq < log.head.seq { reached.append((key, seq)) }
            }
        }
        return reached
    }

    /// Who is to have the newest messages of own logs that nobody has: those first whom the user knows.
    package func recipients(
        of logs: some Sequence<LogKey>
    ) -> [(peer: PeerID, outcome: DeliveryOutcome)] {
        var seen: Set<PeerID> = []
        let all = logs.flatMap { key in
            self.outcomes(
                of: self.conversations.table[known: key.conversation].log(key.name).head.seq,
                in: key)
        }.filter { seen.insert($0.peer).inserted }
        let tiers = self.tiers(of: seen)
        let known = Set(seen.filter { (tiers[$0] ?? .stranger) >= .known })
        return all.filter { known.contains($0.peer) } + all.filter { !known.contains($0.peer) }
    }

    mutating func awaitDelivery(_ delivery: Delivery) {
        self.receipts.waits.add(delivery)
        self.checkDeliveries(of: delivery.key)
        self.armDeliveries()
    }

    /// Answers a send whose message was sent before under its key; it waits for delivery as the first
    /// one did.
    mutating func answerRepeated(
        _ request: RequestID, _ message: SentMessage, waiting wait: DeliveryWait?
    ) {
        guard let wait else {
            return self.answer(request, .sent(message, isDuplicate: true, deliveredTo: []))
        }
        guard let (key, head) = self.ownLog(holding: message) else {
            // It stands behind the end of a history that was signed twice: nobody has it, and nobody will.
            let lacking = self.tally(of: message.conversation, nil).lacking(1, for: wait.aim)
            return self.answer(
                request,
                .failed(
                    .deliveryTimeout(
                        message, isRead: wait.aim.isRead, deliveredTo: [], waitingFor: lacking)))
        }
        self.awaitDelivery(
            Delivery(
                request: request, key: key, seq: head, message: message, wait: wait,
                isDuplicate: true))
    }

    /// The own log that holds a message, and its head: who has all of the log has the message.
    ///
    /// Own logs follow one another in time, one per incarnation.
    private func ownLog(holding message: SentMessage) -> (LogKey, UInt64)? {
        let logs = self.conversations.table[message.conversation]?.logs.filter {
            $0.key.author == self.id && $0.value.head.time >= message.time
        }
        let first = logs?.min { $0.value.head.time < $1.value.head.time }
        return first.map { name, log in
            (LogKey(conversation: message.conversation, name: name), log.head.seq)
        }
    }

    /// The members of a conversation, and how far those who are linked have an own log.
    private func tally(of conversation: ConversationID, _ key: LogKey?) -> DeliveryTally {
        var members: [PeerID: DeliveryTally.Member] = [:]
        for peer in self.conversations.table[conversation]?.members ?? [] where peer != self.id {
            members[peer] = self.tallied(peer, conversation, key)
        }
        let numbers = self.conversations.table[conversation]?.numbers ?? LogNumbers()
        for id in self.links.sharing(conversation) {
            let peer = self.links[id].info.peer
            var member = members[peer] ?? self.tallied(peer, conversation, key)
            member.isLinked = true
            if let key {
                member.stored = self.stored(key, on: id)
                member.shown = self.links[id].shared[known: conversation]
                    .shown(of: key.name, numbers)
            }
            #if MUTANTS
                if Mutant.takeSentForDelivered.isActive, let key, let fed = self.links[id].fed(key)
                {
                    member.stored = fed
                }
                if Mutant.takeHeldForDelivered.isActive { member.shown = .max }
            #endif
            members[peer] = member
        }
        return DeliveryTally(members: members.values.sorted { $0.peer < $1.peer })
    }

    /// A member as it is without a link.
    private func tallied(
        _ peer: PeerID, _ conversation: ConversationID, _ key: LogKey?
    ) -> DeliveryTally.Member {
        var member = DeliveryTally.Member(peer: peer, isKnown: self.tier(of: peer) >= .known)
        member.isOwn = self.isOwnDevice(peer)
        member.isLongAway = self.isLongAway(peer, in: conversation)
        if let key { member.position = self.receipts.marks.position(of: peer, in: key) }
        return member
    }

    /// Up to where the peer of a link has an own log with its payloads.
    ///
    /// What it says to have it must show by its head tag, as far as the own ids are still at hand; and
    /// nobody has more of an own log than there is.
    func stored(_ key: LogKey, on id: LinkID) -> UInt64 {
        let sync = self.links[id].shared[known: key.conversation]
        guard let conversation = self.conversations.table[key.conversation],
            let row = sync.row(of: key.name, conversation.numbers)
        else { return 0 }
        let head = conversation.log(key.name).head
        #if MUTANTS
            if Mutant.believeAnyDelivery.isActive {
                return sync.stored(of: key.name, conversation.numbers)
            }
        #endif
        guard row.seq <= head.seq else { return 0 }
        let own =
            row.seq == head.seq
            ? head.id : self.receipts.waits.ownIDs.id(of: row.seq, in: key)
        let tags = self.links[id].tags
        // A row that was made of a run that came has no head tag.
        if let own, row.headTag != 0, row.headTag != tags.head(own, by: tags.peer) { return 0 }
        return sync.stored(of: key.name, conversation.numbers)
    }

    /// Answers the waits whose goal is reached.
    ///
    /// Where so many hold the message that it cannot be, nobody need wait to hear that.
    mutating func checkDeliveries(of key: LogKey) {
        if self.receipts.waits.isUnsaid(in: key.conversation),
            !self.isUnsaid(key.conversation)
        {
            self.answerSaid(self.receipts.waits.takeSaid(in: key.conversation))
        }
        guard !self.receipts.waits.isEmpty(for: key) else { return }
        let tally = self.tally(of: key.conversation, key)
        for aim in self.receipts.waits.aims(of: key) {
            let reached = self.receipts.waits.remove(of: key, aim, through: tally.reach(aim))
            for delivery in reached {
                self.answer(
                    delivery.request,
                    .sent(
                        delivery.message, isDuplicate: delivery.isDuplicate,
                        deliveredTo: tally.delivered(delivery.seq, isRead: aim.isRead)))
            }
            guard let last = tally.lastHeld(aim.goal) else { continue }
            let heldUp = self.receipts.waits.remove(of: key, aim) {
                $0 <= last && tally.isHeldUp($0, for: aim.goal)
            }
            for delivery in heldUp {
                self.answer(
                    delivery.request,
                    .failed(.held(self.heldMessage(delivery.message, tally, delivery.seq))))
            }
        }
    }

    /// Answers a send that is not to wait for delivery.
    ///
    /// The first to somebody waits a moment, so that what it says of their having let the user in is right.
    mutating func answerSent(_ request: RequestID, _ message: SentMessage) {
        guard self.isUnsaid(message.conversation) else {
            return self.answer(request, .sent(message, isDuplicate: false, deliveredTo: []))
        }
        self.receipts.waits.keep(
            request, message, until: self.now.monotonic + Limits.unsaidMilliseconds)
        self.armDeliveries()
    }

    private mutating func answerSaid(_ said: [(request: RequestID, message: SentMessage)]) {
        for (request, message) in said {
            self.answer(request, .sent(message, isDuplicate: false, deliveredTo: []))
        }
    }

    mutating func deliveriesDue() {
        self.answerSaid(self.receipts.waits.takeSaid(at: self.now.monotonic))
        for delivery in self.receipts.waits.removeDue(at: self.now.monotonic) {
            let tally = self.tally(of: delivery.key.conversation, delivery.key)
            // Whoever else is linked would hold it, too.
            if !delivery.wait.aim.isRead,
                tally.isHeld(delivery.seq, for: delivery.wait.aim.goal)
            {
                let held = self.heldMessage(delivery.message, tally, delivery.seq)
                self.answer(delivery.request, .failed(.held(held)))
                continue
            }
            self.answer(
                delivery.request,
                .failed(
                    .deliveryTimeout(
                        delivery.message, isRead: delivery.wait.aim.isRead,
                        deliveredTo: tally.delivered(
                            delivery.seq, isRead: delivery.wait.aim.isRead),
                        waitingFor: tally.lacking(delivery.seq, for: delivery.wait.aim))))
        }
        self.armDeliveries()
    }

    private mutating func armDeliveries() {
        guard let moment = self.receipts.waits.nextWakeUp() else { return }
        self.actions.append(.arm(.delivery, at: moment))
    }

    /// Why a message that peers have is not delivered: some of them hold it.
    private func heldMessage(
        _ message: SentMessage, _ tally: DeliveryTally, _ seq: UInt64
    ) -> HeldMessage {
        let holding = tally.holding(seq)
        let links = self.links.sharing(message.conversation).filter {
            holding.contains(self.links[$0].info.peer)
        }
        return HeldMessage(
            message: message, deliveredTo: tally.delivered(seq), heldBy: holding,
            until: Self.due(message.time), ahead: self.ahead(of: links),
            isOwnClockAhead: self.clocks.peers.areBehind(at: self.now))
    }
}
