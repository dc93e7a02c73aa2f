import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Strangers that are remembered")
struct StrangersTests {
    private static func peer(_ number: Int) -> PeerID {
        var bytes = [UInt8](repeating: 0, count: 32)
        for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: number >> (8 * (3 - index))) }
        return PeerID(Bytes32(bytes) ?? .zero)
    }

    private static func strangers(
        _ numbers: Range<Int>, from source: String?, lastSeen: UInt64? = nil
    ) -> [Strangers.Remembered] {
        numbers.map {
            Strangers.Remembered(
                peer: Self.peer($0), source: source.map { Source($0 + ":1") },
                lastSeen: lastSeen ?? UInt64($0))
        }
    }

    @Test("of the source with most of them give way, who was seen least recently first")
    func sources() {
        let few = Self.strangers(0..<3, from: "192.0.2.1") + Self.strangers(3..<4, from: nil)
        let flood = Self.strangers(100..<200, from: "192.0.2.66")
        let gone = Strangers.superfluous(flood + few, limit: 20)
        #expect(gone == (100..<184).map(Self.peer))
    }

    @Test("two floods lose down to the same number, and who has fewer loses none")
    func floods() {
        let all =
            Self.strangers(0..<5, from: "192.0.2.1") + Self.strangers(100..<200, from: "192.0.2.66")
            + Self.strangers(200..<250, from: "192.0.2.67")
        let gone = Strangers.superfluous(all, limit: 25)
        #expect(gone == (100..<190).map(Self.peer) + (200..<240).map(Self.peer))
    }

    @Test("where there are more sources than may stay, who was seen least recently gives way")
    func manySources() {
        let all = (0..<50).flatMap { Self.strangers($0..<($0 + 1), from: "192.0.2.\($0)") }
        #expect(Strangers.superfluous(all, limit: 20) == (0..<30).map(Self.peer))
    }

    @Test("who is linked stays")
    func linked() {
        var all = Self.strangers(0..<50, from: "192.0.2.1")
        for index in 0..<5 { all[index].isLinked = true }
        let gone = Strangers.superfluous(all, limit: 20)
        #expect(gone == (5..<35).map(Self.peer))
        for index in all.indices { all[index].isLinked = true }
        #expect(Strangers.superfluous(all, limit: 20).isEmpty)
    }

    @Test("it is looked for again only once there may be too many")
    func due() {
        var strangers = Strangers()
        #expect(!strangers.isDue(Limits.strangers) && strangers.isDue(Limits.strangers + 1))
        // Nine thousand of which a thousand are strangers: three thousand more have room.
        let few = Self.strangers(0..<1_000, from: "192.0.2.1")
        let none = strangers.giveWay(few, count: 9_000)
        #expect(none.isEmpty)
        #expect(!strangers.isDue(9_000 + 3_096) && strangers.isDue(9_000 + 3_097))
        let many = Self.strangers(0..<(Limits.strangers + 1), from: "192.0.2.1")
        let gone = strangers.giveWay(many, count: 9_000)
        #expect(many.count - gone.count == Strangers.kept)
        #expect(strangers.isDue(9_001))
    }

    /// What a node forgets that comes up with so many throw-away keys of one host on its disk.
    private static func forgotten(_ change: (inout Snapshot) -> Void) -> Set<PeerID> {
        var snapshot = Snapshot()
        snapshot.peers = (0..<Limits.strangers + 100).map {
            KnownPeer(
                id: Self.peer($0), addresses: ["192.0.2.66:\($0 + 1)"], lastSeen: UInt64($0))
        }
        change(&snapshot)
        var node = Node(
            signer: signer(1), certificate: testCertificate(of: signer(1)),
            person: personKeys(40, 41), boot: 1,
            configuration: NodeConfiguration(name: "ada", staticPeers: [], buildTime: 0),
            snapshot: snapshot, random: .seeded(1))
        let actions = node.handle(.started, at: Instant(monotonic: 1_000, wall: 1_000_000))
        let batches = actions.compactMap { action in
            if case .commit(let batch) = action { batch } else { nil }
        }
        #expect(node.peers.count == snapshot.peers.count - batches.flatMap(\.forgotten).count)
        return Set(batches.flatMap(\.forgotten))
    }

    // Shows: daemon.strangers
    @Test("a flood of keys takes the place of its own, not of whom the user knows or of who wrote")
    func chosen() {
        let (known, author, elsewhere) = (Self.peer(3), Self.peer(5), Self.peer(7))
        let ops = room("ops")
        let gone = Self.forgotten { snapshot in
            snapshot.people = [known: .known]
            snapshot.conversations[ops.conversation] = ConversationMembership(
                .room(ops), isJoined: true)
            let name = LogName(author: author, incarnation: 1)
            snapshot.logs[LogKey(conversation: ops.conversation, name: name)] = StoredLog(
                head: Head(seq: 1, id: EntryID(.zero), time: HybridTime(1)), forkPoint: nil,
                isHeadShown: true, person: nil)
            snapshot.peers[7].addresses = ["192.0.2.7:1"]
        }
        #expect(gone.count == 100 - 2 + Limits.strangers / 16)
        for peer in [known, author, elsewhere] { #expect(!gone.contains(peer)) }
        #expect(gone.contains(Self.peer(0)) && gone.contains(Self.peer(4)))
    }

    @Test("nobody is forgotten while there are not too many")
    func few() {
        let gone = Self.forgotten { snapshot in
            for number in 0..<100 { snapshot.people[Self.peer(number)] = .known }
        }
        #expect(gone.isEmpty)
    }
}
