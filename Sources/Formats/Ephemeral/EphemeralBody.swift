internal import Crypto

/// What an ephemeral piece says, once it is opened.
///
///     bytes = 00 ‖ body                     where the conversation is not sealed
///           | suite ‖ … (a sealed payload)  where it is; in a group behind 8 bytes of the epoch's id
///     body  = kind u8 ‖ …
///
/// `Docs/Protocol/Ephemeral.md` section 1.
package enum EphemeralBody: Hashable, Sendable {
    /// The user writes in the conversation.
    case typing
    case packet(StreamPacket)
    case signal(CallSignal)

    private static let typingKind: UInt8 = 1
    private static let packetKind: UInt8 = 2
    private static let signalKind: UInt8 = 3

    private var encoded: [UInt8] {
        switch self {
        case .typing: return [Self.typingKind]
        case .packet(let packet):
            var writer = WireWriter(capacity: packet.bytes.count + 80)
            writer.byte(Self.packetKind)
            packet.write(to: &writer)
            return writer.bytes
        case .signal(let signal):
            var writer = WireWriter(capacity: signal.bytes.count + 33)
            writer.byte(Self.signalKind)
            signal.write(to: &writer)
            return writer.bytes
        }
    }

    /// Reads a body; nil for one of another kind, which is skipped, and for one that is none.
    private init?(_ body: [UInt8]) {
        switch body.first {
        case Self.typingKind where body.count == 1: self = .typing
        case Self.packetKind:
            var reader = WireReader(Array(body.dropFirst()))
            guard let packet = try? StreamPacket(from: &reader) else { return nil }
            self = .packet(packet)
        case Self.signalKind:
            var reader = WireReader(Array(body.dropFirst()))
            guard let signal = try? CallSignal(from: &reader) else { return nil }
            self = .signal(signal)
        default: return nil
        }
    }

    /// Puts it into a piece, sealed where a key is given; nonce and salt come from `random`, which must
    /// not be predictable.
    package func piece(
        in conversation: ConversationID, stream: UInt64, by author: PeerID,
        with key: ConversationKey?,
        using random: inout some RandomNumberGenerator
    ) -> EphemeralPiece {
        var piece = EphemeralPiece(conversation: conversation, stream: stream, bytes: [])
        if let key {
            let sealed = SealedPayload.seal(
                self.encoded, with: key, header: piece.sealedHeader(by: author), using: &random)
            piece.bytes = (key.isEpoch ? Self.name(of: key) : []) + sealed
        } else {
            piece.bytes = [0] + self.encoded
        }
        return piece
    }

    /// Reads what a peer has sent in a conversation that is not sealed; nil for what is none.
    init?(clear piece: EphemeralPiece) {
        guard piece.bytes.first == 0 else { return nil }
        self.init(Array(piece.bytes.dropFirst()))
    }

    /// Reads what a peer has sealed with this key; nil for anything else.
    init?(sealed piece: EphemeralPiece, by author: PeerID, with key: ConversationKey) {
        let payload = key.isEpoch ? Array(piece.bytes.dropFirst(Self.epochBytes)) : piece.bytes
        guard
            let body = SealedPayload.open(
                payload, with: key, header: piece.sealedHeader(by: author))
        else { return nil }
        self.init(body)
    }

    /// How much of its id names the key of an epoch: the longest packet still fits.
    static let epochBytes = 8

    private static func name(of key: ConversationKey) -> [UInt8] {
        Array(key.id.bytes.prefix(Self.epochBytes))
    }

    /// Whether these bytes name a key.
    static func names(_ bytes: ArraySlice<UInt8>, _ key: ConversationKey) -> Bool {
        bytes.elementsEqual(Self.name(of: key))
    }
}

extension EphemeralPiece {
    /// What a sealed piece is bound to: where it belongs, and who sent it.
    fileprivate func sealedHeader(by author: PeerID) -> [UInt8] {
        var writer = WireWriter(capacity: 96)
        writer.raw(Array("stoa.ephemeral.v2\0".utf8))
        writer.raw(self.conversation.hash)
        writer.raw(author.key)
        writer.u64(self.stream)
        return writer.bytes
    }
}
