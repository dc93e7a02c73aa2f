import ControlAPI
import Posix

/// A sending for which another one of the same name waits, and which must go on meanwhile: one byte that never
/// ends must not keep others out.
struct StreamStall {
    /// Who waits: the key, and the name.
    let peer: String
    let name: String
    /// Where the first piece that waits is.
    let cursor: Int64
    private var bytes = 0
    private var deadline: UInt64

    /// How much must come, at least, in how many milliseconds.
    private static let leastBytes = 1_024
    private static let milliseconds: UInt64 = 30_000

    /// Begins with the first piece that waits.
    init(waiting piece: StreamPieceEvent, at now: UInt64 = SystemClock.monotonicMilliseconds()) {
        self.peer = piece.peer.shown
        self.name = piece.shownPeer.text
        self.cursor = piece.cursor
        self.deadline = now + Self.milliseconds
    }

    /// So many bytes have come; enough of them renew the time.
    mutating func note(_ count: Int, at now: UInt64 = SystemClock.monotonicMilliseconds()) {
        self.bytes += count
        guard self.bytes >= Self.leastBytes else { return }
        self.bytes = 0
        self.deadline = now + Self.milliseconds
    }

    /// Whether too little has come for too long.
    func isOver(at now: UInt64 = SystemClock.monotonicMilliseconds()) -> Bool {
        now >= self.deadline
    }

    /// How long until that is so.
    func millisecondsLeft(at now: UInt64 = SystemClock.monotonicMilliseconds()) -> Int32 {
        Int32(clamping: self.deadline - min(now, self.deadline))
    }
}
