/// One thing that can be set: by a flag, in `stoad.conf`, or both.
enum Setting: String, CaseIterable, Sendable {
    case dataDirectory = "data-dir"
    case socket
    case listen
    case interface
    case discovery
    case peer
    case name
    case realm
    case openRealm = "open-realm"
    case directFrom = "direct-from"
    case readMarks = "read-marks"
    case autoFetch = "auto-fetch"
    case fileLimit = "file-limit"
    case logLevel = "log-level"

    /// The flag, such as `--data-dir`.
    var flag: String { "--\(self.rawValue)" }

    /// The key in the file, such as `DataDir`.
    var key: String {
        self.rawValue.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
            .joined()
    }

    /// What people are told of a setting, and how it may be given.
    struct Description {
        /// The section of the file that holds the key.
        let section: String
        /// What stands for the value in the help text.
        let valueShape: String
        /// What it does, for the help text.
        let help: String
        /// Whether it may be given more than once.
        var isList = false
    }

    /// What people are told of this setting; ``Configuration`` reads its value.
    var description: Description {
        switch self {
        case .dataDirectory:
            Description(
                section: "Node", valueShape: "DIRECTORY",
                help: "where identity and messages lie (~/.local/share/stoa)")
        case .socket:
            Description(
                section: "Control", valueShape: "PATH",
                help: "the control socket ($XDG_RUNTIME_DIR/stoa/control.sock)")
        case .listen:
            Description(
                section: "Network", valueShape: "ADDRESS:PORT",
                help: "where peers can reach this node; repeatable ([::]:0)", isList: true)
        case .interface:
            Description(
                section: "Network", valueShape: "NAME", help: "use this network interface only")
        case .discovery:
            Description(
                section: "Network", valueShape: "auto|system|embedded|off",
                help: "how to find peers (auto)")
        case .peer:
            Description(
                section: "Network", valueShape: "[KEY@]HOST:PORT",
                help: "a peer to keep a link to; repeatable", isList: true)
        case .name:
            Description(
                section: "Node", valueShape: "NAME",
                help: "the name that others see at first (your login name)")
        case .realm:
            Description(
                section: "Node", valueShape: "NAME",
                help: "the realm of rooms whose name stands alone (open)")
        case .openRealm:
            Description(
                section: "Node", valueShape: "yes|no",
                help: "whether to be in the open realm, too: to link to anyone (yes)")
        case .directFrom:
            Description(
                section: "Node", valueShape: "anyone|known|verified",
                help: "who may write to you without being accepted first (known)")
        case .readMarks:
            Description(
                section: "Node", valueShape: "shown|private",
                help: "whether others see what you have read (shown)")
        case .autoFetch:
            Description(
                section: "Files", valueShape: "SIZE",
                help: "fetch files up to this size by themselves; 0 for none (1M)")
        case .fileLimit:
            Description(
                section: "Files", valueShape: "SIZE",
                help: "what files may take of the disk (a tenth of it, at most 10G)")
        case .logLevel:
            Description(
                section: "Node", valueShape: "error|warning|notice|info|debug",
                help: "how much to log (info)")
        }
    }
}

/// A value as it was given, and where, so that an error can say so.
struct SettingValue: Equatable, Sendable {
    var text: String
    /// `--listen`, `/home/ada/.config/stoa/stoad.conf:3: Listen` or `STOA_LOG`.
    var origin: String
    /// Whether a file holds it, which decides the exit code of an error.
    var isFromFile: Bool
}
