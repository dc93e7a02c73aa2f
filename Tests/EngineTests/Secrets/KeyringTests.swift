import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Sealed entries and the keys that open them")
struct KeyringTests {
    private static let ops = room("ops").conversation
    private static let log = TestLog(signer(1), in: Self.ops)

    /// An entry that its author has sealed, at a place in its log.
    private static func sealed(
        _ content: Content, with key: ConversationKey, deps: [EntryID] = []
    ) -> Entry {
        var entry = Entry(
            entryClass: content.entryClass, time: HybridTime(1), deps: deps, payload: .present([]))
        var random = SeededRandom(seed: 1)
        entry.seal(content, with: key, at: (Self.log.key, 1, nil), using: &random)
        return entry
    }

    private static func read(
        _ entry: Entry, by keyring: Keyring, in log: TestLog = Self.log, seq: UInt64 = 1
    ) -> EntryReading {
        let prev = seq == 1 ? nil : EntryID(fixed32(9))
        return keyring.read(Envelope(entry, key: log.key, seq: seq, prev: prev))
    }

    private static func keyring(_ keys: ConversationKey...) -> Keyring {
        var keyring = Keyring()
        for key in keys { keyring.use(key) }
        return keyring
    }

    private static var suites: [ConversationKey.Suite] {
        ConversationKey.Suite.allCases.filter(\.isAvailable)
    }

