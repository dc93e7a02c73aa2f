/// All that may go wrong in a simulation, as data; every number is chance or measure, none is code.
package struct Faults: Sendable {
    /// How wrong clocks are.
    package struct Clocks: Sendable {
        /// How many milliseconds a wall clock is off at most.
        package var error: Int64 = 0
        /// How often one is set, right or wrong.
        package var jumps = 0
        /// How fast or slow one runs at most, in parts per million.
        package var drift: Int64 = 0
        /// How fast or slow a monotonic clock runs at most, in parts per million.
        package var monotonicDrift: Int64 = 0
    }

    /// The shortest way of a message, in milliseconds.
    package var delay: UInt64 = 1
    /// How much longer it may take.
    package var jitter: UInt64 = 5
    /// How much slower one stream may be than another, so that what two streams bring is reordered.
    package var spread: UInt64 = 0
    /// How long a commit takes at most.
    package var commitDelay: UInt64 = 12
    /// How many links are cut in the middle of the run; some of them silently, so that only pings tell.
    package var cuts = 0
    /// How many partitions there are, each between two random halves or of one direction only.
    package var partitions = 0
    /// How often a node is killed and started again.
    package var crashes = 0
    /// How many percent of crashes come between two actions of one event, and not between events.
    package var crashesAtAction = 0
    /// How often one node restarts again and again.
    package var restless = 0
    /// How often a disk is full for a while.
    package var fullDisks = 0
    /// How often a backup of an earlier state is restored.
    package var restores = 0
    /// How many percent of restores put the whole machine back, so that nothing shows it.
    package var wholeRestores = 0
    /// How often a machine loses what it wrote in the last second, since its disk does not sync.
    package var lostWrites = 0
    package var clocks = Clocks()
    /// How many percent of nodes read slowly.
    package var slowReaders = 0
    /// How often a node dials a peer that it is linked to already, at another address.
    package var duplicateDials = 0
    /// How often a machine gets other addresses; some of them had been another machine's.
    package var addressChanges = 0
    /// How many machines go for good.
    package var departures = 0
    /// How many machines come that nobody knew before.
    package var newcomers = 0
    /// How many machines break the protocol.
    package var hostile = 0
    /// How often each of them does something bad.
    package var assaults = 0
    /// Whether nodes also know each other as static peers, so that there are several ways to dial.
    package var hasStaticPeers = false
    /// Whether discovery names two addresses of each machine.
    package var hasTwoAddresses = false
    /// Whether frames go through real handshakes and encryption.
    package var hasSessions = false

    /// A calm network.
    package init() {}

    /// Faults drawn by chance.
    ///
    /// In one of four runs each kind is there; in the others each only by its own chance, so that
    /// runs differ.
    package init(using random: inout SeededRandom) {
        let isStorm = random.chance(25)
        func some(_ percent: Int, _ range: ClosedRange<Int>) -> Int {
            let isThere = random.chance(percent)
            let count = random.number(range)
            return isStorm || isThere ? count : 0
        }
        self.delay = random.number(UInt64(0)...20)
        self.jitter =
            random.chance(30) ? random.number(UInt64(0)...300) : random.number(UInt64(0)...8)
        self.spread = UInt64(some(40, 1...1_500))
        self.commitDelay = random.chance(20) ? random.number(UInt64(1)...400) : 12
        self.cuts = some(50, 1...8)
        self.partitions = some(50, 1...3)
        self.crashes = some(50, 1...5)
        self.crashesAtAction = 50
        self.restless = some(15, 1...1)
        self.fullDisks = some(25, 1...3)
        self.restores = some(15, 1...2)
        self.wholeRestores = random.chance(50) ? 50 : 0
        self.lostWrites = some(10, 1...2)
        self.clocks.error =
            random.chance(20) ? 400_000_000_000 : random.chance(50) ? random.number(0...20_000) : 0
        self.clocks.jumps = some(30, 1...6)
        self.clocks.drift = Int64(some(40, 1...20_000))
        self.slowReaders = some(25, 10...50)
        self.duplicateDials = some(40, 1...6)
        self.addressChanges = some(25, 1...3)
        self.departures = some(20, 1...1)
        self.newcomers = some(25, 1...2)
        self.hostile = some(40, 1...2)
        self.assaults = random.chance(30) ? random.number(50...150) : random.number(5...50)
        self.hasStaticPeers = random.chance(30)
        self.hasTwoAddresses = random.chance(30)
        self.hasSessions = random.chance(15)
        self.clocks.monotonicDrift = Int64(some(40, 1...10_000))
    }

    /// Turns every kind of fault on, as often as a number of machines can bear.
    mutating func include(machines: Int) {
        let some = machines / 10
        self.spread = max(self.spread, 300)
        (self.cuts, self.partitions, self.crashes) = (some, 3, some)
        (self.restless, self.fullDisks, self.restores) = (1, some / 4, some / 10)
        (self.wholeRestores, self.lostWrites) = (30, some / 10)
        (self.clocks.error, self.clocks.jumps, self.clocks.drift) = (
            400_000_000_000, some / 4, 20_000
        )
        self.clocks.monotonicDrift = 10_000
        (self.slowReaders, self.duplicateDials, self.addressChanges) = (5, some, some / 4)
        (self.departures, self.newcomers) = (some / 10, some / 10)
        (self.hostile, self.assaults) = (some / 4, 10)
    }
}

extension SeededRandom {
    package mutating func number(_ range: ClosedRange<Int64>) -> Int64 {
        Int64.random(in: range, using: &self)
    }
}
