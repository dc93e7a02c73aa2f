internal import ControlAPI
package import Discovery
package import Engine
package import Formats
package import Posix

/// When a node locks by itself.
package struct LockRules: Equatable, Sendable {
    /// After how many minutes without a sign of the user; 0 for never.
    package var afterMinutes: UInt64 = 0
    /// Whether before the machine sleeps, and with the user's session.
    var onSleep = false
}

/// All that a daemon is told before it starts.
package struct Configuration: Equatable, Sendable {
    /// Where identity and database lie.
    package var dataDirectory: String
    /// Where the content of files is.
    var filesDirectory: String { self.dataDirectory + "/files" }
    /// Where the proof lies that the database is not an older copy of itself.
    package var stateDirectory: String
    /// The path of the control socket.
    package var socket: String
    /// Where to listen; empty for the default, a free port on all interfaces or on the one named.
    package var listen: [SocketAddress]
    /// The only network interface to use; nil for all.
    package var interface: String?
    /// How to find peers.
    package var discovery: DiscoveryMode
    /// Peers to keep links to.
    package var peers: [PeerAddress]
    /// Whether members of the own realms are told where this machine can be dialled.
    package var sharesAddresses = true
    /// The name that others see, until the user sets another.
    package var name: String
    /// The realm of a room whose name stands alone.
    package var defaultRealm: RealmName
    /// Whether the node is in the open realm: dials anyone in it, and answers.
    package var isInOpenRealm: Bool
    /// Who may start direct conversations without being accepted.
    package var directFrom: DirectPolicy
    /// Whether others are told what the user has read.
    package var tellsReads: Bool
    /// Whether others are told if the user is there.
    package var tellsPresence: Bool
    /// Whether others are told where the user writes.
    package var tellsTyping: Bool
    /// What matters less is not logged.
    package var logLevel: LogLevel
    /// Files of at most so many bytes are fetched by themselves.
    package var autoFetchBytes: UInt64
    /// What files may take of the disk, in bytes; nil for a tenth of it, and 10 GiB at most.
    package var fileLimitBytes: UInt64?
    /// What messages may take of the disk, in bytes; nil for a tenth of it, at least 256 MiB and at most 10 GiB.
    package var diskLimitBytes: UInt64?
    /// For how many days data of durable streams is kept that not everybody has.
    package var streamsKeepDays: UInt64
    /// The group whose members may use the control socket, too; nil for none.
    package var socketGroup: String?
    /// When the node locks by itself.
    package var lock = LockRules()
    /// The file that counters are written to; nil for none.
    package var metrics: String?
    /// What the files, the environment and flags say.
    var given = GivenSettings()
    /// Those that were given another value since the start, which counts at the next.
    var pending: [Setting] = []
    /// What is shared with other sites, and by which servers.
    var sites: SitesConfiguration {
        // Checked when it was read.
        (try? SitesConfiguration(self.given.values)) ?? SitesConfiguration()
    }
    /// What was given and does not count, since an administrator has locked it: a line each.
    package var overruled: [String] { self.given.overruled }

    /// What is fetched by itself where nothing else is said: 1 MiB.
    package static let autoFetchBytesDefault: UInt64 = 1 << 20
    /// Less than this messages cannot take: 1 MiB.
    static let diskLimitLeast: UInt64 = 1 << 20
    /// Clients say every five minutes that the user is at them: with less than this the node would be locked meanwhile.
    static let lockAfterLeast: UInt64 = 10

    package init(
        dataDirectory: String, stateDirectory: String, socket: String,
        listen: [SocketAddress] = [], interface: String? = nil,
        discovery: DiscoveryMode = .auto, peers: [PeerAddress] = [], name: String,
        defaultRealm: RealmName = .open, isInOpenRealm: Bool = true,
        directFrom: DirectPolicy = .known, tellsReads: Bool = true, tellsPresence: Bool = true,
        tellsTyping: Bool = true, logLevel: LogLevel = .info,
        autoFetchBytes: UInt64 = Configuration.autoFetchBytesDefault, fileLimitBytes: UInt64? = nil,
        diskLimitBytes: UInt64? = nil, streamsKeepDays: UInt64 = Limits.streamsKeepDays,
        socketGroup: String? = nil, metrics: String? = nil
    ) {
        self.dataDirectory = dataDirectory
        self.stateDirectory = stateDirectory
        self.socket = socket
        self.listen = listen
        self.interface = interface
        self.discovery = discovery
        self.peers = peers
        self.name = name
        self.defaultRealm = defaultRealm
        self.isInOpenRealm = isInOpenRealm
        self.directFrom = directFrom
        self.tellsReads = tellsReads
        self.tellsPresence = tellsPresence
        self.tellsTyping = tellsTyping
        self.logLevel = logLevel
        self.autoFetchBytes = autoFetchBytes
        self.fileLimitBytes = fileLimitBytes
        self.diskLimitBytes = diskLimitBytes
        self.streamsKeepDays = streamsKeepDays
        self.socketGroup = socketGroup
        self.metrics = metrics
    }
}

