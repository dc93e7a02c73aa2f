internal import Crypto
internal import Engine
internal import Formats

/// What goes to other sites, in the order in which it came here.
extension StoreFile {
    /// The ends of runs looked at for one page.
    private static let endsPerPage = 1_024
    /// The most runs of a log that are given where somebody lacks some.
    private static let runsAgain = 64

    /// The runs that have come behind a place; see ``MessageStore/runs(since:in:groups:by:byteLimit:)``.
    func runs(
        since place: ArrivalPlace, in conversations: [ConversationID: SiteScope],
        groups: Set<ConversationID>, by keyring: Keyring, byteLimit: Int
    ) throws(SQLiteError) -> ArrivedRuns {
        let newest = try self.statements.sites.newest.first { row in row.int(.arrival) } ?? 0
        // Of another time of this store: all is given again.
        let place = place.arrival <= newest ? place : ArrivalPlace()
        var ends: [(arrival: Int64, key: LogKey, seq: UInt64)] = []
        try self.statements.sites.attested.bind(.since, place.arrival)
            .bind(.limit, Int64(Self.endsPerPage)).forEach { (row) throws(SQLiteError) in
                let name = LogName(
                    author: PeerID(try row.bytes32(.key)),
                    incarnation: UInt64(stored: row.int(.incarnation)))
                let key = LogKey(conversation: ConversationID(try row.bytes32(.hash)), name: name)
                ends.append((row.int(.arrival), key, UInt64(bitPattern: row.int(.seq))))
            }
        var found = ArrivedRuns(through: place)
        var bytes = 0
        for end in ends {
            let scope = conversations[end.key.conversation]
            if scope == .all || scope == .own && end.key.name.author == self.owner {
                // What is damaged is told elsewhere, and keeps nothing behind it from going out.
                let isGroup = groups.contains(end.key.conversation)
                let runs =
                    (try? self.runsToTell(end.key, through: end.seq, isGroup: isGroup, keyring))
                    ?? []
                for run in runs.dropFirst(found.through.within) {
                    bytes += run.run.frameBytes
                    guard bytes <= byteLimit || found.runs.isEmpty else { return found }
                    found.runs.append(run)
                    found.through.within += 1
                }
            }
            found.through = ArrivalPlace(arrival: end.arrival)
        }
        found.isAll = ends.count < Self.endsPerPage
        return found
    }

    /// The runs of a log that somebody lacks; see ``MessageStore/runs(of:from:through:isGroup:by:byteLimit:)``.
    func runs(
        of key: LogKey, from first: UInt64, through last: UInt64, isGroup: Bool,
        by keyring: Keyring, byteLimit: Int
    ) throws(SQLiteError) -> [ArrivedRuns.Element] {
        guard let log = try self.logRow(key) else { return [] }
        let newest = UInt64(Int64.max)
        var ends: [UInt64] = []
        try self.statements.sites.ends.bind(.log, log.id)
            .bind(.first, Int64(min(first, newest))).bind(.last, Int64(min(last, newest)))
            .bind(.limit, Int64(Self.runsAgain)).forEach { row in
                ends.append(UInt64(bitPattern: row.int(.seq)))
            }
        var found: [ArrivedRuns.Element] = []
        var bytes = 0
        for end in ends {
            for run in try self.runsToTell(key, through: end, isGroup: isGroup, keyring)
            where !found.contains(where: { $0.run == run.run }) {
                bytes += run.run.frameBytes
                guard bytes <= byteLimit || found.isEmpty else { return found }
                found.append(run)
            }
        }
        return found
    }

