internal import ControlAPI

/// Reads `stoad.conf`: sections in brackets, `Key=value` lines, comments after `#` or `;`.
///
/// The form is that of systemd's own files, systemd.syntax(7), without continuation lines. A list
/// may be given several times; an empty value clears what stood before. Lines may end in CR LF.
enum ConfigurationFile {
    /// The largest file that is read; a real one has a few lines.
    static let limitBytes = 65_536

    /// Reads a file's text; throws at the first line that is not understood.
    static func parse(
        _ text: String, path: String
    ) throws(ConfigurationError) -> [Setting: [SettingValue]] {
        var found: [Setting: [SettingValue]] = [:]
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
                section = try Self.section(line, place)
                continue
            }
            guard let equals = line.firstIndex(of: "=") else {
                throw ConfigurationError(
                    "\(place): \"\(Self.shown(line))\" is neither a section nor Key=value",
                    remedy: "write a key, = and its value, or put # before a comment",
                    isFromFile: true)
            }
            let key = Self.trimmed(line[..<equals])
            let setting = try Self.setting(key, in: section, place)
            let value = Self.trimmed(line[line.index(after: equals)...])
            if value.isEmpty {
                found[setting] = nil
                continue
            }
            if !setting.description.isList, let earlier = found[setting]?.first {
                throw ConfigurationError(
                    "\(place): \(setting.key) is given again after \(earlier.origin)",
                    remedy: "keep one of the two lines", isFromFile: true)
            }
            found[setting, default: []].append(
                SettingValue(text: value, origin: "\(place): \(setting.key)", isFromFile: true))
        }
        return found
    }

    private static func section(
        _ line: String, _ place: String
    ) throws(ConfigurationError) -> String {
        let names = Self.sections
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
                remedy: "put it below [\(setting.description.section)]", isFromFile: true)
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