extension Configuration {
    /// Takes the value of each setting, or the default where nothing is said.
    ///
    /// `isOffline` is for what only reads: nothing is asked of the environment for the socket and the
    /// state directory, which are not used then.
    init(
        _ settings: GivenSettings, paths: Paths, isOffline: Bool = false, userName: () -> String?
    ) throws(ConfigurationError) {
        let values = settings.values
        let single: (Setting) -> SettingValue? = { values[$0]?.last }
        self.given = settings
        self.listen = try Self.addresses(values[.listen] ?? [])
        self.interface = single(.interface)?.text
        self.discovery = .auto
        if let value = single(.discovery) {
            self.discovery = try Self.word(
                value, DiscoveryMode.allCases.map { ($0.rawValue, $0) })
        }
        self.peers = []
        for value in values[.peer] ?? [] { self.peers.append(try Self.peer(value)) }
        if let value = single(.shareAddresses) {
            self.sharesAddresses = try Self.word(value, [("yes", true), ("no", false)])
        }
        self.logLevel = .info
        if let value = single(.logLevel) {
            self.logLevel = try Self.word(value, LogLevel.all.map { ($0.word, $0) })
        }
        self.defaultRealm = try single(.realm).map(Self.realm) ?? .open
        self.isInOpenRealm = true
        if let value = single(.openRealm) {
            self.isInOpenRealm = try Self.word(value, [("yes", true), ("no", false)])
        }
        self.directFrom = .known
        if let value = single(.directFrom) {
            self.directFrom = try Self.word(
                value, DirectPolicy.allCases.map { ($0.rawValue, $0) })
        }
        self.tellsReads = try Self.isShown(single(.readMarks))
        self.tellsPresence = try Self.isShown(single(.presence))
        self.tellsTyping = try Self.isShown(single(.typing))
        self.autoFetchBytes = Self.autoFetchBytesDefault
        if let value = single(.autoFetch) { self.autoFetchBytes = try Self.bytes(value) }
        self.fileLimitBytes = try single(.fileLimit).map { (value) throws(ConfigurationError) in
            try Self.bytes(value)
        }
        self.diskLimitBytes = try single(.diskLimit).map(Self.diskLimit)
        self.streamsKeepDays = try single(.streamsKeep).map(Self.days) ?? Limits.streamsKeepDays
        self.name = try single(.name).map(Self.name) ?? Self.bounded(userName() ?? "someone")
        self.socketGroup = single(.socketGroup)?.text
        self.lock.afterMinutes = try single(.lockAfter).map(Self.lockAfter) ?? 0
        if let value = single(.lockOnSleep) {
            self.lock.onSleep = try Self.word(value, [("yes", true), ("no", false)])
        }
        _ = try SitesConfiguration(values)
        self.metrics = try single(.metrics).map { (value) throws(ConfigurationError) in
            try Self.path(value, orDefault: { "" })
        }
        // Last, so that what was typed wrongly is said before what is missing around it.
        self.dataDirectory = try Self.path(single(.dataDirectory), orDefault: paths.dataDirectory)
        self.stateDirectory = try Self.path(
            nil, orDefault: isOffline ? { "" } : paths.stateDirectory)
        self.socket = try Self.path(
            single(.socket), orDefault: isOffline ? { "" } : paths.controlSocket)
    }

    private static func addresses(
        _ values: [SettingValue]
    ) throws(ConfigurationError) -> [SocketAddress] {
        var addresses: [SocketAddress] = []
        for value in values {
            let address = try Self.listen(value)
            // Port 0 is another one each time.
            if address.port != 0, let earlier = addresses.firstIndex(of: address) {
                throw Self.invalid(
                    value, "is given again after \(values[earlier].origin)",
                    remedy: "keep one of the two: each line adds an address")
            }
            addresses.append(address)
        }
        return addresses
    }

    static func realm(_ value: SettingValue) throws(ConfigurationError) -> RealmName {
        if let name = RealmName(typed: value.text) { return name }
        throw Self.invalid(
            value, "cannot be the name of a realm",
            remedy: "use at most \(Limits.realmNameCharacters) letters, digits and -")
    }

