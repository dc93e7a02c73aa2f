import Engine
import Formats
import Crypto

/// The frames that hostile peers make.
extension Simulation {
    /// A frame that somebody has sent, with something in it changed.
    func changedFrame(_ frame: Frame) -> Frame {
        let number = self.random.chance(50) ? self.random.number(UInt64(1)...40) : UInt64.max >> 1
        switch frame {
        case .ping(let nonce, _): return .ping(nonce: nonce, clock: self.random.next())
        case .pong(let nonce, _): return .pong(nonce: nonce, clock: self.random.next())
        case .credit(let channel, _): return .credit(channel, bytes: number)
        case .goaway: return .goaway(nil, "")
        case .realms(let tags):
            let others = tags.map { _ in self.randomTag() }
            return .realms(self.random.chance(50) ? others.sorted() : tags.reversed())
        case .rooms(let tag, _):
            let name = Workload.room(self.random.number(0...5)).name
            return .rooms(self.random.chance(50) ? tag : self.randomTag(), [name])
        case .shares(let tags): return .shares(tags.map { _ in self.random.next() }.sorted())
        case .roomsLeft(let rooms): return .roomsLeft(rooms)
        case .liveRun(let run): return .liveRun(self.changedRun(run))
        case .syncRun(let run): return .syncRun(self.changedRun(run))
        case .digest(let room, let digest): return .digest(room, self.changedDigest(digest))
        case .buckets(let room, let tags):
            return .buckets(room, tags.map { self.random.chance(5) ? self.random.next() : $0 })
        case .clock(let room, let pages): return .clock(room, self.changedPages(pages, number))
        case .delta(let room, let rows):
            let changed = rows.map { self.changedRow($0, number) }
            if self.random.chance(30) {
                let bucket = UInt8(self.random.number(0...255))
                return .clock(room, [ClockPage(bucket: bucket, rows: changed)])
            }
            return .delta(room, changed)
        case .want(var want):
            want.from = self.random.number(UInt64(1)...10)
            want.through = want.from + self.random.number(UInt64(0)...4_000)
            return .want(want)
        case .payloadWant(var want):
            want.from = self.random.number(UInt64(1)...10)
            want.through = want.from + self.random.number(UInt64(0)...4_000)
            return .payloadWant(want)
        case .payloads(var payloads):
            payloads.items = payloads.items.map { self.changedItem($0) }
            if self.random.chance(30) { payloads.from = number }
            return .payloads(payloads)
        case .blobAsk(let room, _): return .blobAsk(room, BlobID(size: number, root: .zero))
        case .blobHoldings(let holdings): return .blobHoldings(BlobHoldings(holdings.blob, .whole))
        case .blobWant(var want):
            want.number = number
            return .blobWant(want)
        case .blobUnavailable: return .blobUnavailable(number: number)
        case .blobPiece(var piece):
            piece.bytes = piece.bytes.reversed()
            return .blobPiece(piece)
        case .unavailable(let room, _, let from):
            return .unavailable(room, tag: self.random.next(), from: from)
        case .records(let records): return .records(records.map { self.changedRecord($0) })
        case .recordClock(let room, let rows):
            return .recordClock(room, rows.filter { _ in self.random.chance(50) })
        case .forkProof(let proof): return .forkProof(proof)
        case .presence: return .presence(self.random.chance(50) ? .away : .online)
        case .dialBack, .dialledBack, .ephemeral, .device, .handOver, .addresses: return frame
        case .actHeads, .actWant, .acts, .epochKeys, .sealedKeys: return frame
        }
    }

    /// What is told of a payload, changed.
    private func changedItem(_ item: Payloads.Item) -> Payloads.Item {
        switch self.random.number(0...5) {
        case 0: .wanted
        case 1: .erased
        case 2: .expired
        case 3: .present(Content.text("never written").payload(using: &self.random))
        default: item
        }
    }

    /// A frame without some of the payloads that it should have; nil where it has none.
    func omitting(_ frame: Frame) -> Frame? {
        switch frame {
        case .liveRun(let run): return .liveRun(self.omitting(run))
        case .syncRun(let run): return .syncRun(self.omitting(run))
        case .payloads(var payloads):
            payloads.items = payloads.items.map { _ in
                [.wanted, .erased, .expired][self.random.number(0...2)]
            }
            return .payloads(payloads)
        default: return nil
        }
    }

