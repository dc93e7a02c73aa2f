import ControlAPI
import Testing

extension IntegrationTests {
    @Suite("two networks with a router between them", Surroundings.labs) struct SubnetTests {
        /// Within a minute all that may are linked.
        static let linkingMilliseconds: UInt64 = 60_000

        /// Two hosts in one network and three in another, where each network finds its own.
        private static func start(_ scratch: Scratch, _ lab: NetworkLab) throws -> [Node] {
            try lab.divide(3...5)
            let nodes = try (1...5).map { host in
                try Node(
                    "n\(host)", in: scratch, on: lab.prefix(host),
                    ["--discovery", "embedded", "--interface", "eth0"])
            }
            for node in nodes { try node.start() }
            return nodes
        }

        /// Puts nodes into a new realm.
        private static func share(_ realm: String, _ nodes: [Node]) throws {
            _ = try nodes[0].call("realmNew", ["name": .string(realm)])
            let invite = try nodes[0].call("realmInvite", ["name": .string(realm)])["invite"]
            for node in nodes.dropFirst() {
                _ = try node.call("realmJoin", ["invite": invite ?? .null])
            }
        }

        @Test("are joined by one address that a user types: all members of a realm link directly")
        func oneIsKnown() throws {
            let scratch = try Scratch()
            let lab = try NetworkLab(hosts: 5, avahi: false)
            let nodes = try Self.start(scratch, lab)
            try Self.share("office", nodes)
            for (node, others) in zip(nodes, [1, 1, 2, 2, 2]) {
                try node.await("its own network") { try $0.linked().count == others }
            }
            let stopwatch = Stopwatch()
            _ = try nodes[4].call("connect", ["address": .string(try nodes[0].address())])
            let deadline = Deadline(afterMilliseconds: Self.linkingMilliseconds)
            for node in nodes {
                try node.await("all are linked", deadline) { try $0.linked().count == 4 }
            }
            print("MEASURED two networks: all linked after \(stopwatch.milliseconds) ms")
            // Of the six pairs across, a user has joined one; each of the others is named by one side at least.
            var named = 0
            for node in nodes {
                named += try node.list("peers").count { $0["source"] == "record" }
            }
            #expect(named >= 5)
            for node in nodes { try node.stop() }
        }

        @Test("stay apart, but for that link, where the members' realm is the open one")
        func openRealm() throws {
            let scratch = try Scratch()
            let lab = try NetworkLab(hosts: 5, avahi: false)
            let nodes = try Self.start(scratch, lab)
            _ = try nodes[4].call("connect", ["address": .string(try nodes[0].address())])
            for (node, others) in zip(nodes, [2, 1, 2, 2, 3]) {
                try node.await("its own network") { try $0.linked().count == others }
            }
            for node in nodes {
                #expect(try node.list("peers").allSatisfy { $0["source"] != "record" })
                try node.stop()
            }
        }
    }
}
