package import Crypto

/// How the two ends of a link name what they have without telling who does not know it.
///
/// Each tag is made of what only the two ends of the link know. Where it says what one side has, that
/// side's role is in it: no tag that was received can be sent back as one's own.
/// `Docs/Protocol/Sync.md` sections 1, 2 and 4.
package struct LinkTags: Sendable {
    let exporter: Bytes64
    /// The role of this side.
    package let own: LinkRole

    package init(exporter: Bytes64, role: LinkRole) {
        self.exporter = exporter
        self.own = role
    }

    package var peer: LinkRole { self.own.other }

    /// The tag of a log, which is the same for both sides.
    package func log(_ name: LogName, in conversation: ConversationID) -> UInt64 {
        var writer = WireWriter(capacity: 72)
        writer.raw(conversation.hash)
        writer.raw(name.author.key)
        writer.u64(name.incarnation)
        return self.tag(writer.bytes, .logTag)
    }

    /// The tag of an author, which is the same for both sides.
    package func author(_ author: PeerID) -> UInt64 { self.tag(author.key.bytes, .authorTag) }

    /// The tag of a record, which is the same for both sides.
    package func record(_ record: Record) -> UInt64 { self.tag(record.hash.bytes, .recordTag) }

    /// The row for a record, which is the same for both sides.
    package func row(_ record: Record) -> RecordRow {
        // Of one device there may be revocations by several people.
        let author = record.author.key.bytes + (record.key.person?.hash.bytes ?? [])
        return RecordRow(
            tag: self.tag(author, .authorTag), scope: record.scope, kind: record.kind,
            time: record.time, recordTag: self.record(record))
    }

    /// The tag of a head as one of the sides sends it.
    package func head(_ id: EntryID, by role: LinkRole) -> UInt64 {
        self.tag(Self.role(role) + id.hash.bytes, .headTag)
    }

    /// The tag of a bucket as one of the sides sends it.
    package func bucket(_ hash: Bytes32, of conversation: ConversationID, by role: LinkRole)
        -> UInt64
    {
        var writer = WireWriter(capacity: 65)
        writer.raw(Self.role(role))
        writer.raw(conversation.hash)
        writer.raw(hash)
        return self.tag(writer.bytes, .bucketTag)
    }

    private static func role(_ role: LinkRole) -> [UInt8] {
        #if MUTANTS
            if Mutant.forgetRole.isActive { return [] }
        #endif
        return [role.rawValue]
    }

    func tag(_ bytes: [UInt8], _ personal: BLAKE2b.Personal) -> UInt64 {
        let hash = self.exporter.withBytes { key in
            BLAKE2b.hash256(bytes.span.bytes, key: key, personal: personal)
        }
        return hash.withBytes { UInt64(bigEndian: $0.unsafeLoadUnaligned(as: UInt64.self)) }
    }
}
