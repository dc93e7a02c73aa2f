import ControlAPI
import Glibc
import Posix
import Testing

/// A server of NATS with JetStream on this machine's loopback.
final class SiteServer {
    private let process: ChildProcess
    let url: String
    let folder: String

    /// - Parameter without: the subjects that its users may neither publish nor hear.
    init(_ name: String, in scratch: Scratch, without: [String] = []) throws {
        self.folder = try scratch.folder(name)
        var options = ""
        if !without.isEmpty {
            let denied = without.map { "\"\($0)\"" }.joined(separator: ", ")
            let text = """
                authorization { users: [ { user: node, password: node, permissions: {
                  publish: { deny: [ \(denied) ] }, subscribe: { deny: [ \(denied) ] } } } ] }
                no_auth_user: node
                """
            try Files.writeAtomically(
                Array(text.utf8), to: "\(self.folder)/nats.conf", mode: 0o600)
            options = " -c \(self.folder)/nats.conf"
        }
        // Any free port: the server says which one it has.
        self.process = try ChildProcess(
            [
                "sh", "-c",
                "exec nats-server\(options) -js -sd \(self.folder)/js -a 127.0.0.1 -p -1 2>&1",
            ],
            environment: ["PATH": "/usr/sbin:/usr/bin:/bin", "HOME": self.folder])
        let words = "client connections on "
        while let line = try self.process.nextLine() {
            guard let address = line.split(separator: " ").last, line.contains(words) else {
                continue
            }
            self.url = "nats://\(address)"
            return
        }
        throw Broken("nats-server is not ready")
    }

    func stop() throws {
        self.process.signal(SIGTERM)
        _ = try self.process.waitForExit()
    }

    /// Whether bytes stand in any file that it keeps.
    func stores(_ text: String) throws -> Bool {
        var folders = ["\(self.folder)/js"]
        while let folder = folders.popLast() {
            for name in try Files.names(in: folder) {
                let path = "\(folder)/\(name)"
                if (try? Files.names(in: path)) != nil {
                    folders.append(path)
                } else if let bytes = try? Files.read(path, limitBytes: 64 << 20),
                    Node.has(Array(text.utf8), in: bytes)
                {
                    return true
                }
            }
        }
        return false
    }
}

extension IntegrationTests {
    @Suite("several sites", Surroundings.nats) struct SitesTests {
        /// A started node that has these servers, in the realm office; the first one makes it.
        static func start(
            _ name: String, _ server: SiteServer, in scratch: Scratch, peers: [Node] = [],
            with founder: Node? = nil
        ) throws -> Node {
            let node = try Node.onLoopback(
                name, in: scratch, peers: try peers.map { try $0.address() })
            node.add(["--sites", server.url, "--sites-realm", "office"])
            try node.start()
            if let founder {
                let invite = try founder.call("realmInvite", ["name": "office"])["invite"]
                _ = try node.call("realmJoin", ["invite": invite ?? .null])
            } else {
                _ = try node.call("realmNew", ["name": "office"])
            }
            return node
        }

        static func sites(_ node: Node, _ words: String...) throws -> ChildProcess {
            try ChildProcess(
                ["\(Surroundings.programs())/stoa-sites", "--socket", node.socket] + words,
                environment: node.environment, errors: "\(node.folder)/sites.log")
        }

        static func setUp(_ node: Node) throws {
            let setup = try Self.sites(node, "--setup")
            #expect(try setup.waitForExit() == .code(0))
        }

        static func end(_ processes: ChildProcess...) throws {
            for process in processes {
                process.signal(SIGTERM)
                _ = try process.waitForExit()
            }
        }

