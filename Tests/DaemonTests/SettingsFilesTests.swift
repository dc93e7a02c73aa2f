import ControlAPI
import Engine
import Formats
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite("The files of settings")
struct SettingsFilesTests {
    private let home: TestFolder

    init() throws {
        self.home = try TestFolder()
        for folder in ["etc/stoad.conf.d", ".config/stoa/stoad.conf.d"] {
            try Files.makePrivateDirectory("\(self.home.path)/\(folder)")
        }
    }

    private func write(_ text: String, _ name: String) throws {
        _ = try self.home.write(text, to: name)
    }

    private func command(_ arguments: [String] = []) throws -> DaemonCommand {
        let paths = Paths(
            environment: ["HOME": self.home.path, "XDG_RUNTIME_DIR": "/run/user/7"], userID: 7)
        return try DaemonCommand(
            arguments: arguments, environment: [:], paths: paths,
            systemFile: "\(self.home.path)/etc/stoad.conf", userName: { "ada" })
    }

    private func configuration(_ arguments: [String] = []) throws -> Configuration {
        guard case .run(let configuration) = try self.command(arguments) else {
            throw ConfigurationError("not run", remedy: "", isFromFile: false)
        }
        return configuration
    }

    @Test(
        "an administrator's file, its drop-ins, the user's and theirs go before each other in order"
    )
    func order() throws {
        try self.write("[Node]\nName=one\nLogLevel=error\nRealm=office\n", "etc/stoad.conf")
        try self.write("[Node]\nName=two\n", "etc/stoad.conf.d/10.conf")
        #expect(try self.configuration().name == "two")
        try self.write("[Node]\nName=three\nLogLevel=debug\n", ".config/stoa/stoad.conf")
        #expect(try self.configuration().name == "three")
        try self.write("[Node]\nName=five\n", ".config/stoa/stoad.conf.d/20.conf")
        try self.write("[Node]\nName=four\n", ".config/stoa/stoad.conf.d/10.conf")
        let configuration = try self.configuration()
        #expect(configuration.name == "five")
        #expect(configuration.logLevel == .debug)
        #expect(configuration.defaultRealm.text == "office")
        #expect(try self.configuration(["--name", "six"]).name == "six")
    }

    @Test("what does not end in .conf, and what is hidden, is no drop-in")
    func otherFiles() throws {
        for name in ["10.conf~", ".10.conf", "README"] {
            try self.write("nonsense", ".config/stoa/stoad.conf.d/\(name)")
        }
        #expect(try self.configuration().name == "ada")
    }

    @Test("lists add up over the files, and an empty value clears what stood before in any of them")
    func lists() throws {
        try self.write("[Network]\nPeer=one.lan:1\n", "etc/stoad.conf")
        try self.write("[Network]\nPeer=two.lan:2\n", ".config/stoa/stoad.conf")
        #expect(try self.configuration().peers.map(\.address) == ["one.lan:1", "two.lan:2"])
        try self.write("[Network]\nPeer=\nPeer=two.lan:2\n", ".config/stoa/stoad.conf")
        #expect(try self.configuration().peers.map(\.address) == ["two.lan:2"])
        try self.write("[Node]\nLogLevel=error\n", "etc/stoad.conf")
        try self.write("[Node]\nLogLevel=\n", ".config/stoa/stoad.conf")
        #expect(try self.configuration().logLevel == .info)
    }

    @Test(
        "a locked key keeps the administrator's value, or the default, whatever users and flags say"
    )
    func locks() throws {
        try self.write(
            "[Node]\nRealm=office\n[Administrator]\nLock=Realm, OpenRealm\n", "etc/stoad.conf")
        try self.write("[Node]\nRealm=home\nOpenRealm=no\nName=x\n", ".config/stoa/stoad.conf")
        let configuration = try self.configuration(["--open-realm", "no"])
        #expect(configuration.defaultRealm.text == "office")
        #expect(configuration.isInOpenRealm)
        #expect(configuration.name == "x")
        #expect(configuration.overruled.count == 3)
        let first = try #require(configuration.overruled.first)
        #expect(first.contains("stoad.conf:2: Realm has no effect"))
        #expect(first.contains("locked Realm in \(self.home.path)/etc/stoad.conf:4; remove it"))
        #expect(configuration.overruled.last?.hasPrefix("--open-realm has no effect") == true)
    }

    @Test("an empty lock opens again what an earlier file of the administrator has locked")
    func unlocked() throws {
        try self.write("[Administrator]\nLock=Name\n", "etc/stoad.conf")
        try self.write("[Administrator]\nLock=\nLock=Realm\n", "etc/stoad.conf.d/10.conf")
        let configuration = try self.configuration(["--name", "x", "--realm", "office"])
        #expect(configuration.name == "x")
        #expect(configuration.defaultRealm.text == "open")
    }

