internal import Crypto

/// A piece of a stream that is worth nothing later: it is sent once, or dropped.
///
/// `Docs/Protocol/Ephemeral.md`.
package struct EphemeralPiece: Hashable, Sendable {
    package var conversation: ConversationID
    /// Which stream of the sender's in that conversation; 0 for what the sender's user does there.
    package var stream: UInt64
    /// What is sent, sealed where the conversation is; 1 to ``Limits/ephemeralBytes`` bytes.
    package var bytes: [UInt8]

    package init(conversation: ConversationID, stream: UInt64, bytes: [UInt8]) {
        self.conversation = conversation
        self.stream = stream
        self.bytes = bytes
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.conversation = ConversationID(try reader.bytes32("ephemeral conversation"))
        self.stream = try reader.u64("ephemeral stream")
        self.bytes = try reader.sized("ephemeral bytes", limit: Limits.ephemeralBytes)
        guard !self.bytes.isEmpty else { throw .value(field: "ephemeral bytes") }
    }

    func write(to writer: inout WireWriter) {
        writer.raw(self.conversation.hash)
        writer.u64(self.stream)
        writer.sized(self.bytes)
    }
}
