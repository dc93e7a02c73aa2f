internal import Engine
internal import Formats
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
    /// Says what becomes of entries.
    let judge: any EntryJudge
    var members: [StoreFile.Membership: Attendance] = [:]
    /// The newest time shown, by conversation.
    var shown: [Int64: HybridTime] = [:]
    /// When people revoked their devices.
    var revoked = RevokedDevices([], [])
}

extension StoreFile {
    /// Looks for damage; see ``MessageStore/check(by:)``.
    func check(by judge: any EntryJudge) -> [CheckFinding] {
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
        var derived = Derived(judge: judge)
        self.gather(&findings, log: nil) { (_) throws(SQLiteError) in
            derived.revoked = RevokedDevices(try self.revocations(), try self.cuts())
        }
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
            for line in row.text.split(separator: "\n")
            where line != "ok" && !line.hasPrefix("*** in database") {
                findings.add(nil, nil, "the database is damaged: \(line)")
            }
        }
        let keys = try self.database.prepare("PRAGMA foreign_key_check")
        try keys.forEach { (row) throws(SQLiteError) in
            findings.add(
                nil, nil,
                "a row of \(row.text(.table)) names one of \(row.text(.parent)) that is missing")
        }
    }

    // MARK: Logs

    /// The person that a log's row names.
    private func person(_ log: LogRow) throws(SQLiteError) -> PersonID? {
        guard let row = log.person else { return nil }
        return try self.statements.names.personAt.bind(.id, row).first {
            (row) throws(SQLiteError) in PersonID(try row.bytes32(.hash))
        }
    }

    /// How far the check of a log has come.
    private struct Walk {
        var last = Head.start
        var attested: UInt64 = 0
        var head: EntryID?
        var isHeadShown = false
        /// Whose log its first entry says it is.
        var person: PersonID?
    }

    /// One log: numbers without a gap, growing times, ids that are the headers' hashes,
    /// attestations, and what is noted with each entry.
    private func check(
        _ key: LogKey, _ log: LogRow, _ findings: inout Findings, _ derived: inout Derived
    ) throws(SQLiteError) {
        let statement = try self.database.prepare(
            """
            SELECT e.seq, e.hlc, e.class, e.kind, e.attestation, e.extra, e.payload, e.prefix,
                e.suffix, e.flags, e.arrival, e.conversation, l.conversation AS place, l.author,
                l.incarnation
            FROM entries e CROSS JOIN logs l ON l.id = e.log WHERE e.log = :log ORDER BY e.seq
            """)
        try statement.bind(.log, log.id)
        var walk = Walk()
        try statement.forEach { (row) throws(SQLiteError) in
            let seq = UInt64(bitPattern: row.int(.seq))
            do throws(SQLiteError) {
                try self.check(row, key, log, &walk, &findings, &derived)
            } catch {
                // The next ones can be judged by the id that stands in this one.
                findings.add(key, seq, "cannot be read: \(error.message)")
                let id = try? EntryID(prefix: row.int(.prefix), suffix: row.bytes(.suffix))
                walk.last = Head(
                    seq: seq, id: id ?? EntryID(.zero), time: HybridTime(stored: row.int(.hlc)))
                if !row.isNull(.attestation) { walk.attested = seq }
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
            findings.add(key, log.head.seq, "it is recorded wrong whether the log's head is shown")
        }
        if try self.person(log) != walk.person {
            findings.add(key, 1, "the log's owner is recorded wrong")
        }
        if let point = log.forkPoint {
            let proof = try self.forkProof(key)
            if proof?.point != point || proof?.key != key || proof?.isValid != true {
                findings.add(key, point, "the fork proof does not prove the fork point")
            }
        }
    }

    /// How an entry follows the one before it.
    private static func check(
        _ entry: Entry, _ head: Head, _ key: LogKey, behind last: Head,
        _ findings: inout Findings
    ) {
        let seq = head.seq
        guard seq == last.seq + 1 else {
            return findings.add(
                key, seq, "entries \(last.seq + 1) to \(seq &- 1) are missing")
        }
        if entry.id(key: key, seq: seq, prev: seq == 1 ? nil : last.id) != head.id {
            findings.add(key, seq, "the header or payload does not have the entry's hash")
        }
        if seq > 1 && head.time <= last.time { findings.add(key, seq, "time does not grow") }
    }

    /// One entry.
    private func check(
        _ row: Statement, _ key: LogKey, _ log: LogRow, _ walk: inout Walk,
        _ findings: inout Findings, _ derived: inout Derived
    ) throws(SQLiteError) {
        let seq = UInt64(bitPattern: row.int(.seq))
        let time = HybridTime(stored: row.int(.hlc))
        let id = try EntryID(prefix: row.int(.prefix), suffix: row.bytes(.suffix))
        let flags = EntryFlags(rawValue: row.int(.flags))
        let entry = try Entry(
            entryClass: row.int(.class), time: time, extra: row.optionalBytes(.extra),
            payload: row.optionalBytes(.payload))
        let last = walk.last
        Self.check(entry, Head(seq: seq, id: id, time: time), key, behind: last, &findings)
        if let attestation = try row.optionalBytes64(.attestation) {
            if !Attestation.isValid(attestation, key: key, seq: seq, id: id) {
                findings.add(key, seq, "the attestation is not the author's")
            }
            if seq - walk.attested > UInt64(Limits.runEntries) {
                findings.add(key, seq, "no attestation for \(seq - walk.attested) entries")
            }
            walk.attested = seq
        }
        let visibility = Visibility(arrival: row.int(.arrival), flags: flags)
        if !flags.isSubset(of: .all) { findings.add(key, seq, "it has unknown flags") }
        let reading = derived.judge.read(
            Envelope(entry, key: key, seq: seq, prev: seq == 1 ? nil : last.id))
        var verdict = derived.judge.judge(
            reading, seq: seq, of: key.name.author, in: &walk.person)
        verdict.noteErasing(entry, reading, by: key.name.author)
        // What came before the revocation of its device stays as it was, but for what was held then.
        let isRevoked = derived.revoked.covers(
            key.name.author, of: walk.person, at: time, in: key.conversation)
        let isEnded = isRevoked && visibility == .disputed(wasShown: false)
        if !isEnded && visibility.isDisputed != (log.forkPoint.map { seq >= $0 } ?? false) {
            findings.add(key, seq, "the entry and the fork point disagree")
        }
        if isRevoked, verdict.isSeen, flags.contains(.hidden) { verdict = verdict.silenced }
        // Nothing but its flag says why a payload is absent.
        let isAbsent = if case .absent = entry.payload { true } else { false }
        if let state = flags.payloadState, isAbsent == (state != .present) {
            verdict.payload = state
        } else {
            findings.add(key, seq, "the state of its payload is recorded wrong")
        }
        if isAbsent && entry.entryClass == EntryClass.control.rawValue {
            findings.add(key, seq, "the payload of a control entry is missing")
        }
        if flags.intersection(.judged.union(.absent)) != EntryFlags(verdict)
            || row.optionalInt(.kind) != verdict.kind.map({ Int64(bitPattern: $0) })
        {
            findings.add(key, seq, "its content is recorded wrong")
        }
        if try !self.areReferencesRight(row, id, verdict, at: key, log) {
            findings.add(key, seq, "its reference to a message, or others to it, is recorded wrong")
        }
        if row.int(.conversation) != row.int(.place) {
            findings.add(key, seq, "it is in another conversation")
        }
        if row.int(.arrival) == 0 || row.int(.arrival) < 0 && visibility != .held
            || flags.contains(.withheld) && !visibility.isDisputed
        {
            findings.add(key, seq, "it is recorded wrong whether it is shown")
        }
        if visibility.isShown {
            derived.shown[row.int(.conversation)] = max(
                derived.shown[row.int(.conversation)] ?? time, time)
        }
        if visibility.takesEffect, verdict.isSeen, let isPresent = verdict.attendance {
            derived.note(row, isPresent: isPresent)
        }
        if seq == log.head.seq {
            walk.head = id
            walk.isHeadShown = visibility.isShown
        }
        walk.last = Head(seq: seq, id: id, time: time)
    }
}

