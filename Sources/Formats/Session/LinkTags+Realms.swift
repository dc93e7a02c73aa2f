package import Crypto

/// How the two ends of a link show each other which realms and conversations they share.
extension LinkTags {
    /// The tag that one of the sides of a link with this exporter sends for a secret of a realm.
    package static func realm(
        _ secret: RealmSecret, by role: LinkRole, exporter: Bytes64
    ) -> Bytes16 {
        LinkTags(exporter: exporter, role: role).realm(secret, by: role)
    }

    /// The tag that one of the sides sends for a secret of a realm that it is in.
    package func realm(_ secret: RealmSecret, by role: LinkRole) -> Bytes16 {
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

    /// The tag that one of the sides of a link with this exporter sends for a conversation that is no
    /// open room.
    package static func share(
        _ conversation: ConversationID, by role: LinkRole, exporter: Bytes64
    ) -> UInt64 {
        LinkTags(exporter: exporter, role: role).share(conversation, by: role)
    }

    /// The tag that one of the sides sends for a conversation that is no open room.
    package func share(_ conversation: ConversationID, by role: LinkRole) -> UInt64 {
        var writer = WireWriter(capacity: 33)
        Self.write(role, to: &writer)
        writer.raw(conversation.hash)
        return self.tag(writer.bytes, .shareTag)
    }

    private static func write(_ role: LinkRole, to writer: inout WireWriter) {
        #if MUTANTS
            if Mutant.forgetRealmRole.isActive { return }
        #endif
        writer.byte(role.rawValue)
    }

    /// Tags in order, filled up with random ones to the next of some sizes, so that their number says
    /// little.
    package static func filled<Tag: Hashable & Comparable>(
        _ tags: [Tag], to sizes: [Int], with random: () -> Tag
    ) -> [Tag] {
        var all = Set(tags)
        let size = sizes.first { all.count <= $0 } ?? sizes[sizes.count - 1]
        precondition(all.count <= size, "there are no more tags than the largest size")
        while all.count < size { all.insert(random()) }
        return all.sorted()
    }
}
