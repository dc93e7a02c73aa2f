import ControlAPI
import Posix
import Testing

extension IntegrationTests {
    @Suite("what has vanished from the servers between sites", Surroundings.nats)
    struct SiteAskTests {
        /// Whether a program has kept that all runs which its node has were settled.
        private static func isSettled(_ node: Node) throws -> Bool {
            func place(_ cursor: JSON?) -> [Substring]? {
                cursor?.stringValue.map { Array($0.split(separator: "-").prefix(3)) }
            }
            let folder = "\(node.folder)/.local/state/stoa"
            let name = try Files.names(in: folder).first { $0.hasSuffix(".state") }
            guard let name else { return false }
            let kept = try JSON(parsing: Files.read("\(folder)/\(name)", limitBytes: 1 << 20))
            let all = try node.call("exportItems", [:])["cursor"]
            return place(kept["cursor"]) == place(all)
        }

        // Shows: sites.vanished
        @Test("is published again by whoever has it, when somebody lacks it, also in place of junk")
        func vanished() throws {
            let scratch = try Scratch()
            let server = try SiteServer("nats", in: scratch)
            let north = try SitesTests.start("North", server, in: scratch)
            let west = try SitesTests.start("West", server, in: scratch, with: north)
            let south = try SitesTests.start("South", server, in: scratch, with: north)
            try SitesTests.setUp(north)
            let northern = try SitesTests.sites(north)
            let western = try SitesTests.sites(west)
            for node in [north, west] { try node.join("office/ops") }
            for number in 1...5 {
                try north.send("word \(number)", to: "office/ops")
                try west.awaitNewest("word \(number)", in: "office/ops")
            }
            // Within ten seconds it would be published as an author's who has no program.
            try west.await("its program is done with these") { node in
                try Self.isSettled(node)
            }
            let items = try north.call("exportItems", [:])["items"]?.arrayValue ?? []
            let subjects = items.filter { $0["mine"] == true }.compactMap {
                $0["subject"]?.stringValue
            }
            #expect(subjects.count >= 7)
            try server.publish([], under: "$JS.API.STREAM.PURGE.STOA", in: scratch)
            for subject in subjects.prefix(3) {
                try server.publish(Array("junk".utf8), under: subject, in: scratch)
            }
            try north.send("word 6", to: "office/ops")
            try west.awaitNewest("word 6", in: "office/ops")
            try SitesTests.end(northern)
            try north.stop()
            let southern = try SitesTests.sites(south)
            try south.join("office/ops")
            try south.await("it is said that something is missing") { node in
                // Without a first word of its program the command fails.
                (try? node.stoa("sites"))?.contains("wait for others") ?? false
            }
            try south.await("all of it is here") { node in
                try node.texts(in: "office/ops") == (1...6).map { "word \($0)" }
            }
            for program in [western, southern] { try SitesTests.end(program) }
            for node in [west, south] { try node.stop() }
            try server.stop()
        }
    }
}
