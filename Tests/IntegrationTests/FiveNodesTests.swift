import ControlAPI
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("five nodes that talk at once") struct FiveNodesTests {
        private static let names = ["Ada", "Ben", "Cleo", "Dan", "Eve"]
        private static let edits = 20

        /// What each of them says: lines of a file that is named, or some of our own with all that
        /// could be hard in them.
        private static func lines() throws -> [[String]] {
            var all: [String] = []
            if let path = ProcessEnvironment.variables()["CHAT_LINES"] {
                let text = String(
                    decoding: try Files.read(path, limitBytes: 256 << 20), as: UTF8.self)
                all = text.split(separator: "\n").map(String.init)
            } else {
                let words = [
                    "東京", "naïve", "🙂", "/var/log/syslog", "ada@example.org", "$(id)", "\"'\\",
                ]
                all = (0..<Surroundings.number("LINES", long: 29_275, short: 250)).map {
                    "line \($0) \(words[$0 % words.count]) and so on"
                }
            }
            return (0..<Self.names.count).map { number in
                all.enumerated().filter { $0.offset % Self.names.count == number }.map(\.element)
            }
        }

        private static func connected(_ scratch: Scratch) throws -> [Node] {
            var nodes: [Node] = []
            for name in Self.names {
                let node = try Node.onLoopback(
                    name, in: scratch, peers: try nodes.map { try $0.address() })
                try node.start()
                nodes.append(node)
            }
            for node in nodes { try node.join("agora") }
            return nodes
        }

        private static func awaitAll(_ nodes: [Node], _ what: String, _ entries: Int) throws {
            for node in nodes {
                try node.await(what, Deadline(afterMilliseconds: 600_000)) {
                    try $0.call("status")["messages"]?.integerValue == Int64(entries)
                }
            }
        }

        /// What all replicas agree on of an export: not when it came here, nor who looks at it.
        private static func exported(_ node: Node) throws -> [String] {
            let path = node.folder + "/export"
            _ = try ChildProcess.run(
                [
                    "sh", "-c",
                    "'\(try Surroundings.programs())/stoa' --socket '\(node.socket)' export agora > "
                        + "'\(path)'",
                ], environment: node.environment)
            let text = String(decoding: try Files.read(path, limitBytes: 1 << 30), as: UTF8.self)
            return try text.split(separator: "\n").map { line in
                let message = try JSON(parsing: Array(line.utf8))
                return JSON.object(
                    (message.objectValue ?? []).filter {
                        !["cursor", "late", "mention", "own"].contains($0.name)
                    }
                ).text
            }
        }

        /// Some of the texts that a node has sent: who was quick has none among the newest.
        private static func own(of node: Node) throws -> [JSON] {
            let identity = try node.identity()
            var found: [JSON] = []
            var before: [JSON.Member] = []
            while found.count < Self.edits {
                let page = try node.call(
                    "history", .object(before + [.init("to", "agora"), .init("limit", 1_000)]))
                let messages = page["messages"]?.arrayValue ?? []
                guard let first = messages.first?["id"] else { break }
                found += messages.filter {
                    $0["author"]?.stringValue == identity && $0["kind"] == "text"
                }
                before = [.init("before", first)]
            }
            return Array(found.prefix(Self.edits))
        }

        @Test("send lines, edit and search: each has the same text in the same order")
        func same() throws {
            let scratch = try Scratch()
            let nodes = try Self.connected(scratch)
            let lines = try Self.lines()
            let program = "\(try Surroundings.programs())/stoa"
            let senders = try zip(nodes, lines).map { node, lines in
                let path = node.folder + "/lines"
                try Files.writeAtomically(
                    Array((lines.joined(separator: "\n") + "\n").utf8), to: path, mode: 0o600)
                return try ChildProcess(
                    [
                        "sh", "-c",
                        "'\(program)' --socket '\(node.socket)' send agora --lines < '\(path)'",
                    ], environment: node.environment, errors: node.folder + "/said")
            }
            for sender in senders { #expect(try sender.waitForExit() == .code(0)) }
            let said = lines.reduce(0) { $0 + $1.filter { !$0.isEmpty }.count }
            // Each log begins with an opening and a join.
            let entries = said + 2 * nodes.count
            try Self.awaitAll(nodes, "all have come", entries)
            for (number, node) in nodes.enumerated() {
                let mine = try Self.own(of: node)
                #expect(mine.count == Self.edits)
                for (index, message) in mine.enumerated() {
                    _ = try node.call(
                        "edit",
                        [
                            "id": message["id"] ?? .null,
                            "text": .string("xylophone \(number) \(index)"),
                        ])
                }
            }
            let edited = Self.edits * nodes.count
            try Self.awaitAll(nodes, "all edits have come", entries + edited)
            let exports = try nodes.map(Self.exported)
            #expect(exports[0].count == said + nodes.count)
            #expect(exports[0].count { $0.contains("xylophone") } == edited)
            for export in exports.dropFirst() { #expect(export == exports[0]) }
            for node in nodes {
                let found = try node.call(
                    "search", ["words": "xylophone", "limit": .integer(Int64(edited))])
                #expect(found["hits"]?.arrayValue?.count == edited && found["more"] == false)
            }
        }
    }
}
