internal import Engine
internal import Noise

extension StoreFile {
    /// Looks for damage; see ``MessageStore/check()``.
    func check() -> [CheckFinding] {
        var findings = Findings()
        self.gather(&findings, log: nil) { (findings) throws(SQLiteError) in
            try self.checkPages(&findings)
        }
        var logs: [(key: LogKey, row: LogRow)] = []
        self.gather(&findings, log: nil) { (_) throws(SQLiteError) in
            let snapshot = try self.snapshot()
            for key in snapshot.logs.keys.sorted() {
                guard let row = try self.logRow(key) else { continue }
                logs.append((key, row))
            }
        }
        for (key, row) in logs {
            self.gather(&findings, log: key) { (findings) throws(SQLiteError) in
                try self.check(key, row, &findings)
            }
        }
        self.gather(&findings, log: nil) { (findings) throws(SQLiteError) in
            try self.checkConversations(&findings)
        }
        return findings.found
    }

    /// What was found, up to a bound: a file with a thousand faults needs no list of them.
    private struct Findings {
        var found: [CheckFinding] = []

        mutating func add(_ log: LogKey?, _ seq: UInt64?, _ text: String) {
            if self.found.count < 1_000 {
                self.found.append(CheckFinding(log: log, seq: seq, text: text))
            }
        }
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
            let text = row.text(0)
            if text != "ok" { findings.add(nil, nil, "the database is damaged: \(text)") }
        }
        let keys = try self.database.prepare("PRAGMA foreign_key_check")
        try keys.forEach { (row) throws(SQLiteError) in
            findings.add(
                nil, nil, "a row of \(row.text(0)) names one of \(row.text(2)) that is missing")
        }
    }

    /// One log: numbers without a gap, growing times, ids that are the headers' hashes,
    /// attestations.
    private func check(
        _ key: LogKey, _ log: LogRow, _ findings: inout Findings
    ) throws(SQLiteError) {
        let statement = try self.database.prepare(
            """
            SELECT seq, hlc, kind, attestation, extra, payload, prefix, suffix, flags
            FROM entries WHERE log = ?1 ORDER BY seq
            """)
        try statement.bind(1, log.id)
        var last = Head.start
        var attested: UInt64 = 0
        var head: EntryID?
        try statement.forEach { (row) throws(SQLiteError) in
            let seq = UInt64(bitPattern: row.int(0))
            let time = HybridTime(stored: row.int(1))
            let id = try EntryID(prefix: row.int(6), suffix: row.bytes(7))
            if seq != last.seq + 1 {
                findings.add(key, seq, "entries \(last.seq + 1) to \(seq &- 1) are missing")
            } else {
                let entry = try Entry(
                    kind: row.int(2), time: time, extra: row.optionalBytes(4),
                    payload: row.optionalBytes(5))
                let computed = entry.id(key: key, seq: seq, prev: seq == 1 ? nil : last.id)
                if computed != id {
                    findings.add(key, seq, "the header or payload does not have the entry's hash")
                }
                if seq > 1 && time <= last.time { findings.add(key, seq, "time does not grow") }
            }
            if let attestation = try row.optionalBytes64(3) {
                if !Attestation.isValid(attestation, key: key, seq: seq, id: id) {
                    findings.add(key, seq, "the attestation is not the author's")
                }
                if seq - attested > UInt64(Limits.runEntries) {
                    findings.add(key, seq, "no attestation for \(seq - attested) entries")
                }
                attested = seq
            }
            let isDisputed = EntryFlags(rawValue: row.int(8)).contains(.disputed)
            if isDisputed != (log.forkPoint.map { seq >= $0 } ?? false) {
                findings.add(key, seq, "the entry and the fork point disagree")
            }
            if seq == log.head.seq { head = id }
            last = Head(seq: seq, id: id, time: time)
        }
        if attested < last.seq { findings.add(key, last.seq, "the end of the log is not attested") }
        if log.head.seq != min(last.seq, (log.forkPoint ?? .max) - 1)
            || (log.head.seq > 0 && head != log.head.id)
        {
            findings.add(key, log.head.seq, "the log's head is not its last entry")
        }
        if let point = log.forkPoint {
            let proof = try self.forkProof(key)
            if proof?.point != point || proof?.key != key || proof?.isValid != true {
                findings.add(key, point, "the fork proof does not prove the fork point")
            }
        }
    }

    /// What is derived from entries, and records.
    private func checkConversations(_ findings: inout Findings) throws(SQLiteError) {
        let newest = try self.newestCursor().rawValue
        var rows: [(id: Int64, hash: Bytes32, unread: Int64, read: Int64)] = []
        try self.database.prepare("SELECT id, hash, unread, read FROM conversations").forEach {
            (row) throws(SQLiteError) in
            rows.append((row.int(0), try row.bytes32(1), row.int(2), row.int(3)))
        }
        for row in rows {
            let unread = try self.countUnread(row.id, after: row.read, through: newest)
            if unread != row.unread {
                findings.add(
                    nil, nil, "conversation \(row.hash) counts \(row.unread) unread, has \(unread)")
            }
        }
        let misplaced = try self.database.int(
            """
            SELECT count(*) FROM entries e JOIN logs l ON l.id = e.log
            WHERE l.conversation <> e.conversation
            """)
        if misplaced > 0 { findings.add(nil, nil, "\(misplaced) entries are misplaced") }
        for record in try self.snapshot().records where !record.isValid {
            findings.add(nil, nil, "the record of \(record.author.key) is not its author's")
        }
    }
}
