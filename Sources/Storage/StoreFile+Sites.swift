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
                let isGroup = groups.contains(end.key.conversation)
                // What is damaged is told elsewhere, and keeps nothing behind it from going out.
                let told = (try? self.told(end.key, through: end.seq, isGroup, keyring)) ?? []
                let emptied = (try? self.emptied(by: told.last?.run, keyring)) ?? []
                for index in (0..<emptied.count + told.count).dropFirst(found.through.within) {
                    let run =
                        index < emptied.count
                        ? try? self.element(emptied[index], isGroup, keyring)
                        : told[index - emptied.count]
                    if let run {
                        bytes += run.run.frameBytes
                        guard bytes <= byteLimit || found.runs.isEmpty else { return found }
                        found.runs.append(run)
                    }
                    found.through.within = index + 1
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
        // The opening of a log in a group has no key, and goes with the run behind it.
        if isGroup, ends == [1] {
            ends += try self.end(of: log, from: 2).map { [$0] } ?? []
        }
        var found = RunsAgain(bytesLeft: byteLimit)
        for end in ends {
            let told = try self.told(key, through: end, isGroup, keyring)
            let new = told.filter { found.isNew(RunPlace(key: key, end: $0.run.last)) }
            guard found.reserve(new) else { break }
            for place in try self.emptied(by: told.last?.run, keyring) where found.isNew(place) {
                guard let run = try self.element(place, isGroup, keyring) else { continue }
                guard found.add(run) else { break }
            }
            found.runs += new
        }
        for emptied in found.runs where emptied.replaces {
            for place in try self.emptying(emptied.run) where found.isNew(place) {
                guard let run = try self.element(place, isGroup, keyring) else { continue }
                guard found.add(run) else { return found.runs }
            }
        }
        return found.runs
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

    /// A run, and before it the opening of its log where that goes under the same key.
    ///
    /// Without those of which something is missing here that nobody has deleted: it would take the place of the whole.
    private func told(
        _ key: LogKey, through seq: UInt64, _ isGroup: Bool, _ keyring: Keyring
    ) throws(SQLiteError) -> [ArrivedRuns.Element] {
        guard let run = try self.wholeRun(key, covering: seq) else { return [] }
        guard isGroup else { return [ArrivedRuns.Element(run, under: nil)] }
        // What has no key of its own goes with what follows it.
        guard let name = Self.lastKey(of: VerifiedRun(run: run, ids: run.ids), keyring) else {
            return []
        }
        return try (self.keyless(before: run, keyring) + [run]).map {
            ArrivedRuns.Element($0, under: name)
        }
    }

    /// A run with its key; nil where not all of it is here.
    private func element(
        _ place: RunPlace, _ isGroup: Bool, _ keyring: Keyring
    ) throws(SQLiteError) -> ArrivedRuns.Element? {
        try self.wholeRun(place.key, covering: place.end).map { run in
            ArrivedRuns.Element(
                run,
                under: isGroup
                    ? Self.lastKey(of: VerifiedRun(run: run, ids: run.ids), keyring) : nil)
        }
    }

    /// The runs whose payloads a run has deleted, each once; they are many, and none is read for this.
    private func emptied(
        by run: Run?, _ keyring: Keyring
    ) throws(SQLiteError) -> [RunPlace] {
        guard let run else { return [] }
        let verified = VerifiedRun(run: run, ids: run.ids)
        var places: [RunPlace] = []
        var known: Set<RunPlace> = []
        for index in run.entries.indices {
            guard case .erase(let targets)? = keyring.read(verified.envelope(at: index)).content
            else { continue }
            for target in targets {
                let key = LogKey(conversation: run.key.conversation, name: target.log)
                guard let log = try self.logRow(key),
                    let row = try self.entryRow(log: log.id, seq: target.seq),
                    row.id == target.id, row.flags.contains(.erased),
                    let end = try self.end(of: log, from: target.seq)
                else { continue }
                let place = RunPlace(key: key, end: end)
                if known.insert(place).inserted { places.append(place) }
            }
        }
        return places
    }

    /// The runs that have deleted payloads of a run: one for each of these.
    private func emptying(_ run: Run) throws(SQLiteError) -> [RunPlace] {
        guard let log = try self.logRow(run.key) else { return [] }
        var places: [RunPlace] = []
        for (index, id) in run.ids.enumerated() where run.entries[index].isEmptied {
            let target = EntryTarget(
                log: run.key.name, seq: run.first + UInt64(index), id: id)
            let named = NamedEntry(target, in: run.key.conversation)
            for writer in Writer.rows(of: log.person) {
                let eraser = try self.bind(self.statements.sites.eraser, named)
                    .bind(.person, writer).first { (row) throws(SQLiteError) in
                        let name = LogName(
                            author: PeerID(try row.bytes32(.key)),
                            incarnation: UInt64(stored: row.int(.incarnation)))
                        return (name: name, seq: UInt64(bitPattern: row.int(.seq)))
                    }
                guard let eraser else { continue }
                let key = LogKey(conversation: run.key.conversation, name: eraser.name)
                guard let log = try self.logRow(key),
                    let end = try self.end(of: log, from: eraser.seq)
                else { continue }
                places.append(RunPlace(key: key, end: end))
                break
            }
        }
        return places
    }

    /// The first attested entry of a log from one on.
    private func end(of log: LogRow, from seq: UInt64) throws(SQLiteError) -> UInt64? {
        try self.statements.sites.ends.bind(.log, log.id).bind(.first, Int64(bitPattern: seq))
            .bind(.last, .max).bind(.limit, 1).first { row in UInt64(bitPattern: row.int(.seq)) }
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
        guard let end = try self.end(of: log, from: seq) else { return nil }
        let lacks = try self.statements.sites.lacking.bind(.log, log.id)
            .bind(.first, Int64(bitPattern: first)).bind(.before, Int64(bitPattern: end) + 1)
            .first { _ in true }
        guard lacks == nil else { return nil }
        return try self.run(
            key, from: first, through: seq, entryLimit: Limits.runEntries,
            byteLimit: Limits.runEntryBytes)
    }
}