    // Shows: shown.sealed
    @Test("who has the key reads what was sealed, of whatever length")
    func roundTrip() {
        for suite in Self.suites {
            let key = conversationKey(7, of: Self.ops, suite: suite)
            let keyring = Self.keyring(key)
            for count in [1, 30, 58, 59, 60, 100, 1_000, 30_000, Limits.textBytes] {
                let content = Content.text(String(repeating: "x", count: count))
                let entry = Self.sealed(content, with: key)
                #expect(Self.read(entry, by: keyring).content == content)
                #expect(entry.payload.count <= Limits.payloadBytes)
            }
            #expect(
                Self.read(Self.sealed(.join(nil), with: key), by: keyring).content == .join(nil))
        }
    }

    @Test("who lacks the key knows that it is lacking, and reads it when it has come")
    func locked() {
        let (key, other) = (conversationKey(7, of: Self.ops), conversationKey(8, of: Self.ops))
        let entry = Self.sealed(.text("hello"), with: key)
        for keyring in [Keyring(), Self.keyring(other)] {
            let reading = Self.read(entry, by: keyring)
            #expect(reading.isLocked && reading.content == nil && reading.kind == nil)
        }
        #expect(Self.read(entry, by: Self.keyring(other, key)).content == .text("hello"))
        #expect(Self.read(entry, by: Self.keyring(key, other)).content == .text("hello"))
    }

    // Shows: shown.sealed
    @Test("a payload is bound to its place, its header and its key")
    func bound() {
        for suite in Self.suites {
            let key = conversationKey(7, of: Self.ops, suite: suite)
            let keyring = Self.keyring(key)
            let entry = Self.sealed(.text("hello"), with: key)
            #expect(Self.read(entry, by: keyring, seq: 2).content == nil)
            let other = TestLog(signer(2), in: Self.ops)
            #expect(Self.read(entry, by: keyring, in: other).content == nil)
            let again = TestLog(signer(1), incarnation: 2, in: Self.ops)
            #expect(Self.read(entry, by: keyring, in: again).content == nil)
            var later = entry
            later.time = HybridTime(2)
            #expect(Self.read(later, by: keyring).content == nil)
            var following = entry
            following.deps = [EntryID(fixed32(1))]
            #expect(Self.read(following, by: keyring).content == nil)
            guard case .present(let payload) = entry.payload else { return }
            for index in payload.indices {
                var changed = entry
                var bytes = payload
                bytes[index] ^= 1
                changed.payload = .present(bytes)
                #expect(Self.read(changed, by: keyring).content == nil, "byte \(index)")
                changed.payload = .present(Array(payload[..<index]))
                #expect(Self.read(changed, by: keyring).content == nil, "\(index) bytes")
            }
        }
    }

    // Shows: shown.sealed
    @Test("where some entries are sealed, what is not is nobody's word")
    func mixed() {
        let key = conversationKey(7, of: Self.ops)
        let clear = TestLog.text("hello", at: 1)
        #expect(Self.read(clear, by: Keyring()).content == .text("hello"))
        #expect(Self.read(clear, by: Self.keyring(key)).content == nil)
        #expect(!Self.read(clear, by: Self.keyring(key)).isLocked)
        let elsewhere = conversationKey(7, of: room("attic").conversation)
        #expect(Self.read(clear, by: Self.keyring(elsewhere)).content == .text("hello"))
        // Nor is a clear payload under the id of a key anything.
        var named = clear
        named.epoch = key.id
        #expect(Self.read(named, by: Self.keyring(key)) == EntryReading())
        #expect(Self.read(named, by: Keyring()) == EntryReading())
    }

    @Test("a key has another id in each conversation")
    func ids() {
        let key = conversationKey(7, of: Self.ops)
        #expect(key.id == conversationKey(7, of: Self.ops).id)
        #expect(key.id != conversationKey(7, of: room("attic").conversation).id)
        #expect(key.id != conversationKey(8, of: Self.ops).id)
    }

    // Shows: shown.sealed
    @Test("the length of a body shows in few steps only")
    func padding() {
        let lengths = [1, 63, 64, 65, 72, 73, 100, 1_000, 1_024, 1_025, 60_000, 65_006, 65_472]
        let padded = [64, 64, 64, 72, 72, 80, 104, 1_024, 1_024, 1_088, 61_440, 65_472, 65_472]
        #expect(lengths.map(SealedPayload.paddedBytes) == padded)
        let steps = Set((1...Limits.paddedBodyBytes).map(SealedPayload.paddedBytes))
        #expect(steps.count < 170)
    }

    @Test("padding of another length, or of something else, is not taken")
    func otherPadding() throws {
        let key = conversationKey(7, of: Self.ops)
        let body = Content.text("hello").body
        let header: [UInt8] = [1, 2, 3]
        func payload(_ padded: [UInt8]) -> [UInt8] {
            var random = SeededRandom(seed: 2)
            let nonce = XChaCha20Poly1305.Nonce(using: &random)
            var payload: [UInt8] = [1]
            nonce.append(to: &payload)
            key.key.seal(
                padded.span.bytes, associatedData: header.span.bytes, nonce: nonce,
                appendingTo: &payload)
            return payload
        }
        func opens(_ padded: [UInt8]) -> Bool {
            SealedPayload.open(payload(padded), with: key, header: header) == body
        }
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        #expect(opens(body + [0x80] + zeros(63 - body.count)))
        #expect(!opens(body + [0x80]))
        #expect(!opens(body + [0x80] + zeros(64 - body.count)))
        #expect(!opens(body + [0x40] + zeros(63 - body.count)))
        #expect(!opens(zeros(64)))
        #expect(!opens([]))
    }
}

@Suite("A conversation that has epochs")
struct EpochTests {
    private static let group = room("ops").conversation
    private static let log = TestLog(signer(1), in: Self.group)
    private static let device = PeerID(signer(1).publicKey)

    private static func key(_ byte: UInt8) throws -> ConversationKey {
        try ConversationKey(
            EpochKey(
                id: fixed32([UInt8](repeating: byte, count: 8) + Array(1...24)), key: fixed32(byte)),
            suite: .xchacha20Poly1305, of: Self.group)
    }

    private static func announcement() -> EpochAnnouncement {
        EpochAnnouncement(
            of: fixed32(7), in: Self.group, by: Self.device, basis: [ActID(fixed32(1))],
            people: [PersonID(fixed32(2))])
    }

    /// What a keyring reads of an entry in clear.
    private static func clear(_ content: Content, by keyring: Keyring) -> Content? {
        var random = SeededRandom(seed: 1)
        return keyring.read(
            Envelope(
                plain: content.payload(using: &random), entryClass: content.entryClass,
                in: Self.group)
        ).content
    }

