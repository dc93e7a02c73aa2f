internal import Engine
internal import Formats

/// One thing that can be set: by a flag, in `stoad.conf`, or both.
enum Setting: String, CaseIterable, Sendable {
    case dataDirectory = "data-dir"
    case name
    case realm
    case openRealm = "open-realm"
    case directFrom = "direct-from"
    case readMarks = "read-marks"
    case presence
    case typing
    case logLevel = "log-level"
    case metrics
    case diskLimit = "disk-limit"
    case streamsKeep = "streams-keep"
    case listen
    case interface
    case discovery
    case peer
    case shareAddresses = "share-addresses"
    case autoFetch = "auto-fetch"
    case fileLimit = "file-limit"
    case socket
    case socketGroup = "socket-group"
    case lockAfter = "lock-after"
    case lockOnSleep = "lock-on-sleep"
    case sites
    case sitesRealm = "sites-realm"
    case sitesCredentials = "sites-credentials"
    case sitesFileLimit = "sites-file-limit"

    /// The flag, such as `--data-dir`.
    var flag: String { "--\(self.rawValue)" }

    /// The key in the file, such as `DataDir`.
    var key: String {
        self.rawValue.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
            .joined()
    }

    /// When a change of a file counts for a daemon that runs.
    enum Effect: String, Sendable {
        /// When the daemon reads its configuration again.
        case reload = "A reload applies changes."
        /// Only a start reads it.
        case start = "Changes apply at the next start."
    }

    /// What people are told of a setting, and how it may be given.
    struct Description {
        /// The section of the file that holds the key.
        let section: String
        /// What stands for the value in the help text.
        let valueShape: String
        /// What it does, for the help text.
        let help: String
        /// What counts where nothing is said.
        let fallback: String
        /// When a change counts.
        let effect: Effect
        /// Sentences for the manual page.
        var details = ""
        /// Whether it may be given more than once.
        var isList = false
    }

    /// What people are told of this setting; ``Configuration`` reads its value.
    var description: Description {
        switch self {
        case .dataDirectory, .name, .realm, .openRealm, .directFrom, .readMarks, .presence, .typing,
            .logLevel, .metrics, .diskLimit, .streamsKeep:
            self.descriptionOfNode
        case .listen, .interface, .discovery, .peer, .shareAddresses: self.descriptionOfNetwork
        case .autoFetch, .fileLimit, .socket, .socketGroup, .lockAfter, .lockOnSleep:
            self.descriptionOfFilesAndControl
        case .sites, .sitesRealm, .sitesCredentials, .sitesFileLimit: self.descriptionOfSites
        }
    }

    private var descriptionOfSites: Description {
        switch self {
        case .sites:
            Description(
                section: "Sites", valueShape: "nats://HOST[:PORT]",
                help: "a NATS server that keeps rooms for other sites; repeatable",
                fallback: "none", effect: .reload,
                details:
                    "With tls://HOST[:PORT] it insists on TLS. Name all servers of a cluster. Used "
                    + "by stoa-sites, which has to run too: see the guide, Several sites.",
                isList: true)
        case .sitesRealm:
            Description(
                section: "Sites", valueShape: "NAME",
                help: "the realm whose rooms are shared between sites", fallback: "none",
                effect: .reload,
                details: "Not the open one: its secret is what keeps the servers from reading.")
        case .sitesFileLimit:
            Description(
                section: "Sites", valueShape: "SIZE",
                help: "files up to this size go by way of the servers", fallback: "64M",
                effect: .reload,
                details:
                    "Larger ones are fetched from a linked peer that has them. 0 keeps all files away from "
                    + "the servers.")
        default:
            Description(
                section: "Sites", valueShape: "FILE",
                help: "the file with which stoa-sites logs in to the servers", fallback: "none",
                effect: .reload,
                details:
                    "A credentials file of NATS, or one with the line NAME:PASSWORD. It should be "
                    + "readable by you alone.")
        }
    }

