/// One thing that can be set: by a flag, in `stoad.conf`, or both.
enum Setting: String, CaseIterable, Sendable {
    case dataDirectory = "data-dir"
    case socket
    case listen
    case interface
    case discovery
    case peer
    case name
    case logLevel = "log-level"

    /// The flag, such as `--data-dir`.
    var flag: String { "--\(self.rawValue)" }

    /// The key in the file, such as `DataDir`.
    var key: String {
        self.rawValue.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
            .joined()
    }

    /// The section of the file that holds the key.
    var section: String {
        switch self {
        case .dataDirectory, .name, .logLevel: "Node"
        case .listen, .interface, .discovery, .peer: "Network"
        case .socket: "Control"
        }
    }

    /// Whether it may be given more than once.
    var isList: Bool {
        switch self {
        case .listen, .peer: true
        case .dataDirectory, .socket, .interface, .discovery, .name, .logLevel: false
        }
    }

    /// What stands for the value in the help text.
    var valueShape: String {
        switch self {
        case .dataDirectory: "DIRECTORY"
        case .socket: "PATH"
        case .listen: "ADDRESS:PORT"
        case .interface: "NAME"
        case .discovery: "auto|system|embedded|off"
        case .peer: "[KEY@]HOST:PORT"
        case .name: "NAME"
        case .logLevel: "error|warning|notice|info|debug"
        }
    }

    /// What it does, for the help text.
    var help: String {
        switch self {
        case .dataDirectory: "where identity and messages lie (~/.local/share/stoa)"
        case .socket: "the control socket ($XDG_RUNTIME_DIR/stoa/control.sock)"
        case .listen: "where peers can reach this node; repeatable ([::]:0)"
        case .interface: "use this network interface only"
        case .discovery: "how to find peers (auto)"
        case .peer: "a peer to keep a link to; repeatable"
        case .name: "the name that others see at first (your name)"
        case .logLevel: "how much to log (info)"
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
