internal import Crypto
internal import Formats

/// Payloads that a peer has sent after their entries.
struct PayloadArrival: Hashable, Sendable {
    var link: LinkID
    var key: LogKey
    var from: UInt64
    var items: [Payloads.Item]
    /// What the frame counts against credit.
    var byteCount: Int
    /// What is to be stored of it.
    var fills: [PayloadFill] = []

    var seqs: ClosedRange<UInt64> { self.from...(self.from + UInt64(self.items.count) - 1) }
}

/// Payloads that were left out of runs: asked for, sent, and put where they were missing.
///
/// `Docs/Protocol/Sync.md` section 9.
extension Node {
    // MARK: What is wanted

    /// Notes which entries of a run are on disk without their payloads.
    mutating func noteWanted(_ append: Append) {
        #if MUTANTS
            if Mutant.believeAbsentPayload.isActive { return }
        #endif
        guard append.verdicts.contains(where: { $0.payload == .wanted }) else { return }
        let key = append.run.run.key
        // What is behind a fork point counts for nobody.
        let head = self.conversations.table[known: key.conversation].log(key.name).head.seq
        var lacking = SeqRanges()
        for (index, verdict) in append.verdicts.enumerated() where verdict.payload == .wanted {
            let seq = append.run.run.first + UInt64(index)
            if seq <= head { lacking.insert(seq...seq) }
        }
        for seqs in lacking.all { self.catchUp.payloadWants.want(key, seqs) }
        self.noteWhole(key)
    }

    /// Notes what clocks say of a log's payloads.
    mutating func noteWhole(_ key: LogKey) {
        self.conversations.table[known: key.conversation]
            .setWhole(key.name, self.catchUp.payloadWants.lowest(of: key).map { $0 - 1 })
        self.watchHoles(in: key.conversation)
    }

    // MARK: Asking

    /// A moment has come at which a question is given up, or asked again.
    mutating func payloadsDue() {
        self.catchUp.payloadWants.wake(at: self.now.monotonic)
        // Also where nobody is to be asked now: a question whose answer comes in parts has a later moment.
        if !self.catchUp.payloadWants.isDue { self.planPayloads() }
    }

    /// Asks the links that may have what is wanted.
    mutating func planPayloads() {
        self.catchUp.payloadWants.beginTurn()
        while let id = self.catchUp.payloadWants.takeDue() {
            guard self.links.has(id) else { continue }
            let (shared, conversations) = (self.links[id].shared, self.conversations.table)
            let isOfKnown = self.isOfKnown(id)
            let ask = self.catchUp.payloadWants.ask(
                id, isOfKnown: isOfKnown, at: self.now.monotonic
            ) {
                key in
                guard let conversation = conversations[key.conversation], conversation.isJoined
                else { return nil }
                return shared[key.conversation]?.whole(of: key.name, conversation.numbers)
            }
            guard let ask else { continue }
            let conversation = ask.key.conversation
            let tag = self.links[id].tags.log(ask.key.name, in: conversation)
            self.send(
                .payloadWant(
                    Want(
                        conversation: conversation, tag: tag, from: ask.rest.lowerBound,
                        through: ask.rest.upperBound)),
                on: id)
        }
        if let next = self.catchUp.payloadWants.nextWake(after: self.now.monotonic) {
            self.actions.append(.arm(.payloads, at: next))
        }
    }

    // MARK: Answers

    /// Takes an answer; its bytes are credited when what is in it is on disk, or will never be.
    mutating func receivePayloads(_ payloads: Payloads, byteCount: Int, on id: LinkID) {
        let conversation = payloads.conversation
        guard self.links.isShared(conversation, on: id),
            let name = self.logName(payloads.tag, of: conversation, on: id),
            self.catchUp.payloadWants.receive(
                LogKey(conversation: conversation, name: name), from: payloads.from,
                count: payloads.items.count, bytes: byteCount, on: id),
            payloads.items.contains(where: { $0.state == .present })
        else { return self.consume(byteCount, on: .sync, of: id) }
        let arrival = PayloadArrival(
            link: id, key: LogKey(conversation: conversation, name: name), from: payloads.from,
            items: payloads.items, byteCount: byteCount)
        self.catchUp.payloadWants.arrive(arrival.key, arrival.seqs)
        // Only the headers on disk say what their hashes must be.
        self.actions.append(
            .readPayloads(
                self.disk.reads.begin(.fill(arrival)), arrival.key, from: arrival.seqs.lowerBound,
                through: arrival.seqs.upperBound))
    }

    mutating func payloadsRead(_ read: ReadID, _ stored: [StoredPayload]) {
        switch self.disk.reads.end(read) {
        case .payloads(let id, let serving): self.servePayloads(stored, serving, on: id)
        case .fill(let arrival): self.fill(arrival, stored)
        case .live, .sync, .fork, .siteFork, .end, .proof:
            preconditionFailure("payloads answer what payloads were asked for")
        case nil: break
        }
    }

