internal import Engine
internal import Crypto

/// What was found, up to a bound: a file with a thousand faults needs no list of them.
struct Findings {
    private(set) var found: [CheckFinding] = []

    mutating func add(_ log: LogKey?, _ seq: UInt64?, _ text: String) {
        let finding = CheckFinding(log: log, seq: seq, text: text)
        // One damaged page ends several parts of a check in the same words.
        if self.found.count < 1_000 && finding != self.found.last { self.found.append(finding) }
    }
}

/// What the entries say of the rows that are derived from them; grows with members, not entries.
struct Derived {
    /// A join or leave and its place in the order that decides.
    struct Latest {
        let kind: Int64
        let order: (Int64, Int64, Int64)
    }

    var members: [StoreFile.Membership: Latest] = [:]
    /// The newest time shown, by conversation.
    var shown: [Int64: HybridTime] = [:]
    /// How many deps are awaited.
    var waiting = 0
}

extension StoreFile {
    /// Looks for damage; see ``MessageStore/check()``.
    func check() -> [CheckFinding] {
        var findings = Findings()
        self.gather(&findings, log: nil) { (findings) throws(SQLiteError) in
            try self.checkPages(&findings)
        }
        var logs: [(key: LogKey, row: LogRow)] = []
        self.gather(&findings, log: nil) { (_) throws(SQLiteError) in
            var snapshot = Snapshot()
            try self.readLogs(into: &snapshot)
            for key in snapshot.logs.keys.sorted() {
                guard let row = try self.logRow(key) else { continue }
                logs.append((key, row))
            }
        }
        var derived = Derived()
        for (key, row) in logs {
            self.gather(&findings, log: key) { (findings) throws(SQLiteError) in
                try self.check(key, row, &findings, &derived)
            }
        }
        for part in self.derivedChecks {
            self.gather(&findings, log: nil) { (findings) throws(SQLiteError) in
                try part(&findings, derived)
            }
        }
        return findings.found
    }

    /// Runs a part of the check; an error is a finding, and the next part follows.
    private func gather(
        _ findings: inout Findings, log: LogKey?,
        _ body: (inout Findings) throws(SQLiteError) -> Void
    ) {
        do throws(SQLiteError) {
            try body(&findings)
        } catch {
            findings.add(log, nil, "cannot be read: \(error.message) (\(error.extendedCode))")
        }
    }

    /// Pages, and indexes against tables.
    /// <https://www.sqlite.org/pragma.html#pragma_integrity_check>
    private func checkPages(_ findings: inout Findings) throws(SQLiteError) {
        try self.database.prepare("PRAGMA integrity_check").forEach { (row) throws(SQLiteError) in
            // A row may be several lines, the first of which names the database.
            for line in row.text(0).split(separator: "\n")
            where line != "ok" && !line.hasPrefix("*** in database") {
                findings.add(nil, nil, "the database is damaged: \(line)")
            }
        }
        let keys = try self.database.prepare("PRAGMA foreign_key_check")
        try keys.forEach { (row) throws(SQLiteError) in
            findings.add(
                nil, nil, "a row of \(row.text(0)) names one of \(row.text(2)) that is missing")
        }
    }

    // MARK: Logs

    /// How far the check of a log has come.
    private struct Walk {
        var last = Head.start
        var attested: UInt64 = 0
        var head: EntryID?
        var isHeadShown = false
        var newest = HybridTime(0)
    }

    /// One log: numbers without a gap, growing times, ids that are the headers' hashes,
    /// attestations, and what is noted with each entry.
    private func check(
        _ key: LogKey, _ log: LogRow, _ findings: inout Findings, _ derived: inout Derived
    ) throws(SQLiteError) {
        let statement = try self.database.prepare(
            """
            SELECT e.seq, e.hlc, e.kind, e.attestation, e.extra, e.payload, e.prefix, e.suffix,
                e.flags, e.arrival, e.conversation, l.conversation, l.author, l.incarnation
            FROM entries e CROSS JOIN logs l ON l.id = e.log WHERE e.log = ?1 ORDER BY e.seq
            """)
        try statement.bind(1, log.id)
        var walk = Walk()
        try statement.forEach { (row) throws(SQLiteError) in
            let seq = UInt64(bitPattern: row.int(0))
            do throws(SQLiteError) {
                try self.check(row, key, log, &walk, &findings, &derived)
            } catch {
                // The next ones can be judged by the id that stands in this one.
                findings.add(key, seq, "cannot be read: \(error.message)")
                let id = try? EntryID(prefix: row.int(6), suffix: row.bytes(7))
                walk.last = Head(
                    seq: seq, id: id ?? EntryID(.zero), time: HybridTime(stored: row.int(1)))
                if !row.isNull(3) { walk.attested = seq }
            }
        }
        if walk.attested < walk.last.seq {
            findings.add(key, walk.last.seq, "the end of the log is not attested")
        }
        if log.head.seq != min(walk.last.seq, (log.forkPoint ?? .max) - 1)
            || (log.head.seq > 0 && walk.head != log.head.id)
        {
            findings.add(key, log.head.seq, "the log's head is not its last entry")
        }
        if log.head.seq > 0 && log.isHeadShown != walk.isHeadShown {
            findings.add(key, log.head.seq, "whether the log's head is shown is noted wrong")
        }
        if log.last != walk.newest {
            findings.add(key, walk.last.seq, "the log's greatest time is noted wrong")
        }
        if let point = log.forkPoint {
            let proof = try self.forkProof(key)
            if proof?.point != point || proof?.key != key || proof?.isValid != true {
                findings.add(key, point, "the fork proof does not prove the fork point")
            }
        }
    }

