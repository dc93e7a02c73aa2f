import Crypto
import Testing

@testable import Engine

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
            table[LinkID(1)].serving.append(Serving(key: key, tag: 1, from: 1, through: 2))
        }
        table.unshare(Self.ops, on: LinkID(1))
        #expect(table[LinkID(1)].serving.map(\.key.conversation) == [Self.dev])
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
}