    /// Checks payloads against the headers that are stored, and has them written.
    private mutating func fill(_ arrival: PayloadArrival, _ stored: [StoredPayload]) {
        var arrival = arrival
        let key = arrival.key
        let log = self.conversations.table[known: key.conversation].log(key.name)
        for entry in stored where arrival.seqs.contains(entry.seq) {
            guard entry.state == .wanted else {
                self.catchUp.payloadWants.settle(key, entry.seq...entry.seq)
                continue
            }
            guard case .present(let payload) = arrival.items[Int(entry.seq - arrival.from)],
                entry.seq <= log.head.seq
            else { continue }
            // After a fork an honest peer may hold another branch, so this accuses nobody.
            guard let filled = entry.filled(with: payload) else { continue }
            let envelope = Envelope(filled, key: key, seq: entry.seq, prev: entry.prev)
            let verdict = self.verdict(of: self.keyring.read(envelope), in: log.person)
            let isRevoked = self.isRevoked(
                key.name.author, in: log.person, at: filled.time, of: key.conversation)
            arrival.fills.append(
                PayloadFill(
                    key: key, seq: entry.seq, payload: payload,
                    verdict: isRevoked ? verdict.silenced : verdict))
        }
        self.noteWhole(key)
        // The store may have read a part only, so the rest is asked for again.
        if (1..<arrival.items.count).contains(stored.count) {
            self.catchUp.payloadWants.hear(key, on: arrival.link)
        }
        guard !arrival.fills.isEmpty else { return self.dropArrival(arrival) }
        self.disk.commits.add(arrival)
    }

    /// Ends what came with an answer of which nothing is stored.
    mutating func dropArrival(_ arrival: PayloadArrival) {
        self.catchUp.payloadWants.arrived(arrival.key, arrival.seqs)
        self.consume(arrival.byteCount, on: .sync, of: arrival.link)
    }

    /// Payloads are on disk: who had asked for them in vain is told.
    mutating func settleArrivals(_ arrivals: [PayloadArrival]) {
        for arrival in arrivals {
            for fill in arrival.fills {
                self.catchUp.payloadWants.settle(fill.key, fill.seq...fill.seq)
            }
            self.dropArrival(arrival)
            self.noteWhole(arrival.key)
            self.tellWhole(arrival.key)
        }
    }

    /// Entries of a log are on disk: who had asked in vain for their payloads is told.
    mutating func tellAwaiting(_ append: Append) {
        guard append.verdicts.contains(where: { $0.payload == .present }) else { return }
        self.tellWhole(append.run.run.key, author: false)
    }

    /// Tells those who had asked in vain, and the author, too, unless nothing was lacking.
    mutating func tellWhole(_ key: LogKey, author isAuthorTold: Bool = true) {
        let conversation = key.conversation
        let log = self.conversations.table[known: conversation].log(key.name)
        let number = self.conversations.table[known: conversation].numbers.number(of: key.name)
        for id in self.links.sharing(conversation) {
            let hasAsked = self.links[id].shared[known: conversation].awaitsPayloads.remove(number)
            let isAuthor = isAuthorTold && self.links[id].info.peer == key.name.author
            guard hasAsked || isAuthor else { continue }
            let tags = self.links[id].tags
            self.send(
                .delta(conversation, [tags.row(key.name, log, in: conversation, by: tags.own)]),
                on: id)
        }
    }

    // MARK: Serving

    mutating func receivePayloadWant(_ want: Want, on id: LinkID) {
        let conversation = want.conversation
        guard self.links.isShared(conversation, on: id),
            let name = self.logName(want.tag, of: conversation, on: id)
        else {
            if self.links.isShared(conversation, on: id) {
                self.links[id].awaited.note(want.tag, in: conversation)
            }
            return self.send(
                .payloads(
                    Payloads(
                        conversation: conversation, tag: want.tag, from: want.from, items: [])),
                on: id)
        }
        self.links[id].service.payloads = PayloadServing(
            key: LogKey(conversation: conversation, name: name), tag: want.tag, from: want.from,
            through: want.through)
        self.pumpPayloads(id)
    }

    mutating func pumpPayloads(_ id: LinkID) {
        guard let serving = self.links[id].nextPayloads() else { return }
        self.links[id].service.isReadingPayloads = true
        let last = min(serving.through, serving.from + UInt64(Limits.payloadItems) - 1)
        let head = self.conversations.table[serving.key.conversation]?.log(serving.key.name).head
            .seq
        guard let head, head >= serving.from else { return self.servePayloads([], serving, on: id) }
        self.actions.append(
            .readPayloads(
                self.disk.reads.begin(.payloads(id, serving)), serving.key, from: serving.from,
                through: min(last, head)))
    }

    /// Sends what was read; nothing where the log has no entry there.
    mutating func servePayloads(
        _ stored: [StoredPayload], _ serving: PayloadServing, on id: LinkID
    ) {
        self.links[id].service.isReadingPayloads = false
        let conversation = serving.key.conversation
        guard self.links[id].service.payloads == serving else { return self.pumpPayloads(id) }
        guard self.links.isShared(conversation, on: id) else {
            // Nobody is left to hear the end of this.
            self.links[id].service.payloads = nil
            return
        }
        let items = stored.map { Payloads.Item($0) }
        let frame = Frame.payloads(
            Payloads(
                conversation: conversation, tag: serving.tag, from: serving.from, items: items)
        ).encoded
        // Frames that were sent since the read began may have used of the credit.
        guard self.links[id].flow.credit(on: .sync) >= frame.bytes.count else { return }
        if items.isEmpty || items.contains(.wanted) {
            let name = serving.key.name
            let number = self.conversations.table[known: conversation].numbers.number(of: name)
            self.links[id].shared[known: conversation].awaitsPayloads.insert(number)
        }
        self.sendEncoded(frame, on: id)
        let next = serving.from + UInt64(items.count)
        if items.isEmpty || next > serving.through {
            self.links[id].service.payloads = nil
        } else {
            self.links[id].service.payloads?.from = next
        }
        self.pumpPayloads(id)
    }

    /// What becomes of an entry whose payload has come.
    private func verdict(of reading: EntryReading, in person: PersonID?) -> EntryVerdict {
        var verdict = EntryVerdict(of: reading, in: person)
        verdict.noteUser(self.mentioned, in: reading, by: person)
        return verdict
    }
}
