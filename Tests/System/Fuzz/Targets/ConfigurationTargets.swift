import ControlAPI
import Discovery
import Engine
import Formats
import Posix

@testable import Daemon

/// The configuration file.
enum ConfigurationTarget {
    private static let path = "/etc/stoad.conf"

    static func run(_ bytes: [UInt8]) throws -> Verdict {
        guard let text = String(validating: bytes, as: UTF8.self) else { return .refused }
        do throws(ConfigurationError) {
            let file = try ConfigurationFile(text, path: Self.path, mayLock: true)
            let again = try ConfigurationFile(
                Self.written(file.values), path: Self.path, mayLock: true)
            guard Self.texts(of: file.values) == Self.texts(of: again.values) else {
                throw ConfigurationError("settings do not survive", remedy: "", isFromFile: false)
            }
            var settings = GivenSettings()
            settings.take(file, Self.path, isSystem: true)
            // Said by a user, too, nothing that is locked changes.
            let before = settings.values
            settings.take(again, Self.path, isSystem: false)
            for setting in file.locks.keys where settings.values[setting] != before[setting] {
                throw ConfigurationError("a lock does not hold", remedy: "", isFromFile: false)
            }
            var single = GivenSettings()
            single.take(file, Self.path, isSystem: true)
            let paths = Paths(
                environment: ["HOME": "/nonexistent", "XDG_RUNTIME_DIR": "/nonexistent"],
                userID: 1_000)
            let configuration = try Configuration(single, paths: paths, userName: { "Ada" })
            try Self.check(configuration)
            return .accepted
        } catch {
            try Self.check(error, exitCode: 78)
            return .refused
        }
    }

    /// The same settings, as a person might write them.
    private static func written(_ values: [Setting: [SettingValue]]) -> String {
        var lines: [String] = []
        for setting in Setting.allCases {
            for value in values[setting] ?? [] {
                lines += ["[\(setting.description.section)]", "\(setting.key)=\(value.text)"]
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func texts(of values: [Setting: [SettingValue]]) -> [Setting: [[UInt8]]] {
        values.mapValues { $0.map { Array($0.text.utf8) } }
    }

    /// What a daemon is configured to do is within its bounds.
    static func check(_ configuration: Configuration) throws(ConfigurationError) {
        let isFine =
            Profile.isShort(configuration.name) && !configuration.name.isEmpty
            && configuration.listen.allSatisfy { SocketAddress($0.description) == $0 }
            && configuration.peers.allSatisfy { (try? PeerAddress($0.description)) == $0 }
        guard isFine else {
            throw ConfigurationError("a setting is none", remedy: "", isFromFile: false)
        }
    }

    /// An error says where, what, and what to do, in one line that steers no terminal.
    static func check(_ error: ConfigurationError, exitCode: Int32) throws {
        try demand(!error.remedy.isEmpty, error.text)
        try demand(error.exitCode == exitCode, "an error ends with another code: \(error)")
        try demand(
            TerminalText.line(error.description).utf8.elementsEqual(error.description.utf8),
            "an error steers a terminal")
    }
}

/// The arguments of `stoad`, each ended by a newline; `HOME=` before them takes the home away, and
/// `STOA_LOG=` and a word sets that variable.
enum ArgumentsTarget {
    static func run(_ bytes: [UInt8]) throws -> Verdict {
        var arguments = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        // Nothing lies there, so no file is read.
        var directories = ["HOME": "/nonexistent", "XDG_RUNTIME_DIR": "/nonexistent"]
        var environment: [String: String] = [:]
        if arguments.first == "HOME=" {
            directories = [:]
            arguments.removeFirst()
        }
        if let level = arguments.first, level.hasPrefix("STOA_LOG=") {
            environment["STOA_LOG"] = String(level.dropFirst("STOA_LOG=".count))
            arguments.removeFirst()
        }
        let paths = Paths(environment: directories, userID: 1_000, runtimeRoot: "/nonexistent")
        do throws(ConfigurationError) {
            switch try DaemonCommand(
                arguments: arguments, environment: environment, paths: paths,
                systemFile: "/nonexistent", userName: { nil })
            {
            case .run(let configuration), .check(let configuration), .repair(let configuration):
                try ConfigurationTarget.check(configuration)
            case .version, .help, .checkConfiguration: break
            }
            return .accepted
        } catch {
            try ConfigurationTarget.check(error, exitCode: 64)
            return .refused
        }
    }
}

/// Addresses as people, files and clients write them.
enum AddressTarget {
    static func run(_ bytes: [UInt8]) throws -> Verdict {
        let text = String(decoding: bytes, as: UTF8.self)
        var isTaken = false
        do {
            let address = try PeerAddress(text)
            isTaken = true
            let again = try? PeerAddress(address.description)
            try demand(again == address, "an address of a peer does not survive")
            try demand(address.description.utf8.elementsEqual(text.utf8), "a second form is taken")
            if let numeric = address.numeric {
                try demand(SocketAddress(numeric)?.description == numeric, "no numeric address")
            }
        } catch let error as PeerAddressError {
            try demand(!error.description.isEmpty, "an error says nothing")
        }
        if let address = SocketAddress(text) {
            isTaken = true
            try demand(SocketAddress(address.description) == address, "an address does not survive")
            let ip = address.ip
            try demand(
                IPAddress(bytes: ip.bytes, scope: ip.scope) == ip,
                "the bytes of an address are another")
            try demand(
                IPAddress(bytes: ip.bytes + [0], scope: ip.scope) == nil, "an address is too long")
            try demand(!(ip.isLoopback && ip.isWildcard), "an address is all and itself")
            let isBehind = IPAddress.anyIPv4 < ip
            try demand(isBehind == (ip != IPAddress.anyIPv4), "an address comes before the first")
        }
        if let address = IPAddress(text) {
            isTaken = true
            try demand(IPAddress(address.description) == address, "an address does not survive")
        }
        return isTaken ? .accepted : .refused
    }
}
