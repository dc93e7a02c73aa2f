import ControlAPI
import Posix
import Testing

extension IntegrationTests {
    @Suite("presence and typing over several sites", Surroundings.nats) struct SiteSignalTests {
        private static func count(_ server: SiteServer, _ program: Node) throws -> Int64 {
            let report = try JSON(parsing: Array(try program.stoa("--json", "sites").utf8))
            return report["published"]?.integerValue ?? 0
        }

        // Shows: sites.signals
        @Test("say who is there and who writes to who has no link, and no server stores it")
        func told() throws {
            let scratch = try Scratch()
            let server = try SiteServer("nats", in: scratch)
            let north = try SitesTests.start("North", server, in: scratch)
            let south = try SitesTests.start("South", server, in: scratch, with: north)
            try SitesTests.setUp(north)
            let programs = [try SitesTests.sites(north), try SitesTests.sites(south)]
            for node in [north, south] { try node.join("office/ops") }
            try north.send("from the north", to: "office/ops")
            try south.awaitNewest("from the north", in: "office/ops")
            try south.send("from the south", to: "office/ops")
            try north.awaitNewest("from the south", in: "office/ops")
            for (node, other) in [(north, "South"), (south, "North")] {
                // What is told before the other one listens is told again when they ask, a minute later.
                let deadline = Deadline(afterMilliseconds: 300_000)
                try node.await("\(other) is there", deadline) { node in
                    let members = try node.call("members", ["to": "office/ops"])["items"]
                    return members?.arrayValue?.contains {
                        $0["name"]?.stringValue == other && $0["presence"] == "online"
                            && $0["state"] != "linked"
                    } ?? false
                }
            }
            let follower = try south.control()
            _ = try follower.call("subscribe", ["kinds": ["presence", "typing"]])
            try follower.awaitEvent("North is there, said at first") {
                $0.method == "presence" && $1["name"] == "North" && $1["presence"] == "online"
            }
            _ = try north.call("typing", ["to": "office/ops"])
            try follower.awaitEvent("North writes") {
                $0.method == "typing" && $1["name"] == "North" && $1["typing"] == .bool(true)
                    && $1["conversationName"] == "office/ops"
            }
            try north.send("done", to: "office/ops")
            try follower.awaitEvent("North writes no longer") {
                $0.method == "typing" && $1["typing"] == .bool(false)
            }
            #expect(try north.linked().isEmpty && south.linked().isEmpty)
            #expect(try !server.stores("stoa-now"))
            for program in programs { try SitesTests.end(program) }
            for node in [north, south] { try node.stop() }
            try server.stop()
        }

        @Test("go over links alone where the servers do not allow them, and all else goes on")
        func forbidden() throws {
            let scratch = try Scratch()
            let server = try SiteServer("nats", in: scratch, without: ["stoa-now.*.*"])
            let north = try SitesTests.start("North", server, in: scratch)
            let south = try SitesTests.start("South", server, in: scratch, with: north)
            try SitesTests.setUp(north)
            let programs = [try SitesTests.sites(north), try SitesTests.sites(south)]
            for node in [north, south] { try node.join("office/ops") }
            try north.send("from the north", to: "office/ops")
            try south.awaitNewest("from the north", in: "office/ops")
            try south.await("it says why") {
                try $0.stoa("sites").contains("do not allow stoa-now")
            }
            try north.send("and on", to: "office/ops")
            try south.awaitNewest("and on", in: "office/ops")
            #expect(try south.stoa("sites").contains("linked"))
            for program in programs { try SitesTests.end(program) }
            for node in [north, south] { try node.stop() }
            try server.stop()
        }
    }
}
