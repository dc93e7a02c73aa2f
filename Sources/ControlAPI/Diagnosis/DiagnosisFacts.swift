/// What `stoa doctor` knows of a machine and its daemon; ``Diagnosis`` judges it.
///
/// What could not be found out is nil or empty, and nothing is said about it.
package struct DiagnosisFacts: Sendable {
    /// What came of asking the daemon.
    package enum Answer: Sendable, Equatable {
        case answered
        /// Nobody listens on the socket, or it cannot be used: why, and what to do.
        case absent(why: String, remedy: String)
        /// Somebody listens and does not answer in time.
        case silent
        /// A passphrase locks the node.
        case locked
    }

    /// What came of asking a daemon that answers for what it finds itself.
    package enum OwnChecks: Sendable, Equatable {
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
    package struct Units: Sendable, Equatable {
        /// Whether it knows the units at all.
        package var areInstalled: Bool
        /// Whether it listens on the control socket for the daemon.
        package var isListening: Bool
        /// Whether the daemon's service has failed.
        package var hasFailed: Bool
        /// Whether the daemon is started at each log-in.
        package var startsAtLogin: Bool

        package init(
            areInstalled: Bool, isListening: Bool, hasFailed: Bool, startsAtLogin: Bool
        ) {
            self.areInstalled = areInstalled
            self.isListening = isListening
            self.hasFailed = hasFailed
            self.startsAtLogin = startsAtLogin
        }
    }

    /// A file or folder that is for the user alone.
    package struct PrivateFile: Sendable, Equatable {
        package var path: String
        /// Its permission bits.
        package var mode: UInt32
        /// Whether it belongs to the user.
        package var isOwn: Bool
        /// Whether it is a folder.
        package var isFolder: Bool

        package init(path: String, mode: UInt32, isOwn: Bool, isFolder: Bool) {
            self.path = path
            self.mode = mode
            self.isOwn = isOwn
            self.isFolder = isFolder
        }
    }

    /// Where the data of a node lie that has a lock.
    package struct LockedData: Sendable, Equatable {
        /// The data directory.
        package var folder: String
        /// Whether the kernel encrypts the disk below it; nil where that cannot be told.
        package var isEncrypted: Bool?
        /// How it stands with the desktop's keyring; nil where that has no key of the node.
        package var keyring: StatusMethod.Keyring?

        package init(folder: String) { self.folder = folder }
    }

    /// A network interface that multicast should pass, and whether a packet has passed this machine's own
    /// rules both ways.
    package struct Multicast: Sendable, Equatable {
        /// What came of sending a packet to the group of multicast DNS.
        package enum Outcome: Sendable, Equatable {
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
        package var interface: String
        /// What came of it.
        package var outcome: Outcome

        package init(interface: String, outcome: Outcome) {
            self.interface = interface
            self.outcome = outcome
        }
    }

    /// What shares rooms with other sites says of itself.
    package struct Sites: Sendable, Equatable {
        package var report: SitesReport
        package var isRunning: Bool

        package init(report: SitesReport, isRunning: Bool) {
            self.report = report
            self.isRunning = isRunning
        }
    }

    /// What came of asking the daemon.
    package var answer = Answer.answered
    /// The version of the command line.
    package var version = StoaVersion.text
    /// What the daemon says of itself.
    package var status: StatusMethod.Result?
    /// What is left for the user where the data lie, in bytes; nil where that cannot be asked for.
    package var freeBytes: Int64?
    /// What a lock is on; nil where there is none.
    package var locked: LockedData?
    /// Why the daemon could not start the last time, where it does not run.
    package var lastWords: String?
    /// Who is known, with how it stands with them.
    package var peers: [PeersMethod.Peer] = []
    /// What is dialled and has no link.
    package var dials: [DialsMethod.Dial] = []
    /// What the daemon has found out for this; nil where it cannot, or may not be asked.
    package var diagnosis: DiagnoseMethod.Result?
    /// Why it has not.
    package var ownChecks = OwnChecks.done
    /// Why others' connections came to nothing.
    package var refusals: [RefusalsMethod.Refusal] = []
    /// The time now.
    package var now: Timestamp?
    /// What the service manager says; nil where there is none, or another socket was asked for.
    package var units: Units?
    /// Whether the user's services outlive a log-out; nil where nobody can tell.
    package var lingers: Bool?
    /// Whether the user is here by ssh or at a console, without a desktop that stays.
    package var isWithoutDesktop = false
    /// Whether a network interface beside loopback is up; nil where they cannot be listed.
    package var hasNetwork: Bool?
    /// This machine's own addresses, as they stand in ``DialsMethod/Dial/addresses``, without ports.
    package var addresses: Set<String> = []
    /// The networks that this machine is in, such as `192.0.2.7/24`, without loopback.
    package var networks: [String] = []
    /// Hosts of ``dials`` and of ``diagnosis`` that are in none of ``networks``.
    package var foreignHosts: Set<String> = []
    /// The interfaces that the daemon can be reached by.
    package var multicast: [Multicast] = []
    /// Whether the Avahi daemon runs.
    package var avahiRuns = false
    /// Accounts of the system, other than Avahi's, that hold the port of multicast DNS, with their programs.
    package var otherResponders: [String] = []
    /// Who holds the addresses of ``DiagnoseMethod/Result/taken``, as far as that can be found out.
    package var portHolders: [String: String] = [:]
    /// What shares rooms with other sites; nil where nothing does.
    package var sites: Sites?
    /// The files that are for the user alone.
    package var files: [PrivateFile] = []

    /// Nothing is known.
    package init() {}
}
