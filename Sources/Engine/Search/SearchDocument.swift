internal import Crypto
package import Formats

/// A message as it can be found.
package struct SearchDocument: Hashable, Sendable {
    /// Its place, in eight bytes.
    package var place: Int64
    package var id: EntryID
    package var conversation: ConversationID
    package var author: PeerID
    /// When, by its author's clock.
    package var time: HybridTime
    package var text: String

    /// The document of an entry that people see; nil where it has no text of its own.
    package init?(_ entry: StoredEntry, by keyring: Keyring) {
        guard let message = Message(entry, by: keyring), Reference(message.content) == nil,
            let text = message.content.searchableText
        else { return nil }
        self.place = Self.place(entry.key, entry.seq)
        self.id = entry.id
        self.conversation = entry.key.conversation
        self.author = entry.key.name.author
        self.time = entry.time
        self.text = text
    }

    /// Eight bytes that stand for a place in a log.
    package static func place(_ key: LogKey, _ seq: UInt64) -> Int64 {
        var writer = WireWriter(capacity: 80)
        writer.raw(key.conversation.hash)
        writer.raw(key.name.author.key)
        writer.u64(key.name.incarnation)
        writer.u64(seq)
        return BLAKE2b.hash256(writer.bytes, personal: .searchPlace).withBytes { bytes in
            // Any eight bytes are an Int64, and the load checks its bounds.
            Int64(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: Int64.self))
        }
    }
}

extension Content {
    /// What of a message can be found: of a file its name and what is said with it, of one that this version
    /// cannot read what stands for it.
    fileprivate var searchableText: String? {
        switch self {
        case .file(let file): file.caption.map { "\(file.name): \($0)" } ?? file.name
        case .fallback(let text): text
        default: self.text
        }
    }
}
