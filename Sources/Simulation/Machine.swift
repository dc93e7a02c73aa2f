import Engine
import Noise

/// A computer with its clocks and its disk, and the node that runs on it now and then.
struct Machine {
    let index: Int
    let signer: Signer
    let address: String
    var random: SeededRandom
    var store: ModelStore
    /// The running node; nil while it is stopped.
    var node: Node<SeededRandom>?
    /// Counts the starts.
    var start = 0
    var boot: UInt64 = 0
    var serviceName = ""
    /// How far the wall clock is off, in milliseconds.
    var clockError: Int64 = 0
    /// What the monotonic clock showed at the beginning of all.
    let monotonicBase: UInt64
    var timers: [Timer: (at: UInt64, generation: UInt64)] = [:]
    var writing: Batch?
    var isDiskFull = false
    /// Bytes that it takes in per millisecond.
    var readRate = 1_000_000
    /// The wires of open links.
    var wires: [LinkID: (wire: Int, side: Int)] = [:]
    var dials: [DialID: Int] = [:]
    /// Requests without an answer.
    var requests: [RequestID: Request] = [:]
    /// What the node has shown since the disk was new.
    var shown: Set<EntryID> = []
    /// The newest cursor that was shown.
    var shownCursor = Cursor(0)
    /// Whether it never starts again.
    var isRetired = false
    /// Whether the machine was put back to an earlier disk.
    var wasRestored = false

    var id: PeerID { self.store.owner }
    var isUp: Bool { self.node != nil }
}
