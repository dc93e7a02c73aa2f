internal import Crypto
internal import Engine
internal import Formats

/// The acts and keys of groups, and who asks the user to come into one. `Docs/Data.md`.
extension StoreFile {
    /// Writes what a batch says of groups; whether keys or requests are gone that were here.
    func store(_ groups: GroupWrites) throws(SQLiteError) -> Bool {
        let statements = self.statements.groups
        for group in groups.forgotten.sorted() {
            guard let row = try self.conversationRow(group) else { continue }
            try statements.removeActs.bind(.conversation, row).run()
            try statements.removeEpochs.bind(.conversation, row).run()
        }
        for (group, acts) in groups.goneActs.sorted(by: { $0.key < $1.key }) {
            guard let row = try self.conversationRow(group) else { continue }
            for act in acts.sorted() {
                try statements.removeAct.bind(.conversation, row).bind(.id, act.hash).run()
            }
        }
        for act in groups.acts {
            try statements.addAct.bind(.conversation, self.makeConversationRow(act.group))
                .bind(.id, act.id.hash)
                .bind(.act, sealing: act.encoded, as: .act, at: act.group.hash.bytes).run()
        }
        for held in groups.epochs {
            let (row, epoch) = (try self.makeConversationRow(held.group), held.epoch)
            try statements.addEpoch.bind(.conversation, row).bind(.id, epoch.id)
                .bind(
                    .key, sealing: held.key?.bytes ?? [], as: .epoch,
                    at: held.group.hash.bytes + epoch.id.bytes
                )
                .bind(.maker, epoch.maker.hash)
                .bind(.device, epoch.device.key)
                .bind(.basis, epoch.basis.flatMap { $0.hash.bytes })
                .bind(.people, epoch.people).bind(.placed, held.isPlaced ? 1 : 0).run()
        }
        for group in groups.endedRequests.sorted() {
            try statements.removeRequest.bind(.hash, group.hash).run()
        }
        for request in groups.requests {
            var acts = WireWriter(capacity: 4_096)
            for act in request.acts { acts.sized(act.encoded) }
            try statements.replaceRequest.bind(.hash, request.group.hash)
                .bind(.device, request.device.key)
                .bind(.id, request.add.hash)
                .bind(
                    .acts,
                    sealing: GroupRequest.sealed(source: request.source, acts: acts.bytes),
                    as: .asked, at: request.group.hash.bytes
                )
                .bind(.milliseconds, request.time.stored).bind(.source, text: "").run()
        }
        return !groups.forgotten.isEmpty || !groups.endedRequests.isEmpty
            || groups.requests.contains(where: \.isDeclined)
    }

    func readGroups(into snapshot: inout Snapshot) throws(SQLiteError) {
        try self.acts { (act) throws(SQLiteError) in
            snapshot.acts[act.group, default: []].append(act)
        }
        try self.epochs { (held) throws(SQLiteError) in
            snapshot.epochs[held.group, default: []].append(held)
        }
        let requests = try self.database.prepare(
            "SELECT hash, device, id, acts, milliseconds, source FROM asked ORDER BY hash")
        try requests.forEach { (row) throws(SQLiteError) in
            guard let request = GroupRequest(row) else { throw .damaged("a request of a group") }
            snapshot.groupRequests.append(request)
        }
    }

    /// Announcements of one log that are read at a start: of more keys of one person none is taken.
    private static let announcementsOfLog = 1_024

    /// Reads what logs announce of keys that are not here, so that one that comes later counts.
    ///
    /// What logs say of those that are here matters no more. What is damaged is told elsewhere, and stops no start.
    func readAnnouncements(into snapshot: inout Snapshot) {
        var held: [ConversationID: [Bytes32: HeldEpoch]] = [:]
        for epoch in snapshot.epochs.values.joined() {
            held[epoch.group, default: [:]][epoch.epoch.id] = epoch
        }
        for place in (try? self.announcementPlaces()) ?? [] {
            guard let entry = try? self.stored(at: place, self.storedEntry),
                let person = snapshot.logs[entry.key]?.person,
                case .epoch(let announcement)? = Keyring().read(entry.envelope).content
            else { continue }
            let (id, device) = (entry.key.conversation, entry.key.name.author)
            let known = held[id]?[announcement.id]
            guard known?.key == nil,
                known?.epoch.isTold(by: announcement, of: device) != true
            else { continue }
            snapshot.announced[id, default: []].append(
                AnnouncedEpoch(announcement, by: person, on: device, isPlaced: true))
        }
    }

