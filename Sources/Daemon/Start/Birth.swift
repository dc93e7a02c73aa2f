internal import Crypto
internal import Engine
internal import Formats
internal import Loop
internal import Posix

/// What one start is given, and what makes it this one.
struct Birth: Sendable {
    /// Reads the arguments and files anew, with what the user's own settings are going to be where that is given.
    typealias Rereading = @Sendable (String?) throws(ConfigurationError) -> DaemonCommand

    var identity: OwnIdentity
    /// What seals the node's secrets on its own disk.
    let safe: Safe
    /// What a restored backup has that this start takes up.
    var restored: Contacts?
    /// Whether the data directory is on a read-only file system, so that it is only read.
    var isOnlyReading = false
    /// Sockets that systemd handed over.
    var activated: [ActivatedSocket] = []
    /// What clients may cost.
    var bounds = ControlBounds()
    /// How often the database is read through.
    var scrub = ScrubSchedule()
    /// Nil where nothing can be read again.
    var rereading: Rereading?
    /// The user's own file of settings, which need not exist; nil where no home is known.
    var settingsFile: String?
    /// Random per start, for the handshake.
    let boot: UInt64
    let moment = SystemClock.wallMilliseconds()

    init(_ identity: OwnIdentity, _ safe: Safe) {
        self.identity = identity
        self.safe = safe
        var random = SodiumRandom()
        self.boot = random.next()
    }
}