        // Shows: sites.blind
        @Test("a room of two sites is one, and the servers keep no word of it")
        func room() throws {
            let scratch = try Scratch()
            let server = try SiteServer("nats", in: scratch)
            let north = try Self.start("North", server, in: scratch)
            let south = try Self.start("South", server, in: scratch, with: north)
            // Beside South without servers: what South brings comes here by their link.
            let beside = try Node.onLoopback("Beside", in: scratch, peers: [try south.address()])
            try beside.start()
            let invite = try north.call("realmInvite", ["name": "office"])["invite"]
            _ = try beside.call("realmJoin", ["invite": invite ?? .null])
            try Self.setUp(north)
            let programs = [try Self.sites(north), try Self.sites(south)]
            for node in [north, south, beside] { try node.join("office/ops") }
            let sent = try north.send("a word from the north", to: "office/ops")
            try south.awaitNewest("a word from the north", in: "office/ops")
            try beside.awaitNewest("a word from the north", in: "office/ops")
            // Without a program of its own: South's publishes it ten seconds later.
            try beside.send("a word from beside", to: "office/ops")
            try north.awaitNewest("a word from beside", in: "office/ops")
            #expect(
                try north.agreedHistory(of: "office/ops") == south.agreedHistory(of: "office/ops"))
            try south.await("names come, too") { node in
                try node.history(of: "office/ops").contains { $0["authorName"] == "North" }
            }
            try north.await("it is known who has it") { node in
                let info = try node.call("info", ["id": sent["id"] ?? .null])
                let members = info["members"]?.arrayValue ?? []
                return members.contains { $0["name"] == "South" && $0["outcome"] == "delivered" }
            }
            let gone = try north.send("a word that goes", to: "office/ops")
            try south.awaitNewest("a word that goes", in: "office/ops")
            _ = try north.stoa("delete", gone["id"]?.stringValue ?? "")
            try south.awaitNewest("a word from beside", in: "office/ops")
            for word in ["a word from", "a word that goes", "North", "office/ops", "Beside"] {
                #expect(try !server.stores(word), "\(word)")
            }
            for program in programs { try Self.end(program) }
            for node in [north, south, beside] { try node.stop() }
            try server.stop()
        }

        @Test("setup says what is wrong there, and what to do")
        func setupMistakes() throws {
            let scratch = try Scratch()
            let server = try SiteServer("nats", in: scratch)
            let node = try Self.start("North", server, in: scratch)
            func told(_ words: [String], _ what: String, _ remedy: String) throws {
                let setup = try ChildProcess(
                    ["\(Surroundings.programs())/stoa-sites", "--socket", node.socket, "--setup"]
                        + words,
                    environment: node.environment, errors: "\(node.folder)/setup.log")
                #expect(try setup.waitForExit() == .code(69))
                let log = try Files.read("\(node.folder)/setup.log", limitBytes: 1 << 20)
                let line = String(decoding: log, as: UTF8.self).split(separator: "\n").last ?? ""
                #expect(line.contains(what) && line.contains(remedy), "\(line)")
            }
            try told(["--size", "900000000000000"], "no room", "--size")
            try told(["--replicas", "3"], "so many copies", "--replicas")
            for problem in ["no server answers", ""] {
                _ = try node.call("importItems", ["items": [], "problem": .string(problem)])
                let alerts = try node.call("status")["alerts"]?.arrayValue ?? []
                #expect(alerts.contains { $0["code"] == "sites" } == !problem.isEmpty)
            }
            try server.stop()
            try told([], server.url, "nats-server runs")
            _ = try node.call("realmLeave", ["name": "office"])
            try told([], "not in the realm office", "stoa realm join")
            try node.stop()
            try told([], "no daemon listens", "systemctl --user start stoad")
        }