    private func omitting(_ run: Run) -> Run {
        var entries = run.entries
        for index in entries.indices
        where entries[index].entryClass != EntryClass.control.rawValue && self.random.chance(70) {
            entries[index].payload = entries[index].payload.omitted
        }
        return Run(
            key: run.key, first: run.first, prev: run.prev, attestation: run.attestation,
            entries: entries)
    }

    /// Now and then, the next entry of somebody's log, which its author never signed.
    func forgery(by index: Int) -> Frame? {
        let logs = self.machines[index].store.logs.sorted { $0.key < $1.key }
        guard self.random.chance(30), let (key, log) = logs.randomElement(using: &self.random),
            let last = log.rows.last, let time = log.head.time.next, log.head.id == last.id
        else { return nil }
        let entry = Entry(
            entryClass: last.entry.entryClass, time: time, deps: [], payload: last.entry.payload)
        return .liveRun(
            Run(
                key: key, first: log.head.seq + 1, prev: last.id,
                attestation: last.attestation ?? .zero, entries: [entry]))
    }

    private func changedRun(_ run: Run) -> Run {
        var entries = run.entries
        let first = self.random.chance(30) ? run.first + 1 : run.first
        switch self.random.number(0...4) {
        case 0: entries[0].time = HybridTime(entries[0].time.rawValue / 2)
        case 1: entries.removeLast(entries.count - 1)
        case 2: entries[0].deps = []
        case 3:
            entries[entries.count - 1].payload = .present(
                Content.text("never written").payload(using: &self.random))
        default: break
        }
        return Run(
            key: run.key, first: first,
            prev: first == 1 ? nil : run.prev ?? EntryID(self.changedHash(Bytes32.zero)),
            attestation: run.attestation, entries: entries)
    }

    private func changedRecord(_ record: Record) -> Record {
        // Somebody's name, signed by the wrong key.
        Record(
            kind: record.kind, author: record.author, conversation: nil,
            time: record.time.next ?? record.time,
            value: Profile(name: "mallory", status: "").encoded,
            signer: Self.signer(&self.random))
    }

    private func changedRow(_ row: ClockRow, _ number: UInt64) -> ClockRow {
        var row = row
        if self.random.chance(50) { row.seq = number }
        if self.random.chance(30) { row.headTag = self.random.next() }
        if self.random.chance(30) { row.state = self.random.chance(50) ? .forked : .refused }
        if self.random.chance(10) { row.first = row.seq / 2 + 1 }
        if self.random.chance(10) { row.whole = row.seq / 2 }
        if self.random.chance(10) { row.shown = row.seq / 3 }
        return row
    }

    /// Pages with some rows changed, of some buckets only, or of others.
    private func changedPages(_ pages: [ClockPage], _ number: UInt64) -> [ClockPage] {
        let shift = self.random.chance(20) ? UInt8(self.random.number(1...255)) : 0
        let kept = pages.filter { _ in self.random.chance(80) }
        let changed = (kept.isEmpty ? pages : kept).map { page in
            ClockPage(
                bucket: page.bucket &+ shift,
                rows: page.rows.map { self.changedRow($0, number) })
        }
        return changed.sorted { $0.bucket < $1.bucket }
    }

    private func changedDigest(_ digest: ConversationDigest) -> ConversationDigest {
        self.random.chance(70)
            ? ConversationDigest(logs: self.changedHash(digest.logs), records: digest.records)
            : ConversationDigest(logs: digest.logs, records: self.changedHash(digest.records))
    }

    private func changedHash(_ hash: Bytes32) -> Bytes32 {
        var bytes = hash.bytes
        bytes[self.random.number(0...31)] ^= 1
        return Bytes32(bytes) ?? hash
    }

    // MARK: Two histories

