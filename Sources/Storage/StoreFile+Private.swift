internal import Engine
internal import Formats
internal import Crypto

/// How conversations that are no open rooms lie on disk, and who waits to be let in. `Docs/Data.md`.
extension StoreFile {
    /// Writes what a conversation is, and whether the user is in it.
    func store(
        _ membership: ConversationMembership, of conversation: ConversationID
    ) throws(SQLiteError) {
        let kind = membership.kind
        let (secret, group) = (kind.secretRoom, kind.group)
        // The name of an open room is known to all; others have it sealed, behind the root.
        let root = kind.direct?.root.bytes ?? secret?.root.bytes ?? []
        let name = secret?.name.text ?? group?.name.text ?? ""
        try self.statements.values.setMembership
            .bind(.id, self.makeConversationRow(conversation)).bind(.kind, kind.number)
            .bind(.realm, kind.realm?.hash.bytes)
            .bind(.name, text: kind.room?.name.text)
            .bind(.suite, (secret?.suite ?? group?.suite).map { Int64($0.rawValue) })
            .bind(
                .root, sealing: kind.room == nil ? root + Array(name.utf8) : nil,
                as: .conversation, at: conversation.hash.bytes
            )
            .bind(
                .peer,
                kind.direct.map { $0.device.key.bytes + $0.person.encoded }
                    ?? group.map {
                        $0.owner.encoded + $0.nonce.bytes + [$0.history.rawValue]
                    }
            )
            .bind(.joined, membership.isJoined ? 1 : 0).run()
    }

    /// The keys of all conversations that have some; those of rows that cannot be read are left out.
    func keyring() -> Keyring {
        var keyring = Keyring()
        var suites: [ConversationID: ConversationKey.Suite] = [:]
        let columns = "hash, kind, realm, name, suite, root, peer"
        let rows = try? self.database.prepare(
            "SELECT \(columns) FROM conversations WHERE root NOT NULL OR kind = 4")
        try? rows?.forEach { (row) throws(SQLiteError) in
            let kind = ConversationKind(row, ConversationID(try row.bytes32(.hash)))
            guard let kind else { return }
            keyring.add(kind)
            suites[kind.id] = kind.epochSuite
        }
        try? self.epochs { (held) throws(SQLiteError) in
            if let key = held.conversationKey(suites[held.group]) { keyring.add(key) }
        }
        return keyring
    }

    // MARK: Requests

    /// Forgets the requests of people; whether there was one.
    func end(requestsOf people: [PersonID]) throws(SQLiteError) -> Bool {
        var hasEnded = false
        for person in people {
            let row = try self.database.prepare("SELECT peer FROM requests WHERE person = :person")
            let device = try row.bind(.person, person.hash)
                .first { (row) throws(SQLiteError) in
                    try row.opened(.peer, as: .request, at: person.hash.bytes)
                }
                .map { Array(($0 ?? []).prefix(32)) }
            guard let device else { continue }
            try self.blankNotices(ofRequestBy: device)
            try self.statements.values.removeRequest.bind(.person, person.hash).run()
            hasEnded = true
        }
        return hasEnded
    }

    /// Takes what somebody has written who waited out of the notices that told of it.
    private func blankNotices(ofRequestBy device: [UInt8]) throws(SQLiteError) {
        var blank: [(number: Int64, arrival: Int64, body: [UInt8])] = []
        let kind = Int64(Notice.requestedNumber)
        // Those of whom the user did not know, and those of before there was a difference.
        let rows = try self.database.prepare(
            "SELECT number, arrival, body FROM notices WHERE kind & 31 = :kind")
        try rows.bind(.kind, kind).forEach { (row) throws(SQLiteError) in
            let arrival = row.int(.arrival)
            let body = try row.opened(.body, as: .notice, at: arrival.place) ?? []
            guard let notice = Notice(number: kind, conversation: nil, body: body),
                case .requested(let peer, let text) = notice.event, !text.isEmpty,
                peer.key.bytes == device
            else { return }
            let without = Notice(.requested(peer, ""), at: notice.time)
            blank.append((row.int(.number), arrival, without.body))
        }
        for (number, arrival, body) in blank {
            let update = try self.database.prepare(
                "UPDATE notices SET body = :body WHERE number = :number")
            try update.bind(.number, number)
                .bind(.body, sealing: body, as: .notice, at: arrival.place).run()
        }
    }

    /// Keeps requests, in the place of earlier ones of the same people; whether one was declined.
    func store(_ requests: [DirectRequest]) throws(SQLiteError) -> Bool {
        for request in requests {
            if request.isDeclined { try self.blankNotices(ofRequestBy: request.device.key.bytes) }
            try self.statements.values.replaceRequest.bind(.person, request.person.id.hash)
                .bind(
                    .peer,
                    sealing: request.device.key.bytes + request.person.encoded
                        + Array(request.text.utf8),
                    as: .request, at: request.person.id.hash.bytes
                )
                .bind(.text, text: "").bind(.milliseconds, request.time.stored)
                .bind(.source, text: request.source).bind(.declined, request.isDeclined ? 1 : 0)
                .run()
        }
        return requests.contains(where: \.isDeclined)
    }

