import ControlAPI
import Glibc
import Posix
import TestSupport
import Testing

extension SiteServer {
    /// Has a client of its own publish something.
    func publish(_ data: [UInt8], under subject: String, in scratch: Scratch) throws {
        let path = "\(scratch.path)/published"
        let head = "CONNECT {\"verbose\":false}\r\nPUB \(subject) \(data.count)\r\n"
        try Files.writeAtomically(Array(head.utf8) + data + Array("\r\nPING\r\n".utf8), to: path)
        let port = self.url.split(separator: ":").last ?? ""
        let client = try ChildProcess(
            [
                "bash", "-c",
                "exec 3<>/dev/tcp/127.0.0.1/\(port); cat \(path) >&3; grep -qm1 PONG <&3",
            ],
            environment: ["PATH": "/usr/bin:/bin"])
        #expect(try client.waitForExit() == .code(0))
    }
}

extension IntegrationTests.SitesTests {
    /// What its program says of itself; nothing before its first word.
    private static func report(_ node: Node) -> JSON {
        let text = try? node.stoa("--json", "sites")
        return text.flatMap { try? JSON(parsing: Array($0.utf8)) } ?? .null
    }

    private static func fileCount(_ node: Node, _ name: String) -> Int64 {
        Self.report(node)["files"]?[name]?.integerValue ?? 0
    }

    /// Everything that a node gives of files.
    private static func parts(of node: Node) throws -> [(subject: String, data: [UInt8])] {
        var parts: [(String, [UInt8])] = []
        var after: JSON = .null
        while true {
            let page = try node.call("exportItems", ["files": true, "after": after])
            for item in page["items"]?.arrayValue ?? [] {
                guard let subject = item["subject"]?.stringValue, subject.hasPrefix("stoa-files."),
                    let data = item["data"]?.stringValue.flatMap({ Base64(text: $0) })
                else { continue }
                parts.append((subject, data.bytes))
            }
            guard page["more"] == true else { return parts }
            after = page["cursor"] ?? .null
        }
    }

    private static func fileID(_ node: Node, in room: String) throws -> String? {
        try node.history(of: room).last { $0["kind"] == "file" }?["id"]?.stringValue
    }

    // Shows: sites.files
    @Test("a file of several parts crosses, also when its sender is off, and goes with its message")
    func file() throws {
        let scratch = try Scratch()
        let server = try SiteServer("nats", in: scratch)
        let north = try Self.start("North", server, in: scratch)
        let south = try Self.start("South", server, in: scratch, with: north)
        try Self.setUp(north)
        for node in [north, south] { try node.join("office/ops") }
        let northern = try Self.sites(north)
        let source = "\(scratch.path)/plan.bin"
        let bytes = try TestFiles.make(source, bytes: 1_500_000)
        _ = try north.stoa("send", "office/ops", "--file", source, "look")
        // Six chunks, and the node above them.
        try north.await("the servers have it") { Self.fileCount($0, "published") == 7 }
        try Self.end(northern)
        try north.stop()
        let southern = try Self.sites(south)
        try south.await("its message has come") { try Self.fileID($0, in: "office/ops") != nil }
        let id = try Self.fileID(south, in: "office/ops") ?? ""
        let saved = "\(scratch.path)/saved"
        _ = try south.stoa("fetch", id, "-o", saved)
        #expect(TestFiles.read(saved) == bytes)
        try south.await("what is brought is counted") { Self.fileCount($0, "taken") == 7 }
        try north.start()
        let again = try Self.sites(north)
        _ = try north.stoa("delete", id)
        try north.await("the servers have nothing of it") { node in
            let stored = Self.fileCount(node, "bytes")
            return stored > 0 && stored < 10_000
        }
        try south.await("nor has who fetched it") { node in
            TestFiles.names(in: node.dataDirectory + "/files").isEmpty
        }
        try Self.end(southern, again)
        for node in [north, south] { try node.stop() }
        try server.stop()
    }

    @Test("a sender is told that a file is too large for the servers, and of a text that it goes")
    func large() throws {
        let scratch = try Scratch()
        let node = try Node.onLoopback("North", in: scratch)
        node.add([
            "--sites", "nats://127.0.0.1:9", "--sites-realm", "office", "--sites-file-limit", "1M",
        ])
        try node.start()
        _ = try node.call("realmNew", ["name": "office"])
        try node.join("office/ops")
        let source = "\(scratch.path)/plan.bin"
        _ = try TestFiles.make(source, bytes: 1_500_000)
        let unshared = try node.stoa("send", "office/ops", "--file", source)
        #expect(unshared.contains("no other member of office/ops is linked"))
        // As stoa-sites does.
        _ = try node.call("exportItems", [:])
        let shared = try node.stoa("send", "office/ops", "--file", source)
        #expect(shared.contains("too large for the servers"), "\(shared)")
        #expect(try !node.stoa("send", "office/ops", "a text").contains("linked"))
        try node.stop()
    }

    // Shows: sites.files
    @Test("a part that is altered on the servers is refused, and the file waits for the right one")
    func altered() throws {
        let scratch = try Scratch()
        let server = try SiteServer("nats", in: scratch)
        let north = try Self.start("North", server, in: scratch)
        let south = try Self.start("South", server, in: scratch, with: north)
        try Self.setUp(north)
        for node in [north, south] { try node.join("office/ops") }
        let northern = try Self.sites(north)
        let source = "\(scratch.path)/plan.bin"
        let bytes = try TestFiles.make(source, bytes: 600_000)
        _ = try north.stoa("send", "office/ops", "--file", source)
        try north.await("the servers have it") { Self.fileCount($0, "published") == 4 }
        let parts = try Self.parts(of: north)
        try #require(parts.count == 4)
        var wrong = parts[2].data
        wrong[1_000] ^= 1
        try server.publish(wrong, under: parts[2].subject, in: scratch)
        try Self.end(northern)
        try north.stop()
        let southern = try Self.sites(south)
        // It is small, but its author nobody's acquaintance.
        try south.await("its message has come") { try Self.fileID($0, in: "office/ops") != nil }
        let id = try Self.fileID(south, in: "office/ops") ?? ""
        _ = try south.call("fetch", ["id": .string(id)])
        try south.await("all but one part has come, and that is refused") { node in
            let refused = Self.report(node)["refused"]?.arrayValue ?? []
            return refused.contains { $0["verdict"] == "unsealed" }
                && Self.fileCount(node, "taken") == 3
        }
        let transfer = try south.list("transfers").first
        #expect(transfer?["state"] == "seeking")
        try server.publish(parts[2].data, under: parts[2].subject, in: scratch)
        let saved = "\(scratch.path)/saved"
        _ = try south.stoa("fetch", id, "-o", saved)
        #expect(TestFiles.read(saved) == bytes)
        try Self.end(southern)
        try south.stop()
        try server.stop()
    }
}
