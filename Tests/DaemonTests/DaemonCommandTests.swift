import Discovery
import Engine
import Formats
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite struct DaemonCommandTests {
    private static let key = String(repeating: "a", count: 52)

    private func configuration(
        _ arguments: [String], file: String? = nil, environment: [String: String] = [:]
    ) throws -> Configuration {
        let home = try TestFolder()
        if let file {
            try Files.makePrivateDirectory("\(home.path)/.config/stoa")
            _ = try home.write(file, to: ".config/stoa/stoad.conf")
        }
        let paths = Paths(
            environment: ["HOME": home.path, "XDG_RUNTIME_DIR": "/run/user/7"], userID: 7)
        let command = try DaemonCommand(
            arguments: arguments, environment: environment, paths: paths,
            systemFile: "/nonexistent", userName: { "Ada" })
        guard case .run(let configuration) = command else {
            throw ConfigurationError("not run", remedy: "", isFromFile: false)
        }
        return configuration
    }

    private func error(_ arguments: [String], file: String? = nil) -> ConfigurationError? {
        #expect(throws: ConfigurationError.self) {
            try self.configuration(arguments, file: file)
        }
    }

    @Test("without arguments the places are those of the XDG specification")
    func defaults() throws {
        let configuration = try self.configuration([])
        #expect(configuration.dataDirectory.hasSuffix("/.local/share/stoa"))
        #expect(configuration.stateDirectory.hasSuffix("/.local/state/stoa"))
        #expect(configuration.socket == "/run/user/7/stoa/control.sock")
        #expect(configuration.listen.isEmpty)
        #expect(configuration.discovery == .auto)
        #expect(configuration.name == "Ada")
        #expect(configuration.logLevel == .info)
    }

    @Test("a check or a repair asks for no place for the socket, a run does")
    func withoutRuntimeDirectory() throws {
        let paths = Paths(environment: ["HOME": "/home/ada"], userID: 4_000_000)
        func command(_ arguments: [String]) throws -> DaemonCommand {
            try DaemonCommand(
                arguments: arguments, environment: [:], paths: paths, systemFile: "/nonexistent",
                userName: { nil })
        }
        for arguments in [["--check"], ["--repair"], ["--check", "--repair"]] {
            switch try command(arguments) {
            case .check(let configuration), .repair(let configuration):
                #expect(configuration.dataDirectory == "/home/ada/.local/share/stoa")
            case .run, .version, .help, .checkConfiguration: Issue.record("\(arguments)")
            }
        }
        let error = #expect(throws: ConfigurationError.self) { try command([]) }
        #expect(error?.description.contains("XDG_RUNTIME_DIR") ?? false)
    }

    @Test("a check or a repair of a named directory needs no environment at all")
    func bareEnvironment() throws {
        let paths = Paths(environment: [:], userID: 4_000_000)
        for flag in ["--check", "--repair"] {
            _ = try DaemonCommand(
                arguments: [flag, "--data-dir", "/d"], environment: [:], paths: paths,
                systemFile: "/nonexistent", userName: { nil })
        }
    }

    @Test("a file whose lines end in CR LF is read like any other")
    func carriageReturns() throws {
        let configuration = try self.configuration(
            [], file: "[Node]\r\nName=Ada\r\n\r\n# a comment\r\nLogLevel=debug\r\n")
        #expect(configuration.name == "Ada")
        #expect(configuration.logLevel == .debug)
    }

    @Test("flags are read with a space or an equals sign, lists add up")
    func flags() throws {
        let configuration = try self.configuration([
            "--data-dir", "/d", "--socket=/s", "--listen", "127.0.0.1:0", "--listen=[::1]:7",
            "--interface", "lo", "--discovery=off", "--peer", "host.lan:9", "--peer",
            "\(Self.key)@[2001:db8::1]:8", "--name", "Grace", "--log-level", "debug",
        ])
        #expect(configuration.dataDirectory == "/d")
        #expect(configuration.socket == "/s")
        #expect(configuration.listen.map(\.description) == ["127.0.0.1:0", "[::1]:7"])
        #expect(configuration.interface == "lo")
        #expect(configuration.discovery == .off)
        #expect(configuration.peers.map(\.address) == ["host.lan:9", "[2001:db8::1]:8"])
        #expect(configuration.peers.map { $0.key?.description } == [nil, Self.key])
        #expect(configuration.name == "Grace")
        #expect(configuration.logLevel == .debug)
    }

    @Test("flags go before the environment, that before the file, that before the default")
    func precedence() throws {
        let file = """
            # a comment
            [Node]
            Name = From File
            LogLevel=error

            [Network]
            Peer=one.lan:1
            Peer=two.lan:2
            Discovery=off
            """
        let fromFile = try self.configuration([], file: file)
        #expect(fromFile.name == "From File")
        #expect(fromFile.logLevel == .error)
        #expect(fromFile.peers.map(\.address) == ["one.lan:1", "two.lan:2"])
        #expect(fromFile.discovery == .off)
        let overridden = try self.configuration(
            ["--peer", "three.lan:3"], file: file, environment: ["STOA_LOG": "warning"])
        #expect(overridden.peers.map(\.address) == ["three.lan:3"])
        #expect(overridden.logLevel == .warning)
        let flag = try self.configuration(
            ["--log-level", "debug"], file: file, environment: ["STOA_LOG": "warning"])
        #expect(flag.logLevel == .debug)
    }

    @Test("an empty value in the file clears what stood before it")
    func emptyValue() throws {
        let configuration = try self.configuration(
            [], file: "[Network]\nPeer=one.lan:1\nPeer=\nPeer=two.lan:2\n")
        #expect(configuration.peers.map(\.address) == ["two.lan:2"])
    }

    @Test(
        "a wrong argument is refused with 64, what is wrong and what to do",
        arguments: [
            (["--lisen", "x"], "did you mean --listen?"), (["--listen"], "write --listen"),
            (["--listen", "7"], "write 192.0.2.7:4100"), (["--discovery", "aut"], "auto?"),
            (["--peer", "host"], "a port from 1"), (["--peer", "abc@h:1"], "52 characters"),
            (["--peer", "h:0"], "a port from 1"), (["--name", "a", "--name", "b"], "keep one"),
            (["--log-level", "loud"], "use one of them"), (["start"], "did you mean"),
            (["--name", String(repeating: "x", count: 65)], "use at most 64"),
            (["--wombat"], "see stoad --help"), (["--name="], "write --name"),
        ])
    func wrongArgument(arguments: [String], remedy: String) throws {
        let error = try #require(self.error(arguments))
        #expect(error.exitCode == 64)
        if arguments != ["start"] { #expect(error.remedy.contains(remedy), "\(error)") }
    }

    @Test(
        "a wrong file is refused with 78, naming file, line, key and remedy",
        arguments: [
            ("[Node]\nNmae=x\n", ":2: there is no key \"Nmae\"", "did you mean Name?"),
            ("[Nod]\n", ":1: there is no section \"[Nod]\"", "did you mean [Node]?"),
            ("Name=x\n", ":1: Name does not belong before", "move it below [Node]"),
            ("[Control]\nName=x\n", ":2: Name does not belong into [Control]", "[Node]"),
            ("[Node]\nName\n", ":2: \"Name\" is neither", "write a key"),
            ("[Node]\nName=x\nName=y\n", ":3: Name is given again", "keep one"),
            ("[Network]\n\nDiscovery=on\n", ":3: Discovery: \"on\" is none of", "use one of them"),
            ("[Node]\nDataDir=x\n", ":2: DataDir: \"x\" is not an absolute", "start it with /"),
            ("[Node]\nName=\u{1b}[31m\u{1b}\n[x\n", ":3: there is no section", "sections are"),
        ])
    func wrongFile(file: String, text: String, remedy: String) throws {
        let error = try #require(self.error([], file: file))
        #expect(error.exitCode == 78)
        #expect(error.text.contains("stoad.conf\(text)"), "\(error)")
        #expect(error.remedy.contains(remedy), "\(error)")
    }

    @Test("a name from the user database is cut to its limit between characters")
    func longUserName() throws {
        let paths = Paths(
            environment: ["HOME": "/nowhere", "XDG_RUNTIME_DIR": "/run/user/7"], userID: 7)
        let command = try DaemonCommand(
            arguments: [], environment: [:], paths: paths,
            systemFile: "/nonexistent", userName: { String(repeating: "ä", count: 80) })
        guard case .run(let configuration) = command else { return }
        #expect(configuration.name == String(repeating: "ä", count: 64))
    }

    @Test("help and version need no home and no file")
    func helpAndVersion() throws {
        let paths = Paths(environment: [:], userID: 7, runtimeRoot: "/nowhere")
        for (flag, command) in [("--help", DaemonCommand.help), ("--version", .version)] {
            #expect(
                try DaemonCommand(
                    arguments: [flag], environment: [:], paths: paths, systemFile: "/nonexistent",
                    userName: { nil })
                    == command)
        }
    }

    @Test("the help text names every flag")
    func helpText() {
        for setting in Setting.allCases { #expect(DaemonCommand.helpText.contains(setting.flag)) }
    }
}
