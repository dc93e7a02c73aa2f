import Testing

@testable import Engine
@testable import Formats

@Suite("What people make of messages")
struct ReactionTests {
    private let target = EntryTarget(
        log: LogName(author: PeerID(fixed32(9)), incarnation: 1), seq: 1, id: EntryID(fixed32(1)))

    private func given(
        _ sign: String, by author: UInt8, at time: UInt64, isWithdrawn: Bool = false
    ) throws -> Message {
        let reaction = try #require(Reaction(sign, to: self.target, isWithdrawn: isWithdrawn))
        return Message(
            cursor: Cursor(1), id: EntryID(fixed32(UInt8(time))),
            conversation: ConversationID(fixed32(5)),
            place: LogPosition(
                log: LogName(author: PeerID(fixed32(author)), incarnation: 1), seq: 1),
            content: .reaction(reaction), time: HybridTime(time), isLate: false, isDisputed: false)
    }

    /// Devices 1 and 2 are of one person, and nothing is known of 4.
    private static func person(_ device: PeerID) -> PersonID? {
        if device == PeerID(fixed32(4)) { return nil }
        return PersonID(device == PeerID(fixed32(2)) ? fixed32(1) : device.key)
    }

    private func count(_ messages: [Message]) -> [String] {
        ReactionCount.count(messages, person: Self.person) { _ in false }
            .map { "\($0.sign)\($0.people.count)" }
    }

    @Test(
        "a person counts once for a sign, by the latest of all devices, in whatever order they come"
    )
    func latest() throws {
        let messages = try [
            self.given("ok", by: 1, at: 1), self.given("no", by: 3, at: 2),
            self.given("ok", by: 2, at: 3), self.given("ok", by: 3, at: 4),
            self.given("no", by: 3, at: 5, isWithdrawn: true), self.given("ok", by: 4, at: 6),
            self.given("hm", by: 1, at: 7), self.given("hm", by: 2, at: 8, isWithdrawn: true),
            self.given("hm", by: 1, at: 9),
        ]
        #expect(self.count(messages) == ["ok3", "hm1"])
        for shift in messages.indices {
            let other = Array(messages[shift...] + messages[..<shift])
            #expect(self.count(other) == ["ok3", "hm1"])
            #expect(self.count(other.reversed()) == ["ok3", "hm1"])
        }
        #expect(self.count([]).isEmpty)
    }

    @Test("signs of known people come first, then those of many, and known people first in each")
    func many() throws {
        var messages = try (1...50).map { try self.given("s\($0)", by: 5, at: UInt64($0)) }
        messages.append(try self.given("s40", by: 3, at: 200))
        messages.append(try self.given("thanks", by: 4, at: 201))
        messages.append(try self.given("s20", by: 4, at: 202))
        let counts = ReactionCount.count(messages, person: Self.person) {
            $0 == PeerID(fixed32(4))
        }
        #expect(counts.map(\.sign).prefix(4) == ["s20", "thanks", "s40", "s1"])
        #expect(counts.first?.people == [PeerID(fixed32(4)), PeerID(fixed32(5))])
        #expect(counts.count == 51)
    }

    @Test("a sign has a size")
    func sizes() {
        #expect(Reaction("", to: self.target) == nil)
        let long = String(repeating: "x", count: Limits.signBytes + 1)
        #expect(Reaction(long, to: self.target) == nil)
    }
}