    @Test("is read in clear where logs begin and keys are announced, and nowhere else")
    func inClear() throws {
        var keyring = Keyring()
        keyring.addEpochs(of: Self.group)
        let opening = Content.open(
            LogOpening(certificate: GoldenStory().certificateOfAda, closes: []))
        let announcement = Content.epoch(Self.announcement())
        #expect(Self.clear(opening, by: keyring) == opening)
        #expect(Self.clear(announcement, by: keyring) == announcement)
        #expect(opening.isClearBesideEpochs && announcement.isClearBesideEpochs)
        for content in [Content.text("hello"), .join(nil), .topic("x"), .leave] {
            #expect(Self.clear(content, by: keyring) == nil)
            #expect(!content.isClearBesideEpochs)
        }
        var other = Keyring()
        other.use(try Self.key(3))
        #expect(Self.clear(announcement, by: other) == nil, "one key seals all of it")
    }

    @Test("is opened by every key that is here, and sealed with none until one is in use")
    func keys() throws {
        var keyring = Keyring()
        keyring.addEpochs(of: Self.group)
        keyring.add(try Self.key(3))
        #expect(keyring.isSealed(Self.group) && keyring.current(in: Self.group) == nil)
        keyring.use(try Self.key(4))
        #expect(keyring.current(in: Self.group)?.id == (try Self.key(4).id))
        for byte in [UInt8(3), 4] {
            var random = SeededRandom(seed: 1)
            var entry = Entry(
                entryClass: 2, time: HybridTime(1), deps: [], payload: .present([]))
            entry.seal(
                .text("hello"), with: try Self.key(byte), at: (Self.log.key, 1, nil),
                using: &random)
            let envelope = Envelope(entry, key: Self.log.key, seq: 1, prev: nil)
            #expect(keyring.read(envelope).content == .text("hello"))
        }
    }

    @Test("has what is ephemeral under any of its keys, each named before it")
    func ephemeral() throws {
        var random = SeededRandom(seed: 2)
        var keyring = Keyring()
        keyring.addEpochs(of: Self.group)
        keyring.add(try Self.key(3))
        keyring.use(try Self.key(4))
        for byte in [UInt8(3), 4] {
            let piece = EphemeralBody.typing.piece(
                in: Self.group, stream: 0, by: Self.device, with: try Self.key(byte), using: &random
            )
            #expect(keyring.read(piece, by: Self.device) == .typing)
            #expect(keyring.read(piece, by: PeerID(signer(2).publicKey)) == nil)
        }
        let unknown = EphemeralBody.typing.piece(
            in: Self.group, stream: 0, by: Self.device, with: try Self.key(5), using: &random)
        #expect(keyring.read(unknown, by: Self.device) == nil)
        let clear = EphemeralBody.typing.piece(
            in: Self.group, stream: 0, by: Self.device, with: nil, using: &random)
        #expect(keyring.read(clear, by: Self.device) == nil)
    }

    @Test("has room for the longest packet with the name of its key")
    func longest() throws {
        let name = try #require(StreamName(String(repeating: "\u{10428}", count: 63) + "\u{307e}"))
        let packet = StreamPacket(
            name: name, number: UInt64(Int64.max), isOrdered: true,
            bytes: [UInt8](repeating: 7, count: Limits.streamPacketBytes))
        let signal = CallSignal(
            to: Self.device, bytes: [UInt8](repeating: 7, count: Limits.streamPacketBytes))
        var random = SeededRandom(seed: 3)
        for suite in ConversationKey.Suite.allCases where suite.isAvailable {
            let key = try ConversationKey(
                EpochKey(id: fixed32(1), key: fixed32(2)), suite: suite, of: Self.group)
            for body in [EphemeralBody.packet(packet), .signal(signal)] {
                let piece = body.piece(
                    in: Self.group, stream: .max, by: Self.device, with: key, using: &random)
                #expect(piece.bytes.count <= Limits.ephemeralBytes)
                #expect(Frame.ephemeral(piece).encoded.bytes.count <= Limits.ephemeralFrameBytes)
            }
        }
    }
}
