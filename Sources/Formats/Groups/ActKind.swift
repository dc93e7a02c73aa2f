package import Crypto

/// How senior an admin is, from 1 on: the smaller, the more senior.
package typealias Rank = UInt16

/// What an act of a group does.
package enum ActKind: Hashable, Sendable {
    /// Begins the group; its author owns it for ever.
    case create(Group)
    case add(PersonID)
    /// Removes somebody, and says up to where the remover has their logs: ascending, at most
    /// ``Limits/removedLogs``.
    case remove(PersonID, seen: [LogPosition])
    /// Gives somebody a rank.
    case admin(PersonID, Rank)
    case demote(PersonID)
    /// The author leaves.
    case leave
    /// A line by which anybody may come.
    case link(GroupLink)
    case endLink(ActID)
    /// The author comes by a link, and shows to have its line.
    case join(ActID, proof: Bytes64)
    /// Does what an undecided act would have done.
    case accept(ActID)
    /// The author's word about one of their devices: that it is cut, or that it stands again. Of several about one device
    /// the greatest number counts.
    case cut(PeerID, number: UInt64, stands: Bool)
    /// Joins heads; nothing else.
    case tie

    /// The group that it founds; nil where it founds none.
    package var founded: Group? {
        if case .create(let group) = self { group } else { nil }
    }

    /// The number that stands in an act.
    var number: UInt8 {
        switch self {
        case .create: 1
        case .add: 2
        case .remove: 3
        case .admin: 4
        case .demote: 5
        case .leave: 6
        case .link: 7
        case .endLink: 8
        case .join: 9
        case .accept: 10
        case .cut: 11
        case .tie: 12
        }
    }
}

/// A link of a group, as the act says that makes it.
package struct GroupLink: Hashable, Sendable {
    /// The Ed25519 key L: who has the line has its secret, and signs a join with it.
    package var key: Bytes32
    /// Until when one may come by it, in milliseconds since 1970; nil for ever.
    package var expires: UInt64?
    /// Whether who comes by it waits for an add.
    package var needsApproval: Bool

    package init(key: Bytes32, expires: UInt64? = nil, needsApproval: Bool = false) {
        self.key = key
        self.expires = expires
        self.needsApproval = needsApproval
    }

    private static let joinContext = Array("stoa.join.v1\0".utf8)

    private static func message(
        _ link: ActID, of group: ConversationID, person: PersonID, device: PeerID
    ) -> [UInt8] {
        var writer = WireWriter(capacity: 144)
        writer.raw(Self.joinContext)
        writer.raw(group.hash)
        writer.raw(link.hash)
        writer.raw(person.hash)
        writer.raw(device.key)
        return writer.bytes
    }

    /// The seed of the key of a link that a device makes.
    ///
    /// It follows from the device's key and what else is in the act, so nothing is stored for the line to be printed
    /// again, and nobody else can make it.
    package static func seed(
        of device: Signer, in group: ConversationID, basis: some Sequence<ActID>, time: HybridTime
    ) -> Bytes32 {
        var writer = WireWriter(capacity: 104)
        writer.raw(group.hash)
        writer.u64(time.rawValue)
        for id in basis { writer.raw(id.hash) }
        let context = writer.bytes
        return device.withSeed {
            BLAKE2b.hash256(context.span.bytes, key: $0, personal: .groupLink)
        }
    }

    /// The key L of a line.
    package static func signer(of seed: Bytes32) -> Signer {
        guard let key = try? SigningKey(seed: seed.bytes.span.bytes) else {
            preconditionFailure("a seed has 32 bytes")
        }
        return Signer(key)
    }

    /// What shows that a device of a person has the line of a link, whose key signs.
    package static func proof(
        of link: ActID, in group: ConversationID, for person: PersonID, on device: PeerID,
        by key: Signer
    ) -> Bytes64 {
        key.sign(Self.message(link, of: group, person: person, device: device))
    }

    /// Whether a join through this link, which the act `id` has made, shows the line.
    package func isShown(by join: Act, as id: ActID) -> Bool {
        guard case .join(id, let proof) = join.statement.kind, let device = join.statement.device
        else { return false }
        return Ed25519.verify(
            signature: proof,
            message: Self.message(
                id, of: join.group, person: join.statement.author, device: device),
            publicKey: self.key)
    }
}

/// How far somebody has a log.
package struct LogPosition: Hashable, Sendable {
    package var log: LogName
    /// The last entry that they have, from 1.
    package var seq: UInt64

    package init(log: LogName, seq: UInt64) {
        self.log = log
        self.seq = seq
    }
}

/// What somebody says about a group, and what they had seen of it: an act without its signature.
package struct ActStatement: Hashable, Sendable {
    package let author: PersonID
    /// The device that signs; nil where the person's own key does, as for a cut.
    package let device: PeerID?
    /// The acts that the author had seen, and that no other seen act follows; ascending.
    package let basis: [ActID]
    /// When, in milliseconds since 1970, by the author's clock.
    package let time: UInt64
    package let kind: ActKind

    package init(
        author: PersonID, device: PeerID?, basis: [ActID], time: UInt64, kind: ActKind
    ) {
        self.author = author
        self.device = device
        self.basis = basis
        self.time = time
        self.kind = kind
    }
}
