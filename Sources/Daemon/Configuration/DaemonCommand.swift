internal import ControlAPI
package import Posix

/// What `stoad` was started to do.
package enum DaemonCommand: Equatable, Sendable {
    /// Run until told to stop.
    case run(Configuration)
    /// Check the database and say what is wrong with it.
    case check(Configuration)
    /// Repair the database and say what was done.
    case repair(Configuration)
    /// Say what the configuration comes to, one line each, and whether a start could take it.
    case checkConfiguration(Configuration, report: [String])
    /// Print the version.
    case version
    /// Print the help text.
    case help

    /// Reads the arguments, without the program's name, and the configuration files.
    ///
    /// Throws what is wrong, where, and what to do; nothing has been changed then.
    ///
    /// - Parameter own: what the file of the user's own settings is going to be; nil for what it is.
    package init(
        arguments: [String], environment: [String: String], paths: Paths, own: String? = nil
    ) throws(ConfigurationError) {
        try self.init(
            arguments: arguments, environment: environment, paths: paths, own: own,
            userName: ProcessEnvironment.userName)
    }

    init(
        arguments: [String], environment: [String: String], paths: Paths,
        systemFile: String = SettingsFiles.systemFile, own: String? = nil, userName: () -> String?
    ) throws(ConfigurationError) {
        var flags: [Setting: [SettingValue]] = [:]
        var (isCheck, isRepair, isTrial) = (false, false, false)
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                self = .help
                return
            case "--version", "-V":
                self = .version
                return
            case "--check":
                isCheck = true
                continue
            case "--repair":
                isRepair = true
                continue
            case "--check-config":
                isTrial = true
                continue
            default: break
            }
            let parts = argument.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let flag = String(parts.first ?? "")
            guard let setting = Setting.allCases.first(where: { $0.flag == flag }) else {
                throw Self.unknown(flag)
            }
            guard let text = parts.count == 2 ? String(parts[1]) : rest.popFirst(), !text.isEmpty
            else {
                throw ConfigurationError(
                    "\(flag) needs a value",
                    remedy: "write \(flag) \(setting.description.valueShape)", isFromFile: false)
            }
            if !setting.description.isList, flags[setting] != nil {
                throw ConfigurationError(
                    "\(flag) is given twice", remedy: "keep one of the two", isFromFile: false)
            }
            flags[setting, default: []].append(
                SettingValue(text: text, origin: flag, isFromFile: false))
        }
        var settings = try SettingsFiles(system: systemFile, user: try? paths.configurationFile())
            .read(own: own)
        settings.take(flags: flags, environment: environment)
        let configuration = try Configuration(
            settings, paths: paths, isOffline: isCheck || isRepair || isTrial, userName: userName)
        // A repair checks first, so both together ask for nothing else.
        if isRepair {
            self = .repair(configuration)
        } else if isCheck {
            self = .check(configuration)
        } else {
            self =
                isTrial
                ? .checkConfiguration(configuration, report: settings.report) : .run(configuration)
        }
    }

    /// The text for `--help`.
    package static var helpText: String {
        var lines = [
            "stoad runs one node of Stoa: chat for a local network, without a server.", "",
            "usage: stoad [OPTION...]", "",
        ]
        let options =
            Setting.allCases.map {
                (
                    "\($0.flag) \($0.description.valueShape)",
                    "\($0.description.help) (\($0.description.fallback))"
                )
            }
            + [
                ("--check", "check the database, say what is wrong and exit"),
                ("--repair", "repair the database, keeping a copy, say what was done and exit"),
                (
                    "--check-config",
                    "show the configuration or what is wrong with it, and exit"
                ),
                ("--version", "print the version and exit"),
                ("--help", "print this and exit"),
            ]
        for (option, help) in options {
            lines.append("  \(option)")
            lines.append("        \(help)")
        }
        lines += [
            "", "The same settings can be set in ~/.config/stoa/stoad.conf; see stoad.conf(5).",
            "It usually runs as a user service: systemctl --user start stoad", "",
        ]
        return lines.joined(separator: "\n")
    }

    private static func unknown(_ flag: String) -> ConfigurationError {
        let shown = TerminalText.line(String(flag.unicodeScalars.prefix(64)))
        let names =
            Setting.allCases.map(\.flag)
            + ["--check", "--repair", "--check-config", "--version", "--help"]
        let remedy =
            NearestName.find(flag, among: names).map { "did you mean \($0)?" }
            ?? "see stoad --help"
        return ConfigurationError(
            flag.hasPrefix("-")
                ? "there is no option \"\(shown)\"" : "\"\(shown)\" is not expected here",
            remedy: remedy, isFromFile: false)
    }
}
