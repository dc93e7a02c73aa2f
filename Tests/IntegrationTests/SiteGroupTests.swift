import ControlAPI
import Testing

extension IntegrationTests {
    @Suite("a group over several sites", Surroundings.nats) struct SiteGroupTests {
        /// Two in a group, who have met on a link and have none now.
        static func apart(_ server: SiteServer, in scratch: Scratch) throws -> (Node, Node) {
            let north = try SitesTests.start("North", server, in: scratch)
            let south = try SitesTests.start(
                "South", server, in: scratch, peers: [north], with: north)
            for (node, other) in [(north, "South"), (south, "North")] {
                try node.await("they know each other") { node in
                    try node.list("peers").contains { $0["name"]?.stringValue == other }
                }
            }
            _ = try north.stoa("group", "create", "office/ops")
            try Self.bring(south, by: north)
            try north.send("a word on the link", to: "+office/ops")
            try south.awaitTexts(["a word on the link"], in: "+office/ops")
            for node in [north, south] { try node.stop() }
            // Each listens elsewhere than before, and nobody is told where.
            south.forgetPeers()
            for node in [north, south] { try node.start() }
            return (north, south)
        }

        private static func bring(_ node: Node, by host: Node) throws {
            _ = try host.stoa("group", "invite", "+office/ops", host.key(of: "@\(node.name)"))
            try node.await("it waits") { try $0.stoa("requests").contains("+office/ops") }
            _ = try node.stoa("accept", "+office/ops")
        }

        // Shows: sites.groups
        @Test("is one for members who have no link any more")
        func texts() throws {
            let scratch = try Scratch()
            let server = try SiteServer("nats", in: scratch)
            let (north, south) = try Self.apart(server, in: scratch)
            try SitesTests.setUp(north)
            let programs = [try SitesTests.sites(north), try SitesTests.sites(south)]
            let sent = try north.send("zyxw-north", to: "+office/ops")
            try south.awaitNewest("zyxw-north", in: "+office/ops")
            _ = try south.stoa("react", sent["id"]?.stringValue ?? "", "👍")
            try south.send("zyxw-south", to: "+office/ops")
            try north.awaitNewest("zyxw-south", in: "+office/ops")
            try north.await("it is known who has it") { node in
                let info = try node.call("info", ["id": sent["id"] ?? .null])
                let members = info["members"]?.arrayValue ?? []
                return members.contains { $0["name"] == "South" && $0["outcome"] == "delivered" }
            }
            // An act goes, too: the link is there for members elsewhere.
            _ = try north.stoa("group", "link", "+office/ops")
            try south.await("it has come") { node in
                let info = try node.call("groupInfo", ["group": "+office/ops"])
                return !(info["links"]?.arrayValue ?? []).isEmpty
            }
            // A shorter word may be in a name that is made of letters by chance.
            for word in ["zyxw-north", "zyxw-south", "office/ops", "North", "South"] {
                #expect(try !server.stores(word), "\(word)")
            }
            #expect(try north.linked().isEmpty && south.linked().isEmpty)
            for program in programs { try SitesTests.end(program) }
            for node in [north, south] { try node.stop() }
            try server.stop()
        }

        // Shows: sites.groups
        @Test("takes in somebody who has never been linked, and tells them when they are out")
        func invitation() throws {
            let scratch = try Scratch()
            let server = try SiteServer("nats", in: scratch)
            let north = try SitesTests.start("North", server, in: scratch)
            let south = try SitesTests.start("South", server, in: scratch, with: north)
            try SitesTests.setUp(north)
            let programs = [try SitesTests.sites(north), try SitesTests.sites(south)]
            for node in [north, south] { try node.join("office/hall") }
            try south.send("hello from the south", to: "office/hall")
            try north.awaitNewest("hello from the south", in: "office/hall")
            _ = try north.stoa("group", "create", "office/ops")
            try north.send("zyxw-before", to: "+office/ops")
            try north.await("South has a name") { node in
                try node.history(of: "office/hall").contains { $0["authorName"] == "South" }
            }
            try Self.bring(south, by: north)
            try south.awaitTexts(["zyxw-before"], in: "+office/ops")
            try south.send("zyxw-south", to: "+office/ops")
            try north.awaitNewest("zyxw-south", in: "+office/ops")
            _ = try north.stoa("group", "remove", "+office/ops", north.key(of: "@South"), "--yes")
            try south.await("South is out") { node in
                try !node.list("conversations").contains {
                    $0["name"]?.stringValue == "+office/ops"
                }
            }
            #expect(try north.linked().isEmpty && south.linked().isEmpty)
            for program in programs { try SitesTests.end(program) }
            for node in [north, south] { try node.stop() }
            try server.stop()
        }
    }
}
