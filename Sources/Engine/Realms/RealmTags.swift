internal import Crypto

/// How the two ends of a link show each other what they share, without telling who does not know it.
///
/// Each tag is made of what only the two ends of the link know, of the role of the side that sends it,
/// and of what it stands for: nobody else can read it, and the side that gets it cannot send it back
/// as its own. `Docs/Protocol/Sync.md` sections 1 and 2.
struct RealmTags: Sendable {
    private let exporter: Bytes64
    /// The role of this side.
    let own: LinkRole

    init(exporter: Bytes64, role: LinkRole) {
        self.exporter = exporter
        self.own = role
    }

    /// The role of the peer.
    var peer: LinkRole { self.own.other }

    /// The tag that one of the sides sends for a secret of a realm that it is in.
    func realm(_ secret: RealmSecret, by role: LinkRole) -> Bytes16 {
        var writer = WireWriter(capacity: 97)
        writer.raw(self.exporter)
        Self.write(role, to: &writer)
        writer.raw(secret.realm.hash)
        let hash = secret.bytes.withBytes { key in
            BLAKE2b.hash256(writer.bytes.span.bytes, key: key, personal: .realmLink)
        }
        guard let tag = Bytes16(hash.bytes.prefix(16)) else {
            preconditionFailure("a hash has more than 16 bytes")
        }
        return tag
    }

    /// The tag that one of the sides sends for a conversation that is no open room.
    func share(_ conversation: ConversationID, by role: LinkRole) -> UInt64 {
        var writer = WireWriter(capacity: 33)
        Self.write(role, to: &writer)
        writer.raw(conversation.hash)
        let hash = self.exporter.withBytes { key in
            BLAKE2b.hash256(writer.bytes.span.bytes, key: key, personal: .shareTag)
        }
        return hash.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func write(_ role: LinkRole, to writer: inout WireWriter) {
        #if MUTANTS
            if Mutant.forgetRealmRole.isActive { return }
        #endif
        writer.byte(role.rawValue)
    }

    /// Tags in order, filled up with random ones to the next of some sizes, so that their number says
    /// little.
    static func filled<Tag: Hashable & Comparable>(
        _ tags: [Tag], to sizes: [Int], with random: () -> Tag
    ) -> [Tag] {
        var all = Set(tags)
        let size = sizes.first { all.count <= $0 } ?? sizes[sizes.count - 1]
        precondition(all.count <= size, "there are no more tags than the largest size")
        while all.count < size { all.insert(random()) }
        return all.sorted()
    }
}
