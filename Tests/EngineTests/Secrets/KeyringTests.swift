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
        for key in keys { keyring.add(key) }
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
