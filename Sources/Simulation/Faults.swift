/// All that may go wrong in a simulation, as data; every number is chance or measure, none is code.
package struct Faults: Sendable {
    /// The shortest way of a message, in milliseconds.
    package var delay: UInt64 = 1
    /// How much longer it may take.
    package var jitter: UInt64 = 5
    /// How long a commit takes at most.
    package var commitDelay: UInt64 = 12
    /// How many links are cut in the middle of the run.
    package var cuts = 0
    /// How many partitions there are, each between two random halves or of one direction only.
    package var partitions = 0
    /// How often a node is killed and started again.
    package var crashes = 0
    /// How often a disk is full for a while.
    package var fullDisks = 0
    /// How often a backup of an earlier state is restored.
    package var restores = 0
    /// How many percent of restores put the whole machine back, so that nothing shows it.
    package var wholeRestores = 0
    /// How many clocks are wrong by how many milliseconds at most.
    package var clockError: Int64 = 0
    /// How many percent of nodes read slowly.
    package var slowReaders = 0
    /// Whether nodes also know each other as static peers, so that there are several ways to dial.
    package var hasStaticPeers = false
    /// Whether frames go through real handshakes and encryption.
    package var hasSessions = false

    /// A calm network.
    package init() {}

    /// Faults drawn by chance; each kind is there in some runs only, so that runs differ.
    package init(using random: inout SeededRandom) {
        self.delay = random.number(UInt64(0)...20)
        self.jitter =
            random.chance(30) ? random.number(UInt64(0)...300) : random.number(UInt64(0)...8)
        self.commitDelay = random.chance(20) ? random.number(UInt64(1)...400) : 12
        self.cuts = random.chance(50) ? random.number(0...6) : 0
        self.partitions = random.chance(50) ? random.number(0...3) : 0
        self.crashes = random.chance(50) ? random.number(0...4) : 0
        self.fullDisks = random.chance(25) ? random.number(0...2) : 0
        self.restores = random.chance(15) ? random.number(1...2) : 0
        self.wholeRestores = random.chance(50) ? 50 : 0
        self.clockError =
            random.chance(20) ? 400_000_000_000 : random.chance(50) ? random.number(0...20_000) : 0
        self.slowReaders = random.chance(25) ? 40 : 0
        self.hasStaticPeers = random.chance(30)
        self.hasSessions = random.chance(15)
    }
}

extension SeededRandom {
    /// A number of a range.
    package mutating func number(_ range: ClosedRange<Int64>) -> Int64 {
        Int64.random(in: range, using: &self)
    }
}
