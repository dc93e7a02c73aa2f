import ControlAPI
import Discovery
import Engine
import Posix

@testable import Daemon

/// The configuration file.
enum ConfigurationTarget {
    private static let path = "/etc/stoa.conf"

    static func run(_ bytes: [UInt8]) throws -> Verdict {
        guard let text = String(validating: bytes, as: UTF8.self) else { return .refused }
        do throws(ConfigurationError) {
            let values = try ConfigurationFile.parse(text, path: Self.path)
            let again = try ConfigurationFile.parse(Self.written(values), path: Self.path)
            guard Self.texts(of: values) == Self.texts(of: again) else {
                throw ConfigurationError("settings do not survive", remedy: "", isFromFile: false)
            }
            let paths = Paths(
                environment: ["HOME": "/nonexistent", "XDG_RUNTIME_DIR": "/nonexistent"],
                userID: 1_000)
            let configuration = try Configuration(
                flags: [:], file: values, paths: paths, environment: [:], userName: { "Ada" })
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
                lines += ["[\(setting.section)]", "\(setting.key)=\(value.text)"]
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
            configuration.name.utf8.count <= Limits.nameBytes && !configuration.name.isEmpty
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

/// The arguments of `stoad`, each ended by a newline.
enum ArgumentsTarget {
    static func run(_ bytes: [UInt8]) throws -> Verdict {
        let arguments = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        // Nothing lies there, so no file is read.
        let paths = Paths(
            environment: ["HOME": "/nonexistent", "XDG_RUNTIME_DIR": "/nonexistent"], userID: 1_000)
        do throws(ConfigurationError) {
            switch try Command(
                arguments: arguments, environment: [:], paths: paths, userName: { nil })
            {
            case .run(let configuration), .check(let configuration), .repair(let configuration):
                try ConfigurationTarget.check(configuration)
            case .version, .help: break
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
        if let address = try? PeerAddress(text) {
            isTaken = true
            let again = try? PeerAddress(address.description)
            try demand(again == address, "an address of a peer does not survive")
            try demand(address.description.utf8.elementsEqual(text.utf8), "a second form is taken")
            if let numeric = address.numeric {
                try demand(SocketAddress(numeric)?.description == numeric, "no numeric address")
            }
        }
        if let address = SocketAddress(text) {
            isTaken = true
            try demand(SocketAddress(address.description) == address, "an address does not survive")
            let bytes = IPAddress(bytes: address.ip.bytes, scope: address.ip.scope)
            try demand(bytes == address.ip, "the bytes of an address are another")
        }
        if let address = IPAddress(text) {
            isTaken = true
            try demand(IPAddress(address.description) == address, "an address does not survive")
        }
        return isTaken ? .accepted : .refused
    }
}