        // Shows: sites.late
        @Test("who was off gets everything when the sender is off, with what was deleted left out")
        func apart() throws {
            let scratch = try Scratch()
            let server = try SiteServer("nats", in: scratch)
            let north = try Self.start("North", server, in: scratch)
            let south = try Self.start("South", server, in: scratch, with: north)
            try Self.setUp(north)
            for node in [north, south] { try node.join("office/ops") }
            try south.stop()
            let northern = try Self.sites(north)
            for number in 1...20 { try north.send("word \(number)", to: "office/ops") }
            let gone = try north.send("this one goes", to: "office/ops")
            _ = try north.stoa("delete", gone["id"]?.stringValue ?? "")
            try north.send("the last one", to: "office/ops")
            try north.await("the servers have it") { node in
                let report = try node.stoa("--json", "sites")
                let json = try JSON(parsing: Array(report.utf8))
                return (json["published"]?.integerValue ?? 0) >= 25
            }
            try Self.end(northern)
            try north.stop()
            try south.start()
            let southern = try Self.sites(south)
            try south.awaitNewest("the last one", in: "office/ops")
            let texts = try south.texts(in: "office/ops")
            #expect(texts == (1...20).map { "word \($0)" } + ["the last one"])
            try Self.end(southern)
            try south.stop()
            try server.stop()
        }

        // Shows: sites.letters
        @Test("a first letter asks whom it is for, also when its sender is off, and both go on")
        func letter() throws {
            let scratch = try Scratch()
            let server = try SiteServer("nats", in: scratch)
            let north = try Self.start("North", server, in: scratch)
            let south = try Self.start("South", server, in: scratch, with: north)
            try Self.setUp(north)
            var (northern, southern) = (try Self.sites(north), try Self.sites(south))
            for node in [north, south] { try node.join("office/ops") }
            try south.send("hello from the south", to: "office/ops")
            try north.awaitNewest("hello from the south", in: "office/ops")
            try north.await("names come after texts") { node in
                try node.history(of: "office/ops").contains { $0["authorName"] == "South" }
            }
            try Self.end(southern)
            try south.stop()
            let key = try north.key(of: "@South")
            _ = try north.stoa("send", key, "zyxw-first")
            _ = try north.stoa("send", key, "zyxw-second")
            try north.await("the servers have it") { node in
                let report = try node.stoa("--json", "sites")
                let json = try JSON(parsing: Array(report.utf8))
                return (json["published"]?.integerValue ?? 0) >= 5
            }
            try Self.end(northern)
            try north.stop()
            try south.start()
            southern = try Self.sites(south)
            try south.await("it waits") { try $0.stoa("requests").contains("zyxw-first") }
            #expect(try south.list("requests").count == 1)
            let from = try south.list("requests")[0]["person"]?.stringValue ?? ""
            _ = try south.call("accept", ["person": .string(from)])
            // Also an answer from before the texts are here goes out.
            _ = try south.stoa("send", "@" + from, "zyxw-answer")
            try south.await("both have come") { node in
                try node.call("history", ["to": .string("@" + from)])["messages"]?.arrayValue?.count
                    == 3
            }
            try north.start()
            northern = try Self.sites(north)
            try north.await("the answer has come") { node in
                try node.stoa("history", key).contains("zyxw-answer")
            }
            try north.await("it is known that both were delivered") { node in
                let texts = try node.call("history", ["to": .string(key)])["messages"]
                let id = texts?.arrayValue?.first?["id"] ?? .null
                let members = try node.call("info", ["id": id])["members"]?.arrayValue ?? []
                return members.contains { $0["outcome"] == "delivered" }
            }
            for word in ["zyxw-first", "zyxw-answer"] { #expect(try !server.stores(word)) }
            for program in [northern, southern] { try Self.end(program) }
            for node in [north, south] { try node.stop() }
            try server.stop()
        }

        // Shows: sites.off
        @Test("without servers a node says what to set, and stoad loads nothing for them")
        func off() throws {
            let scratch = try Scratch()
            let node = try Node.onLoopback("Ada", in: scratch)
            try node.start()
            let program = try Self.sites(node)
            try node.await("it is said") { node in
                let log = try? Files.read("\(node.folder)/sites.log", limitBytes: 65_536)
                return String(decoding: log ?? [], as: UTF8.self).contains("Sites and SitesRealm")
            }
            try Self.end(program)
            _ = try node.stoa("sites", expecting: 69)
            let maps = try Files.read("/proc/\(try node.processID())/maps", limitBytes: 16 << 20)
            #expect(!String(decoding: maps, as: UTF8.self).contains("libnats"))
            try node.stop()
        }
    }
}