    /// The requests that are kept.
    func requests() throws(SQLiteError) -> [DirectRequest] {
        var requests: [DirectRequest] = []
        let rows = try self.database.prepare(
            "SELECT \(DirectRequest.columns) FROM requests ORDER BY person")
        try rows.forEach { (row) throws(SQLiteError) in
            guard let request = DirectRequest(row) else { throw .damaged("a request") }
            requests.append(request)
        }
        return requests
    }

    /// The keys of people whose logs are here.
    func persons() throws(SQLiteError) -> [PersonID: PublicPerson] {
        var persons: [PersonID: PublicPerson] = [:]
        let rows = try self.database.prepare("SELECT keys FROM persons WHERE keys NOT NULL")
        try rows.forEach { (row) throws(SQLiteError) in
            guard let keys = row.optionalBytes(.keys).flatMap({ PublicPerson(decoding: $0) }) else {
                throw .damaged("the keys of a person")
            }
            persons[keys.id] = keys
        }
        return persons
    }
}

extension ConversationKind {
    /// What stands for it in `conversations`.
    fileprivate var number: Int64 {
        switch self {
        case .room: 0
        case .direct: 1
        case .secret: 2
        case .group: 4
        }
    }

    /// Reads a row of `conversations`; nil where it cannot be the one with this id.
    init?(_ row: Statement, _ id: ConversationID) {
        guard let kind = Self(row), kind.id == id else { return nil }
        self = kind
    }

    private init?(_ row: Statement) {
        let realm = row.optionalBytes(.realm).flatMap { Bytes32($0) }.map { RealmID($0) }
        guard let hash = try? row.bytes32(.hash) else { return nil }
        let sealed = (try? row.opened(.root, as: .conversation, at: hash.bytes)) ?? []
        // A group has no root of its own.
        let rootCount = row.int(.kind) == 4 ? 0 : Bytes32.byteCount
        let root = Bytes32(sealed.prefix(rootCount))
        // Behind the root, but for an open room's; in a file from before that they were in the open.
        let name = RoomName(
            stored: row.isNull(.name)
                ? String(decoding: sealed.dropFirst(rootCount), as: UTF8.self) : row.text(.name))
        let suite = row.optionalInt(.suite).flatMap { UInt8(exactly: $0) }
            .flatMap { ConversationKey.Suite(rawValue: $0) }
        switch row.int(.kind) {
        case 0:
            guard let realm, let name else { return nil }
            self = .room(Room(name, in: realm))
        case 1:
            guard let root, let peer = row.optionalBytes(.peer).flatMap({ Peer($0) })
            else { return nil }
            self = .direct(
                DirectConversation(
                    id: ConversationID(hash), person: peer.person, device: peer.device, root: root))
        case 2:
            guard let realm, let root, let name, let suite else { return nil }
            self = .secret(SecretRoom(realm: realm, name: name, suite: suite, root: root))
        case 4:
            // P and X of the owner, the nonce, and what newcomers read: 97 bytes.
            guard let realm, let name, let suite,
                let rest = row.optionalBytes(.peer), rest.count == 97,
                let owner = PublicPerson(decoding: Array(rest[..<64])),
                let nonce = Bytes32(rest[64..<96]), let history = Group.History(rawValue: rest[96])
            else { return nil }
            self = .group(
                Group(
                    owner: owner, nonce: nonce, realm: realm, history: history, suite: suite,
                    name: name))
        default: return nil
        }
    }
}

extension DirectRequest {
    /// What ``init(_:)`` reads.
    static let columns = "person, peer, text, milliseconds, source, declined"

    /// Reads a row of `requests`; nil where it is none.
    init?(_ row: Statement) {
        let value = (try? row.opened(.peer, as: .request, at: row.bytes(.person))) ?? []
        guard let peer = Peer(Array(value.prefix(Peer.byteCount))) else { return nil }
        // In a file from before it was sealed the text is in its own column.
        let text = String(decoding: value.dropFirst(Peer.byteCount), as: UTF8.self)
        self.init(
            device: peer.device, person: peer.person, text: row.text(.text) + text,
            time: UInt64(stored: row.int(.milliseconds)), source: row.text(.source))
        self.isDeclined = row.int(.declined) != 0
    }
}

/// A device and its person: 96 bytes.
private struct Peer {
    static let byteCount = 96

    let device: PeerID
    let person: PublicPerson

    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, let key = Bytes32(bytes[..<32]),
            let person = PublicPerson(decoding: Array(bytes[32...]))
        else { return nil }
        self.device = PeerID(key)
        self.person = person
    }
}

extension Standing {
    /// What the user has said of somebody; known, where nobody can have written that.
    init(_ row: Statement) {
        self = UInt8(exactly: row.int(.standing)).flatMap { Standing(rawValue: $0) } ?? .known
    }
}
