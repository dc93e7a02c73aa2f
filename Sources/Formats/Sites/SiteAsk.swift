package import Crypto

/// What somebody lacks of a conversation and no server has: members who have it publish it again.
///
///     ask       = conversation 32 ‖ device 32 ‖ time u64 ‖ what ‖ signature 64
///     what      = 01 ‖ author 32 ‖ incarnation u64 ‖ first u64 ‖ last u64       runs of a log
///               | 03 ‖ act id 32                                            an act of a group
///     signature = by the device, of "stoa.ask.v1" ‖ 00 ‖ all before it
///
/// `Docs/Protocol/Sites.md` section 13.
package struct SiteAsk: Hashable, Sendable {
    package enum What: Hashable, Sendable {
        case runs(LogName, first: UInt64, last: UInt64)
        case act(ActID)
    }

    /// As of the items that are asked for.
    private static let runsCode: UInt8 = 1
    private static let actCode: UInt8 = 3
    private static let context = Array("stoa.ask.v1\0".utf8)

    package let conversation: ConversationID
    package let device: PeerID
    /// When it was asked, in milliseconds by the clock of the device; each later one is greater.
    package let time: UInt64
    package let what: What
    private let signature: Bytes64

    /// Signs what this device asks for.
    package init(
        for what: What, in conversation: ConversationID, at time: UInt64, by signer: Signer
    ) {
        let device = PeerID(signer.publicKey)
        (self.conversation, self.device, self.time, self.what) = (conversation, device, time, what)
        self.signature = signer.sign(
            Self.context + Self.body(conversation, device, time, what))
    }

    /// Whether its device has signed it.
    package var isValid: Bool {
        Ed25519.verify(
            signature: self.signature, message: Self.context + self.body,
            publicKey: self.device.key)
    }

    /// How many entries or acts are asked for.
    package var missing: UInt64 {
        switch self.what {
        case .runs(_, let first, let last): last - first + 1
        case .act: 1
        }
    }

    private var body: [UInt8] { Self.body(self.conversation, self.device, self.time, self.what) }

    private static func body(
        _ conversation: ConversationID, _ device: PeerID, _ time: UInt64, _ what: What
    ) -> [UInt8] {
        var writer = WireWriter(capacity: 136)
        writer.raw(conversation.hash)
        writer.raw(device.key)
        writer.u64(time)
        switch what {
        case .runs(let log, let first, let last):
            writer.byte(Self.runsCode)
            writer.raw(log.author.key)
            writer.u64(log.incarnation)
            writer.u64(first)
            writer.u64(last)
        case .act(let id):
            writer.byte(Self.actCode)
            writer.raw(id.hash)
        }
        return writer.bytes
    }

    var encoded: [UInt8] { self.body + self.signature.bytes }

    /// Reads it; its signature is not checked here.
    init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        self.conversation = ConversationID(try reader.bytes32("ask conversation"))
        self.device = PeerID(try reader.bytes32("ask device"))
        self.time = try reader.u64("ask time")
        switch try reader.byte("ask kind") {
        case Self.runsCode:
            let author = PeerID(try reader.bytes32("ask author"))
            let log = LogName(author: author, incarnation: try reader.u64("ask incarnation"))
            let first = try reader.u64("ask first")
            let last = try reader.u64("ask last")
            guard first > 0, first <= last, last < .max else { throw .value(field: "ask first") }
            self.what = .runs(log, first: first, last: last)
        case Self.actCode: self.what = .act(ActID(try reader.bytes32("ask act")))
        default: throw .value(field: "ask kind")
        }
        self.signature = try reader.bytes64("ask signature")
        try reader.finish("ask")
    }
}
