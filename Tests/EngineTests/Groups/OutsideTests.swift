import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("What somebody wrote who turns out to have been out of a group") struct OutsideTests {
    /// What a node has been shown, with a mark on what it now takes to be from outside.
    private func marked(at number: UInt8, in net: GroupNet) -> [String] {
        net[number].shown.compactMap { change in
            guard case .message(let message) = change, let text = message.content.text else {
                return nil
            }
            return text + (net[number].node.isOutside(message) ? " (outside)" : "")
        }
    }

    @Test("stays where it was shown, marked, until they turn out to be members after all")
    func removed() {
        var net = GroupNet(1...3)
        net.write("early", by: 3)
        net.settle()
        net.disconnect(1, 2)
        net.disconnect(1, 3)
        net.write("late", by: 3)
        net.settle()
        net.remove(3)
        #expect(self.marked(at: 2, in: net) == ["early", "late"])
        net.connect(1, 2)
        #expect(self.marked(at: 2, in: net) == ["early", "late (outside)"])
        #expect(self.marked(at: 3, in: net) == ["early", "late (outside)"])
        #expect(self.marked(at: 1, in: net) == ["early"])
        net.add(3)
        for number: UInt8 in 1...2 {
            #expect(self.marked(at: number, in: net) == ["early", "late"])
        }
    }

    @Test("is not marked of somebody who has left, nor in a room")
    func left() {
        var net = GroupNet(1...3)
        net.write("here", by: 3)
        net.settle()
        net.ask(3, .leave(net.group))
        net.settle()
        for number: UInt8 in 1...3 { #expect(self.marked(at: number, in: net) == ["here"]) }
        net[1].join(room("agora"))
        net[1].say("open", in: room("agora"))
        net.settle()
        #expect(self.marked(at: 1, in: net) == ["here", "open"])
    }
}
