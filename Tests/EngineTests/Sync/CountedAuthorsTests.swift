import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Authors that a digest counts") struct CountedAuthorsTests {
    private static func name(_ author: UInt8, _ incarnation: UInt64) -> LogName {
        LogName(author: Harness.peer(author), incarnation: incarnation)
    }

    private static func head(_ seq: UInt64) -> Head {
        Head(seq: seq, id: EntryID(fixed32(UInt8(seq))), time: HybridTime(seq))
    }

    private static func stored(_ seq: UInt64) -> StoredLog {
        StoredLog(head: Self.head(seq), forkPoint: nil, isHeadShown: true, person: nil)
    }

    @Test("are those of logs with an entry or a proof, ascending, whatever comes and goes")
    func authors() {
        var conversation = Conversation(.room(room("ops")), isJoined: true)
        var random = SeededRandom(seed: 5)
        for step in 0..<2_000 {
            let name = Self.name(
                .random(in: 1...40, using: &random), .random(in: 1...3, using: &random))
            switch UInt8.random(in: 0...5, using: &random) {
            case 0: conversation.begin(name, from: nil)
            case 1 where !conversation.logs.has(name): conversation.restore(name, Self.stored(3))
            case 2 where !conversation.logs.has(name): conversation.restore(name, Self.stored(0))
            case 3: conversation.end(name, at: 1, head: .start, tail: .start)
            case 4, 5: conversation.drop(name)
            default: break
            }
            let counted = conversation.logs.filter { $0.value.isCounted }.map(\.key.author)
            #expect(conversation.authors == Set(counted).sorted(), "after \(step) steps")
        }
        #expect(!conversation.authors.isEmpty)
    }

    // Shows: daemon.pace
    @Test("of few the digest of records is made anew at once, of many once in a while")
    func paced() {
        let profile = Record(
            kind: Record.Kind.profile, author: Harness.peer(1), conversation: nil,
            time: HybridTime(wallMilliseconds: 1),
            value: Profile(name: "ada", status: "").encoded, signer: signer(1))
        for (count, isPaced) in [(20, false), (200, true)] as [(UInt8, Bool)] {
            var conversation = Conversation(.room(room("ops")), isJoined: true)
            for author in 1...count { conversation.restore(Self.name(author, 1), Self.stored(3)) }
            let before = conversation.digest(Profiles([]), through: .max, at: 10).records
            conversation.recordsChanged()
            let changed = Profiles([profile])
            let soon = conversation.digest(changed, through: .max, at: 11).records
            let due = 10 + Limits.recordDigestMilliseconds
            let later = conversation.digest(changed, through: .max, at: due).records
            #expect((soon == before) == isPaced && later != before)
        }
    }
}
