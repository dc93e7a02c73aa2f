internal import Crypto
internal import Formats

/// Sending entries: own ones at once after their commit, wanted ones as credit allows.
extension Node {
    /// Pushes what was just committed of own logs to every peer that has all before it.
    mutating func pushOwn(_ flight: InFlight) {
        for append in flight.batch.appends.prefix(flight.ownAppends) {
            let run = append.run.run
            let links = self.links.sharing(run.key.conversation)
            guard !links.isEmpty else { continue }
            let frame = Frame.liveRun(run).encoded
            let announces = flight.madeKeys.contains { $0.group == run.key.conversation }
            let number = self.conversations.table[known: run.key.conversation]
                .numbers.number(of: run.key.name)
            for id in links {
                switch self.links[id].push(
                    run, number: number, byteCount: frame.bytes.count, isBehindKey: announces)
                {
                case .now:
                    self.links[id].notePushed(run, at: self.now)
                    self.actions.append(.send(id, frame))
                    self.links[id].large.send(frame.bytes.count)
                    self.awaitSign(on: id)
                case .later: self.pumpLive(id)
                case .none: break
                }
            }
        }
    }

    /// Notes that an own log has grown otherwise than by sending: by entries that came back.
    mutating func feedReturned(_ key: LogKey) {
        guard key.name.author == self.id else { return }
        for id in self.links.sharing(key.conversation) where self.links[id].fed(key) != nil {
            self.links[id].service.lagging.add(key)
            self.pumpLive(id)
        }
    }

    /// Begins to push an own log to a peer that has caught up with it, but for one run at most.
    ///
    /// While its author writes on, nobody ever has all of a log, and would be pushed nothing.
    mutating func beginFeed(_ key: LogKey, from seq: UInt64, on id: LinkID) {
        // First what is known of nearly every delta.
        guard self.links[id].fed(key) == nil else { return }
        let head = self.conversations.table[known: key.conversation].log(key.name).head.seq
        guard seq > 0, seq <= head, head - seq <= UInt64(Limits.runEntries) else { return }
        self.links[id].shared[known: key.conversation].fed[key.name] = seq
        guard seq < head else { return }
        self.links[id].service.lagging.add(key)
        self.pumpLive(id)
    }

    /// Sends what waits for credit: frames, then runs from the store, own new ones apart from bulk.
    mutating func pump(_ id: LinkID) {
        self.sendWaiting(on: id)
        self.pumpOwed(id)
        self.pumpHandOver(id)
        self.pumpLive(id)
        self.pumpSync(id)
        self.pumpPayloads(id)
        self.pumpPieces(id)
    }

    /// Reads on for the lagging logs in turn, as much as may be sent.
    private mutating func pumpLive(_ id: LinkID) {
        guard let bytes = self.links[id].liveReadBytes else { return }
        while let key = self.links[id].service.lagging.next() {
            let head = self.conversations.table[known: key.conversation].log(key.name).head.seq
            // The conversation may have been left since.
            guard let fed = self.links[id].fed(key), fed < head else { continue }
            self.links[id].service.lagging.add(key)
            self.links[id].service.isReadingLive = true
            self.read(.live(id, key), key, from: fed + 1, through: head, bytes: bytes)
            return
        }
    }

    private mutating func pumpSync(_ id: LinkID) {
        guard let serving = self.links[id].nextServing() else { return }
        self.links[id].service.isReadingSync = true
        // A run at a time, since live entries wait behind what is read; and short ones where there
        // are any, since they wait for each run at the peer as well.
        let short = serving.from + UInt64(Limits.attestedEntries) - 1
        let through =
            self.links[id].isLive(at: self.now) ? min(short, serving.through) : serving.through
        self.read(.sync(id, serving), serving.key, from: serving.from, through: through)
    }

    /// Reads a run, or more of them as far as they fit into so many bytes of frames.
    mutating func read(
        _ purpose: ReadPurpose, _ key: LogKey, from: UInt64, through: UInt64, bytes: Int = 0
    ) {
        let read = self.disk.reads.begin(purpose)
        self.actions.append(.readRuns(read, key, from: from, through: through, byteLimit: bytes))
    }

    mutating func receiveWant(_ want: Want, on id: LinkID) {
        let conversation = want.conversation
        // A peer that has given up a want may ask again before the first one is answered.
        guard self.links.isShared(conversation, on: id),
            self.links[id].service.serving.count < Limits.wantsPerLink,
            let name = self.logName(want.tag, of: conversation, on: id)
        else { return self.refuseWant(want, on: id) }
        let head = self.conversations.table[known: conversation].log(name).head
        guard head.seq >= want.from else { return self.refuseWant(want, on: id) }
        if name.author != self.id {
            let number = self.conversations.table[known: conversation].numbers.number(of: name)
            self.links[id].shared[known: conversation].taken.insert(number)
        }
        self.links[id].service.serving.append(
            Serving(
                key: LogKey(conversation: conversation, name: name), tag: want.tag,
                from: want.from, through: min(want.through, head.seq)))
        self.pumpSync(id)
    }

