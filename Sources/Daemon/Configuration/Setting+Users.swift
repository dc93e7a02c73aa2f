internal import ControlAPI
internal import Posix

/// What a user may change while the daemon runs: not where things are, nor who may reach the daemon.
extension Setting {
    static let ofUsers: [Setting] = [
        .realm, .openRealm, .directFrom, .readMarks, .presence, .typing, .logLevel, .diskLimit,
        .discovery, .shareAddresses, .autoFetch, .fileLimit,
    ]

    /// Finds one that a user may change, by its key or its flag in any case.
    init(named name: String) throws(RPCError) {
        let word = name.lowercased()
        let found = Self.ofUsers.first { [$0.key.lowercased(), $0.rawValue].contains(word) }
        if let found {
            self = found
            return
        }
        let shown = TerminalText.line(String(name.unicodeScalars.prefix(64)))
        if Self.allCases.contains(where: { [$0.key.lowercased(), $0.rawValue].contains(word) }) {
            throw .notFound(
                "\(shown) cannot be changed while the daemon runs", reason: "unknownSetting",
                remedy: "set it in stoad.conf; see stoad.conf(5)")
        }
        let nearest = NearestName.find(name, among: Self.ofUsers.map(\.key))
        throw .notFound(
            "there is no setting \"\(shown)\"", reason: "unknownSetting",
            remedy: nearest.map { "did you mean \($0)?" } ?? "see stoa settings")
    }

    /// The words that it can be; nil where it is none of some words.
    var choices: [String]? {
        let shape = self.description.valueShape
        return shape.contains("|") ? shape.split(separator: "|").map(String.init) : nil
    }

    /// What a value looks like.
    var kind: SettingResult.Kind {
        if self.choices != nil { return .choice }
        return self.description.valueShape == "SIZE" ? .size : .text
    }

    /// Refuses a value that the setting cannot have.
    func check(_ value: String) throws(ConfigurationError) {
        var given = GivenSettings()
        let origin = SettingValue(text: value, origin: self.key, isFromFile: false)
        given.take(flags: [self: [origin]], environment: [:])
        _ = try Configuration(
            given, paths: Paths(environment: ["HOME": "/"], userID: 0), isOffline: true
        ) { nil }
    }
}

extension SettingValue {
    /// Where it was given, without the key that a line names.
    func place(of setting: Setting) -> String {
        let suffix = ": \(setting.key)"
        return self.origin.hasSuffix(suffix)
            ? String(self.origin.dropLast(suffix.count)) : self.origin
    }
}
