internal import Posix

/// The files that hold settings: an administrator's for the machine, then the user's own.
///
/// Beside each `stoad.conf` a folder `stoad.conf.d` may hold more, read behind it in the order of
/// their names, so that a package or a script can add one line without editing a file.
struct SettingsFiles {
    /// Where an administrator says what counts for every user.
    static let systemFile = "/etc/stoa/stoad.conf"

    private let system: String
    private let user: String?

    /// - Parameter user: the user's own file; nil where no home is known, and flags say all.
    init(system: String = Self.systemFile, user: String?) {
        self.system = system
        self.user = user
    }

    /// Reads all that are there; throws at the first line that is not understood, naming it.
    ///
    /// - Parameter own: what ``OwnSettings`` is going to write, which is read in the place of its file.
    func read(own: String? = nil) throws(ConfigurationError) -> GivenSettings {
        var settings = GivenSettings()
        for path in try Self.files(at: self.system) {
            guard let file = try Self.file(path, mayLock: true) else { continue }
            settings.take(file, path, isSystem: true)
        }
        guard let user else { return settings }
        let ownPath = OwnSettings.path(beside: user)
        var paths = try Self.files(at: user)
        if own != nil, !paths.contains(ownPath) {
            paths = [user] + (paths.dropFirst() + [ownPath]).sorted()
        }
        for path in paths {
            let isReplaced = own != nil && path == ownPath
            let file =
                isReplaced
                ? try ConfigurationFile(own ?? "", path: path)
                : try Self.file(path, mayLock: false)
            guard let file else { continue }
            settings.take(file, path, isSystem: false)
        }
        return settings
    }

    /// A file and its drop-ins, in the order in which they count.
    private static func files(at path: String) throws(ConfigurationError) -> [String] {
        let folder = path + ".d"
        do throws(SystemError) {
            let names = try Files.names(in: folder).filter {
                $0.hasSuffix(".conf") && !$0.hasPrefix(".")
            }
            return [path] + names.sorted().map { "\(folder)/\($0)" }
        } catch { throw Self.unreadable(error) }
    }

    /// Nil where there is no such file.
    static func file(
        _ path: String, mayLock: Bool
    ) throws(ConfigurationError) -> ConfigurationFile? {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(path, limitBytes: ConfigurationFile.limitBytes)
        } catch {
            if error.meansNotFound { return nil }
            throw Self.unreadable(error)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigurationError(
                "\(path) is not UTF-8 text", remedy: "save it as UTF-8 with a text editor",
                isFromFile: true)
        }
        return try ConfigurationFile(text, path: path, mayLock: mayLock)
    }

    private static func unreadable(_ error: SystemError) -> ConfigurationError {
        ConfigurationError(
            "the configuration cannot be read: \(error.reason)",
            remedy: error.remedy ?? "correct or move the file", isFromFile: true)
    }
}

/// What files, environment and flags say together, and what of it does not count.
struct GivenSettings: Equatable, Sendable {
    /// What counts.
    private(set) var values: [Setting: [SettingValue]] = [:]
    /// The files that were read, in order.
    private(set) var files: [String] = []
    /// What is locked, and where.
    private(set) var locks: [Setting: String] = [:]
    /// What was given and is locked, a line each.
    private(set) var overruled: [String] = []

    /// Takes what a file says on top of what earlier ones said.
    mutating func take(_ file: ConfigurationFile, _ path: String, isSystem: Bool) {
        self.files.append(path)
        if isSystem {
            if file.isUnlocking { self.locks = [:] }
            self.locks.merge(file.locks) { $1 }
        }
        for setting in Setting.allCases {
            let given = file.values[setting] ?? []
            let isCleared = file.cleared.contains(setting)
            guard !given.isEmpty || isCleared else { continue }
            if !isSystem, self.isLocked(setting, given) { continue }
            let earlier = isCleared || !setting.description.isList ? [] : self.values[setting] ?? []
            self.values[setting] = (earlier + given).isEmpty ? nil : earlier + given
        }
    }

    /// Takes the environment, then the flags, which both go before the files.
    mutating func take(flags: [Setting: [SettingValue]], environment: [String: String]) {
        if let level = environment["STOA_LOG"], !level.isEmpty {
            self.replace(
                .logLevel, [SettingValue(text: level, origin: "STOA_LOG", isFromFile: false)])
        }
        for setting in Setting.allCases {
            if let given = flags[setting] { self.replace(setting, given) }
        }
    }

    private mutating func replace(_ setting: Setting, _ given: [SettingValue]) {
        if !self.isLocked(setting, given) { self.values[setting] = given }
    }

    private mutating func isLocked(_ setting: Setting, _ given: [SettingValue]) -> Bool {
        guard let place = self.locks[setting] else { return false }
        for value in given {
            self.overruled.append(
                "\(value.origin) has no effect: the administrator has locked \(setting.key) in "
                    + "\(place); remove it, or ask for it to be unlocked")
        }
        return true
    }

    /// What was read and what counts, for people: one line each.
    var report: [String] {
        var lines = self.files.map { "read \($0)" }
        for setting in Setting.allCases {
            let lock = self.locks[setting].map { ", locked in \($0)" } ?? ""
            for value in self.values[setting] ?? [] {
                lines.append("\(setting.key)=\(value.text) (\(value.place(of: setting))\(lock))")
            }
            if let count = self.values[setting]?.count, count > 1 {
                lines.append("all \(count) \(setting.key)= count")
            }
        }
        return lines + self.overruled
    }
}
