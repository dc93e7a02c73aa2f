import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

/// Node 1 owns the group, 2 is a member, 3 comes.
@Suite("A link of a group")
struct GroupLinkTests {
    private static func isIn(_ number: UInt8, _ net: GroupNet) -> Bool {
        net[number].node.joinedConversations[net.group] != nil
    }

    private static func members(at number: UInt8, _ net: GroupNet) -> Int {
        net.people(at: number).count
    }

    private static func minutes(_ count: UInt64) -> UInt64 { count * 60_000 }

    @Test("brings in who has its line while no admin is linked, and they read and write")
    func comes() throws {
        var net = GroupNet(1...3, members: 1...2)
        let line = try net.link()
        net.write("before", by: 2)
        net.settle()
        net.disconnect(1, 3)
        net.disconnect(1, 2)
        let request = net.ask(3, .joinGroup(line))
        net.settle()
        // At once: nobody has waited for anything.
        #expect(net[3].answers(of: request) == [.joined(net.group)])
        #expect(net[3].node.groupJoins.isEmpty && net[3].node.pendingGroupRequests.isEmpty)
        #expect(net.texts(at: 3) == ["before"])
        net.write("I am new", by: 3)
        net.settle()
        #expect(net.texts(at: 2) == ["before", "I am new"])
        net.connect(1, 2)
        #expect(Self.members(at: 1, net) == 3 && net.texts(at: 1) == net.texts(at: 3))
    }

    @Test("has a line that its device prints again, and no other")
    func line() throws {
        var net = GroupNet(1...2)
        let line = try net.link()
        let other = try net.link()
        #expect(net[1].node.groupInvitation(by: line.link, in: net.group) == line)
        #expect(line.seed != other.seed && line.link != other.link)
        #expect(net[2].node.groupInvitation(by: line.link, in: net.group) == nil)
        let links = try #require(net[2].node.groupReport(net.group)).links
        #expect(Set(links.map(\.id)) == [line.link, other.link])
        let own = links.filter { $0.isOfThisDevice }
        #expect(own.isEmpty)
    }

    @Test("is made by admins alone, and 32 are open at most")
    func made() throws {
        var net = GroupNet(1...2)
        let refused = net.makeLink(by: 2)
        #expect(refused == nil)
        for _ in 0..<Limits.groupLinks { _ = try net.link() }
        let link = GroupLink(key: .zero, expires: nil, needsApproval: false)
        let request = net.ask(1, .groupAct(net.group, .link(link)))
        #expect(net[1].answers(of: request) == [.failed(.tooManyLinks)])
    }

    @Test("waits for a member where none is linked, also over a restart, and lets in then")
    func later() throws {
        var net = GroupNet(1...3, members: 1...2)
        let line = try net.link()
        net.disconnect(1, 3)
        net.disconnect(2, 3)
        #expect(net.come(3, by: line) == .waitsToJoin(net.group, .unanswered))
        let join = try #require(net[3].node.groupJoins.first?.join)
        #expect(join.labelled == Room(line.name, in: line.realm))
        // What is kept over a restart asks as before.
        var snapshot = Snapshot()
        snapshot.groupRequests = [join]
        let groups = Groups(
            restoring: snapshot, own: GroupNet.id(of: 3), device: Harness.peer(3))
        #expect(groups.joins == [join] && groups.pendingRequests.isEmpty)
        net.connect(2, 3)
        #expect(Self.isIn(3, net) && net[3].node.groupJoins.isEmpty)
    }

    @Test(
        "that has expired, was ended or was altered is refused with its reason, and keeps the peer")
    func refused() throws {
        var net = GroupNet(1...3, members: 1...2)
        let end = net[1].now.wall + Self.minutes(10)
        let expired = try net.link(expires: end)
        let ended = try net.link()
        var altered = try net.link()
        altered.seed = ended.seed
        net.ask(1, .groupAct(net.group, .endLink(ended.link)))
        net.settle()
        #expect(net.come(3, by: ended) == .failed(.link(.ended)))
        // Others may know of no end: that is for the user to give up.
        #expect(net[3].node.groupJoins.map(\.obstacle) == [.ended])
        #expect(net.come(3, by: altered) == .failed(.link(.altered)))
        net.advance(milliseconds: Self.minutes(11))
        #expect(net.come(3, by: expired) == .failed(.link(.expired(end))))
        #expect(net[3].node.groupJoins.isEmpty && !Self.isIn(3, net))
        #expect(Self.members(at: 1, net) == 2 && Self.members(at: 2, net) == 2)
        // What brings nobody in is kept nowhere.
        #expect(net[1].node.groupReport(net.group)?.undecided == [])
        #expect(net[2].closed.isEmpty && net[3].closed.isEmpty)
    }

    @Test(
        "that has ended brings in who signed before, up to five minutes past its end, from their own device"
    )
    func late() throws {
        for (minutes, isIn) in [(UInt64(14), true), (16, false)] {
            var net = GroupNet(1...3, members: 1...2)
            let line = try net.link(expires: net[1].now.wall + Self.minutes(10))
            net.disconnect(1, 3)
            net.disconnect(2, 3)
            _ = net.come(3, by: line)
            net.advance(milliseconds: Self.minutes(minutes))
            net.connect(2, 3)
            #expect(Self.isIn(3, net) == isIn, "after \(minutes) minutes")
            #expect(Self.members(at: 1, net) == (isIn ? 3 : 2))
        }
    }