/// A run of a store, by its last entry.
private struct RunPlace: Hashable {
    let key: LogKey
    let end: UInt64
}

/// Runs for somebody who lacks some, each once, and up to a limit of bytes.
private struct RunsAgain {
    var runs: [ArrivedRuns.Element] = []
    private var places: Set<RunPlace> = []
    private var bytesLeft: Int

    init(bytesLeft: Int) { self.bytesLeft = bytesLeft }

    /// Notes a run, and tells whether it was not there yet.
    mutating func isNew(_ place: RunPlace) -> Bool { self.places.insert(place).inserted }

    /// Keeps room for what is asked for; the first has room in any case.
    mutating func reserve(_ runs: [ArrivedRuns.Element]) -> Bool {
        let bytes = runs.reduce(0) { $0 + $1.run.frameBytes }
        guard bytes <= self.bytesLeft || self.runs.isEmpty else { return false }
        self.bytesLeft -= bytes
        return true
    }

    /// Adds what goes along, where there is room.
    mutating func add(_ run: ArrivedRuns.Element) -> Bool {
        let bytes = run.run.frameBytes
        guard bytes <= self.bytesLeft else { return false }
        self.bytesLeft -= bytes
        self.runs.append(run)
        return true
    }
}

extension ArrivedRuns.Element {
    fileprivate init(_ run: Run, under key: Bytes32?) {
        self.init(run: run, replaces: run.entries.contains(where: \.isEmptied), key: key)
    }
}

extension Entry {
    /// Whether its payload is gone.
    fileprivate var isEmptied: Bool {
        if case .absent = self.payload { true } else { false }
    }
}