    private static func diskLimit(_ value: SettingValue) throws(ConfigurationError) -> UInt64 {
        let bytes = try Self.bytes(value)
        guard bytes >= Self.diskLimitLeast else {
            throw Self.invalid(
                value, "is too small for a database", remedy: "allow at least 1M")
        }
        return bytes
    }

    private static func days(_ value: SettingValue) throws(ConfigurationError) -> UInt64 {
        guard let days = UInt32(value.text), days > 0 else {
            throw Self.invalid(
                value, "is not a number of days", remedy: "write a whole number from 1 on: 7")
        }
        return UInt64(days)
    }

    private static func lockAfter(_ value: SettingValue) throws(ConfigurationError) -> UInt64 {
        guard let minutes = UInt32(value.text), minutes == 0 || minutes >= Self.lockAfterLeast
        else {
            throw Self.invalid(
                value, "is not a number of minutes from \(Self.lockAfterLeast) on",
                remedy: "write a whole number: 15; or 0 for never")
        }
        return UInt64(minutes)
    }

    private static func name(_ value: SettingValue) throws(ConfigurationError) -> String {
        guard Profile.isShort(value.text) else {
            throw Self.invalid(
                value, "has \(value.text.unicodeScalars.count) characters",
                remedy: "use at most \(Limits.nameCharacters)")
        }
        if let refused = OwnName.refusedCharacter(in: value.text) {
            throw Self.invalid(
                value, "cannot be a name, because it contains \(refused)",
                remedy: "leave that out")
        }
        return value.text
    }

    static func path(
        _ value: SettingValue?, orDefault fallback: () throws(PathError) -> String
    ) throws(ConfigurationError) -> String {
        guard let value else {
            do throws(PathError) {
                return try fallback()
            } catch {
                throw ConfigurationError(
                    error.reason, remedy: error.remedy, isFromFile: false)
            }
        }
        guard !value.isFromFile || value.text.hasPrefix("/") else {
            throw Self.invalid(
                value, "is not an absolute path", remedy: "start it with / in a file")
        }
        return value.text
    }

    private static func listen(_ value: SettingValue) throws(ConfigurationError) -> SocketAddress {
        guard let address = SocketAddress(value.text) else {
            throw Self.invalid(
                value, "is not an address with a port",
                remedy: "write 192.0.2.7:4100, [::]:4100 or 0.0.0.0:0; port 0 takes any free one")
        }
        return address
    }

    private static func peer(_ value: SettingValue) throws(ConfigurationError) -> PeerAddress {
        do throws(PeerAddressError) {
            return try PeerAddress(value.text)
        } catch {
            throw Self.invalid(value, "is not [KEY@]HOST:PORT", remedy: error.description)
        }
    }

    private static func isShown(_ value: SettingValue?) throws(ConfigurationError) -> Bool {
        try value.map { (value) throws(ConfigurationError) in
            try Self.word(value, [("shown", true), ("private", false)])
        } ?? true
    }

    static func bytes(_ value: SettingValue) throws(ConfigurationError) -> UInt64 {
        let units: [(Character, UInt64)] = [
            ("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30), ("T", 1 << 40),
        ]
        let unit = units.first { $0.0 == value.text.last }
        let digits = unit == nil ? value.text[...] : value.text.dropLast()
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(digits),
            case let (bytes, isOver) = number.multipliedReportingOverflow(by: unit?.1 ?? 1), !isOver
        else {
            throw Self.invalid(
                value, "is not a size", remedy: "write bytes, or a number with K, M or G: 500M")
        }
        return bytes
    }

    private static func word<Value>(
        _ value: SettingValue, _ words: [(String, Value)]
    ) throws(ConfigurationError) -> Value {
        if let found = words.first(where: { $0.0 == value.text }) { return found.1 }
        let names = words.map(\.0)
        let nearest = NearestName.find(value.text, among: names)
        throw Self.invalid(
            value, "is none of \(names.joined(separator: ", "))",
            remedy: nearest.map { "did you mean \($0)?" } ?? "use one of them")
    }

    static func invalid(
        _ value: SettingValue, _ fault: String, remedy: String
    ) -> ConfigurationError {
        let shown = TerminalText.line(String(value.text.unicodeScalars.prefix(80)))
        return ConfigurationError(
            "\(value.origin): \"\(shown)\" \(fault)", remedy: remedy,
            isFromFile: value.isFromFile)
    }

    /// Cuts a name from the user database to its limit, between characters.
    private static func bounded(_ name: String) -> String {
        var name = name
        while !Profile.isShort(name) { name.removeLast() }
        return name.isEmpty ? "someone" : name
    }
}