    @Test("brought in whom a member has let in, for everybody and at any time")
    func relayed() throws {
        var net = GroupNet(1...3, members: 1...2)
        let line = try net.link(expires: net[1].now.wall + Self.minutes(10))
        net.disconnect(1, 3)
        net.disconnect(1, 2)
        #expect(net.come(3, by: line) == .joined(net.group))
        net.advance(milliseconds: Self.minutes(100))
        net.connect(1, 2)
        #expect(Self.members(at: 1, net) == 3)
    }

    @Test("that needs approval shows admins who waits, and lets in whom one approves")
    func approved() throws {
        var net = GroupNet(1...3, members: 1...2)
        let line = try net.link(needsApproval: true)
        net.disconnect(1, 3)
        #expect(net.come(3, by: line) == .waitsToJoin(net.group, .approval))
        #expect(net[3].node.groupJoins.map(\.obstacle) == [.approval])
        for number: UInt8 in 1...2 {
            let undecided = net[number].node.groupReport(net.group)?.undecided ?? []
            #expect(undecided.map(\.author) == [GroupNet.id(of: 3)])
            #expect(undecided.map(\.reason) == [.approve])
        }
        // Asked again nothing more is kept.
        #expect(net.come(3, by: line) == .waitsToJoin(net.group, .approval))
        #expect(net[1].node.groupReport(net.group)?.undecided.count == 1)
        let join = try #require(net[1].node.groupReport(net.group)?.undecided.first?.id)
        net.ask(1, .groupAct(net.group, .accept(join)))
        net.settle()
        #expect(Self.isIn(3, net) && Self.members(at: 2, net) == 3)
        #expect(net[3].node.groupJoins.isEmpty)
        #expect(net[1].node.groupReport(net.group)?.undecided == [])
    }

    @Test("lets in at once whom an admin invites meanwhile, without asking them again")
    func invited() throws {
        var net = GroupNet(1...3, members: 1...2)
        let line = try net.link(needsApproval: true)
        _ = net.come(3, by: line)
        net.add(3)
        #expect(Self.isIn(3, net) && net[3].node.pendingGroupRequests.isEmpty)
    }

    @Test("is given up by its user, and then brings in nobody")
    func givenUp() throws {
        var net = GroupNet(1...3, members: 1...2)
        let line = try net.link()
        net.disconnect(1, 3)
        net.disconnect(2, 3)
        _ = net.come(3, by: line)
        let request = net.ask(3, .declineGroup(net.group))
        #expect(net[3].answers(of: request) == [.declinedGroup(net.group)])
        net.connect(2, 3)
        #expect(!Self.isIn(3, net) && Self.members(at: 2, net) == 2)
    }

    @Test("that was ended beside it tells whoever has come by it that they are out")
    func endedBeside() throws {
        var net = GroupNet(1...3, members: 1...2)
        let line = try net.link()
        net.disconnect(1, 2)
        net.disconnect(1, 3)
        #expect(net.come(3, by: line) == .joined(net.group))
        net.ask(1, .groupAct(net.group, .endLink(line.link)))
        net.settle()
        net.disconnect(2, 3)
        #expect(Self.isIn(3, net))
        net.connect(1, 2)
        net.connect(1, 3)
        let isIn = Self.isIn(3, net)
        #expect(!isIn)
    }

    @Test("lifts no removal: who was removed waits for an admin, and all earlier links have ended")
    func removed() throws {
        var net = GroupNet(1...3)
        let earlier = try net.link()
        net.remove(3)
        #expect(net.come(3, by: earlier) == .waitsToJoin(net.group, .approval))
        #expect(net[1].node.groupReport(net.group)?.undecided == [])
        net.ask(3, .declineGroup(net.group))
        let line = try net.link()
        #expect(net.come(3, by: line) == .waitsToJoin(net.group, .approval))
        #expect(net[2].node.groupReport(net.group)?.undecided.map(\.reason) == [.cameBack])
        #expect(!Self.isIn(3, net) && Self.members(at: 2, net) == 2)
    }

    @Test("brings back who has left, and ends when its maker leaves")
    func left() throws {
        var net = GroupNet(1...3)
        let line = try net.link()
        net.ask(3, .leave(net.group))
        net.settle()
        #expect(Self.members(at: 2, net) == 2)
        #expect(net.come(3, by: line) == .joined(net.group))
        #expect(Self.members(at: 2, net) == 3)
        net.ask(1, .groupAct(net.group, .admin(GroupNet.id(of: 2), 256)))
        net.settle()
        let other = try net.link(by: 2)
        net.ask(2, .leave(net.group))
        net.settle()
        let open = try #require(net[1].node.groupReport(net.group)).links.map(\.id)
        #expect(open == [line.link] && open != [other.link])
    }

    @Test("is of no use outside its realm, and its realm is joined first")
    func realm() throws {
        var net = GroupNet(1...3, members: 1...2)
        var line = try net.link()
        line.realm = RealmID(fixed32(7))
        #expect(net.come(3, by: line) == .failed(.notInRealm))
    }

    @Test("tells nothing to who has no line, also not that somebody comes")
    func untold() throws {
        var net = GroupNet(1...4, members: 1...2)
        let line = try net.link()
        let start = net.frames.count
        #expect(net.come(3, by: line) == .joined(net.group))
        let told = net.frames[start...].filter { frame in
            guard frame.to == 4 else { return false }
            switch frame.frame {
            case .acts, .actHeads, .actWant, .epochKeys, .digest: return true
            default: return false
            }
        }
        #expect(told.isEmpty)
        // Nor is a member named to who only guesses.
        #expect(net[1].node.linksToShow(on: LinkID(4)).isEmpty)
    }
}
