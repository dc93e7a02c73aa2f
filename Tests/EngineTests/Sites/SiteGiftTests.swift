import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Keys of groups in letters between sites") struct SiteGiftTests {
    /// Three in a group who have all written there, of whom nobody is linked any more.
    private static func apart() -> GroupNet {
        var net = GroupNet(1...3, realm: GroupNet.realm)
        for number in 1...3 as ClosedRange<UInt8> {
            net.write("by \(number)", by: number)
            net.settle()
        }
        for (one, other) in [(1, 2), (1, 3), (2, 3)] as [(UInt8, UInt8)] {
            net.disconnect(one, other)
        }
        return net
    }

    // Shows: sites.groups
    @Test("bring the key after a removal to who stays, and to nobody who is out")
    func removal() {
        var net = Self.apart()
        net.ask(1, .groupAct(net.group, .remove(GroupNet.id(of: 3), seen: [])))
        net.write("without the third", by: 1)
        let gifts = net[1].node.siteGifts(of: GroupNet.realm)
        #expect(!gifts.isEmpty && gifts.allSatisfy { $0.device == Harness.peer(2) })
        let letters = net.letters(by: 1)
        #expect(letters.map(\.item) == net.letters(by: 1).map(\.item), "the same bytes each time")
        let items = letters + net.published(by: 1)
        net.read(2, items)
        net.read(3, items)
        #expect(net.texts(at: 2).last == "without the third")
        #expect(net.texts(at: 3).last == "by 3")
        #expect(net[2].node.groups.table[net.group]?.siteKeys.isEmpty == true)
        // He goes on under the same key, and gives it, too: whoever made it may be gone.
        #expect(net[2].node.siteGifts(of: GroupNet.realm).contains { $0.device == Harness.peer(1) })
        net.write("by the second", by: 2)
        net.read(1, net.published(by: 2))
        #expect(net.texts(at: 1).last == "by the second")
    }

    // Shows: sites.groups
    @Test("are taken from members alone, for this device, and no more than are read")
    func bounds() throws {
        var net = Self.apart()
        let table = try #require(net[1].node.groups.table[net.group])
        let held = try #require(table.held.first)
        let to = GroupNet.person(2).certify(signer(2), at: 1_767_225_600_000)
        func letter(_ byte: UInt8, by number: UInt8) throws -> (SiteRoot, SiteItem) {
            let sealed = try #require(
                SealedKey(
                    EpochKey(id: bytes32(byte), key: held.key.key), forSitesOf: net.group,
                    to: Harness.peer(2), at: to.deviceAddress, by: signer(number)))
            let inbox = SiteInbox(siteSecret(), of: to.keys)
            let from = GroupNet.person(number).certify(signer(number), at: 1_767_225_600_000)
            let item = try #require(inbox.letter(.key(sealed, of: net.group), from: from))
            return (inbox.root, item)
        }
        let (root, stranger) = try letter(1, by: 9)
        #expect(net.give(2, stranger, under: root) == .refused(.early))
        #expect(net[2].node.groups.table[net.group]?.siteKeys.isEmpty == true)
        for byte in 1...70 as ClosedRange<UInt8> {
            #expect(net.give(2, try letter(byte, by: 1).1, under: root) == .refused(.early))
        }
        #expect(net[2].node.groups.table[net.group]?.siteKeys.count == 64)
        #expect(net.give(3, try letter(1, by: 1).1, under: root) == .refused(.unsealed))
    }

    // Shows: sites.groups
    @Test("stay right where somebody has given a wrong one by the same name before")
    func wrong() throws {
        var net = Self.apart()
        net.ask(1, .groupAct(net.group, .remove(GroupNet.id(of: 3), seen: [])))
        net.write("without the third", by: 1)
        let table = try #require(net[1].node.groups.table[net.group])
        let key = try #require(table.held.last?.key)
        net[2].node.groups.table[net.group]?.siteKeys[key.id] = [GroupNet.id(of: 3): fixed32(77)]
        net.read(2, net.letters(by: 1) + net.published(by: 1))
        #expect(net.texts(at: 2).last == "without the third")
        #expect(net[2].node.groups.table[net.group]?.siteKeys.isEmpty == true)
    }

    // Shows: sites.groups
    @Test(
        "reach who came later to a group where newcomers read nothing from before, and so do acts")
    func joined() {
        var net = GroupNet(1...3, members: 1...2, history: .joined, realm: GroupNet.realm)
        net.write("from before", by: 1)
        net.settle()
        net.add(3)
        net.accept(3)
        for number in 1...3 as ClosedRange<UInt8> {
            net.write("by \(number)", by: number)
            net.settle()
        }
        for (one, other) in [(1, 2), (1, 3), (2, 3)] as [(UInt8, UInt8)] {
            net.disconnect(one, other)
        }
        net.ask(1, .groupAct(net.group, .admin(GroupNet.id(of: 2), 300)))
        net.write("under another key", by: 1)
        let letters = net.letters(by: 1)
        for number in 2...3 as ClosedRange<UInt8> {
            net.read(number, letters + net.published(by: 1))
        }
        #expect(net.texts(at: 2).last == "under another key")
        #expect(net.texts(at: 3).last == "under another key")
        #expect(!net.texts(at: 3).contains("from before"))
    }

    // Shows: sites.groups
    @Test("come with an invitation, which asks the user first, and let them read and write")
    func invitation() {
        var net = GroupNet(1...3, members: 1...2, realm: GroupNet.realm)
        net.write("from before", by: 1)
        net.settle()
        for (one, other) in [(1, 2), (1, 3), (2, 3)] as [(UInt8, UInt8)] {
            net.disconnect(one, other)
        }
        // The first knows the third by a room alone.
        let hall = siteRoom("hall")
        net.ask(1, .join(hall))
        let opening = TestLog(signer(3), in: hall.conversation).opening(of: GroupNet.person(3))
        net.ask(1, .importItems([.run(opening.run)]))
        net.ask(1, .groupAct(net.group, .add(GroupNet.id(of: 3))))
        // Also before it is told.
        net.ask(1, .groupAct(net.group, .admin(GroupNet.id(of: 3), 300)))
        let letters = net.letters(by: 1)
        net.read(3, letters)
        #expect(net[3].node.pendingGroupRequests.map(\.group) == [net.group])
        #expect(net[3].node.joinedConversations[net.group] == nil)
        net.ask(3, .acceptGroup(net.group))
        net.read(3, letters + net.published(by: 1))
        #expect(net.texts(at: 3) == ["from before"])
        net.write("by the third", by: 3)
        net.read(1, net.letters(by: 3) + net.published(by: 3))
        #expect(net.texts(at: 1).last == "by the third")
        #expect(net[1].node.siteInvitations(of: GroupNet.realm).isEmpty, "who writes there is in")
    }
}
