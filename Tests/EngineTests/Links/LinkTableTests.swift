import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("The open links") struct LinkTableTests {
    private static let (ops, dev) = (room("ops").conversation, room("dev").conversation)

    /// Links with these numbers, each to the peer whose number stands beside it.
    private static func table(_ links: [(UInt64, peer: UInt8)]) -> LinkTable {
        var table = LinkTable()
        for (number, peer) in links {
            let info = LinkInfo(to: Harness.peer(peer))
            table.add(
                Link(
                    id: LinkID(number), info: info, address: "192.0.2.2:1", dial: nil,
                    now: Instant(monotonic: 1, wall: 1)))
        }
        return table
    }

    private static func sync() -> ConversationSync { ConversationSync(newsTold: 0) }

    @Test("share a conversation oldest first, each until it ends sharing it")
    func sharing() {
        var table = Self.table([(3, peer: 2), (1, peer: 3)])
        table.share(Self.ops, on: LinkID(3), Self.sync())
        table.share(Self.ops, on: LinkID(1), Self.sync())
        table.share(Self.dev, on: LinkID(1), Self.sync())
        #expect(table.sharing(Self.ops) == [LinkID(1), LinkID(3)])
        table.unshare(Self.ops, on: LinkID(1))
        #expect(table.sharing(Self.ops) == [LinkID(3)])
        #expect(table.isShared(Self.dev, on: LinkID(1)))
        #expect(!table.isShared(Self.ops, on: LinkID(1)))
        #expect(!table.isShared(Self.ops, on: LinkID(9)))
    }

    @Test("serve no want of a conversation that is shared no longer")
    func serving() {
        var table = Self.table([(1, peer: 2)])
        for conversation in [Self.ops, Self.dev] {
            table.share(conversation, on: LinkID(1), Self.sync())
            let key = TestLog(signer(2), in: conversation).key
            table[LinkID(1)].service.serving.append(Serving(key: key, tag: 1, from: 1, through: 2))
        }
        table.unshare(Self.ops, on: LinkID(1))
        #expect(table[LinkID(1)].service.serving.map(\.key.conversation) == [Self.dev])
    }

    @Test("one that ends leaves nothing behind, neither what it shared nor its mark")
    func removal() {
        var table = Self.table([(1, peer: 2), (2, peer: 3)])
        table.share(Self.ops, on: LinkID(1), Self.sync())
        table.doom(LinkID(1), .busy, "too much")
        table.remove(LinkID(1))
        #expect(table.sharing(Self.ops).isEmpty)
        #expect(!table.has(LinkID(1)) && !table.isDoomed(LinkID(1)))
        #expect(table.link(with: Harness.peer(2)) == nil)
        #expect(table.ids == [LinkID(2)])
    }

    @Test("the end of an older one does not hide the newer one to the same peer")
    func replaced() {
        var table = Self.table([(1, peer: 2), (2, peer: 2)])
        table.remove(LinkID(1))
        #expect(table.id(of: Harness.peer(2)) == LinkID(2))
    }

    @Test("those that are to end do so in order, each for its first reason")
    func doomed() {
        var table = Self.table([(1, peer: 2), (2, peer: 3)])
        table.doom(LinkID(2), .busy, "first")
        table.doom(LinkID(1), .busy, "other")
        table.doom(LinkID(2), .dead, "second")
        var texts: [String] = []
        while let doom = table.takeDoomed() { texts.append(doom.text) }
        #expect(texts == ["first", "other"])
    }

    /// What a peer has told of so many logs that are here: it has more of each, and lacks payloads.
    private static func told(_ count: UInt64, _ numbers: inout LogNumbers) -> ConversationSync {
        var sync = Self.sync()
        for incarnation in 0..<count {
            let name = LogName(author: Harness.peer(9), incarnation: incarnation)
            let number = numbers.number(of: name)
            var row = ClockRow(tag: 0, state: .open, seq: 9, headTag: 1)
            row.whole = 4
            _ = sync.receiveRow(
                row, of: name, number, LogProgress(),
                LinkTags(exporter: .zero, role: .initiator), isOwn: false, isComplete: true)
            sync.lack(number, from: 0)
        }
        return sync
    }

    // Shows: daemon.peers
    @Test(
        "what strangers tell of logs that are here takes 16 MiB together at most: who tells of most has it forgotten, but of own logs, and is asked again"
    )
    func remembered() {
        var table = Self.table([(1, peer: 2), (2, peer: 3), (3, peer: 4)])
        var numbers = LogNumbers()
        for (link, count) in [(1, 2_000), (2, 500), (3, 3_000)] as [(UInt64, UInt64)] {
            table.share(Self.ops, on: LinkID(link), Self.told(count, &numbers))
        }
        func bytes(_ link: UInt64) -> Int {
            table[LinkID(link)].shared[known: Self.ops].rememberedBytes
        }
        let before = [2, 3].map(bytes)
        let own = LogName(author: Harness.peer(9), incarnation: 7)
        table.boundRemembered(among: [LinkID(1), LinkID(2)], limit: 100_000) { _ in
            [numbers.number(of: own)]
        }
        #expect(bytes(1) == Limits.specialRowBytes && [2, 3].map(bytes) == before)
        var sync = table[LinkID(1)].shared[known: Self.ops]
        #expect(sync.whole(of: own, numbers) == 4 && sync.lacking.isEmpty)
        #expect(sync.takeUnsettled(numbers).count == 2_000)
        #expect(Limits.strangersRememberedBytes == 16 << 20)
    }
}
