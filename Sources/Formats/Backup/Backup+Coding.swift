internal import Crypto

/// What is inside of a backup, byte by byte. `Docs/Data.md`, "Backup and restore".
extension Backup {
    private static let format: UInt8 = 2
    /// The first one, which had no groups, is read for good.
    private static let formats: ClosedRange<UInt8> = 1...2
    private static let lineLimit = max(RealmInvitation.limitBytes, RoomInvitation.limitBytes)

    /// The backup as it is sealed; holds secrets.
    package var encoded: [UInt8] {
        // Room for all of it, so that no copy is left behind where the writer has grown.
        var writer = WireWriter(capacity: 512 + Self.mostBytes(of: self.realms, self.contacts))
        writer.byte(Self.format)
        writer.u64(self.time)
        self.person.withBytes { seed, address in
            // Not by way of an array, which would leave them in memory.
            guard let seed = Bytes32(seed), let address = Bytes32(address) else {
                preconditionFailure("a key has 32 bytes")
            }
            writer.raw(seed)
            writer.raw(address)
        }
        Self.write(self.realms, self.contacts, to: &writer)
        return writer.bytes
    }

    /// More bytes than it takes to write these.
    static func mostBytes(of realms: [Realm], _ contacts: Contacts) -> Int {
        4_096 + contacts.mostBytes + RealmInvitation.limitBytes * realms.count
    }

    /// Writes what follows the keys; a new device is handed the same.
    static func write(_ realms: [Realm], _ contacts: Contacts, to writer: inout WireWriter) {
        writer.list(realms.sorted { $0.id < $1.id }) { $0.text(RealmInvitation($1).line) }
        contacts.write(to: &writer)
    }

    /// Reads it.
    static func realmsAndContacts(
        from reader: inout WireReader, format: UInt8 = Self.format
    ) throws(WireError) -> ([Realm], Contacts) {
        let realms = try reader.list("backup.realms", limit: Limits.realms) {
            (reader) throws(WireError) in
            let line = try reader.text("backup.realm", limit: Self.lineLimit)
            guard let realm = try? RealmInvitation(line).realm else {
                throw .value(field: "backup.realm")
            }
            return realm
        }
        var contacts = try Contacts(from: &reader, lineLimit: Self.lineLimit)
        if format > 1 { try contacts.readGroups(from: &reader) }
        return (realms, contacts)
    }

    /// Reads a backup that was opened.
    ///
    /// Throws where it is none, or one of a later format.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        let format = try reader.byte("backup.format")
        guard Self.formats.contains(format) else { throw .value(field: "backup.format") }
        self.time = try reader.u64("backup.time")
        var keys = try reader.raw("backup.person", count: PersonKeys.byteCount)
        defer { keys.wipe() }
        guard let person = try? PersonKeys(keys.span.bytes) else {
            throw .value(field: "backup.person")
        }
        self.person = person
        (self.realms, self.contacts) = try Self.realmsAndContacts(from: &reader, format: format)
        try reader.finish("backup")
    }
}

extension Contacts {
    fileprivate func write(to writer: inout WireWriter) {
        writer.text(self.profile.name)
        writer.text(self.profile.status)
        writer.list(self.standings.sorted { $0.key < $1.key }) { writer, standing in
            writer.raw(standing.key.key)
            writer.byte(standing.value.rawValue)
        }
        writer.list(self.peers.sorted { $0.id < $1.id }) { writer, peer in
            writer.raw(peer.id.key)
            writer.u64(peer.lastSeen)
            writer.sized(peer.person?.encoded ?? [])
            writer.list(peer.addresses) { $0.text($1) }
        }
        writer.list(self.records.sorted { $0.key < $1.key }) { $0.sized($1.encoded) }
        writer.list(self.rooms.sorted()) { writer, room in
            writer.raw(room.realm.hash)
            writer.text(room.name.text)
        }
        writer.list(self.secretRooms.sorted { $0.id < $1.id }) { $0.text(RoomInvitation($1).line) }
        writer.list(self.partners.sorted { $0.device < $1.device }) { writer, partner in
            writer.raw(partner.device.key)
            writer.raw(partner.person.encoded)
        }
        writer.sized(self.picture)
        writer.list(self.groups.sorted { $0.group < $1.group }) { $0.sized($1.encoded) }
    }

    fileprivate mutating func readGroups(from reader: inout WireReader) throws(WireError) {
        self.groups = try reader.list("backup.groups", limit: Limits.conversations) {
            (reader) throws(WireError) in
            let act = try Act(
                decoding: try reader.sized("backup.group", limit: Limits.actBytes))
            guard act.statement.kind.founded?.id == act.group else {
                throw .value(field: "backup.group")
            }
            return act
        }
    }

