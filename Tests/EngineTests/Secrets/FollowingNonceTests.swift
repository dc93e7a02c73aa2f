import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Nonces that follow")
struct FollowingNonceTests {
    @Test(
        "a nonce that follows from the one before is not said again, in whatever runs entries come")
    func followingNonces() throws {
        var random = SeededRandom(seed: 6)
        let key = conversationKey(7, of: ConversationID(fixed32(1)))
        let log = LogKey(
            conversation: key.conversation,
            name: LogName(author: PeerID(fixed32(2)), incarnation: 3))
        var entries: [Entry] = []
        for number in 0..<12 {
            var entry = Entry(
                entryClass: 2, time: HybridTime(UInt64(number + 1)), deps: [], payload: .present([])
            )
            // The fifth is sealed another time; the eighth has lost its payload.
            let previous = number == 4 ? nil : entries.last
            entry.seal(
                .text("message \(number)"), with: key,
                at: (log, UInt64(number + 2), EntryID(.zero)),
                following: previous, using: &random)
            entries.append(entry)
        }
        entries[7].payload = entries[7].payload.omitted
        func run(_ part: ArraySlice<Entry>) -> Run {
            Run(
                key: log, first: UInt64(part.startIndex + 2), prev: EntryID(.zero),
                attestation: .zero,
                entries: Array(part))
        }
        for start in 0..<12 {
            for end in start + 1...12 {
                let run = run(entries[start..<end])
                var reader = WireReader(run.encoded)
                #expect(try Run(from: &reader) == run)
            }
        }
        // Alone each says its time in eight bytes, its epoch, and its nonce.
        let around = 32 + 32 + 8 + 1 + 1 + 32 + 64
        let alone = entries.indices.reduce(0) {
            $0 + run(entries[$1...$1]).encoded.count - around
        }
        let together = run(entries[...]).encoded.count - around
        // The fifth, the eighth and the ninth cannot leave it out.
        #expect(alone - together == 11 * (7 + 32) + 8 * 25)
    }

    @Test("what is sealed in one go has nonces that follow, and none is used twice")
    func uniqueNonces() throws {
        var random = SeededRandom(seed: 7)
        let key = conversationKey(7, of: ConversationID(fixed32(1)))
        var seen: Set<[UInt8]> = []
        for _ in 0..<50 {
            var previous: Payload?
            for _ in 0..<20 {
                let payload = SealedPayload.seal(
                    [1], with: key, header: [], following: previous, using: &random)
                #expect(seen.insert(Array(payload[1..<25])).inserted)
                let follows = SealedPayload.bytesFollowing(previous, in: payload) > 0
                #expect(follows == (previous != nil))
                previous = .present(payload)
            }
        }
    }

    @Test("behind the greatest count a nonce begins anew, and what is no nonce is followed by none")
    func ends() {
        let last = [UInt8](arrayLiteral: 1) + [UInt8](repeating: 255, count: 24)
        let first = last[..<17] + [UInt8](repeating: 0, count: 8)
        #expect(SealedPayload.startFollowing(.present(last)) == Array(first))
        #expect(SealedPayload.startFollowing(.present(Array(last.dropLast()))) == nil)
        #expect(SealedPayload.startFollowing(.present([2] + last.dropFirst())) == nil)
        #expect(SealedPayload.startFollowing(Payload.present(last).omitted) == nil)
        #expect(SealedPayload.bytesFollowing(.present(last), in: Array(first.dropLast())) == 0)
    }
}
