import ControlAPI
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite("Settings over the control socket", .serialized, .timeLimit(.minutes(5)))
struct SettingsMethodTests {
    private let home: TestFolder
    private var file: String { "\(self.home.path)/.config/stoa/stoad.conf" }
    private var ownFile: String { "\(self.file).d/zz-settings.conf" }

    init() throws {
        self.home = try TestFolder()
        for folder in ["etc", ".config/stoa"] {
            try Files.makePrivateDirectory("\(self.home.path)/\(folder)")
        }
    }

    /// A daemon that reads its settings from the files of this home.
    private func daemon(_ arguments: [String] = []) throws -> TestDaemon {
        let (system, paths) = (
            "\(self.home.path)/etc/stoad.conf",
            Paths(
                environment: ["HOME": self.home.path, "XDG_RUNTIME_DIR": "/run/user/7"], userID: 7)
        )
        let daemon = try TestDaemon(
            settings: (
                self.file,
                { (own) throws(ConfigurationError) in
                    try DaemonCommand(
                        arguments: arguments, environment: [:], paths: paths, systemFile: system,
                        own: own, userName: { "ada" })
                }
            ))
        // As a start does, it takes up what the files say.
        let follower = try daemon.connect()
        try follower.ask("subscribe", ["kinds": ["setting"]])
        daemon.run.requestReload()
        try follower.ask("setSetting", ["name": "Typing", "value": "private"])
        return daemon
    }

    private func setting(_ name: String, _ daemon: TestDaemon) throws -> JSON? {
        try daemon.list("settings").first { $0["name"] == .string(name) }
    }

    @Test(
        "each has its name, type, value and default; those that only a file can set are not among them"
    )
    func list() throws {
        let daemon = try self.daemon()
        let settings = try daemon.list("settings")
        #expect(settings.count == Setting.ofUsers.count)
        let from = try self.setting("DirectFrom", daemon)
        #expect(from?["type"] == "choice" && from?["value"] == "known")
        #expect(from?["choices"] == ["anyone", "known", "verified"] && from?["default"] == "known")
        #expect(from?["place"] == nil && from?["lockedBy"] == nil && from?["restart"] == nil)
        #expect(try self.setting("AutoFetch", daemon)?["type"] == "size")
        for name in ["DataDir", "Listen", "SocketGroup"] {
            #expect(try self.setting(name, daemon) == nil)
        }
        for setting in Setting.ofUsers where setting.choices != nil {
            #expect(setting.choices?.contains(setting.description.fallback) == true, "\(setting)")
        }
    }

    @Test(
        "a change counts at once, is told to other clients, and stays when the daemon reads its files again"
    )
    func change() throws {
        let daemon = try self.daemon()
        let (client, follower) = (try daemon.connect(), try daemon.connect())
        try follower.ask("subscribe", ["kinds": ["setting"]])
        let changed = try client.ask("setSetting", ["name": "presence", "value": "private"])
        #expect(changed["name"] == "Presence" && changed["value"] == "private")
        #expect(changed["restart"] == nil)
        #expect(changed["place"]?.stringValue?.hasPrefix(self.ownFile) == true)
        #expect(try client.ask("presence")["shown"] == false)
        // That of the setting of before may still come.
        var told = try follower.change()
        while told["name"] != "Presence" { told = try follower.change() }
        #expect(told["kind"] == "setting" && told["event"] == "changed")
        #expect(told["value"] == "private")
        #expect(told["cursor"]?.integerValue != nil)
        // One that was set before is still there, and both are read again.
        #expect(try self.setting("Typing", daemon)?["value"] == "private")
        let written = try #require(
            String(validating: Files.read(self.ownFile, limitBytes: 65_536), as: UTF8.self))
        #expect(written.contains("[Node]\nPresence=private\nTyping=private\n"))
        let back = try client.ask("setSetting", ["name": "Presence"])
        #expect(back["value"] == "shown" && back["place"] == nil)
        while told["value"] != "shown" { told = try follower.change() }
        #expect(try client.ask("presence")["shown"] == true)
    }

    @Test("what counts at the next start says so, and the daemon goes on as it was")
    func restart() throws {
        let daemon = try self.daemon()
        let before = try daemon.ask("usage")["limit"]
        let changed = try daemon.ask("setSetting", ["name": "DiskLimit", "value": "64M"])
        #expect(changed["value"] == "64M" && changed["restart"] == true)
        #expect(try daemon.ask("usage")["limit"] == before)
        #expect(try self.setting("DiskLimit", daemon)?["restart"] == true)
    }

    @Test("what is wrong, locked or overridden is refused, and nothing is written")
    func refused() throws {
        _ = try self.home.write(
            "[Node]\nOpenRealm=yes\n[Administrator]\nLock=OpenRealm\n", to: "etc/stoad.conf")
        let daemon = try self.daemon(["--log-level", "error"])
        let before = try Files.read(self.ownFile, limitBytes: 65_536)
        for (name, value, reason) in [
            ("DirectFrom", "nobody", "badValue"), ("AutoFetch", "much", "badValue"),
            ("Realm", "a\nb", "badValue"), ("OpenRealm", "no", "locked"),
            ("LogLevel", "debug", "overridden"), ("DirctFrom", "known", "unknownSetting"),
            ("DataDir", "/tmp", "unknownSetting"),
        ] {
            let refused = refusal {
                try daemon.ask(
                    "setSetting", .members(["name": .string(name), "value": .string(value)]))
            }
            #expect(refused == reason, "\(name)")
        }
        let locked = rpcError {
            try daemon.ask("setSetting", ["name": "OpenRealm", "value": "no"])
        }
        #expect(locked?.message.contains("etc/stoad.conf:4") == true)
        #expect(
            try self.setting("OpenRealm", daemon)?["lockedBy"]?.stringValue?.hasSuffix(
                "etc/stoad.conf:4") == true)
        #expect(try Files.read(self.ownFile, limitBytes: 65_536) == before)
    }

    @Test("an error in another file is told and nothing changes")
    func broken() throws {
        let daemon = try self.daemon()
        _ = try self.home.write("[Node]\nNmae=x\n", to: ".config/stoa/stoad.conf")
        let error = rpcError {
            try daemon.ask("setSetting", ["name": "Presence", "value": "private"])
        }
        #expect(error?.reason == "unreadableSettings" && error?.message.contains(":2") == true)
        #expect(try daemon.ask("presence")["shown"] == true)
    }
}
