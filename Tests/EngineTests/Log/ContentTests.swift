import Crypto
import TestSupport
import Testing

@testable import Engine

@Suite("Payloads and what they say")
struct ContentTests {
    private let room = EngineTests.room("agora")
    private let salt = [UInt8](repeating: 5, count: 16)

    private func read(_ kind: UInt8, _ payload: [UInt8]) -> Content? {
        Content(kind: kind, payload: payload, in: self.room.conversation)
    }

    @Test("what is written is read back")
    func roundTrip() {
        var random = SeededRandom(seed: 1)
        for content in [Content.text("hello"), .text("\u{1f3db}\u{0}"), .join(self.room), .leave] {
            let payload = content.payload(using: &random)
            #expect(self.read(content.kind.rawValue, payload) == content)
            #expect(payload != content.payload(using: &random), "the salt is fresh")
        }
    }

    @Test("what this version cannot show is no content")
    func unknown() {
        let text = Array("hello".utf8)
        #expect(self.read(1, [0] + self.salt + text) == .text("hello"))
        #expect(self.read(1, [1] + self.salt + text) == nil, "another suite")
        #expect(self.read(1, [0] + self.salt) == nil, "an empty text")
        #expect(self.read(1, [0] + self.salt.dropLast()) == nil, "half a salt")
        #expect(self.read(1, []) == nil, "nothing")
        #expect(self.read(1, [0] + self.salt + [0xff]) == nil, "not UTF-8")
        #expect(self.read(4, [0] + self.salt + text) == nil, "another kind")
        #expect(self.read(0, [0] + self.salt + text) == nil, "kind 0")
        #expect(self.read(2, [0] + self.salt + Array("agora".utf8)) == .join(self.room))
        #expect(self.read(2, [0] + self.salt + Array("attic".utf8)) == nil, "another room's name")
        #expect(self.read(2, [0] + self.salt + Array("Agora".utf8)) == nil, "no room name")
        #expect(self.read(3, [0] + self.salt) == .leave)
        #expect(self.read(3, [0] + self.salt + text) == nil, "a leave that says something")
    }

    @Test("an entry is shown only where its payload is here and its extensions are understood")
    func entries() {
        var entry = TestLog.text("hello", at: 1)
        #expect(Content(of: entry, in: self.room.conversation) == .text("hello"))
        entry.extensions = [2, 0]
        #expect(Content(of: entry, in: self.room.conversation) == .text("hello"))
        entry.extensions = [2, 0, 3, 0]
        #expect(entry.needsUnknownExtension)
        #expect(Content(of: entry, in: self.room.conversation) == nil)
        entry.extensions = [2, 0, 2, 0]
        #expect(entry.needsUnknownExtension, "what does not parse is not understood")
        entry.extensions = []
        entry.payload = entry.payload.omitted
        #expect(Content(of: entry, in: self.room.conversation) == nil)
    }

    @Test("a header is the same with and without its payload")
    func omitted() {
        let log = TestLog(signer(1), in: self.room.conversation)
        let entry = TestLog.text("hello", at: 1)
        var erased = entry
        erased.payload = entry.payload.omitted
        #expect(erased.payload.count == entry.payload.count)
        #expect(erased.payload.hash == entry.payload.hash)
        #expect(
            erased.header(key: log.key, seq: 1, prev: nil)
                == entry.header(key: log.key, seq: 1, prev: nil))
        #expect(erased.payload.omitted == erased.payload)
    }

    @Test("every field of an entry and its place is in its id")
    func ids() {
        let log = TestLog(signer(1), in: self.room.conversation)
        let other = TestLog(signer(2), in: self.room.conversation)
        let again = TestLog(signer(1), incarnation: 2, in: self.room.conversation)
        let elsewhere = TestLog(signer(1), in: EngineTests.room("attic").conversation)
        let entry = TestLog.text("hello", at: 1)
        let (one, two) = (EntryID(fixed32(1)), EntryID(fixed32(2)))
        var ids = [
            entry.id(key: log.key, seq: 1, prev: nil),
            entry.id(key: other.key, seq: 1, prev: nil),
            entry.id(key: again.key, seq: 1, prev: nil),
            entry.id(key: elsewhere.key, seq: 1, prev: nil),
            entry.id(key: log.key, seq: 2, prev: one),
            entry.id(key: log.key, seq: 2, prev: two),
            entry.id(key: log.key, seq: 3, prev: one),
        ]
        func changed(_ change: (inout Entry) -> Void) {
            var copy = entry
            change(&copy)
            ids.append(copy.id(key: log.key, seq: 1, prev: nil))
        }
        changed { $0.kind = 9 }
        changed { $0.time = HybridTime(2) }
        changed { $0.deps = [one] }
        changed { $0.deps = [two] }
        changed { $0.deps = [one, two] }
        changed { $0.epoch = fixed32(1) }
        changed { $0.payload = .present([]) }
        changed { $0.payload = .absent(length: 3, hash: $0.payload.hash) }
        changed { $0.extensions = [2, 0] }
        #expect(Set(ids).count == ids.count)
    }

    @Test("of two records the later stands, and of two at once the one with the greater hash")
    func records() {
        let signer = signer(1)
        func record(_ time: UInt64, _ value: UInt8) -> Record {
            Record(
                kind: 1, author: PeerID(signer.publicKey), conversation: nil,
                time: HybridTime(time), value: [value], signer: signer)
        }
        #expect(record(2, 0).supersedes(record(1, 0)))
        #expect(!record(1, 0).supersedes(record(2, 0)))
        let (one, two) = (record(1, 1), record(1, 2))
        #expect(one.supersedes(two) == (one.hash > two.hash))
        #expect(two.supersedes(one) != one.supersedes(two))
        #expect(!one.supersedes(one))
    }
}