    /// The certificates that devices show at the beginnings of their logs, as far as these are here and can be read.
    func certificates(
        of devices: Set<PeerID>, by keyring: Keyring
    ) throws(SQLiteError) -> [PeerID: Certificate] {
        var found: [PeerID: Certificate] = [:]
        for device in devices {
            var logs: [LogKey] = []
            try self.statements.sites.logs.bind(.key, device.key).forEach {
                (row) throws(SQLiteError) in
                let name = LogName(
                    author: device, incarnation: UInt64(stored: row.int(.incarnation)))
                logs.append(
                    LogKey(conversation: ConversationID(try row.bytes32(.hash)), name: name))
            }
            for log in logs where found[device] == nil {
                let run = try self.run(
                    log, from: 1, through: 1, entryLimit: Limits.runEntries,
                    byteLimit: Limits.runEntryBytes)
                guard let run,
                    case .open(let opening)? = keyring.read(
                        VerifiedRun(run: run, ids: run.ids).envelope(at: 0)
                    ).content
                else { continue }
                found[device] = CheckedOpening(opening, of: device, linked: nil).certificate
            }
        }
        return found
    }

    /// A run, and before it those whose payloads it has deleted, as they are now.
    ///
    /// Without those of which something is missing here that nobody has deleted: it would take the place of the whole.
    private func runsToTell(
        _ key: LogKey, through seq: UInt64, isGroup: Bool, _ keyring: Keyring
    ) throws(SQLiteError) -> [ArrivedRuns.Element] {
        guard let run = try self.wholeRun(key, covering: seq) else { return [] }
        let verified = VerifiedRun(run: run, ids: run.ids)
        let name = isGroup ? Self.lastKey(of: verified, keyring) : nil
        // What has no key of its own goes with what follows it.
        if isGroup, name == nil { return [] }
        var runs: [ArrivedRuns.Element] = []
        for index in run.entries.indices {
            guard case .erase(let targets)? = keyring.read(verified.envelope(at: index)).content
            else { continue }
            for target in targets {
                let log = LogKey(conversation: key.conversation, name: target.log)
                guard let run = try self.wholeRun(log, covering: target.seq),
                    !runs.contains(where: { $0.run == run })
                else { continue }
                let verified = VerifiedRun(run: run, ids: run.ids)
                runs.append(
                    ArrivedRuns.Element(
                        run: run, replaces: true,
                        key: isGroup ? Self.lastKey(of: verified, keyring) : nil))
            }
        }
        if let name {
            runs += try self.keyless(before: run, keyring).map {
                ArrivedRuns.Element(run: $0, replaces: false, key: name)
            }
        }
        return runs + [ArrivedRuns.Element(run: run, replaces: false, key: name)]
    }

    /// The key of the last sealed entry of a run, or the one that it announces behind that.
    private static func lastKey(of run: VerifiedRun, _ keyring: Keyring) -> Bytes32? {
        for index in run.ids.indices.reversed() {
            let name = run.run.entries[index].epoch
            if name != .zero { return name }
            if case .epoch(let told)? = keyring.read(run.envelope(at: index)).content {
                return told.id
            }
        }
        return nil
    }

    /// The run before one where it has no key of its own: it is the opening of a log.
    private func keyless(before run: Run, _ keyring: Keyring) throws(SQLiteError) -> [Run] {
        guard run.first == 2,
            let earlier = try self.wholeRun(run.key, covering: run.first - 1),
            Self.lastKey(of: VerifiedRun(run: earlier, ids: earlier.ids), keyring) == nil
        else { return [] }
        return [earlier]
    }

    /// The run of a log between two attested entries that has an entry; nil where not all of it is here.
    private func wholeRun(_ key: LogKey, covering seq: UInt64) throws(SQLiteError) -> Run? {
        guard let log = try self.logRow(key) else { return nil }
        let before = try self.statements.sites.attestedBefore.bind(.log, log.id)
            .bind(.seq, Int64(bitPattern: seq)).first { row in row.int(.seq) }
        let first = before.map { UInt64(bitPattern: $0) + 1 } ?? 1
        let run = try self.run(
            key, from: first, through: seq, entryLimit: Limits.runEntries,
            byteLimit: Limits.runEntryBytes)
        guard let run else { return nil }
        let lacks = try self.statements.sites.lacking.bind(.log, log.id)
            .bind(.first, Int64(bitPattern: run.first)).bind(
                .before, Int64(bitPattern: run.last + 1)
            )
            .first { _ in true }
        return lacks == nil ? run : nil
    }
}
