package import Crypto

/// What somebody tells the members of a conversation at other sites, and what nothing stores: that they are there, or that
/// they write.
///
///     signal    = conversation 32 ‖ device 32 ‖ time u64 ‖ what u8 ‖ signature 64
///     signature = by the device, of "stoa.signal.v1" ‖ 00 ‖ all before it
///
/// `Docs/Protocol/Sites.md` section 12.
package struct SiteSignal: Hashable, Sendable {
    /// What is told; readers skip what they do not know.
    package enum Word: Hashable, Sendable {
        /// How reachable the user is.
        ///
        /// - Parameter asks: whether the others are to say the same of themselves.
        case presence(Presence, asks: Bool)
        /// The user writes in the conversation.
        case typing

        private static let typingCode: UInt8 = 3
        private static let asksFlag: UInt8 = 0x80

        fileprivate var code: UInt8 {
            switch self {
            case .presence(let presence, let asks):
                presence.rawValue | (asks ? Self.asksFlag : 0)
            case .typing: Self.typingCode
            }
        }

        fileprivate init?(_ code: UInt8) {
            if code == Self.typingCode {
                self = .typing
            } else if let presence = Presence(rawValue: code & ~Self.asksFlag) {
                self = .presence(presence, asks: code & Self.asksFlag != 0)
            } else {
                return nil
            }
        }
    }

    private static let context = Array("stoa.signal.v1\0".utf8)

    package let conversation: ConversationID
    package let device: PeerID
    /// When it was told, in milliseconds by its author's clock; each later one is greater.
    package let time: UInt64
    private let what: UInt8
    private let signature: Bytes64

    /// Signs a word of this device.
    package init(
        _ word: Word, in conversation: ConversationID, at time: UInt64, by signer: Signer
    ) {
        let device = PeerID(signer.publicKey)
        (self.conversation, self.device, self.time) = (conversation, device, time)
        self.what = word.code
        self.signature = signer.sign(
            Self.context + Self.body(conversation, device, time, word.code))
    }

    /// What it says; nil for what this version does not know.
    package var word: Word? { Word(self.what) }

    /// Whether its device has signed it.
    package var isValid: Bool {
        Ed25519.verify(
            signature: self.signature, message: Self.context + self.body,
            publicKey: self.device.key)
    }

    private var body: [UInt8] {
        Self.body(self.conversation, self.device, self.time, self.what)
    }

    private static func body(
        _ conversation: ConversationID, _ device: PeerID, _ time: UInt64, _ what: UInt8
    ) -> [UInt8] {
        var writer = WireWriter(capacity: 80)
        writer.raw(conversation.hash)
        writer.raw(device.key)
        writer.u64(time)
        writer.byte(what)
        return writer.bytes
    }

    var encoded: [UInt8] { self.body + self.signature.bytes }

    /// Reads it; its signature is not checked here.
    init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        self.conversation = ConversationID(try reader.bytes32("signal conversation"))
        self.device = PeerID(try reader.bytes32("signal device"))
        self.time = try reader.u64("signal time")
        self.what = try reader.byte("signal")
        self.signature = try reader.bytes64("signal signature")
        try reader.finish("signal")
    }
}