    private var descriptionOfNode: Description {
        switch self {
        case .dataDirectory:
            Description(
                section: "Node", valueShape: "DIRECTORY",
                help: "where the identity and messages are stored",
                fallback: "~/.local/share/stoa", effect: .start,
                details: "It is created if missing; nobody else may be able to enter it.")
        case .name:
            Description(
                section: "Node", valueShape: "NAME", help: "the name that others see at first",
                fallback: "your login name", effect: .start,
                details:
                    "At most 64 characters, without @ and control characters. Once a name is set with "
                    + "stoa profile, that one is used."
            )
        case .realm:
            Description(
                section: "Node", valueShape: "NAME",
                help: "the realm of rooms written without one", fallback: "open",
                effect: .reload, details: "Rooms of other realms are written REALM/ROOM.")
        case .openRealm:
            Description(
                section: "Node", valueShape: "yes|no",
                help: "whether to be in the open realm too, linking to anyone", fallback: "yes",
                effect: .reload,
                details: "With no, the daemon links only to nodes that share a realm's secret "
                    + "with it, and rooms of the open realm cannot be reached.")
        case .directFrom:
            Description(
                section: "Node", valueShape: "anyone|known|verified",
                help: "people who may write to you without being accepted first", fallback: "known",
                effect: .reload,
                details: "Requests from others wait: see stoa requests.")
        case .readMarks:
            Description(
                section: "Node", valueShape: "shown|private",
                help: "whether others see what you have read", fallback: "shown", effect: .reload)
        case .presence:
            Description(
                section: "Node", valueShape: "shown|private",
                help: "whether others see if you are there or away", fallback: "shown",
                effect: .reload,
                details: "After a reload, linked people keep what they have seen last until "
                    + "their link ends.")
        case .typing:
            Description(
                section: "Node", valueShape: "shown|private",
                help: "whether others see that you are typing", fallback: "shown", effect: .reload)
        case .logLevel:
            Description(
                section: "Node", valueShape: "error|warning|notice|info|debug",
                help: "how much to log", fallback: "info", effect: .reload,
                details: "The text of messages is never logged.")
        case .diskLimit:
            Description(
                section: "Node", valueShape: "SIZE", help: "most disk space messages may use",
                fallback: "a tenth of it, at least 256M and at most 10G", effect: .start,
                details:
                    "At least 1M. Strangers together get a quarter of it and realm members a half: "
                    + "beyond that their largest logs are deleted. If your contacts and "
                    + "you fill all of it, nothing is accepted or sent until "
                    + "there is space: see stoa usage and stoa retain.")
        case .streamsKeep:
            Description(
                section: "Node", valueShape: "DAYS",
                help: "how long to keep data of durable streams",
                fallback: "\(Limits.streamsKeepDays)", effect: .reload,
                details: "Data that this node sent is deleted once all members of that time have "
                    + "it. Data that a durable consumer here has not acknowledged is kept.")
        default:
            Description(
                section: "Node", valueShape: "FILE",
                help: "write counters to this file every 15 seconds", fallback: "none",
                effect: .reload,
                details: "In the text format of Prometheus for its textfile collector, replaced "
                    + "as a whole. It contains no names or texts.")
        }
    }

    private var descriptionOfNetwork: Description {
        switch self {
        case .listen:
            Description(
                section: "Network", valueShape: "ADDRESS:PORT",
                help: "where peers can reach this node; repeatable",
                fallback: "a free port, for IPv6 and IPv4", effect: .start,
                details: "Every line adds an address. Port 0 takes any free one.", isList: true)
        case .interface:
            Description(
                section: "Network", valueShape: "NAME", help: "use this network interface only",
                fallback: "all", effect: .start,
                details: "For discovery, and for listening unless Listen says where.")
        case .discovery:
            Description(
                section: "Network", valueShape: "auto|system|embedded|off",
                help: "how to find peers", fallback: "auto", effect: .start,
                details: "system uses the Avahi daemon, embedded its own multicast DNS, "
                    + "auto the former if it is running, and off only peers "
                    + "that are named or remembered.")
        case .shareAddresses:
            Description(
                section: "Network", valueShape: "yes|no",
                help: "whether members of your realms learn this machine's addresses",
                fallback: "yes", effect: .reload,
                details: "Members who are not in the same network can link directly then. "
                    + "With no, addresses that they learned before are used for up to "
                    + "30 days more.")
        default:
            Description(
                section: "Network", valueShape: "[KEY@]HOST:PORT",
                help: "a peer to stay linked to; repeatable", fallback: "none", effect: .reload,
                details: "With a KEY of 52 characters (the key of stoa status there), "
                    + "only that peer is accepted. A host name is looked up at the start, and "
                    + "again every 30 seconds until that works; its first address is used. A peer "
                    + "removed by a reload is dropped at the next start.", isList: true)
        }
    }