    /// Signs a log with several histories, and gives each to others.
    ///
    /// - Parameter isAhead: whether the entries are of the wrong time instead, and of one history.
    func equivocate(by index: Int, to streams: [(wire: Int, side: Int)], isAhead: Bool) {
        let machine = self.machines[index]
        guard let adversary = machine.adversary, adversary.logCount < 12,
            let room = machine.store.rooms.keys.sorted().randomElement(using: &self.random)
        else { return }
        self.machines[index].adversary?.logCount += 1
        let incarnation = self.random.chance(30) ? machine.store.incarnation : nil
        let name = LogName(author: machine.id, incarnation: incarnation ?? self.random.next())
        let key = LogKey(conversation: room, name: name)
        let known = machine.store.logs[key]?.rows ?? []
        // The log begins anew, or leaves the own node's log somewhere.
        let stem = known.isEmpty ? 0 : self.random.number(0...known.count - 1)
        let start = Head(
            seq: UInt64(stem), id: stem == 0 ? Head.start.id : known[stem - 1].id,
            time: stem == 0 ? HybridTime(0) : known[stem - 1].entry.time)
        let common =
            known.isEmpty
            ? self.signed(self.random.number(1...4), key, after: start, by: machine, isAhead)
            : []
        var branches: [[VerifiedRun]] = []
        for _ in 0..<(isAhead ? 1 : self.random.number(1...3)) {
            let excess = known.count - stem
            let count = self.random.number(1...8) + min(excess, 100)
            let own = self.signed(
                count, key, after: common.last?.head ?? start, by: machine, isAhead)
            branches.append(common + own)
        }
        for (position, stream) in streams.enumerated() {
            for run in branches[position % branches.count] {
                self.inject(
                    self.random.chance(70) ? .liveRun(run.run) : .syncRun(run.run), stream.wire,
                    stream.side)
            }
        }
    }

    /// Signs entries that go on from a place in a log; the first one of a log by itself.
    private func signed(
        _ count: Int, _ key: LogKey, after start: Head, by machine: Machine, _ isAhead: Bool
    ) -> [VerifiedRun] {
        guard start.seq == 0 else {
            return [self.signedRun(count, key, after: start, by: machine, isAhead)]
        }
        let first = self.signedRun(1, key, after: start, by: machine, isAhead)
        guard count > 1 else { return [first] }
        return [first, self.signedRun(count - 1, key, after: first.head, by: machine, isAhead)]
    }

    /// What a log begins with: mostly as it must, or with a certificate of somebody else's device.
    private func opening(by machine: Machine) -> Content {
        guard self.random.chance(80) else {
            return self.random.chance(30)
                ? .text("a log of nobody")
                : .open(
                    LogOpening(
                        certificate: self.machines[
                            self.random.number(0...self.machines.count - 1)
                        ].identity.certificate, closes: []))
        }
        return .open(LogOpening(certificate: machine.identity.certificate, closes: [1, .max]))
    }

    private func signedRun(
        _ count: Int, _ key: LogKey, after start: Head, by machine: Machine, _ isAhead: Bool
    ) -> VerifiedRun {
        var time = max(HybridTime(wallMilliseconds: self.wall), start.time.next ?? start.time)
        if isAhead {
            switch self.random.number(0...6) {
            case 0: time = HybridTime(.max >> 1)
            case 1: time = HybridTime(start.time.rawValue + 1)
            case 2: time = max(start.time, HybridTime(.max - 100_000_000))
            case 3, 4:
                // Around what is followed, and what is held.
                let ahead = self.random.number(UInt64(0)...330_000)
                time = max(time, HybridTime(wallMilliseconds: self.wall + ahead))
            default:
                let ahead = self.random.number(UInt64(1)...4_000_000_000)
                time = max(time, HybridTime(wallMilliseconds: self.wall + ahead))
            }
        }
        let others = machine.store.logs.filter { $0.key.conversation == key.conversation }
            .sorted { $0.key < $1.key }.flatMap { $0.value.rows.map(\.id) }
        var entries: [Entry] = []
        var ids: [EntryID] = []
        for number in 0..<count {
            var deps: Set<EntryID> = []
            if self.random.chance(30) {
                for _ in 0..<self.random.number(1...3) {
                    if let id = others.randomElement(using: &self.random) { deps.insert(id) }
                }
                if self.random.chance(20) { deps.insert(EntryID(self.changedHash(Bytes32.zero))) }
            }
            if self.random.chance(30), let id = self.laterForged(than: time, in: key.conversation) {
                deps.insert(id)
            }
            let content =
                start.seq == 0 ? self.opening(by: machine) : .text("from two mouths \(number)")
            entries.append(
                Entry(
                    entryClass: content.entryClass, time: time, deps: deps.sorted(),
                    payload: .present(content.payload(using: &self.random))))
            let seq = start.seq + UInt64(number) + 1
            let prev = ids.last ?? (start.seq == 0 ? nil : start.id)
            ids.append(entries[number].id(key: key, seq: seq, prev: prev))
            let step = self.random.number(UInt64(1)...200_000)
            time = HybridTime(min(time.rawValue, .max - step) + step)
        }
        let last = start.seq + UInt64(count)
        let run = VerifiedRun(
            run: Run(
                key: key, first: start.seq + 1, prev: start.seq == 0 ? nil : start.id,
                attestation: Attestation.sign(
                    key: key, seq: last, id: ids[count - 1], by: machine.identity.signer),
                entries: entries), ids: ids)
        self.checker.noteWritten(run)
        self.assaults.forged[key.conversation, default: []] += ids
        return run
    }

