internal import Crypto

/// How the two ends of a link name logs, heads and authors without telling who does not know them.
///
/// `Docs/Protocol/Sync.md` section 1.
struct LinkTags: Sendable {
    let handshakeHash: Bytes64

    func log(_ name: LogName, in conversation: ConversationID) -> UInt64 {
        var writer = WireWriter(capacity: 72)
        writer.raw(conversation.hash)
        writer.raw(name.author.key)
        writer.u64(name.incarnation)
        return self.tag(writer.bytes, .logTag)
    }

    func head(_ id: EntryID) -> UInt64 { self.tag(id.hash.bytes, .headTag) }

    func author(_ author: PeerID) -> UInt64 { self.tag(author.key.bytes, .authorTag) }

    private func tag(_ bytes: [UInt8], _ personal: BLAKE2b.Personal) -> UInt64 {
        let hash = self.handshakeHash.withBytes { key in
            BLAKE2b.hash256(bytes.span.bytes, key: key, personal: personal)
        }
        return hash.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The own row for a log as the peer reads it.
    func row(_ name: LogName, _ log: LogProgress, in conversation: ConversationID) -> ClockRow {
        ClockRow(
            tag: self.log(name, in: conversation), seq: log.head.seq,
            headTag: log.head.seq > 0 ? self.head(log.head.id) : 0,
            state: log.fork == nil ? .open : .forked)
    }
}