    @Test(
        "a wrong lock is refused with what was probably meant",
        arguments: [
            (
                "etc/stoad.conf", "[Administrator]\nLock=Reelm\n",
                ":2: there is no key \"Reelm\" to lock"
            ),
            (
                "etc/stoad.conf", "[Administrator]\nLocks=Realm\n",
                ":2: there is no key \"Locks\" in"
            ),
            ("etc/stoad.conf", "[Administratr]\n", ":1: there is no section"),
            (
                ".config/stoa/stoad.conf", "[Administrator]\nLock=Realm\n",
                ":1: [Administrator] is for"
            ),
        ])
    func wrongLock(file: String, text: String, message: String) throws {
        try self.write(text, file)
        let error = try #require(throws: ConfigurationError.self) { try self.configuration() }
        #expect(error.exitCode == 78)
        #expect(error.text.contains("stoad.conf\(message)"), "\(error)")
        #expect(!error.remedy.isEmpty)
    }

    @Test("a trial says what was read, what counts and why, and what does not count")
    func report() throws {
        try self.write("[Node]\nRealm=office\n[Administrator]\nLock=Realm\n", "etc/stoad.conf")
        try self.write("[Node]\nRealm=home\nName=x\n", ".config/stoa/stoad.conf")
        guard case .checkConfiguration(_, let lines) = try self.command(["--check-config"]) else {
            Issue.record("another command")
            return
        }
        let (etc, own) = (
            "\(self.home.path)/etc/stoad.conf", "\(self.home.path)/.config/stoa/stoad.conf"
        )
        #expect(
            lines == [
                "read \(etc)", "read \(own)", "Name=x (\(own):3)",
                "Realm=office (\(etc):2, locked in \(etc):4)",
                "\(own):2: Realm has no effect: the administrator has locked Realm in \(etc):4; "
                    + "remove it, or ask for it to be unlocked",
            ])
    }

    @Test("a realm and an interface that are not there are told of with the line that names them")
    func surroundings() throws {
        try self.write(
            "[Node]\nRealm=nosuch\n[Network]\nInterface=nope\n", ".config/stoa/stoad.conf")
        let findings = try self.configuration().findings()
        let own = "\(self.home.path)/.config/stoa/stoad.conf"
        try #require(findings.count == 2)
        // An interface may be unplugged for a while: that is no reason to refuse a reload.
        #expect(findings.map(\.severity) == [.warning, .warning])
        #expect(
            findings[0].text.hasPrefix(
                "\(own):4: Interface: there is no network interface \"nope\" now"))
        #expect(findings[0].remedy.contains("there are: "))
        #expect(findings[1].text.hasPrefix("\(own):2: Realm: you are in no realm \"nosuch\""))
        #expect(findings[1].remedy.hasSuffix("there are open"))
    }

    @Test("of addresses to listen on each counts, and none is given twice")
    func listen() throws {
        let path = ".config/stoa/stoad.conf"
        try self.write("[Network]\nListen=127.0.0.1:4100\nListen=[::1]:4100\n", path)
        guard case .checkConfiguration(_, let lines) = try self.command(["--check-config"]) else {
            Issue.record("another command")
            return
        }
        #expect(lines.last == "all 2 Listen= count")
        try self.write("[Network]\nListen=127.0.0.1:4100\nListen=127.0.0.1:4100\n", path)
        let error = try #require(throws: ConfigurationError.self) { try self.configuration() }
        let own = "\(self.home.path)/\(path)"
        #expect(
            error.text
                == "\(own):3: Listen: \"127.0.0.1:4100\" is given again after \(own):2: Listen")
    }

    @Test("a reload changes what the manual says of each setting", arguments: Setting.allCases)
    func reload(setting: Setting) throws {
        let value =
            switch setting {
            case .dataDirectory, .socket, .metrics: "/run/other/file"
            case .name, .realm, .interface, .socketGroup: "other"
            case .openRealm, .shareAddresses: "no"
            case .directFrom: "verified"
            case .readMarks, .presence, .typing: "private"
            case .logLevel: "debug"
            case .diskLimit, .autoFetch, .fileLimit, .sitesFileLimit: "7M"
            case .streamsKeep: "3"
            case .lockAfter: "15"
            case .lockOnSleep: "yes"
            case .listen, .peer: "192.0.2.7:4100"
            case .discovery: "off"
            case .sites: "nats://192.0.2.7:4222"
            case .sitesRealm: "office"
            case .sitesCredentials: "/run/other/file"
            }
        var running = try self.configuration()
        let read = try self.configuration(["--\(setting.rawValue)", value])
        #expect(running.changes(to: read) == [setting])
        running.takeUp(read)
        let isTakenUp = setting.description.effect == .reload
        #expect(running.changes(to: read) == (isTakenUp ? [] : [setting]))
    }

    @Test("a file that cannot be read is named, with the remedy")
    func unreadable() throws {
        try Files.makePrivateDirectory("\(self.home.path)/etc/stoad.conf")
        let error = try #require(throws: ConfigurationError.self) { try self.configuration() }
        #expect(error.text.contains("\(self.home.path)/etc/stoad.conf"))
        #expect(error.exitCode == 78)
    }
}