    /// One of the newest entries that hostile peers have signed, of whichever of their histories,
    /// that is not before a time: an entry dated before what it follows.
    private func laterForged(than time: HybridTime, in room: ConversationID) -> EntryID? {
        let later = (self.assaults.forged[room] ?? []).suffix(40).filter { id in
            self.checker.written[id].map { $0.time >= time } ?? false
        }
        return later.randomElement(using: &self.random)
    }

    // MARK: Too much

    /// Sends a great many frames of one kind.
    func flood(by index: Int, _ number: Int, _ side: Int) {
        let machine = self.machines[index]
        let rooms = machine.store.rooms.keys.sorted()
        guard let room = rooms.randomElement(using: &self.random) else { return }
        func inject(_ count: Int, _ frame: (Int) -> Frame) {
            for number_ in 0..<count { self.inject(frame(number_), number, side) }
        }
        switch self.random.number(0...10) {
        case 0: inject(1_000) { _ in .ping(nonce: self.random.next(), clock: self.random.next()) }
        case 1:
            inject(200) { _ in
                .digest(
                    room,
                    ConversationDigest(
                        logs: self.changedHash(Bytes32.zero), records: Bytes32.zero))
            }
        case 2:
            inject(300) { _ in
                .want(Want(conversation: room, tag: self.random.next(), from: 1, through: 4_000))
            }
        case 3:
            let tag = self.network.wires[number]?.directions[side].roomTag ?? self.randomTag()
            inject(15) { part in
                .rooms(tag, (100..<200).compactMap { RoomName("flood-\(part + 10)-\($0)") })
            }
        case 4: inject(60) { self.profile(of: machine, number: UInt64($0)) }
        case 5: inject(3) { _ in .delta(room, self.inventedRows(2_000)) }
        case 6: inject(300) { _ in self.strangersProfile() }
        case 7: inject(20) { _ in .credit(.sync, bytes: 1_000_000) }
        case 8: inject(50) { _ in .buckets(room, (0..<256).map { _ in self.random.next() }) }
        case 9:
            inject(20) { _ in
                .clock(
                    room,
                    (0...UInt8.max).map { ClockPage(bucket: $0, rows: self.inventedRows(20)) })
            }
        default: inject(64) { _ in .recordClock(room, []) }
        }
    }

    func randomTag() -> Bytes16 {
        var bytes: [UInt8] = []
        for _ in 0..<16 { bytes.append(UInt8.random(in: 0...255, using: &self.random)) }
        return Bytes16(bytes) ?? .zero
    }

    /// A profile of its own, newer than the one before.
    private func profile(of machine: Machine, number: UInt64) -> Frame {
        let time = HybridTime(HybridTime(wallMilliseconds: self.wall).rawValue + number)
        return .records([
            Record(
                kind: Record.Kind.profile, author: machine.id, conversation: nil, time: time,
                value: Profile(name: "flood \(number)", status: "").encoded,
                signer: machine.identity.signer)
        ])
    }

    /// A valid profile of somebody who never wrote anything.
    private func strangersProfile() -> Frame {
        let signer = Self.signer(&self.random)
        return .records([
            Record(
                kind: Record.Kind.profile, author: PeerID(signer.publicKey), conversation: nil,
                time: HybridTime(wallMilliseconds: self.wall),
                value: Profile(name: "nobody", status: "").encoded, signer: signer)
        ])
    }

    /// Clock rows of logs that do not exist.
    private func inventedRows(_ count: Int) -> [ClockRow] {
        let tags = Set((0..<count).map { _ in self.random.next() }).sorted()
        return tags.map { ClockRow(tag: $0, state: .open, seq: 1, headTag: 1) }
    }
}
