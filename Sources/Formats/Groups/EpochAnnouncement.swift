package import Crypto

/// What the maker of a group's key tells of it, in clear: which key, and whom it is for.
///
/// `Docs/Protocol/Groups.md` section 4. The id commits to all of this, so one id has one maker, basis and list of people.
package struct EpochAnnouncement: Hashable, Sendable {
    /// Names the key, in the headers of what is sealed with it.
    package let id: Bytes32
    /// Heads of the acts that the maker knew, ascending, 1 to ``Limits/epochBasis``.
    package let basis: [ActID]
    /// Of the members at that basis; see ``PersonID/digest(of:)``.
    package let people: Bytes32

    /// Describes one that was read.
    package init(id: Bytes32, basis: [ActID], people: Bytes32) {
        self.id = id
        self.basis = basis
        self.people = people
    }

    private static let idType: UInt64 = 1
    private static let basisType: UInt64 = 3
    private static let peopleType: UInt64 = 5
    static let mustKnow = [Self.idType, Self.basisType, Self.peopleType]

    /// Announces a key of a group on a device's log.
    ///
    /// - Precondition: the basis is within its limit.
    package init(
        of key: Bytes32, in group: ConversationID, by device: PeerID,
        basis: some Sequence<ActID>, people: some Sequence<PersonID>
    ) {
        self.init(
            of: key, in: group, by: device, basis: basis, people: PersonID.digest(of: people))
    }

    /// Announces a key of a group on a device's log; `people` stands for whom it is for.
    ///
    /// - Precondition: the basis is within its limit.
    package init(
        of key: Bytes32, in group: ConversationID, by device: PeerID,
        basis: some Sequence<ActID>, people: Bytes32
    ) {
        let basis = basis.sorted()
        precondition(
            (1...Limits.epochBasis).contains(basis.count), "whoever makes a key ties heads first")
        self.basis = basis
        self.people = people
        self.id = Self.id(of: key, in: group, by: device, basis: basis, people: self.people)
    }

    /// Whether this device announces this key; if not, the key is nobody's.
    package func isOf(_ key: Bytes32, in group: ConversationID, by device: PeerID) -> Bool {
        self.id
            == Self.id(of: key, in: group, by: device, basis: self.basis, people: self.people)
    }

    private static func id(
        of key: Bytes32, in group: ConversationID, by device: PeerID, basis: [ActID],
        people: Bytes32
    ) -> Bytes32 {
        var fields = WireWriter(capacity: 64 + 32 * basis.count)
        Self.write(basis, people, to: &fields)
        var hasher = BLAKE2b.Hasher(personal: .epochID)
        hasher.update(key)
        hasher.update(group.hash)
        hasher.update(device.key)
        hasher.update(BLAKE2b.hash256(fields.bytes, personal: .epochBody))
        return hasher.finalize()
    }

    private static func write(_ basis: [ActID], _ people: Bytes32, to writer: inout WireWriter) {
        writer.field(Self.basisType, basis.flatMap { $0.hash.bytes })
        writer.field(Self.peopleType, people.bytes)
    }

    func write(to writer: inout WireWriter) {
        writer.field(Self.idType, self.id.bytes)
        Self.write(self.basis, self.people, to: &writer)
    }

    init?(_ fields: FieldList) {
        guard let id = fields.value(of: Self.idType).flatMap({ Bytes32(Array($0)) }),
            let people = fields.value(of: Self.peopleType).flatMap({ Bytes32(Array($0)) }),
            let basis = fields.value(of: Self.basisType), !basis.isEmpty,
            basis.count <= 32 * Limits.epochBasis
        else { return nil }
        var reader = WireReader(Array(basis))
        var ids: [ActID] = []
        while reader.remaining > 0 {
            guard let hash = try? reader.bytes32("epoch basis") else { return nil }
            if let last = ids.last, ActID(hash) <= last { return nil }
            ids.append(ActID(hash))
        }
        self.id = id
        self.basis = ids
        self.people = people
    }
}

extension PersonID {
    /// Stands for a list of people, in any order: `H("stoa people", person *)`, ascending.
    package static func digest(of people: some Sequence<PersonID>) -> Bytes32 {
        var hasher = BLAKE2b.Hasher(personal: .people)
        for person in people.sorted() { hasher.update(person.hash) }
        return hasher.finalize()
    }
}

/// A key of a group, with the id by which it was announced.
package struct EpochKey: Hashable, Sendable {
    package let id: Bytes32
    /// The key, 32 bytes.
    package let key: Bytes32

    package init(id: Bytes32, key: Bytes32) {
        self.id = id
        self.key = key
    }
}

extension EpochKey: CustomStringConvertible {
    /// Which key; the key itself is never shown.
    package var description: String { "the key of epoch \(self.id)" }
}
