import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("A topic of a group") struct GroupTopicTests {
    private struct Topic: Equatable {
        var text: String
        var counts: Bool
    }

    private func set(_ topic: String, by number: UInt8, in net: inout GroupNet) -> [Answer] {
        let request = net.ask(
            number, .send(Outgoing(conversation: net.group, content: .topic(topic))))
        net.settle()
        return net[number].answers(of: request)
    }

    /// The topics that a node has been shown, as it judges them now.
    private func topics(at number: UInt8, in net: GroupNet) -> [Topic] {
        net[number].shown.compactMap { change in
            guard case .message(let message) = change, case .topic(let text) = message.content
            else { return nil }
            return Topic(text: text, counts: !net[number].node.isIgnored(message))
        }
    }

    private func demote(_ number: UInt8, in net: inout GroupNet) {
        net.ask(1, .groupAct(net.group, .demote(GroupNet.id(of: number))))
        net.settle()
    }

    private func promote(_ number: UInt8, in net: inout GroupNet) {
        net.ask(1, .groupAct(net.group, .admin(GroupNet.id(of: number), 256)))
        net.settle()
    }

    // Shows: daemon.group-topic
    @Test("is set by admins alone, and one that anybody else sets counts nowhere")
    func admins() {
        var net = GroupNet(1...3)
        #expect(self.set("junk", by: 2, in: &net) == [.failed(.refusedAct(.notAdmin))])
        _ = self.set("tea", by: 1, in: &net)
        // A node that does not keep to the rule.
        net[2].node.disk.commits.add(
            Draft(
                conversation: net.group, content: .topic("junk"), request: nil, outgoing: nil))
        net[2].give(.timer(.alerts))
        net.settle()
        for number: UInt8 in 1...3 {
            #expect(
                self.topics(at: number, in: net)
                    == [Topic(text: "tea", counts: true), Topic(text: "junk", counts: false)])
            #expect(net[number].node.topicAuthors == [net.group: [Harness.peer(1)]])
        }
    }

    @Test("counts as long as its author is an admin")
    func demoted() {
        var net = GroupNet(1...3)
        self.promote(2, in: &net)
        _ = self.set("cake", by: 2, in: &net)
        for number: UInt8 in 1...3 {
            #expect(self.topics(at: number, in: net) == [Topic(text: "cake", counts: true)])
        }
        self.demote(2, in: &net)
        for number: UInt8 in 1...3 {
            #expect(self.topics(at: number, in: net) == [Topic(text: "cake", counts: false)])
            #expect(net[number].node.topicAuthors == [net.group: []])
        }
        self.promote(2, in: &net)
        #expect(self.topics(at: 3, in: net) == [Topic(text: "cake", counts: true)])
    }
}
