import Crypto
import Engine
import Formats

/// Draws all that came later, apart from all else, so that a seed without it stays as it is.
struct Dice {
    /// What is erased.
    var erasing: SeededRandom
    /// What is said of messages.
    var referring: SeededRandom
    /// All about files.
    var filing: SeededRandom
    /// All about streams.
    var streaming: SeededRandom
    /// All about groups.
    var grouping: SeededRandom

    init(seed: UInt64) {
        self.erasing = SeededRandom(seed: ~seed)
        self.referring = SeededRandom(seed: seed ^ 0x4ef3)
        self.filing = SeededRandom(seed: seed ^ 0xb10b)
        self.streaming = SeededRandom(seed: seed ^ 0x57ea)
        self.grouping = SeededRandom(seed: seed ^ 0x960b)
    }
}

/// Wires, addresses and whom machines can find.
struct Wiring {
    var wires: [Int: Wire] = [:]
    /// Ways that are blocked: from one machine to another.
    var blocked: Set<Way> = []
    /// Which machine listens at an address.
    var listeners: [String: Int] = [:]
    /// Addresses that machines have left.
    var vacated: [String] = []
    /// How many addresses were given out beyond the first ones.
    var addressCount = 0
    /// Whom each machine can discover; nil where all can discover all.
    var neighbours: [Set<Int>]?
    /// Where frames wait to be transmitted.
    private var touched: [(wire: Int, side: Int)] = []
    /// What was sent last, as it reads.
    var lastSent: (bytes: [UInt8], received: ReceivedFrame)?

    mutating func touch(_ wire: Int, _ side: Int) { self.touched.append((wire, side)) }

    mutating func takeTouched() -> [(wire: Int, side: Int)] {
        defer { self.touched = [] }
        return self.touched
    }

    /// A machine has come; where each knows a few, so does it.
    mutating func introduce(_ index: Int, using random: inout SeededRandom) {
        while let count = self.neighbours?.count, count > 1, count <= index {
            let some = Set((0..<4).map { _ in random.number(0...count - 1) })
            for other in some { self.neighbours?[other].insert(count) }
            self.neighbours?.append(some)
        }
    }
}

/// What hostile peers have done, and have to send again.
package struct Assaults {
    /// Frames and first bytes of streams, and whether to keep them.
    var recorded: [UInt8: [Frame]] = [:]
    var recordedBytes: [[UInt8]] = []
    var isRecording = false
    /// What they have signed beside their nodes, in the order of signing.
    var forged: [ConversationID: [EntryID]] = [:]
    /// How often they did something bad.
    package var count = 0
}

/// What users and their programs have begun.
struct Story {
    /// The realm that some of the machines are in; nil where all are in the open one only.
    var realm: Realm?
    /// What programs are to send, by the stream's name.
    var streamPlans: [StreamName: Simulation.StreamPlan] = [:]
    /// Direct conversations by the machines of their people.
    var directs: [[Int]: ConversationID] = [:]
    /// Conversations other than rooms that are, or were, on somebody's disk: nobody shows others.
    var begun: Set<ConversationID> = []
    /// The keys of rooms whose members seal what they write.
    var roomKeys: [ConversationID: ConversationKey] = [:]
    /// Whether users send files.
    var hasFiles = false
    /// Groups in which newcomers read only what is written once they are in, by number.
    var joinedGroups: Set<Int> = []
}

/// What nodes have room for.
struct NodeBounds {
    var links = LinkBudget()
    var logs = LogBounds()
    var records = RecordBounds()
    var disk = DiskBounds()
}

/// What has happened in a simulation.
package struct Chronicle {
    /// How many events nodes were given.
    package internal(set) var eventCount = 0
    /// A hash over all that nodes did: equal for equal seeds.
    package private(set) var trace: UInt64 = 0
    /// Where to write what happens; nil keeps it silent.
    package var log: ((String) -> Void)?
    /// What the nodes said in their logs.
    package internal(set) var lines: [String] = []

    mutating func mix(_ value: UInt64) {
        self.trace = (self.trace ^ value) &* 0x100_0000_01b3
        self.trace ^= self.trace >> 29
    }
}
