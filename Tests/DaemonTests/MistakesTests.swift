import Posix
import TestSupport
import Testing

@testable import Daemon

/// What people get wrong in flags, files and variables, and what they are told: `Golden/mistakes.txt`.
@Suite("Mistakes in settings")
struct MistakesTests {
    /// What was typed, and where.
    private struct Mistake {
        var arguments: [String] = []
        var file: String?
        var system: String?
        var environment: [String: String] = [:]
        var home = true
    }

    private static func flags(_ arguments: String...) -> Mistake { Mistake(arguments: arguments) }
    private static func file(_ text: String) -> Mistake { Mistake(file: text) }
    private static func system(_ text: String) -> Mistake { Mistake(system: text) }

    private static let long = String(repeating: "x", count: 65)
    private static let key = String(repeating: "a", count: 52)

    private static let mistakes: [(what: String, mistake: Mistake)] = [
        ("a mistyped flag", flags("--lisen", "127.0.0.1:1")),
        ("a flag of another program", flags("--verbose")),
        ("a word that is no flag", flags("start")),
        ("one dash", flags("-listen", "127.0.0.1:1")),
        ("a key in the place of a flag", flags("LogLevel=debug")),
        ("a flag without its value", flags("--listen")),
        ("a flag with an empty value", flags("--name=")),
        ("a flag with a space for a value", flags("--log-level", " ")),
        ("a flag given twice", flags("--name", "a", "--name", "b")),
        ("a flag of the command line", flags("--json")),
        ("a port without an address", flags("--listen", "4100")),
        ("an address without a port", flags("--listen", "192.0.2.7")),
        ("a port beyond the last one", flags("--listen", "192.0.2.7:65536")),
        ("an IPv6 address without brackets", flags("--listen", "fe80::1:4100")),
        ("a host name to listen on", flags("--listen", "localhost:4100")),
        ("a word that is no discovery", flags("--discovery", "avahi")),
        ("half a word of discovery", flags("--discovery", "embeded")),
        ("a peer without a port", flags("--peer", "office.example")),
        ("a peer at port 0", flags("--peer", "office.example:0")),
        ("a peer whose key is short", flags("--peer", "abc@office.example:4100")),
        ("a peer with an @ and no key", flags("--peer", "@office.example:4100")),
        ("a peer with a URL", flags("--peer", "tcp://office.example:4100")),
        ("a name that is too long", flags("--name", long)),
        ("a name with an @", flags("--name", "ada@home")),
        ("a name of two lines", flags("--name", "ada\nben")),
        ("a name that turns round", file("[Node]\nName=ada\u{202E}neb\n")),
        ("a realm with a sign", flags("--realm", "office!")),
        ("a realm with a slash", flags("--realm", "office/ops")),
        ("true in the place of yes", flags("--open-realm", "true")),
        ("a word that is nobody", flags("--direct-from", "friends")),
        ("a mistyped word", flags("--direct-from", "verifed")),
        ("read marks that are on", flags("--read-marks", "on")),
        ("a server of the web", file("[Sites]\nSites=https://nats.example\n")),
        ("a server at a port beyond the last one", file("[Sites]\nSites=nats://nats:99999\n")),
        ("a server at a port that is a word", file("[Sites]\nSites=tls://nats:four\n")),
        ("a server with a password", file("[Sites]\nSites=nats://ada:secret@nats:4222\n")),
        ("a realm of sites with a slash", file("[Sites]\nSitesRealm=office/ops\n")),
        ("the open realm for sites", file("[Sites]\nSitesRealm=open\n")),
        ("a limit of files that is a word", file("[Sites]\nSitesFileLimit=much\n")),
        ("a limit of files below nothing", file("[Sites]\nSitesFileLimit=-1\n")),
        ("a log level of others", flags("--log-level", "warn")),
        ("a number for a log level", flags("--log-level", "7")),
        ("a size with a wrong unit", flags("--auto-fetch", "10MB")),
        ("a negative size", flags("--auto-fetch", "-1")),
        ("a size with a fraction", flags("--file-limit", "1.5G")),
        ("too little room for messages", flags("--disk-limit", "4K")),
        ("a size that no disk has", flags("--file-limit", "99999999999T")),
        ("a check and a repair, mistyped", flags("--chek")),
        ("a trial, mistyped", flags("--check-conf")),
        ("a level in the environment", Mistake(environment: ["STOA_LOG": "loud"])),
        ("no home", Mistake(home: false)),
        ("a mistyped key", file("[Node]\nNmae=x\n")),
        ("a key in lower case", file("[Node]\nname=x\n")),
        ("a flag in a file", file("[Node]\n--name=x\n")),
        ("a mistyped section", file("[Nod]\n")),
        ("a section in lower case", file("[network]\n")),
        ("a section without its bracket", file("[Node\n")),
        ("a key before the first section", file("Name=x\n")),
        ("a key in another section", file("[Control]\nName=x\n")),
        ("a key without a value", file("[Node]\nName\n")),
        ("a colon in the place of =", file("[Node]\nName: x\n")),
        ("a key given twice", file("[Node]\nName=x\nName=y\n")),
        ("a path that is relative", file("[Node]\nDataDir=stoa\n")),
        ("a path with a tilde", file("[Node]\nDataDir=~/stoa\n")),
        ("a path of counters that is relative", file("[Node]\nMetrics=stoa.prom\n")),
        ("quotes around a word", file("[Network]\nDiscovery=\"auto\"\n")),
        ("a comment behind a value", file("[Network]\nDiscovery=auto # the default\n")),
        ("a word with a space in it", file("[Network]\nDiscovery=a uto\n")),
        ("two addresses in one line", file("[Network]\nListen=127.0.0.1:1 127.0.0.1:2\n")),
        ("a lock by a user", file("[Administrator]\nLock=Realm\n")),
        ("bytes that are no text", file("[Node]\nName=\u{1b}[31m\n[\u{7}\n")),
        ("a page of the web", file("<!DOCTYPE html>\n")),
        ("a lock of nothing known", system("[Administrator]\nLock=Realms\n")),
        ("another key beside locks", system("[Administrator]\nLocked=Realm\n")),
        ("an error in the administrator's file", system("[Network]\nDiscovery=on\n")),
    ]

