internal import Noise

/// Sending entries: own ones at once after their commit, wanted ones as credit allows.
extension Node {
    /// Pushes what was just committed of own logs to every peer that has all before it.
    mutating func pushOwn(_ flight: InFlight) {
        for append in flight.batch.appends.prefix(flight.ownAppends) {
            let run = append.run.run
            let frame = Frame.liveRun(run).encoded
            for id in self.links(sharing: run.key.conversation) {
                self.push(run, frame, on: id)
            }
        }
    }

    private mutating func push(_ run: Run, _ frame: EncodedFrame, on id: LinkID) {
        let (room, name) = (run.key.conversation, run.key.name)
        guard let link = self.links[id], let shared = link.shared[room] else { return }
        // A log that begins is nowhere yet.
        guard let fed = shared.fed[name] ?? (run.first == 1 ? 0 : nil) else { return }
        self.links[id]?.shared[room]?.fed[name] = fed
        self.links[id]?.shared[room]?.names[link.tag(name, in: room)] = name
        if fed + 1 == run.first && link.credit(on: .live) >= frame.bytes.count {
            self.send(frame, on: id)
            self.links[id]?.shared[room]?.fed[name] = run.last
        } else {
            // The link lags: its credit will bring the rest from the store.
            self.pump(id)
        }
    }

    /// Sends what waits for credit: frames, then runs from the store, own new ones apart from bulk.
    mutating func pump(_ id: LinkID) {
        while let link = self.links[id], let next = link.outbox.first,
            link.credit(on: .sync) >= next.bytes.count
        {
            self.links[id]?.outbox.removeFirst()
            self.links[id]?.spend(next.bytes.count, on: .sync)
            self.actions.append(.send(id, next))
        }
        self.pumpLive(id)
        self.pumpSync(id)
    }

    private mutating func pumpLive(_ id: LinkID) {
        guard let link = self.links[id], !link.isReadingLive,
            link.credit(on: .live) >= Limits.runFrameBytes
        else { return }
        for (room, shared) in link.shared.sorted(by: { $0.key < $1.key }) {
            for (name, fed) in shared.fed.sorted(by: { $0.key < $1.key }) {
                let head = self.conversationTable[room]?.log(name).head.seq ?? 0
                guard fed < head else { continue }
                let key = LogKey(conversation: room, name: name)
                self.links[id]?.isReadingLive = true
                self.read(.live(id, key), key, from: fed + 1, through: head)
                return
            }
        }
    }

    private mutating func pumpSync(_ id: LinkID) {
        guard let link = self.links[id], !link.isReadingSync, link.outbox.isEmpty,
            link.credit(on: .sync) >= Limits.runFrameBytes, let serving = link.serving.first
        else { return }
        self.links[id]?.isReadingSync = true
        self.read(.sync(id, serving), serving.key, from: serving.from, through: serving.through)
    }

    mutating func read(
        _ purpose: ReadPurpose, _ key: LogKey, from: UInt64, through: UInt64
    ) {
        self.lastRead += 1
        let read = ReadID(self.lastRead)
        self.reads[read] = purpose
        self.actions.append(.readRun(read, key, from: from, through: through))
    }

    mutating func received(_ want: Want, on id: LinkID) {
        guard let link = self.links[id] else { return }
        let room = want.conversation
        // A peer that has given up a want may ask again before the first one is answered.
        guard link.serving.count < Limits.wantsPerLink,
            let name = link.shared[room]?.names[want.tag],
            let head = self.conversationTable[room]?.log(name).head, head.seq >= want.from
        else {
            return self.send(
                .unavailable(room, tag: want.tag, from: want.from), on: id)
        }
        self.links[id]?.serving.append(
            Serving(
                key: LogKey(conversation: room, name: name), tag: want.tag, from: want.from,
                through: min(want.through, head.seq)))
        self.pumpSync(id)
    }

    mutating func runRead(_ read: ReadID, _ run: Run?) {
        guard let purpose = self.reads.removeValue(forKey: read) else { return }
        switch purpose {
        case .live(let id, let key): self.liveRead(run, key, on: id)
        case .sync(let id, let serving): self.syncRead(run, serving, on: id)
        case .fork(let key): self.forkRead(run, key)
        case .end(let proof): self.endRead(run, proof)
        }
    }

    mutating func readFailed(_ read: ReadID, _ failure: StoreFailure) {
        guard let purpose = self.reads.removeValue(forKey: read) else { return }
        self.alert(.storage, "\(failure.detail); \(failure.remedy)")
        switch purpose {
        // Entries that are damaged here are no reason to keep the others from the peer.
        case .live(let id, let key) where failure.reason == .corrupt:
            self.liveRead(nil, key, on: id)
        case .sync(let id, let serving) where failure.reason == .corrupt:
            self.syncRead(nil, serving, on: id)
        case .live(let id, _), .sync(let id, _): self.close(id, .storage, "the disk failed")
        case .fork(let key): self.forkSearches[key] = nil
        // Peers tell of the proof again.
        case .end: break
        }
    }

    private mutating func liveRead(_ run: Run?, _ key: LogKey, on id: LinkID) {
        self.links[id]?.isReadingLive = false
        let room = key.conversation
        guard let fed = self.links[id]?.shared[room]?.fed[key.name] else { return self.pump(id) }
        if let run, run.first == fed + 1 {
            // Pushes of other logs may have used of the credit while this was read.
            let frame = Frame.liveRun(run).encoded
            guard (self.links[id]?.credit(on: .live) ?? 0) >= frame.bytes.count else { return }
            self.send(frame, on: id)
            self.links[id]?.shared[room]?.fed[key.name] = run.last
        } else if run == nil {
            // The log was repaired or ended meanwhile; clocks will tell what the peer lacks.
            self.links[id]?.shared[room]?.fed[key.name] = nil
        }
        self.pump(id)
    }

    private mutating func syncRead(_ run: Run?, _ serving: Serving, on id: LinkID) {
        self.links[id]?.isReadingSync = false
        guard self.links[id]?.serving.first == serving else { return self.pump(id) }
        let room = serving.key.conversation
        guard let run, self.links[id]?.shared[room] != nil else {
            self.links[id]?.serving.removeFirst()
            self.send(.unavailable(room, tag: serving.tag, from: serving.from), on: id)
            return self.pump(id)
        }
        // Sent past the outbox: the credit for a whole run was there when the read began, and only
        // frames that were sent since have used of it.
        let frame = Frame.syncRun(run).encoded
        guard (self.links[id]?.credit(on: .sync) ?? 0) >= frame.bytes.count else { return }
        self.send(frame, on: id)
        if run.last >= serving.through {
            self.links[id]?.serving.removeFirst()
            self.feedOn(serving.key, after: run.last, on: id)
        } else {
            self.links[id]?.serving[0].from = run.last + 1
        }
        self.pump(id)
    }

    /// A peer that has fetched an own log to its end is pushed what is new from then on.
    private mutating func feedOn(_ key: LogKey, after seq: UInt64, on id: LinkID) {
        let head = self.conversationTable[key.conversation]?.log(key.name).head.seq ?? 0
        guard key.name.author == self.id, seq >= head else { return }
        if self.links[id]?.shared[key.conversation]?.fed[key.name] == nil {
            self.links[id]?.shared[key.conversation]?.fed[key.name] = seq
        }
    }
}
