import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("A group, as its people ask for it")
struct GroupRequestTests {
    private static func kinds(_ net: GroupNet, _ number: UInt8) -> [ConversationKind] {
        Array(net[number].node.joinedConversations.values)
    }

    @Test("is founded, and found by its name")
    func founded() throws {
        let net = GroupNet(1...1)
        #expect(net[1].node.name(of: net.group) == "+ops")
        #expect(try net[1].node.conversation(named: "ops") == net.group)
        #expect(net[1].node.conversationStatus(of: net.group)?.members == [net[1].node.id])
    }

    @Test("asks whoever is brought in, and nothing of it is fetched or shown before that says yes")
    func asked() {
        var net = GroupNet(1...2, members: 1...1)
        net.write("secret plans", by: 1)
        let start = net.frames.count
        net.add(2)
        #expect(net[2].node.pendingGroupRequests.map(\.group) == [net.group])
        #expect(Self.kinds(net, 2) == [] && net[2].disk.keys.isEmpty)
        let runs = net.count(from: start) {
            switch $0 {
            case .liveRun, .syncRun, .epochKeys: true
            default: false
            }
        }
        #expect(runs == 0)
        net.accept(2)
        #expect(net[2].node.pendingGroupRequests.isEmpty)
        #expect(net.texts(at: 2) == ["secret plans"])
    }

    @Test("is learnt from any member by whoever says yes, also after whoever asked has gone")
    func goneMeanwhile() {
        var net = GroupNet(1...3, members: 1...1)
        net.add(3)
        net.add(2)
        net.accept(2)
        net.disconnect(1, 3)
        net.accept(3)
        #expect(net.people(at: 3).count == 3)
        net.write("welcome", by: 2)
        net.settle()
        #expect(net.texts(at: 3) == ["welcome"])
    }

    /// What subscribers of a node were told of who came or went, and of invitations.
    private static func notices(_ net: GroupNet, _ number: UInt8, from start: Int = 0) -> [Notice
        .Event]
    {
        net[number].shown.dropFirst(start).compactMap { change in
            guard case .notice(_, let notice) = change else { return nil }
            switch notice.event {
            case .invited, .answered, .turned: return notice.event
            default: return nil
            }
        }
    }

