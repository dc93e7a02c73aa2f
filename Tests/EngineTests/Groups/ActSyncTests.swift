import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Members who are asked for their acts before somebody is removed") struct ActSyncTests {
    private func sync(_ net: inout GroupNet, besides number: UInt8? = nil) -> RequestID {
        net.ask(1, .syncActs([net.group], besides: number.map { GroupNet.id(of: $0) }))
    }

    private func pass(_ milliseconds: UInt64, _ net: inout GroupNet) {
        net.advance(milliseconds: milliseconds)
        net[1].give(.timer(.groups))
        net.settle()
    }

    @Test("have told of them by the answer, which names those who are not linked")
    func asked() {
        var net = GroupNet(1...4, members: 1...3)
        net.ask(1, .groupAct(net.group, .admin(GroupNet.id(of: 2), 256)))
        net.write("hello", by: 3)
        net.settle()
        net.disconnect(1, 3)
        net.ask(2, .groupAct(net.group, .add(GroupNet.id(of: 4))))
        let request = self.sync(&net)
        #expect(net[1].answers(of: request).isEmpty)
        #expect(!net.people(at: 1).contains(GroupNet.id(of: 4)))
        net.settle()
        #expect(net[1].answers(of: request) == [.synced(unasked: [GroupNet.id(of: 3)])])
        #expect(net.people(at: 1).contains(GroupNet.id(of: 4)))
    }

    @Test("are neither awaited nor named where it is they who are to be removed")
    func besides() {
        var net = GroupNet(1...2)
        let request = self.sync(&net, besides: 2)
        #expect(net[1].answers(of: request) == [.synced(unasked: [])])
    }

    @Test("have ten seconds to send what they have told of, and are named if they do not")
    func late() {
        var net = GroupNet(1...2)
        let heads = ActHeads(group: net.group, digest: .zero, heads: [ActID(fixed32(7))])
        net[1].give(.actHeads(heads), from: 2)
        let request = self.sync(&net)
        net.settle()
        self.pass(Limits.actSyncMilliseconds - 1, &net)
        #expect(net[1].answers(of: request).isEmpty)
        self.pass(1, &net)
        #expect(net[1].answers(of: request) == [.synced(unasked: [GroupNet.id(of: 2)])])
    }

    @Test("are not awaited once their link has ended")
    func gone() {
        var net = GroupNet(1...2)
        net.write("hello", by: 2)
        net.settle()
        let request = self.sync(&net)
        #expect(net[1].answers(of: request).isEmpty)
        net[1].give(.linkClosed(LinkID(2), nil))
        #expect(net[1].answers(of: request) == [.synced(unasked: [GroupNet.id(of: 2)])])
    }
}
