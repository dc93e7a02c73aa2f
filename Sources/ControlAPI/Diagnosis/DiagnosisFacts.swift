/// What `stoa doctor` knows of a machine and its daemon; ``Diagnosis`` judges it.
///
/// What could not be found out is nil or empty, and nothing is said about it.
public struct DiagnosisFacts: Sendable {
    /// What came of asking the daemon.
    public enum Answer: Sendable, Equatable {
        /// It answered.
        case answered
        /// Nobody listens on the socket, or it cannot be used: why, and what to do.
        case absent(why: String, remedy: String)
        /// Somebody listens and does not answer in time.
        case silent
    }

    /// What came of asking a daemon that answers for what it finds itself.
    public enum OwnChecks: Sendable, Equatable {
        /// It has said so, or may not be asked by whoever asks.
        case done
        /// It was not done within this time.
        case late(milliseconds: Int64)
        /// It does not know how, or in a way that cannot be read, as those of other versions: why, and what to do.
        case unknown(why: String, remedy: String)
        /// It could not: why, and what to do; empty where nobody says so.
        case failed(why: String, remedy: String)
    }

    /// What the user's service manager says; nil in its place where there is none.
    public struct Units: Sendable, Equatable {
        /// Whether it knows the units at all.
        public var areInstalled: Bool
        /// Whether it listens on the control socket for the daemon.
        public var isListening: Bool
        /// Whether the daemon's service has failed.
        public var hasFailed: Bool
        /// Whether the daemon is started at each log-in.
        public var startsAtLogin: Bool

        /// Makes it from its parts.
        public init(
            areInstalled: Bool, isListening: Bool, hasFailed: Bool, startsAtLogin: Bool
        ) {
            self.areInstalled = areInstalled
            self.isListening = isListening
            self.hasFailed = hasFailed
            self.startsAtLogin = startsAtLogin
        }
    }

    /// A file or folder that is for the user alone.
    public struct PrivateFile: Sendable, Equatable {
        /// Where.
        public var path: String
        /// Its permission bits.
        public var mode: UInt32
        /// Whether it belongs to the user.
        public var isOwn: Bool
        /// Whether it is a folder.
        public var isFolder: Bool

        /// Makes it from its parts.
        public init(path: String, mode: UInt32, isOwn: Bool, isFolder: Bool) {
            self.path = path
            self.mode = mode
            self.isOwn = isOwn
            self.isFolder = isFolder
        }
    }

    /// A network interface that multicast should pass, and whether a packet has passed this machine's own
    /// rules both ways.
    public struct Multicast: Sendable, Equatable {
        /// What came of sending a packet to the group of multicast DNS.
        public enum Outcome: Sendable, Equatable {
            /// It was heard here again.
            case heard
            /// It was sent, and not heard.
            case unheard
            /// It could not be sent: why.
            case unsent(String)
            /// The interface cannot multicast.
            case unable
        }

        /// The interface's name.
        public var interface: String
        /// What came of it.
        public var outcome: Outcome

        /// Makes it from its parts.
        public init(interface: String, outcome: Outcome) {
            self.interface = interface
            self.outcome = outcome
        }
    }

    /// What came of asking the daemon.
    public var answer = Answer.answered
    /// The version of the command line.
    public var version = StoaVersion.text
    /// What the daemon says of itself.
    public var status: StatusMethod.Result?
    /// What is left for the user where the data lie, in bytes; nil where that cannot be asked for.
    public var freeBytes: Int64?
    /// Who is known, with how it stands with them.
    public var peers: [PeersMethod.Peer] = []
    /// What is dialled and has no link.
    public var dials: [DialsMethod.Dial] = []
    /// What the daemon has found out for this; nil where it cannot, or may not be asked.
    public var diagnosis: DiagnoseMethod.Result?
    /// Why it has not.
    public var ownChecks = OwnChecks.done
    /// Why others' connections came to nothing.
    public var refusals: [RefusalsMethod.Refusal] = []
    /// The time now.
    public var now: Timestamp?
    /// What the service manager says; nil where there is none, or another socket was asked for.
    public var units: Units?
    /// Whether the user's services outlive a log-out; nil where nobody can tell.
    public var lingers: Bool?
    /// Whether the user is here by ssh or at a console, without a desktop that stays.
    public var isWithoutDesktop = false
    /// Whether a network interface beside loopback is up; nil where they cannot be listed.
    public var hasNetwork: Bool?
    /// This machine's own addresses, as they stand in ``DialsMethod/Dial/addresses``, without ports.
    public var addresses: Set<String> = []
    /// The networks that this machine is in, such as `192.0.2.7/24`, without loopback.
    public var networks: [String] = []
    /// Hosts of ``dials`` and of ``diagnosis`` that are in none of ``networks``.
    public var foreignHosts: Set<String> = []
    /// The interfaces that the daemon can be reached by.
    public var multicast: [Multicast] = []
    /// Whether the Avahi daemon runs.
    public var avahiRuns = false
    /// Accounts of the system, other than Avahi's, that hold the port of multicast DNS.
    public var otherResponders: [String] = []
    /// The files that are for the user alone.
    public var files: [PrivateFile] = []

    /// Nothing is known.
    public init() {}
}