/// When people revoked their devices.
struct RevokedDevices {
    private var times: [RecordKey: HybridTime] = [:]
    /// In groups, in milliseconds: the earliest, since which words were here when an entry came is not kept.
    private var cuts: [ConversationID: [RecordKey: UInt64]] = [:]

    /// Takes those of records that are revocations, and those of acts that are cuts.
    init(_ records: [Record], _ acts: [Act]) {
        for record in records where record.revocation?.stands == false {
            self.times[record.key] = max(self.times[record.key] ?? record.time, record.time)
        }
        for act in acts {
            guard case .cut(let device, let number, false) = act.statement.kind else { continue }
            let key = RecordKey(revoking: device, by: act.statement.author)
            let earlier = self.cuts[act.group]?[key] ?? number
            self.cuts[act.group, default: [:]][key] = min(earlier, number)
        }
    }

    /// Whether an entry of a device is later than its person's revocation, or than a cut in its group.
    func covers(
        _ device: PeerID, of person: PersonID?, at time: HybridTime, in group: ConversationID
    ) -> Bool {
        guard !self.times.isEmpty || !self.cuts.isEmpty, let person else { return false }
        let key = RecordKey(revoking: device, by: person)
        if let revoked = self.times[key], time > revoked { return true }
        return self.cuts[group]?[key].map { time.milliseconds > $0 } ?? false
    }
}

extension StoreFile {
    fileprivate func revocations() throws(SQLiteError) -> [Record] {
        var records: [Record] = []
        let statement = try self.database.prepare("SELECT record FROM records WHERE kind = :kind")
        try statement.bind(.kind, Int64(Record.Kind.revocation))
            .forEach { (row) throws(SQLiteError) in
                records.append(try Self.record(row.bytes(.record)))
            }
        return records
    }
}

extension Derived {
    /// Counts a join or leave.
    fileprivate mutating func note(_ row: Statement, isPresent: Bool) {
        let membership = StoreFile.Membership(
            conversation: row.int(.place), author: row.int(.author))
        let attendance = Attendance(
            isPresent: isPresent, time: HybridTime(stored: row.int(.hlc)),
            incarnation: UInt64(stored: row.int(.incarnation)),
            seq: UInt64(bitPattern: row.int(.seq)))
        guard attendance.supersedes(self.members[membership]) else { return }
        self.members[membership] = attendance
    }
}