    fileprivate init(from reader: inout WireReader, lineLimit: Int) throws(WireError) {
        self.profile = Profile(
            name: try reader.text("backup.name", limit: Limits.nameBytes),
            status: try reader.text("backup.status", limit: Limits.statusBytes))
        let standings = try reader.list("backup.people", limit: Limits.people) {
            (reader) throws(WireError) in
            let peer = PeerID(try reader.bytes32("backup.device"))
            guard let standing = Standing(rawValue: try reader.byte("backup.standing")) else {
                throw .value(field: "backup.standing")
            }
            return (peer, standing)
        }
        self.standings = Dictionary(standings, uniquingKeysWith: { $1 })
        self.peers = try reader.list("backup.peers", limit: Self.peerLimit) {
            (reader) throws(WireError) in try KnownPeer(from: &reader)
        }
        self.records = try reader.list("backup.records", limit: Self.recordLimit) {
            (reader) throws(WireError) in
            try Record(decoding: try reader.sized("backup.record", limit: Limits.recordBytes))
        }
        self.rooms = try reader.list("backup.rooms", limit: Limits.conversations) {
            (reader) throws(WireError) in
            let realm = RealmID(try reader.bytes32("backup.realm"))
            let text = try reader.text("backup.room", limit: Limits.nameBytes)
            guard let name = RoomName(text) else { throw .value(field: "backup.room") }
            return Room(name, in: realm)
        }
        self.secretRooms = try reader.list("backup.secretRooms", limit: Limits.conversations) {
            (reader) throws(WireError) in
            let line = try reader.text("backup.secretRoom", limit: lineLimit)
            guard let room = try? RoomInvitation(line).room else {
                throw .value(field: "backup.secretRoom")
            }
            return room
        }
        self.partners = try reader.list("backup.partners", limit: Limits.conversations) {
            (reader) throws(WireError) in
            let device = PeerID(try reader.bytes32("backup.device"))
            return Partner(device: device, person: try PublicPerson(from: &reader))
        }
        self.picture = try reader.sized("backup.picture", limit: Limits.pictureBytes)
        self.profile.picture = ProfilePicture(content: self.picture)
    }

    /// More bytes than it takes to write them.
    fileprivate var mostBytes: Int {
        let short = self.standings.count + self.rooms.count + self.partners.count
        let peers = self.peers.reduce(0) { bytes, peer in
            bytes + 128 + peer.addresses.reduce(0) { $0 + 2 + $1.utf8.count }
        }
        let records = self.records.reduce(0) { $0 + 3 + $1.encoded.count }
        return 128 * short + peers + RoomInvitation.limitBytes * self.secretRooms.count + records
            + self.picture.count + Limits.actBytes * self.groups.count
    }

    /// People of whom something was said, and partners.
    private static var peerLimit: Int { Limits.people + Limits.conversations }

    /// Their profiles, and as many revocations.
    package static var recordLimit: Int { 2 * Self.peerLimit }
}

extension KnownPeer {
    fileprivate init(from reader: inout WireReader) throws(WireError) {
        let id = PeerID(try reader.bytes32("backup.device"))
        let lastSeen = try reader.u64("backup.lastSeen")
        let keys = try reader.sized("backup.keys", limit: 64)
        let person = keys.isEmpty ? nil : PublicPerson(decoding: keys)
        guard keys.isEmpty || person != nil else { throw .value(field: "backup.keys") }
        let addresses = try reader.list("backup.addresses", limit: Limits.addressesPerTarget) {
            (reader) throws(WireError) in
            try reader.text("backup.address", limit: Limits.addressBytes)
        }
        self.init(id: id, addresses: addresses, lastSeen: lastSeen, person: person)
    }
}

extension PublicPerson {
    fileprivate init(from reader: inout WireReader) throws(WireError) {
        guard let person = PublicPerson(decoding: try reader.raw("backup.keys", count: 64)) else {
            throw .value(field: "backup.keys")
        }
        self = person
    }
}

extension WireWriter {
    /// Writes how many there are, then each.
    fileprivate mutating func list<Element>(
        _ elements: [Element], _ write: (inout WireWriter, Element) -> Void
    ) {
        self.varint(elements.count)
        for element in elements { write(&self, element) }
    }
}

extension WireReader {
    /// Reads how many there are, at most `limit`, then each.
    fileprivate mutating func list<Element>(
        _ field: StaticName, limit: Int,
        _ read: (inout WireReader) throws(WireError) -> Element
    ) throws(WireError) -> [Element] {
        var elements: [Element] = []
        for _ in 0..<(try self.count(field, limit: limit)) { elements.append(try read(&self)) }
        return elements
    }
}