    private static func told(_ mistake: Mistake) throws -> ConfigurationError? {
        let folder = try TestFolder()
        try Files.makePrivateDirectory("\(folder.path)/.config/stoa")
        if let text = mistake.file { _ = try folder.write(text, to: ".config/stoa/stoad.conf") }
        if let text = mistake.system { _ = try folder.write(text, to: "etc.conf") }
        let environment =
            mistake.home ? ["HOME": folder.path, "XDG_RUNTIME_DIR": "/run/user/7"] : [:]
        do throws(ConfigurationError) {
            _ = try DaemonCommand(
                arguments: mistake.arguments, environment: mistake.environment,
                paths: Paths(environment: environment, userID: 7, runtimeRoot: "/nowhere"),
                systemFile: "\(folder.path)/etc.conf", userName: { "ada" })
            return nil
        } catch {
            return ConfigurationError(
                error.text.replacing(folder.path, with: "HOME"),
                remedy: error.remedy.replacing(folder.path, with: "HOME"),
                isFromFile: error.exitCode == 78)
        }
    }

    @Test("are told as they were; STOA_WRITE_MISTAKES=1 writes anew what people are told")
    func golden() throws {
        var text = ""
        for (what, mistake) in Self.mistakes {
            let error = try #require(try Self.told(mistake), "\(what) is accepted")
            text += "\(what): \(error.exitCode)\n  \(error.text)\n  \(error.remedy)\n"
        }
        let path = TestFiles.tests + "/DaemonTests/Golden/mistakes.txt"
        if ProcessEnvironment.variable("STOA_WRITE_MISTAKES") == "1" {
            try Files.writeAtomically(Array(text.utf8), to: path, mode: 0o644)
        }
        let kept = String(decoding: try Files.read(path, limitBytes: 1 << 20), as: UTF8.self)
        #expect(kept == text)
    }

    @Test("are each told with the thing and the next step, once, in one line")
    func shape() throws {
        #expect(Self.mistakes.count >= 60)
        for (what, mistake) in Self.mistakes {
            let error = try #require(try Self.told(mistake), "\(what) is accepted")
            #expect(!error.text.isEmpty && !error.remedy.isEmpty, "\(what)")
            #expect(!error.text.contains(error.remedy), "\(what): said twice")
            #expect(!error.description.contains("\n"), "\(what)")
            #expect(
                !error.description.contains(".;") && !error.description.hasSuffix("."), "\(what)")
            #expect(error.description.utf8.count <= 400, "\(what)")
        }
    }
}