    /// Where logs announce keys, as many of each as matter.
    ///
    /// By the index alone, or a damaged page of any conversation would count here. A damaged file may lack it.
    private func announcementPlaces() throws(SQLiteError) -> [Int64] {
        var places: [Int64] = []
        var counts: [Int64: Int] = [:]
        try self.database.prepare(
            """
            SELECT e.arrival, e.log FROM conversations c
                CROSS JOIN entries e INDEXED BY entries_of_kinds ON e.conversation = c.id
            WHERE c.kind IN (1, 4) AND e.kind = \(EntryKind.epoch.rawValue)
            """
        ).forEach { (row) throws(SQLiteError) in
            counts[row.int(.log), default: 0] += 1
            guard counts[row.int(.log), default: 0] <= Self.announcementsOfLog else { return }
            places.append(row.int(.arrival))
        }
        return places.sorted()
    }

    /// Gives the acts in the order in which they were taken.
    private func acts(_ body: (Act) throws(SQLiteError) -> Void) throws(SQLiteError) {
        let acts = try self.database.prepare(
            """
            SELECT c.hash, a.act FROM acts a JOIN conversations c ON c.id = a.conversation
            ORDER BY a.place
            """)
        try acts.forEach { (row) throws(SQLiteError) in
            guard let act = Act(row, in: ConversationID(try row.bytes32(.hash))) else {
                throw .damaged("an act of a group")
            }
            try body(act)
        }
    }

    /// Gives the keys of groups.
    func epochs(_ body: (HeldEpoch) throws(SQLiteError) -> Void) throws(SQLiteError) {
        let epochs = try self.database.prepare(
            """
            SELECT c.hash, e.id, e.key, e.maker, e.device, e.basis, e.people,
                \(Schema.placed(in: self.database))
            FROM epochs e
            JOIN conversations c ON c.id = e.conversation ORDER BY e.conversation, e.id
            """)
        try epochs.forEach { (row) throws(SQLiteError) in
            let group = ConversationID(try row.bytes32(.hash))
            guard let held = HeldEpoch(row, of: group) else { throw .damaged("a key of a group") }
            try body(held)
        }
    }

    // MARK: Check

    /// What people say in groups of their devices; what is damaged is a finding elsewhere.
    func cuts() throws(SQLiteError) -> [Act] {
        guard try self.database.int("PRAGMA user_version") >= 2 else { return [] }
        let acts = try self.database.prepare(
            "SELECT c.hash, a.act FROM acts a JOIN conversations c ON c.id = a.conversation")
        var cuts: [Act] = []
        try acts.forEach { (row) throws(SQLiteError) in
            guard let act = Act(row, in: ConversationID(try row.bytes32(.hash))),
                case .cut = act.statement.kind
            else { return }
            cuts.append(act)
        }
        return cuts
    }

    /// Acts and keys against what they are of.
    func checkGroups(_ findings: inout Findings, _ derived: Derived) throws(SQLiteError) {
        // A file of an earlier version is checked as it is.
        guard try self.database.int("PRAGMA user_version") >= 2 else { return }
        let known = try self.database.prepare(
            """
            SELECT c.hash, a.id, a.act FROM acts a JOIN conversations c ON c.id = a.conversation
            ORDER BY a.place
            """)
        var taken: [ConversationID: Set<ActID>] = [:]
        try known.forEach { (row) throws(SQLiteError) in
            let group = ConversationID(try row.bytes32(.hash))
            let id = try row.bytes32(.id)
            guard let act = Act(row, in: group), act.id.hash == id, act.isValid() else {
                return findings.add(nil, nil, "the act \(id) of group \(group.hash) is damaged")
            }
            if !taken[group, default: []].isSuperset(of: act.statement.basis) {
                findings.add(
                    nil, nil, "the act \(id) of group \(group.hash) lacks one that it follows")
            }
            taken[group, default: []].insert(act.id)
        }
        try self.epochs { (held) throws(SQLiteError) in
            if !held.isSound {
                findings.add(
                    nil, nil, "the key \(held.epoch.id) of group \(held.group.hash) is damaged")
            }
        }
        var snapshot = Snapshot()
        try self.readGroups(into: &snapshot)
    }
}

