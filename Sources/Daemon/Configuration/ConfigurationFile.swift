internal import ControlAPI

/// Reads `stoad.conf`: sections in brackets, `Key=value` lines, comments after `#` or `;`.
///
/// The form is that of systemd's own files, systemd.syntax(7), without continuation lines. A list
/// may be given several times; an empty value clears what stood before, in earlier files too. Lines
/// may end in CR LF.
struct ConfigurationFile: Equatable, Sendable {
    /// The largest file that is read; a real one has a few lines.
    static let limitBytes = 65_536

    /// What it sets.
    var values: [Setting: [SettingValue]] = [:]
    /// What it has cleared, so that nothing of earlier files counts.
    var cleared: Set<Setting> = []
    var locks: [Setting: String] = [:]
    /// Whether it opens what earlier files have locked.
    var isUnlocking = false

    /// Reads a file's text; throws at the first line that is not understood.
    ///
    /// - Parameter mayLock: whether it is an administrator's, who may lock keys.
    init(_ text: String, path: String, mayLock: Bool = false) throws(ConfigurationError) {
        var section: String?
        // By scalars: a carriage return and a newline together are one character.
        let lines = text.unicodeScalars.split(
            separator: "\n", omittingEmptySubsequences: false
        ).map { Substring($0) }
        for (index, rawLine) in lines.enumerated() {
            let line = Self.trimmed(rawLine)
            let place = "\(path):\(index + 1)"
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("[") {
                section = try Self.section(line, mayLock: mayLock, place)
                continue
            }
            guard let equals = line.firstIndex(of: "=") else {
                throw ConfigurationError(
                    "\(place): \"\(Self.shown(line))\" is neither a section nor Key=value",
                    remedy: "write a key, = and its value, or put # before a comment",
                    isFromFile: true)
            }
            let key = Self.trimmed(line[..<equals])
            let value = Self.trimmed(line[line.index(after: equals)...])
            if section == Self.lockSection {
                try self.lock(key, value, place)
            } else {
                try self.set(Self.setting(key, in: section, place), value, place)
            }
        }
    }

    private mutating func set(
        _ setting: Setting, _ value: String, _ place: String
    ) throws(ConfigurationError) {
        if value.isEmpty {
            self.values[setting] = nil
            self.cleared.insert(setting)
            return
        }
        if !setting.description.isList, let earlier = self.values[setting]?.first {
            throw ConfigurationError(
                "\(place): \(setting.key) is given again after \(earlier.origin)",
                remedy: "keep one of the two lines", isFromFile: true)
        }
        self.values[setting, default: []].append(
            SettingValue(text: value, origin: "\(place): \(setting.key)", isFromFile: true))
    }

    /// Takes a line of the section that only administrators have: `Lock=KEY KEY...`.
    private mutating func lock(
        _ key: String, _ value: String, _ place: String
    ) throws(ConfigurationError) {
        guard key == Self.lockKey else {
            throw ConfigurationError(
                "\(place): there is no key \"\(Self.shown(key))\" in [\(Self.lockSection)]",
                remedy: "its only key is \(Self.lockKey)", isFromFile: true)
        }
        if value.isEmpty { (self.locks, self.isUnlocking) = ([:], true) }
        for word in value.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "," }) {
            guard let setting = Setting.allCases.first(where: { $0.key == word }) else {
                throw ConfigurationError(
                    "\(place): there is no key \"\(Self.shown(String(word)))\" to lock",
                    remedy: Self.suggestion(
                        String(word), among: Setting.allCases.map(\.key), "the keys are", { $0 }),
                    isFromFile: true)
            }
            self.locks[setting] = place
        }
    }

    /// The section of what administrators alone say, and its key.
    private static let lockSection = "Administrator"
    private static let lockKey = "Lock"

    private static func section(
        _ line: String, mayLock: Bool, _ place: String
    ) throws(ConfigurationError) -> String {
        if line == "[\(Self.lockSection)]", !mayLock {
            throw ConfigurationError(
                "\(place): [\(Self.lockSection)] is for the administrator of the machine",
                remedy: "move it to \(SettingsFiles.systemFile), or remove it", isFromFile: true)
        }
        let names = Self.sections + (mayLock ? [Self.lockSection] : [])
        let name =
            line.hasSuffix("]") ? String(line.dropFirst().dropLast()) : String(line.dropFirst())
        guard line.hasSuffix("]"), names.contains(name) else {
            throw ConfigurationError(
                "\(place): there is no section \"\(Self.shown(line))\"",
                remedy: Self.suggestion(name, among: names, "the sections are", { "[\($0)]" }),
                isFromFile: true)
        }
        return name
    }

    private static func setting(
        _ key: String, in section: String?, _ place: String
    ) throws(ConfigurationError) -> Setting {
        guard let setting = Setting.allCases.first(where: { $0.key == key }) else {
            throw ConfigurationError(
                "\(place): there is no key \"\(Self.shown(key))\"",
                remedy: Self.suggestion(
                    key, among: Setting.allCases.map(\.key), "the keys are", { $0 }),
                isFromFile: true)
        }
        guard setting.description.section == section else {
            throw ConfigurationError(
                "\(place): \(setting.key) does not belong "
                    + (section.map { "into [\($0)]" } ?? "before the first section"),
                remedy: "move it below [\(setting.description.section)]", isFromFile: true)
        }
        return setting
    }

    /// The sections in the order of the settings.
    private static var sections: [String] {
        var names: [String] = []
        for setting in Setting.allCases where !names.contains(setting.description.section) {
            names.append(setting.description.section)
        }
        return names
    }

    private static func suggestion(
        _ word: String, among names: [String], _ prefix: String, _ shape: (String) -> String
    ) -> String {
        if let nearest = NearestName.find(word, among: names) {
            return "did you mean \(shape(nearest))?"
        }
        return "\(prefix) \(names.map(shape).joined(separator: ", "))"
    }

    /// Text from a file as an error shows it: bounded, and with control characters visible.
    private static func shown(_ text: String) -> String {
        TerminalText.line(String(text.unicodeScalars.prefix(64)))
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let isSpace: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
        var scalars = Substring(text).unicodeScalars
        while let first = scalars.first, isSpace(first) { scalars.removeFirst() }
        while let last = scalars.last, isSpace(last) { scalars.removeLast() }
        return String(scalars)
    }
}
