import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

/// Node 1 owns the group, 2 is a member, 3 comes by a link while neither is linked, and 4 lies to them.
@Suite("Who waits to come into a group by its link")
struct WaitingJoinTests {
    private struct Scene {
        var net: GroupNet
        let line: GroupInvitation
        let answer: Answer?

        init(needsApproval: Bool = false, isLong: Bool = false) throws {
            self.net = GroupNet(1...4, members: 1...2)
            self.net.ask(1, .groupAct(self.net.group, .admin(GroupNet.id(of: 2), 256)))
            self.net.settle()
            for _ in 0..<(isLong ? 70 : 0) { self.net.ask(1, .groupAct(self.net.group, .tie)) }
            self.line = try self.net.link(needsApproval: needsApproval)
            for member: UInt8 in 1...2 {
                self.net.disconnect(member, 3)
                self.net.disconnect(member, 4)
            }
            self.answer = self.net.come(3, by: self.line)
        }

        var isIn: Bool { self.net[3].node.groups.isInside(self.net.group) }

        var isShown: Bool { self.net[3].node.joinedConversations[self.net.group] != nil }

        func act(_ isWanted: (Act) -> Bool) throws -> Act {
            let acts = self.net[1].node.groups.table[self.net.group]?.acts.values
            let act = acts?.first { isWanted($0) }
            return try #require(act)
        }

        func founding() throws -> Act { try self.act { $0.statement.kind.isFounding } }

        /// What node 4 signs of the group.
        func forged(_ kind: ActKind, behind basis: [ActID]) -> Act {
            let device = signer(4)
            return Act(
                kind, in: self.net.group, basis: basis, time: HybridTime(1 << 40),
                certificate: GroupNet.person(4).certify(device, at: 1_767_225_600_000), by: device)
        }

        /// Node 4 shows the tag of the link, as one who has its line.
        mutating func showTag() {
            let tags = self.net[3].node.links[LinkID(4)].tags
            let tag = tags.share(ConversationID(self.line.link.hash), by: tags.peer)
            var other: UInt64 = 0
            let shown = LinkTags.filled([tag], to: Limits.shareTagCounts) {
                other += 1
                return other
            }
            self.net[3].give(.shares(shown), from: 4)
            self.net.settle()
        }

        mutating func send(_ acts: [Act]) {
            self.net[3].give(.acts(self.net.group, acts), from: 4)
            self.net.settle()
        }
    }

    // Shows: daemon.group-links
    @Test(
        "is not let in by what somebody signs whom the owner has made nothing",
        arguments: [false, true])
    func unasked(showsTag: Bool) throws {
        var scene = try Scene(needsApproval: true)
        #expect(scene.answer == .waitsToJoin(scene.net.group, .unanswered))
        if showsTag { scene.showTag() }
        let founding = try scene.founding()
        let unknown = ActID(fixed32(77))
        let join = try #require(scene.net[3].node.groupJoins.first?.join.add)
        let admin = scene.forged(.admin(GroupNet.id(of: 4), 256), behind: [unknown])
        for kind in [ActKind.add(GroupNet.id(of: 3)), .accept(join)] {
            scene.send([founding, admin, scene.forged(kind, behind: [unknown])])
        }
        #expect(!scene.isShown && scene.net[3].node.groupJoins.count == 1)
        // Members still let them in.
        scene.net.connect(2, 3)
        let undecided = scene.net[2].node.groupReport(scene.net.group)?.undecided.first?.id
        scene.net.ask(2, .groupAct(scene.net.group, .accept(try #require(undecided))))
        scene.net.settle()
        #expect(scene.isIn && scene.isShown)
    }

    @Test("believes what an admin has signed on no link that does not show the tag of theirs")
    func untagged() throws {
        var scene = try Scene(needsApproval: true, isLong: true)
        let own = try #require(scene.net[3].node.groupJoins.first?.join)
        scene.net.ask(1, .groupAct(scene.net.group, .add(GroupNet.id(of: 3))))
        scene.net.settle()
        let add = try scene.act { $0.brings == GroupNet.id(of: 3) }
        scene.send([try scene.founding(), add])
        #expect(!scene.isShown && scene.net[3].node.groupJoins.map(\.join) == [own])
        scene.showTag()
        scene.send([try scene.founding(), add])
        #expect(scene.isShown && !scene.isIn)
        scene.net.connect(2, 3)
        #expect(scene.isIn && scene.net.people(at: 3).count == 3)
    }

    @Test("is shown to members until they are inside, though somebody has shown them the group")
    func replayed() throws {
        var scene = try Scene()
        let join = try #require(scene.net[3].node.groupJoins.first?.join.joined?.act)
        scene.showTag()
        let link = try scene.act { $0.link != nil }
        scene.send([try scene.founding(), link, join])
        #expect(scene.isShown && !scene.isIn)
        // Also after a restart.
        var snapshot = Snapshot()
        snapshot.groupRequests = Array(scene.net[3].node.groups.requests.all.values)
        let group = try #require(scene.net[3].node.groups.table[scene.net.group]?.group)
        snapshot.conversations[group.id] = ConversationMembership(.group(group), isJoined: true)
        let groups = Groups(restoring: snapshot, own: GroupNet.id(of: 3), device: Harness.peer(3))
        #expect(groups.joinsToShow.map(\.add) == [join.id] && groups.joins.isEmpty)
        scene.net.connect(2, 3)
        #expect(scene.isIn && scene.net.people(at: 2).count == 3)
        #expect(scene.net[3].node.groups.joinsToShow.isEmpty)
    }

    @Test("does not come any more once they leave a group that somebody has only shown them")
    func left() throws {
        var scene = try Scene()
        let join = try #require(scene.net[3].node.groupJoins.first?.join.joined?.act)
        scene.showTag()
        let link = try scene.act { $0.link != nil }
        scene.send([try scene.founding(), link, join])
        #expect(scene.isShown)
        scene.net.ask(3, .leave(scene.net.group))
        scene.net.connect(2, 3)
        #expect(!scene.isIn && !scene.isShown && scene.net.people(at: 2).count == 2)
    }

    @Test("goes on where one peer says that the link has ended, and says so")
    func ended() throws {
        var scene = try Scene()
        let link = try scene.act { $0.link != nil }
        let request = scene.net.ask(3, .joinGroup(scene.line))
        scene.showTag()
        scene.send([link])
        scene.net.advance(milliseconds: Limits.joinAnswerMilliseconds)
        scene.net[3].give(.timer(.groups))
        scene.net.settle()
        #expect(scene.net[3].answers(of: request).last == .failed(.link(.ended)))
        #expect(scene.net[3].node.groupJoins.map(\.obstacle) == [.ended])
        scene.net.connect(2, 3)
        #expect(scene.isIn && scene.net.people(at: 2).count == 3)
    }

    @Test(
        "comes into a group of more acts than one frame, also where an admin has agreed who is not linked",
        arguments: [false, true])
    func long(needsApproval: Bool) throws {
        var scene = try Scene(needsApproval: needsApproval, isLong: true)
        if needsApproval {
            scene.net.connect(2, 3)
            let undecided = scene.net[2].node.groupReport(scene.net.group)?.undecided.first?.id
            scene.net.disconnect(2, 3)
            scene.net.ask(2, .groupAct(scene.net.group, .accept(try #require(undecided))))
            scene.net.settle()
        }
        scene.net.connect(1, 3)
        #expect(scene.isIn && scene.isShown && scene.net.people(at: 3).count == 3)
        #expect(scene.net[3].node.groupJoins.isEmpty)
    }
}
