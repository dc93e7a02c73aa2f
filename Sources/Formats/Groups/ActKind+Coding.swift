internal import Crypto

/// The fields of each kind of act: `Docs/Protocol/Groups.md` section 1.
extension ActKind {
    func write(to writer: inout WireWriter) {
        switch self {
        case .create(let group):
            writer.field(1, group.nonce.bytes)
            writer.field(3, group.realm.hash.bytes)
            writer.field(5, [group.history.rawValue])
            writer.field(7, [group.suite.rawValue])
            writer.field(9, text: group.name.text)
        case .add(let person), .demote(let person): writer.field(1, person.hash.bytes)
        case .remove(let person, let seen):
            writer.field(1, person.hash.bytes)
            if !seen.isEmpty { writer.field(4, LogPosition.encoded(seen)) }
        case .admin(let person, let rank):
            precondition(rank > 0, "the owner alone has the rank 0")
            writer.field(1, person.hash.bytes)
            writer.field(3, [UInt8(rank >> 8), UInt8(rank & 0xff)])
        case .leave, .tie: break
        case .link(let link):
            writer.field(1, link.key.bytes)
            if let expires = link.expires { writer.field(2, Self.bytes(of: expires)) }
            if link.needsApproval { writer.field(5, []) }
        case .endLink(let act), .accept(let act): writer.field(1, act.hash.bytes)
        case .join(let link, let proof):
            writer.field(1, link.hash.bytes)
            writer.field(3, proof.bytes)
        case .cut(let device, let number, let stands):
            writer.field(1, device.key.bytes)
            writer.field(3, Self.bytes(of: number))
            if stands { writer.field(5, []) }
        }
    }

    /// Reads the fields of a kind; nil where one is missing, unknown and odd, or not as described.
    init?(_ number: UInt8, _ fields: FieldList, by person: PublicPerson) {
        guard let known = Self.mustKnow(number), fields.isUnderstood(by: known) else { return nil }
        switch number {
        case 1:
            guard let group = Self.group(fields, by: person) else { return nil }
            self = .create(group)
        case 6: self = .leave
        case 12: self = .tie
        default:
            // All others begin with what they are about.
            guard let subject = fields.bytes32(of: 1) else { return nil }
            self.init(number, of: subject, fields)
        }
    }

    private init?(_ number: UInt8, of subject: Bytes32, _ fields: FieldList) {
        switch number {
        case 2: self = .add(PersonID(subject))
        case 3:
            guard let seen = LogPosition.all(in: fields.value(of: 4)) else { return nil }
            self = .remove(PersonID(subject), seen: seen)
        case 4:
            guard let bytes = fields.value(of: 3), bytes.count == 2,
                let rank = bytes.first.map({ Rank($0) << 8 | Rank(bytes[bytes.endIndex - 1]) }),
                rank > 0
            else { return nil }
            self = .admin(PersonID(subject), rank)
        case 5: self = .demote(PersonID(subject))
        case 7:
            let expires = fields.value(of: 2)
            guard let needsApproval = fields.flag(5), expires.map({ $0.count == 8 }) ?? true
            else { return nil }
            self = .link(
                GroupLink(
                    key: subject, expires: expires.map { Self.number($0) },
                    needsApproval: needsApproval))
        case 8: self = .endLink(ActID(subject))
        case 9:
            guard let proof = fields.value(of: 3).flatMap({ Bytes64(Array($0)) }) else {
                return nil
            }
            self = .join(ActID(subject), proof: proof)
        case 10: self = .accept(ActID(subject))
        case 11:
            guard let number = fields.value(of: 3), number.count == 8,
                let stands = fields.flag(5)
            else { return nil }
            self = .cut(PeerID(subject), number: Self.number(number), stands: stands)
        default: return nil
        }
    }

    /// The odd types of a kind; nil for a kind that is unknown.
    private static func mustKnow(_ number: UInt8) -> [UInt64]? {
        switch number {
        case 1: [1, 3, 5, 7, 9]
        case 2, 3, 5, 8, 10: [1]
        case 4, 9: [1, 3]
        case 6, 12: []
        case 7: [1, 5]
        case 11: [1, 3, 5]
        default: nil
        }
    }

    private static func group(_ fields: FieldList, by person: PublicPerson) -> Group? {
        guard let nonce = fields.bytes32(of: 1), let realm = fields.bytes32(of: 3),
            let history = fields.byte(of: 5).flatMap({ Group.History(rawValue: $0) }),
            let suite = fields.byte(of: 7).flatMap({ ConversationKey.Suite(rawValue: $0) }),
            let name = fields.text(of: 9, bytes: 1...Limits.nameBytes).flatMap({ RoomName($0) })
        else { return nil }
        return Group(
            owner: person, nonce: nonce, realm: RealmID(realm), history: history, suite: suite,
            name: name)
    }

    private static func bytes(of number: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: number)
        return bytes
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension FieldList {
    fileprivate func bytes32(of type: UInt64) -> Bytes32? {
        self.value(of: type).flatMap { Bytes32(Array($0)) }
    }

    fileprivate func byte(of type: UInt64) -> UInt8? {
        self.value(of: type).flatMap { $0.count == 1 ? $0.first : nil }
    }

    /// Whether there is an empty field; nil where there is one that is not empty.
    fileprivate func flag(_ type: UInt64) -> Bool? {
        guard let value = self.value(of: type) else { return false }
        return value.isEmpty ? true : nil
    }
}

extension LogPosition {
    /// - Precondition: the logs ascend, and are at most ``Limits/removedLogs``.
    fileprivate static func encoded(_ positions: [LogPosition]) -> [UInt8] {
        precondition(positions.count <= Limits.removedLogs, "whoever removes bounds what it names")
        precondition(
            zip(positions, positions.dropFirst()).allSatisfy { $0.log < $1.log }, "logs ascend")
        var writer = WireWriter(capacity: 44 * positions.count)
        for position in positions {
            writer.raw(position.log.author.key)
            writer.u64(position.log.incarnation)
            writer.varint(position.seq)
        }
        return writer.bytes
    }

    /// Reads a field; nil for one that is not as described.
    fileprivate static func all(in value: ArraySlice<UInt8>?) -> [LogPosition]? {
        guard let value else { return [] }
        do throws(WireError) {
            var reader = WireReader(Array(value))
            var positions: [LogPosition] = []
            repeat {
                let log = LogName(
                    author: PeerID(try reader.bytes32("removed device")),
                    incarnation: try reader.u64("removed incarnation"))
                let seq = try reader.varint("removed seq")
                guard (1..<UInt64(Int64.max)).contains(seq),
                    positions.last.map({ $0.log < log }) ?? true
                else { return nil }
                positions.append(LogPosition(log: log, seq: seq))
            } while reader.remaining > 0
            return positions.count <= Limits.removedLogs ? positions : nil
        } catch { return nil }
    }
}
