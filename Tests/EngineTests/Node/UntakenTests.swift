import Testing

@testable import Engine
@testable import Formats

@Suite("Peers that do not take what they are sent") struct UntakenTests {
    private static let ops = room("ops")
    private static let known: UInt8 = 99
    private static let strangers: ClosedRange<UInt8> = 100...174

    private var harness = Harness()

    /// In a room with somebody whom the user knows and with strangers, who all take nothing.
    init() {
        self.harness.join(Self.ops)
        self.harness.settle()
        self.harness.link(Self.known, of: personKeys(Self.known, 41), in: [Self.ops])
        self.harness.give(.request(RequestID(7), .stand(Harness.peer(Self.known), .known)))
        for number in Self.strangers {
            self.harness.link(number, of: personKeys(number, 41), in: [Self.ops])
        }
        self.harness.settle()
        for number in [Self.known] + Array(Self.strangers) {
            for channel in [Channel.live, .sync, .blob] {
                // The first of them leave a little more.
                let left = number < 110 ? 0 : 4_096
                let link = LinkID(UInt64(number))
                let credit = self.harness.node.links[link].flow.credit(on: channel)
                self.harness.node.links[link].flow.spend(credit - left, on: channel)
            }
        }
    }

    private var linked: [UInt8] {
        ([Self.known] + Array(Self.strangers)).filter {
            self.harness.node.links.has(LinkID(UInt64($0)))
        }
    }

    // Shows: daemon.peers
    @Test(
        "strangers who take nothing leave 24 MiB together at most: who leaves most goes, and nobody whom the user knows"
    )
    func bounded() {
        var test = self
        #expect(test.linked.count == 76)
        // All are told of the own profile, until a megabyte has gone.
        for change in 0..<100 where test.linked.count == 76 {
            let status = String(repeating: "x", count: 200) + "\(change)"
            test.harness.give(
                .request(RequestID(100 + UInt64(change)), .profile(name: "ada", status: status)))
            test.harness.settle()
        }
        let left = test.linked.filter { $0 != Self.known }.reduce(0) {
            $0 + test.harness.node.links[LinkID(UInt64($1))].flow.untakenBytes
        }
        #expect(left <= Limits.strangersUntakenBytes)
        #expect(left > Limits.strangersUntakenBytes - 3 * Limits.initialCredit)
        #expect(test.linked.first == Self.known)
        #expect(test.linked.allSatisfy { $0 == Self.known || $0 >= 110 })
    }
}
