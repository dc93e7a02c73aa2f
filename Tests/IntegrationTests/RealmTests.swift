import ControlAPI
import Posix
import Testing

extension IntegrationTests {
    @Suite("realms") struct RealmTests {
        /// Running nodes of which each dials all before it.
        private static func start(
            _ names: [String], in scratch: Scratch, _ arguments: [String] = []
        ) throws -> [Node] {
            var nodes: [Node] = []
            for name in names {
                let addresses = try nodes.map { try $0.address() }
                let node = try Node.onLoopback(name, in: scratch, peers: addresses)
                node.add(arguments)
                try node.start()
                nodes.append(node)
            }
            return nodes
        }

        /// Puts nodes into a new realm of the first one.
        private static func share(_ realm: String, _ nodes: Node...) throws {
            _ = try nodes[0].call("realmNew", ["name": .string(realm)])
            let invite = try nodes[0].call("realmInvite", ["name": .string(realm)])["invite"]
            for node in nodes.dropFirst() {
                _ = try node.call("realmJoin", ["invite": invite ?? .null])
            }
        }

        /// Whether the bytes of a text stand in any file of a node's store.
        private static func stores(_ text: String, _ node: Node) throws -> Bool {
            try ["stoa.db", "stoa.db-wal"].contains { file in
                let path = "\(node.dataDirectory)/\(file)"
                guard Files.exists(path) else { return false }
                let bytes = try Files.read(path, limitBytes: 64 << 20)
                return String(decoding: bytes, as: UTF8.self).contains(text)
            }
        }

        private static func rooms(_ node: Node) throws -> [String: JSON] {
            let rooms = try node.list("rooms")
            return Dictionary(
                rooms.map { ($0["name"]?.stringValue ?? "", $0) }, uniquingKeysWith: { $1 })
        }

        // Shows: told.realm
        @Test("a laptop in two offices carries nothing from one to the other, nor into a café")
        func offices() throws {
            let scratch = try Scratch()
            let nodes = try Self.start(["north", "south", "laptop", "cafe"], in: scratch)
            let (north, south, laptop, cafe) = (nodes[0], nodes[1], nodes[2], nodes[3])
            try Self.share("northern", north, laptop)
            try Self.share("southern", south, laptop)
            for node in nodes {
                try node.await("all are linked") { try $0.linked().count == 3 }
                try node.join("ops")
            }
            for (office, room) in [(north, "northern/ops"), (south, "southern/ops")] {
                try office.join(room)
                try laptop.join(room)
                try office.await("the laptop is seen in \(room)") {
                    try Self.rooms($0)[room]?["members"]?.integerValue == 2
                }
                try office.send("only for \(room)", to: room)
                try laptop.awaitNewest("only for \(room)", in: room)
                try laptop.send("answered in \(room)", to: room)
                try office.awaitNewest("answered in \(room)", in: room)
            }
            // What is said in the open comes after, on the same links.
            try laptop.send("for all", to: "ops")
            for node in nodes { try node.awaitTexts(["for all"], in: "ops") }
            #expect(try Set(Self.rooms(north).keys) == ["ops", "northern/ops"])
            #expect(try Set(Self.rooms(south).keys) == ["ops", "southern/ops"])
            #expect(try Set(Self.rooms(cafe).keys) == ["ops"])
            for node in nodes { try node.stop() }
            for (room, members) in [
                ("northern/ops", ["north", "laptop"]), ("southern/ops", ["south", "laptop"]),
            ] {
                for node in nodes {
                    for text in ["only for \(room)", "answered in \(room)"] {
                        #expect(
                            try Self.stores(text, node) == members.contains(node.name),
                            "\(text), \(node.name)")
                    }
                }
            }
        }

        @Test("who has not the secret is refused, and neither side's log has a key of the other")
        func refusal() throws {
            let scratch = try Scratch()
            let office = try Node.onLoopback("office", in: scratch)
            office.add(["--open-realm", "no"])
            try office.start()
            try Self.share("office", office)
            try office.join("office/ops")
            let address = try office.address()
            let stranger = try Node.onLoopback("stranger", in: scratch, peers: [address])
            try stranger.start()
            try stranger.await("the refusal is told") { node in
                let dials = try node.list("dials")
                return dials.contains { $0["failure"] == "wrongRealm" }
            }
            _ = try stranger.stoa("connect", address, "--wait", "60", expecting: 78)
            _ = try office.stoa("connect", try stranger.address(), "--wait", "60", expecting: 78)
            let (ours, theirs) = (try office.identity(), try stranger.identity())
            for (node, other, name) in [(office, theirs, "stranger"), (stranger, ours, "office")] {
                #expect(!node.log.contains(other.prefix(8)), "\(node.log)")
                #expect(!node.log.contains(name + " "), "\(node.log)")
                let peers = try node.list("peers")
                #expect(peers.isEmpty, "\(peers)")
            }
            #expect(try Self.rooms(stranger).isEmpty)
            for node in [office, stranger] { try node.stop() }
        }

        // Shows: told.renewal
        @Test("after a renewal who has only the old secret is out in time, and the history stays")
        func rotation() throws {
            let scratch = try Scratch()
            let ada = try Node.onLoopback("ada", in: scratch)
            ada.add(["--open-realm", "no", "--realm", "office"])
            try ada.start()
            #expect(ada.log.contains("you are in no realm \"office\""), "\(ada.log)")
            #expect(ada.log.contains("stoa realm join FILE"), "\(ada.log)")
            try Self.share("office", ada)
            let invite = try ada.call("realmInvite", ["name": "office"])["invite"] ?? .null
            let others = try ["bob", "eve"].map { name in
                let node = try Node.onLoopback(name, in: scratch, peers: [try ada.address()])
                node.add(["--open-realm", "no", "--realm", "office"])
                try node.start()
                _ = try node.call("realmJoin", ["invite": invite])
                return node
            }
            let (bob, eve) = (others[0], others[1])
            for node in [ada, bob, eve] { try node.join("ops") }
            for node in [bob, eve] { try node.await("the link") { try $0.linked().count == 1 } }
            try ada.send("before", to: "ops")
            for node in [bob, eve] { try node.awaitTexts(["before"], in: "ops") }
            let renewed = try ada.call("realmRotate", ["name": "office", "seconds": 3])
            _ = try bob.call("realmJoin", ["invite": renewed["invite"] ?? .null])
            try ada.send("during", to: "ops")
            for node in [bob, eve] { try node.awaitTexts(["during"], in: "ops") }
            try eve.await("eve is out") { try $0.linked().isEmpty }
            try ada.send("after", to: "ops")
            try bob.awaitTexts(["after"], in: "ops")
            try eve.await("eve is told why") { node in
                let dials = try node.list("dials")
                return dials.contains { $0["failure"] == "wrongRealm" }
            }
            #expect(try eve.texts(in: "ops") == ["before", "during"])
            #expect(try bob.texts(in: "ops") == ["before", "during", "after"])
            #expect(try Self.rooms(bob)["ops"]?["members"] == 3, "the room is the same")
            for node in [ada, bob, eve] { try node.stop() }
        }
    }
}