extension Act {
    /// Reads a row of `acts`; nil where it is none of this group.
    init?(_ row: Statement, in group: ConversationID) {
        let bytes = try? row.opened(.act, as: .act, at: group.hash.bytes)
        guard let act = try? Act(decoding: bytes ?? []), act.group == group else { return nil }
        self = act
    }
}

extension HeldEpoch {
    /// Reads a row of `epochs`.
    init?(_ row: Statement, of group: ConversationID) {
        guard let id = try? row.bytes32(.id),
            let opened = try? row.opened(.key, as: .epoch, at: group.hash.bytes + id.bytes),
            opened.isEmpty || opened.count == 32, let maker = try? row.bytes32(.maker),
            let device = try? row.bytes32(.device),
            let people = try? row.bytes32(.people)
        else { return nil }
        var reader = WireReader(row.bytes(.basis))
        var basis: [ActID] = []
        while reader.remaining > 0 {
            guard let hash = try? reader.bytes32("epoch basis") else { return nil }
            basis.append(ActID(hash))
        }
        self.init(
            group: group,
            epoch: Epoch(
                id: id, maker: PersonID(maker), device: PeerID(device), basis: basis,
                people: people),
            key: Bytes32(opened), isPlaced: row.int(.placed) != 0)
    }

    /// What opens entries of a group of this suite; nil where it is for others, or this machine cannot do what it needs.
    func conversationKey(_ suite: ConversationKey.Suite?) -> ConversationKey? {
        guard let suite, let key = self.key else { return nil }
        return try? ConversationKey(
            EpochKey(id: self.epoch.id, key: key), suite: suite, of: self.group)
    }

    /// Whether the id is that of this key, as this device has announced it.
    var isSound: Bool {
        guard let key = self.key else { return true }
        return EpochAnnouncement(
            id: self.epoch.id, basis: self.epoch.basis, people: self.epoch.people
        ).isOf(key, in: self.group, by: self.epoch.device)
    }
}

extension GroupRequest {
    /// Reads a row of `asked`; nil where it is none.
    init?(_ row: Statement) {
        guard let hash = try? row.bytes32(.hash), let device = try? row.bytes32(.device),
            let add = try? row.bytes32(.id)
        else { return nil }
        let group = ConversationID(hash)
        let value = try? row.opened(.acts, as: .asked, at: hash.bytes)
        var reader = WireReader(value ?? [])
        var source = row.text(.source)
        // Its own column has it in a file from before it was sealed; then the acts are alone.
        if source.isEmpty, row.columns != nil {
            guard let sealed = try? reader.sized("source", limit: Self.sourceBytes) else {
                return nil
            }
            source = String(decoding: sealed, as: UTF8.self)
        }
        var acts: [Act] = []
        while reader.remaining > 0 {
            guard let bytes = try? reader.sized("act", limit: Limits.actBytes),
                let act = try? Act(decoding: bytes), act.group == group
            else { return nil }
            acts.append(act)
        }
        self.init(
            group: group, device: PeerID(device), add: ActID(add),
            acts: acts, time: UInt64(stored: row.int(.milliseconds)), source: source)
    }

    /// An address, or a realm's id and a name.
    private static let sourceBytes = 4_096

    /// What is sealed of a request: where it came from, and its acts, each with its length.
    static func sealed(source: String, acts: [UInt8]) -> [UInt8] {
        var writer = WireWriter(capacity: source.utf8.count + acts.count + 2)
        writer.sized(Array(source.utf8))
        return writer.bytes + acts
    }
}