    private mutating func refuseWant(_ want: Want, on id: LinkID) {
        self.send(.unavailable(want.conversation, tag: want.tag, from: want.from), on: id)
    }

    // MARK: What the store has read

    mutating func runsRead(_ read: ReadID, _ runs: [Run]) {
        switch self.disk.reads.end(read) {
        case .live(let id, let key): self.liveRead(runs, key, on: id)
        case .sync(let id, let serving): self.syncRead(runs.first, serving, on: id)
        case .fork(let key): self.forkRead(runs.first, key)
        case .siteFork(let theirs): self.siteForkRead(runs.first, theirs)
        case .end(let proof): self.endRead(runs.first, proof)
        case .payloads, .fill, .proof: preconditionFailure("runs answer what runs were asked for")
        case nil: break
        }
    }

    mutating func readFailed(_ read: ReadID, _ failure: StoreFailure) {
        guard let purpose = self.disk.reads.end(read) else { return }
        self.raiseAlert(.storage, "\(failure.detail); \(failure.remedy)")
        switch purpose {
        // Entries that are damaged here are no reason to keep the others from the peer.
        case .live(let id, let key) where failure.reason == .corrupt:
            self.liveRead([], key, on: id)
        case .sync(let id, let serving) where failure.reason == .corrupt:
            self.syncRead(nil, serving, on: id)
        case .payloads(let id, let serving) where failure.reason == .corrupt:
            self.servePayloads([], serving, on: id)
        case .fill(let arrival): self.dropArrival(arrival)
        case .live(let id, _), .sync(let id, _), .payloads(let id, _):
            self.close(id, .storage, "the disk failed")
        case .proof(let id, _):
            self.links[id].service.isReadingProof = false
            self.pumpOwed(id)
        case .fork(let key): self.catchUp.forkSearches.end(key)
        // Peers tell of the proof again, and sites of the run.
        case .end, .siteFork: break
        }
    }

    private mutating func liveRead(_ runs: [Run], _ key: LogKey, on id: LinkID) {
        self.links[id].service.isReadingLive = false
        // The conversation may have been left while this was read.
        guard self.links.isShared(key.conversation, on: id) else { return self.pump(id) }
        if runs.isEmpty {
            // The log was repaired or ended meanwhile; clocks will tell what the peer lacks.
            self.links[id].shared[known: key.conversation].fed[key.name] = nil
        }
        for run in runs {
            guard let fed = self.links[id].fed(key), run.first == fed + 1 else { break }
            // Pushes of other logs may have used of the credit while this was read.
            let frame = Frame.liveRun(run).encoded
            guard self.links[id].flow.credit(on: .live) >= frame.bytes.count else { break }
            self.sendEncoded(frame, on: id)
            self.links[id].shared[known: key.conversation].fed[key.name] = run.last
        }
        self.pump(id)
    }

    private mutating func syncRead(_ run: Run?, _ serving: Serving, on id: LinkID) {
        self.links[id].service.isReadingSync = false
        guard self.links[id].service.serving.first == serving else { return self.pump(id) }
        guard let run else {
            self.links[id].service.serving.removeFirst()
            let want = Want(
                conversation: serving.key.conversation, tag: serving.tag, from: serving.from,
                through: serving.through)
            self.refuseWant(want, on: id)
            return self.pump(id)
        }
        // Sent past the outbox: the credit for a whole run was there when the read began, and only
        // frames that were sent since have used of it.
        let frame = Frame.syncRun(run).encoded
        guard self.links[id].flow.credit(on: .sync) >= frame.bytes.count else { return }
        self.sendEncoded(frame, on: id)
        if run.last >= serving.through {
            self.links[id].service.serving.removeFirst()
            self.feedOn(serving.key, after: run.last, on: id)
        } else {
            self.links[id].service.serving[0].from = run.last + 1
        }
        self.pump(id)
    }

    /// A peer that has fetched an own log to its end is pushed what is new from then on.
    private mutating func feedOn(_ key: LogKey, after seq: UInt64, on id: LinkID) {
        let head = self.conversations.table[known: key.conversation].log(key.name).head.seq
        guard key.name.author == self.id, seq >= head, self.links[id].fed(key) == nil else {
            return
        }
        self.links[id].shared[known: key.conversation].fed[key.name] = seq
    }
}