    private var descriptionOfFilesAndControl: Description {
        switch self {
        case .autoFetch:
            Description(
                section: "Files", valueShape: "SIZE",
                help: "download files up to this size by themselves; 0 for none", fallback: "1M",
                effect: .reload, details: "Only files from contacts.")
        case .fileLimit:
            Description(
                section: "Files", valueShape: "SIZE", help: "most disk space files may use",
                fallback: "a tenth of it, at most 10G", effect: .start)
        case .socket:
            Description(
                section: "Control", valueShape: "PATH", help: "the control socket",
                fallback: "$XDG_RUNTIME_DIR/stoa/control.sock", effect: .start,
                details: "Ignored if systemd passes a listening Unix socket.")
        case .lockAfter:
            Description(
                section: "Control", valueShape: "MINUTES",
                help: "lock the node after so long without you; 0 for never", fallback: "0",
                effect: .reload,
                details:
                    "At least 10, since clients say only every few minutes that you are there. "
                    + "A key in the chat, a touch of the page, and anything sent or changed through "
                    + "the control socket count, also by a program. Time for which the machine "
                    + "sleeps does not count. Without a lock (stoa lock set) it has no effect.")
        case .lockOnSleep:
            Description(
                section: "Control", valueShape: "yes|no",
                help: "lock the node before the machine sleeps, and with your session",
                fallback: "no", effect: .reload,
                details:
                    "systemd-logind announces both: sleep waits up to five seconds for the lock, and a "
                    + "session is locked by loginctl lock-session, as by most screen lockers. "
                    + "Without a lock (stoa lock set) it has no effect.")
        default:
            Description(
                section: "Control", valueShape: "GROUP",
                help: "a group whose members may use the control socket too", fallback: "none",
                effect: .start,
                details: "For a machine account whose jobs run as several users: they can "
                    + "read and write messages and streams, nothing else; stoa-control(7) lists the methods."
            )
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

extension Configuration {
    /// What of it the node decides by.
    var preferences: NodePreferences {
        NodePreferences(
            directFrom: self.directFrom, tellsReads: self.tellsReads,
            autoFetchBytes: self.autoFetchBytes, tellsPresence: self.tellsPresence,
            tellsTyping: self.tellsTyping, streamsKeepDays: self.streamsKeepDays)
    }

    /// Which settings differ in another configuration, in the order of the table.
    func changes(to other: Configuration) -> [Setting] {
        Setting.allCases.filter { setting in
            switch setting {
            case .dataDirectory: self.dataDirectory != other.dataDirectory
            case .name: self.name != other.name
            case .realm: self.defaultRealm != other.defaultRealm
            case .openRealm: self.isInOpenRealm != other.isInOpenRealm
            case .directFrom: self.directFrom != other.directFrom
            case .readMarks: self.tellsReads != other.tellsReads
            case .presence: self.tellsPresence != other.tellsPresence
            case .typing: self.tellsTyping != other.tellsTyping
            case .logLevel: self.logLevel != other.logLevel
            case .metrics: self.metrics != other.metrics
            case .listen: self.listen != other.listen
            case .interface: self.interface != other.interface
            case .discovery: self.discovery != other.discovery
            case .peer: self.peers != other.peers
            case .shareAddresses: self.sharesAddresses != other.sharesAddresses
            case .autoFetch: self.autoFetchBytes != other.autoFetchBytes
            case .fileLimit: self.fileLimitBytes != other.fileLimitBytes
            case .diskLimit: self.diskLimitBytes != other.diskLimitBytes
            case .streamsKeep: self.streamsKeepDays != other.streamsKeepDays
            case .socket: self.socket != other.socket
            case .socketGroup: self.socketGroup != other.socketGroup
            case .lockAfter: self.lock.afterMinutes != other.lock.afterMinutes
            case .lockOnSleep: self.lock.onSleep != other.lock.onSleep
            case .sites: self.sites.servers != other.sites.servers
            case .sitesRealm: self.sites.realm != other.sites.realm
            case .sitesCredentials: self.sites.credentials != other.sites.credentials
            case .sitesFileLimit: self.sites.fileBytes != other.sites.fileBytes
            }
        }
    }

    /// Takes over what a running daemon can change; the rest stays what it was started with.
    mutating func takeUp(_ new: Configuration) {
        let old = self
        self = new
        self.pending = old.changes(to: new).filter { $0.description.effect == .start }
        self.dataDirectory = old.dataDirectory
        self.stateDirectory = old.stateDirectory
        self.name = old.name
        self.listen = old.listen
        self.interface = old.interface
        self.discovery = old.discovery
        self.fileLimitBytes = old.fileLimitBytes
        self.diskLimitBytes = old.diskLimitBytes
        self.socket = old.socket
        self.socketGroup = old.socketGroup
    }
}
