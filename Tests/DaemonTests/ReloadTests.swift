import ControlAPI
import Engine
import Formats
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite("A changed configuration", .timeLimit(.minutes(5)))
struct ReloadTests {
    /// What was logged, in order; any thread may add.
    private let lines = BlockingQueue<String>()

    private func daemon(
        _ change: @escaping @Sendable (inout Configuration) throws(ConfigurationError) -> Void
    ) throws -> TestDaemon {
        let lines = self.lines
        return try TestDaemon(
            log: { line in _ = lines.append(line) },
            rereading: { (old) throws(ConfigurationError) in
                var new = old
                try change(&new)
                return .run(new)
            })
    }

    /// All that is logged until a line has these words.
    private func log(until words: String) -> [String] {
        var all: [String] = []
        while !all.contains(where: { $0.contains(words) }) {
            all += self.lines.takeAll()
        }
        return all
    }

    @Test("is taken up by a running daemon, which drops no client and says what it has changed")
    func takenUp() throws {
        let metrics = try TestFolder()
        let daemon = try self.daemon { (new) throws(ConfigurationError) in
            new.directFrom = .verified
            new.tellsReads = false
            new.metrics = "\(metrics.path)/stoa.prom"
            new.listen = []
        }
        let client = try daemon.connect()
        let before = try client.ask("status")
        daemon.run.requestReload()
        let log = self.log(until: "will change at the next start")
        #expect(log.contains { $0.contains("applied: DirectFrom, ReadMarks, Metrics\n") })
        #expect(log.contains { $0.contains("Listen will change at the next start: systemctl") })
        let after = try client.ask("status")
        #expect(after["startedAt"] == before["startedAt"])
        #expect(after["listen"] == before["listen"])
        daemon.stop()
    }

    @Test("is refused as a whole where a line is wrong, with the line, and nothing changes")
    func refused() throws {
        let daemon = try self.daemon { (new) throws(ConfigurationError) in
            throw ConfigurationError(
                "stoad.conf:3: there is no key \"Nmae\"", remedy: "did you mean Name?",
                isFromFile: true)
        }
        let client = try daemon.connect()
        _ = try client.ask("status")
        daemon.run.requestReload()
        let log = self.log(until: "is not applied")
        #expect(
            log.last?.contains(
                "is not applied: stoad.conf:3: there is no key \"Nmae\"; did you mean Name?; "
                    + "nothing changes") == true)
        _ = try client.ask("status")
    }

    @Test("changes what is logged, on the spot")
    func logLevel() throws {
        let daemon = try self.daemon { (new) throws(ConfigurationError) in new.logLevel = .debug }
        _ = try daemon.ask("status")
        daemon.run.requestReload()
        #expect(self.log(until: "applied: LogLevel").count > 0)
        _ = try daemon.ask("connect", ["address": "127.0.0.1:1"])
        #expect(self.log(until: "cannot reach").count > 0)
    }

    @Test("brings realms that were installed meanwhile")
    func realms() throws {
        let daemon = try self.daemon { (new) throws(ConfigurationError) in new.logLevel = .info }
        let made = try TestDaemon(name: "ben")
        try made.ask("realmNew", ["name": "office"])
        let invitation = try #require(
            try made.ask("realmInvite", ["name": "office"])["invite"]?.stringValue)
        let folder = "\(daemon.directory.path)/data/realms"
        _ = try daemon.ask("status")
        try Files.makePrivateDirectory(folder)
        try Files.writeAtomically(
            Array("\(invitation)\n".utf8), to: "\(folder)/office.realm", mode: 0o600)
        daemon.run.requestReload()
        #expect(self.log(until: "applied: LogLevel").count > 0)
        let names = try daemon.list("realms").compactMap { $0["name"]?.stringValue }
        #expect(names.contains("office"))
        let stored = try Files.read("\(folder)/office.realm", limitBytes: 4_096)
        #expect(stored.starts(with: "stoa sealed\n".utf8))
    }
}

@Suite("Counters in a file")
struct MetricsTests {
    @Test("have each value with its help and type, and neither names nor texts")
    func text() throws {
        var status = StatusMethod.Result()
        status.version = "1.2.3"
        status.name = "Ada"
        status.links = 3
        status.messages = 42
        status.clockSynchronised = true
        status.alerts = [
            StatusMethod.Alert { $0.code = "clock" }, StatusMethod.Alert { $0.code = "clock" },
        ]
        let text = Metrics.text(status, clients: 2, at: 1_000_000)
        for line in [
            "# TYPE stoa_links gauge", "stoa_links 3", "stoa_messages 42", "stoa_clients 2",
            "stoa_build_info{version=\"1.2.3\"} 1", "stoa_written_time_seconds 1000",
            "stoa_clock_synchronised 1", "stoa_alert{code=\"clock\"} 1",
        ] {
            #expect(text.split(separator: "\n").filter { $0 == line }.count == 1, "\(line)")
        }
        #expect(!text.contains("Ada"))
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let name = line.split(whereSeparator: { $0 == " " || $0 == "{" })[0]
            #expect(text.contains("# HELP \(name) "), "\(name)")
        }
        #expect(text.hasSuffix("\n"))
    }
}