    @Test("tells who came, went, and has another role, by whom, to those who were in it")
    func told() {
        var net = GroupNet(1...3, members: 1...2)
        let (one, two, three) = (GroupNet.id(of: 1), GroupNet.id(of: 2), GroupNet.id(of: 3))
        func turn(_ event: RosterTurn.Event, _ person: PersonID, by: PersonID?) -> Notice.Event {
            .turned(net.group, RosterTurn(event, person, by: by))
        }
        let start = net[2].shown.count
        net.add(3)
        net.accept(3)
        net.ask(1, .groupAct(net.group, .admin(three, 256)))
        net.settle()
        net.ask(1, .groupAct(net.group, .demote(three)))
        net.settle()
        #expect(
            Self.notices(net, 2, from: start) == [
                turn(.added, three, by: one), turn(.promoted, three, by: one),
                turn(.demoted, three, by: one),
            ])
        // Nothing of what was so when they came in.
        #expect(
            Self.notices(net, 3).prefix(3) == [
                .invited(net[1].node.id, to: net.group), .answered(net.group, isAccepted: true),
                turn(.promoted, three, by: one),
            ])
        net.remove(2)
        #expect(Self.notices(net, 2).last == turn(.removed, two, by: one))
        #expect(Self.notices(net, 3).last == turn(.removed, two, by: one))
        net.ask(3, .leave(net.group))
        net.settle()
        #expect(Self.notices(net, 1).last == turn(.left, three, by: three))
    }

    @Test("calls whoever is brought in once, however often they are removed and brought in again")
    func calledOnce() {
        var net = GroupNet(1...2, members: 1...1)
        for _ in 0..<3 {
            net.add(2)
            #expect(net[2].node.pendingGroupRequests.count == 1)
            net.remove(2)
            #expect(net[2].node.pendingGroupRequests.isEmpty)
        }
        #expect(Self.notices(net, 2) == [.invited(net[1].node.id, to: net.group)])
        net.add(2)
        net.accept(2)
        #expect(Self.kinds(net, 2).count == 1)
    }

    @Test("that was declined does not ask again by the same act, and tells nobody")
    func declined() {
        var net = GroupNet(1...2, members: 1...1)
        net.add(2)
        let start = net.frames.count
        net.ask(2, .declineGroup(net.group))
        net.settle()
        #expect(net.frames[start...].filter { $0.from == 2 }.isEmpty)
        net.pass(milliseconds: 60_000)
        #expect(net[2].node.pendingGroupRequests.isEmpty && Self.kinds(net, 2) == [])
    }

    @Test("asks its owner back whose disk is of before the founding", arguments: [true, false])
    func ownerPutBack(isWelcome: Bool) {
        var net = GroupNet(1...3)
        net.putBack(1)
        #expect(net[1].node.pendingGroupRequests.map(\.group) == [net.group])
        guard isWelcome else {
            net.ask(1, .declineGroup(net.group))
            net.settle()
            net.disconnect(1, 2)
            net.connect(1, 2)
            return #expect(net[1].node.pendingGroupRequests.isEmpty)
        }
        net.accept(1)
        #expect(net.people(at: 1) == net.people(at: 2) && net.people(at: 1).count == 3)
        net.write("still here", by: 2)
        net.settle()
        #expect(net.texts(at: 1).contains("still here"))
    }

    @Test("asks whoever came by a link back whose disk is of before that")
    func comerPutBack() throws {
        var net = GroupNet(1...3, members: 1...2)
        let line = try net.link()
        #expect(net.come(3, by: line) == .joined(net.group))
        net.putBack(3)
        #expect(net[3].node.pendingGroupRequests.map(\.group) == [net.group])
        net.accept(3)
        #expect(net.people(at: 3).count == 3)
    }

    @Test("tells whomever an admin has brought in who was demoted beside it that they are out")
    func broughtByDemoted() {
        var net = GroupNet(1...3, members: 1...2)
        net.ask(1, .groupAct(net.group, .admin(GroupNet.id(of: 2), 256)))
        net.settle()
        net.disconnect(1, 2)
        net.disconnect(1, 3)
        net.ask(2, .groupAct(net.group, .add(GroupNet.id(of: 3))))
        net.settle()
        net.accept(3)
        net.ask(1, .groupAct(net.group, .demote(GroupNet.id(of: 2))))
        net.settle()
        net.disconnect(2, 3)
        #expect(Self.kinds(net, 3).count == 1)
        net.connect(1, 2)
        net.connect(1, 3)
        #expect(Self.kinds(net, 3) == [])
    }

    @Test("takes nobody in for whom its asker may not do that")
    func refused() {
        var net = GroupNet(1...3, members: 1...2)
        let request = net.ask(2, .groupAct(net.group, .add(GroupNet.id(of: 3))))
        #expect(net[2].answers(of: request) == [.failed(.refusedAct(.notAdmin))])
        net.settle()
        #expect(net[3].node.pendingGroupRequests.isEmpty)
    }

    @Test("gives who is removed nothing that is written later, and tells them that they are out")
    func removed() {
        var net = GroupNet(1...3)
        net.write("for all", by: 1)
        net.settle()
        net.remove(3)
        #expect(Self.kinds(net, 3) == [])
        let start = net.frames.count
        net.write("for two", by: 1)
        net.settle()
        net.write("for two as well", by: 2)
        net.settle()
        net.pass(milliseconds: 30_000)
        #expect(net.texts(at: 2) == ["for all", "for two", "for two as well"])
        #expect(net.texts(at: 3) == ["for all"])
        let got = net.frames[start...].filter { $0.to == 3 && $0.frame.isOfGroups }
        #expect(got.isEmpty)
        // Both write under one new key.
        #expect(Set((1...2).flatMap { net.epochs(of: $0) }).count == 3)
    }

    @Test("is over on the disk of who is removed with the same write as the removal")
    func overAtOnce() throws {
        var net = GroupNet(1...2)
        net.withhold(.acts, from: 2)
        net.remove(2)
        func isActs(_ frame: Frame) -> Bool { if case .acts = frame { true } else { false } }
        let told = net.frames.last { $0.to == 2 && isActs($0.frame) }
        net[2].give(try #require(told).frame, from: 1)
        let batch = try #require(net[2].batch)
        #expect(batch.groups.acts.count == 1)
        #expect(batch.membership[net.group]?.isJoined == false)
    }

    @Test("is left at once, and what is written then is for those who stay")
    func left() {
        var net = GroupNet(1...3)
        net.write("for all", by: 3)
        net.settle()
        let request = net.ask(3, .leave(net.group))
        net.settle()
        #expect(net[3].answers(of: request) == [.left(net.group)])
        #expect(Self.kinds(net, 3) == [])
        for number: UInt8 in 1...2 {
            #expect(net[number].node.conversationStatus(of: net.group)?.members.count == 2)
        }
        net.write("without you", by: 2)
        net.settle()
        #expect(net.texts(at: 1) == ["for all", "without you"])
        #expect(net.texts(at: 3) == ["for all"])
        #expect(net.entries(of: 2, at: 3) == 0)
        // Who left can be brought in again, and reads what they missed.
        net.add(3)
        net.accept(3)
        #expect(net.texts(at: 3) == ["for all", "without you"])
        net.write("here again", by: 3)
        net.settle()
        #expect(net.texts(at: 1).last == "here again")
    }

    @Test("ends for who came in by somebody whom the owner had removed")
    func letInByNobody() {
        var net = GroupNet(1...4, members: 1...3)
        net.ask(1, .groupAct(net.group, .admin(GroupNet.id(of: 2), 256)))
        net.settle()
        for number in [2, 3, 4] as [UInt8] { net.disconnect(1, number) }
        net.ask(2, .groupAct(net.group, .add(GroupNet.id(of: 4))))
        net.settle()
        net.accept(4)
        net.remove(2)
        net.disconnect(4, 2)
        net.disconnect(4, 3)
        #expect(net[4].node.groups.isInside(net.group))
        net.connect(1, 3)
        #expect(!net.people(at: 1).contains(GroupNet.id(of: 4)))
        net.connect(3, 4)
        #expect(!net[4].node.groups.isInside(net.group))
        #expect(net.texts(at: 4) == [])
    }
}

extension Frame {
    /// Whether it is of what is written, or of the acts and keys of groups.
    fileprivate var isOfGroups: Bool {
        switch self {
        case .liveRun, .syncRun, .epochKeys, .acts, .actHeads, .digest, .delta, .clock: true
        default: false
        }
    }
}
