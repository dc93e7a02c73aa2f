package import Crypto

/// What it takes to read an entry: its payload, and what its header says of it.
package struct Envelope: Hashable, Sendable {
    package let conversation: ConversationID
    /// The class byte.
    package let entryClass: UInt8
    /// The id of the key that the payload is sealed with; zeros where it is not sealed.
    package let epoch: Bytes32
    /// The payload; nil where it is not here.
    package let payload: [UInt8]?
    /// Extension fields, encoded.
    package let extensions: [UInt8]
    /// The header's bytes before the payload's length, to which a sealed payload is bound; nil where
    /// it is not sealed.
    package let header: [UInt8]?

    /// Takes an entry at its place in a log.
    package init(_ entry: Entry, key: LogKey, seq: UInt64, prev: EntryID?) {
        self.conversation = key.conversation
        self.entryClass = entry.entryClass
        self.epoch = entry.epoch
        self.extensions = entry.extensions
        if case .present(let payload) = entry.payload {
            self.payload = payload
        } else {
            self.payload = nil
        }
        self.header =
            entry.epoch == .zero ? nil : entry.headerStart(key: key, seq: seq, prev: prev)
    }

    /// Takes an entry that is not sealed and has no extensions, as nearly all.
    package init(plain payload: [UInt8]?, entryClass: UInt8, in conversation: ConversationID) {
        self.conversation = conversation
        self.entryClass = entryClass
        self.epoch = .zero
        self.payload = payload
        self.extensions = []
        self.header = nil
    }

    /// Whether the payload is sealed.
    package var isSealed: Bool { self.epoch != .zero }

    /// Whether the header holds nothing that a reader must understand and this version does not.
    var isUnderstood: Bool { Extensions.areUnderstood(self.extensions) }
}