    /// One entry.
    private func check(
        _ row: Statement, _ key: LogKey, _ log: LogRow, _ walk: inout Walk,
        _ findings: inout Findings, _ derived: inout Derived
    ) throws(SQLiteError) {
        let seq = UInt64(bitPattern: row.int(0))
        let time = HybridTime(stored: row.int(1))
        let id = try EntryID(prefix: row.int(6), suffix: row.bytes(7))
        let flags = EntryFlags(rawValue: row.int(8))
        let entry = try Entry(
            kind: row.int(2), time: time, extra: row.optionalBytes(4),
            payload: row.optionalBytes(5))
        let last = walk.last
        if seq != last.seq + 1 {
            findings.add(key, seq, "entries \(last.seq + 1) to \(seq &- 1) are missing")
        } else {
            if entry.id(key: key, seq: seq, prev: seq == 1 ? nil : last.id) != id {
                findings.add(key, seq, "the header or payload does not have the entry's hash")
            }
            if seq > 1 && time <= last.time { findings.add(key, seq, "time does not grow") }
        }
        if let attestation = try row.optionalBytes64(3) {
            if !Attestation.isValid(attestation, key: key, seq: seq, id: id) {
                findings.add(key, seq, "the attestation is not the author's")
            }
            if seq - walk.attested > UInt64(Limits.runEntries) {
                findings.add(key, seq, "no attestation for \(seq - walk.attested) entries")
            }
            walk.attested = seq
        }
        let isDisputed = flags.contains(.disputed)
        if isDisputed != (log.forkPoint.map { seq >= $0 } ?? false) {
            findings.add(key, seq, "the entry and the fork point disagree")
        }
        if flags.rawValue & ~15 != 0 { findings.add(key, seq, "it has flags that do not exist") }
        if flags.contains(.unreadable) != (Content(of: entry, in: key.conversation) == nil) {
            findings.add(key, seq, "whether it can be read is noted wrong")
        }
        if row.int(10) != row.int(11) { findings.add(key, seq, "it is in another conversation") }
        let isContradicted = try self.checkDeps(of: entry, row, key, &findings, &derived)
        let isHidden = flags.contains(.hidden)
        if isContradicted && !isHidden || isHidden && !isContradicted && !isDisputed && !self.isOld
        {
            findings.add(key, seq, "whether it is hidden is noted wrong")
        }
        let arrival = row.int(9)
        if arrival == 0 || arrival < 0 && isHidden {
            findings.add(key, seq, "its arrival number, \(arrival), is wrong")
        }
        let isShown = arrival > 0 && !isHidden
        if isShown {
            derived.shown[row.int(10)] = max(derived.shown[row.int(10)] ?? time, time)
            let isMembership = entry.kind == Entry.Kind.join || entry.kind == Entry.Kind.leave
            if isMembership && flags.isDisjoint(with: [.unreadable, .disputed]) {
                derived.note(row)
            }
        }
        if seq == log.head.seq {
            walk.head = id
            walk.isHeadShown = isShown
        }
        walk.newest = max(walk.newest, time)
        walk.last = Head(seq: seq, id: id, time: time)
    }

    /// Whether a dep hides the entry; checks that each dep that may change that is noted.
    private func checkDeps(
        of entry: Entry, _ row: Statement, _ key: LogKey, _ findings: inout Findings,
        _ derived: inout Derived
    ) throws(SQLiteError) -> Bool {
        var isContradicted = false
        for dep in entry.deps {
            switch try self.verdict(of: dep, at: entry.time, in: row.int(10)) {
            case .missing: break
            case .contradicts:
                isContradicted = true
                // Earlier versions did not note these; the next start of a daemon does.
                if self.isOld { continue }
            case .agrees: continue
            }
            let waiting = try self.database.prepare(
                "SELECT 1 FROM waiting WHERE dep = ?1 AND log = (SELECT id FROM logs l "
                    + "WHERE l.conversation = ?2 AND l.author = ?3 AND l.incarnation = ?4) "
                    + "AND seq = ?5")
            try waiting.bind(1, dep.prefix)
            try waiting.bind(2, row.int(11))
            try waiting.bind(3, row.int(12))
            try waiting.bind(4, row.int(13))
            try waiting.bind(5, row.int(0))
            if try waiting.first({ _ in true }) == nil {
                findings.add(
                    key, UInt64(bitPattern: row.int(0)), "that it waits for a dep is not noted")
            }
            derived.waiting += 1
        }
        return isContradicted
    }
}

extension Derived {
    /// Counts a join or leave.
    fileprivate mutating func note(_ row: Statement) {
        let membership = StoreFile.Membership(conversation: row.int(11), author: row.int(12))
        let order = (row.int(1), row.int(13), row.int(0))
        if let known = self.members[membership], known.order >= order { return }
        self.members[membership] = Latest(kind: row.int(2), order: order)
    }
}
