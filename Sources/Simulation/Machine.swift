import Engine
import Formats
import Crypto

/// A computer with its clocks and its disk, and the node that runs on it now and then.
final class Machine {
    struct Identity {
        let signer: Signer
        /// Mostly of a person of its own.
        var certificate: Certificate
        var person: PersonKeys
    }

    /// Where its user may be.
    struct Access {
        var realms = Realms()
        /// The secrets that its node shakes hands by.
        var secrets = [RealmSecret.open]
        /// The keys of sealed rooms that its user has.
        var keyring = Keyring()
    }

    struct Files {
        /// The content of files, and what is to be done about it.
        var blobs = ModelBlobs()
        var jobs: [Simulation.FileJob] = []
        /// Files of at most so many bytes are fetched by themselves.
        var autoFetchBytes: UInt64 = 0
        /// Whether its user fetches all files in the end.
        var wantsAll = false
    }

    /// What becomes of the machine, or became.
    struct Fate {
        /// Whether it never starts again.
        var isRetired = false
        /// Whether the machine was put back to an earlier disk.
        var wasRestored = false
        /// After how many more actions it is killed, if it is to be.
        var actionsUntilCrash: Int?
    }

    /// Before which time its user wanted payloads of a room to expire.
    struct ExpiryWishes {
        /// In this start.
        var cutOffs: [ConversationID: HybridTime] = [:]
        /// Ever.
        var before: [ConversationID: HybridTime] = [:]
    }

    let index: Int
    var identity: Identity
    var access = Access()
    /// Where it listens, best first.
    var addresses: [String]
    var random: SeededRandom
    var store: ModelStore
    var files = Files()
    /// The running node; nil while it is stopped.
    var node: Node?
    /// Counts the starts.
    var start = 0
    var boot: UInt64 = 0
    var serviceName = ""
    var clock: WallClock
    var monotonic: MonotonicClock
    var timers: [Timer: (at: UInt64, generation: UInt64)] = [:]
    var writing: Batch?
    var isDiskFull = false
    var expiry = ExpiryWishes()
    /// Bytes that it takes in per millisecond.
    var readRate = 1_000_000
    /// The wires of open links.
    var wires: [LinkID: (wire: Int, side: Int)] = [:]
    var dials: [DialID: Int] = [:]
    /// Requests without an answer.
    var requests: [RequestID: Request] = [:]
    /// The newest cursor that was shown.
    var shownCursor = Cursor(0)
    var fate = Fate()
    /// Whether it is one of some ``Sybils``, and no node runs on it.
    private(set) var isPuppet = false
    /// What it does to others; nil for an honest one.
    var adversary: Adversary?

    init(
        index: Int, identity: Identity, addresses: [String], random: SeededRandom,
        monotonic: MonotonicClock
    ) {
        self.index = index
        self.identity = identity
        self.addresses = addresses
        self.random = random
        self.store = ModelStore(owner: PeerID(identity.signer.publicKey))
        self.clock = WallClock()
        self.monotonic = monotonic
    }

    var id: PeerID { self.store.owner }
    var isUp: Bool { self.node != nil || (self.isPuppet && !self.fate.isRetired) }

    /// From here on it is one of some ``Sybils``: no node ever runs on it.
    func becomePuppet(boot: UInt64) {
        self.isPuppet = true
        self.boot = boot
        self.start = 1
        self.serviceName = "p\(self.index)"
    }
}

/// A wall clock that is off, and may run fast or slow.
struct WallClock {
    private var error: Int64 = 0
    private var setAt: UInt64 = 0
    /// How fast it runs beside the true time, in parts per million.
    private var drift: Int64 = 0
    /// How far it was set ahead of the true time at most, in milliseconds.
    private(set) var mostAhead: Int64 = 0

    /// What it shows at a true moment, both in milliseconds since 1970.
    func reading(at moment: UInt64) -> UInt64 {
        let since = Int64(moment) - Int64(self.setAt)
        let reading = Int64(moment) + self.error + since * self.drift / 1_000_000
        return UInt64(max(reading, 0))
    }

    /// Sets it to be so many milliseconds off, and to run at another speed from then on.
    mutating func set(error: Int64, drift: Int64? = nil, at moment: UInt64) {
        self.error = error
        self.mostAhead = max(self.mostAhead, error)
        self.setAt = moment
        if let drift { self.drift = drift }
    }
}

/// A clock that never goes back, and may run a little fast or slow.
struct MonotonicClock {
    /// What it showed at the beginning of all.
    let base: UInt64
    /// How fast it runs beside the true time, in parts per million.
    var drift: Int64 = 0

    /// What it shows so many true milliseconds after the beginning.
    func reading(at time: UInt64) -> UInt64 {
        let elapsed = Int64(time)
        return self.base + UInt64(elapsed + elapsed * self.drift / 1_000_000)
    }

    /// How many true milliseconds after `time` it first shows a reading.
    func wait(until reading: UInt64, from time: UInt64) -> UInt64 {
        let now = self.reading(at: time)
        guard reading > now else { return 0 }
        let left = Int64(reading - now)
        var wait = UInt64(left * 1_000_000 / (1_000_000 + self.drift))
        while self.reading(at: time + wait) < reading { wait += 1 }
        return wait
    }
}
