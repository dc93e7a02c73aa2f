internal import Formats

/// Runs of history that came in and wait for their turn on the loop.
///
/// To check one takes about 150 µs, as much as all else that a live message costs. So one is taken
/// per turn, and whatever else has come meanwhile, from any peer or client, goes first. A sender's
/// queue lets live frames pass those of the sync channel as well (`FrameQueue`), so a node expects
/// nothing of the order between channels; within the channel the order holds. A peer's credit
/// bounds what waits of it. `Docs/Decisions/0006-disk-and-loop.md`.
struct BulkQueue {
    /// What may wait of one link, each frame with what keeping it costs: about what a peer may send
    /// without credit, in frames of a useful size.
    static let bytesPerLink = Limits.initialCredit
    /// What to keep a frame costs beside its bytes.
    static let frameCost = 256
    /// How many of the small frames that stand behind runs may go in one turn.
    static let framesPerTurn = 16

    private struct Lane {
        var frames: [ReceivedFrame] = []
        var cost = 0

        mutating func add(_ frame: ReceivedFrame) -> Bool {
            let cost = self.cost + frame.byteCount + BulkQueue.frameCost
            guard cost <= BulkQueue.bytesPerLink else { return false }
            self.cost = cost
            self.frames.append(frame)
            return true
        }
    }

    private var lanes: [LinkID: Lane] = [:]
    /// Links of which something waits, the next one first.
    private var turns: [LinkID] = []

    var isEmpty: Bool { self.turns.isEmpty }

    /// Takes a run of history, or a frame that must not pass one; false for all others, and where
    /// too much waits of the link.
    mutating func take(_ frame: ReceivedFrame, from link: LinkID) -> Bool {
        guard frame.channel == .sync else { return false }
        if self.lanes[link] == nil {
            guard frame.isRun else { return false }
            self.lanes[link] = Lane()
            self.turns.append(link)
        }
        return self.lanes[link]?.add(frame) ?? false
    }

    /// The next run, and the small frames behind it; links take turns.
    ///
    /// - Parameter isLast: whether others come before a link.
    mutating func next(
        isLast: (LinkID) -> Bool = { _ in false }
    ) -> (link: LinkID, frames: [ReceivedFrame])? {
        guard !self.turns.isEmpty else { return nil }
        let link = self.turns.remove(at: self.turns.firstIndex { !isLast($0) } ?? 0)
        guard var lane = self.lanes.removeValue(forKey: link) else {
            preconditionFailure("a link has a turn while something waits of it")
        }
        let end = lane.frames.dropFirst().firstIndex(where: \.isRun) ?? lane.frames.count
        let frames = Array(lane.frames.prefix(min(end, Self.framesPerTurn)))
        lane.frames.removeFirst(frames.count)
        for frame in frames { lane.cost -= frame.byteCount + Self.frameCost }
        if !lane.frames.isEmpty {
            self.lanes[link] = lane
            self.turns.append(link)
        }
        return (link, frames)
    }

    /// All that waits of a link.
    mutating func removeAll(of link: LinkID) -> [ReceivedFrame] {
        guard let lane = self.lanes.removeValue(forKey: link) else { return [] }
        self.turns.removeAll { $0 == link }
        return lane.frames
    }
}

/// Leaves half of the time to live messages while history comes in beside them.
///
/// A run of history that is checked and written then is followed by as long a pause. So most live
/// messages meet none of it, however slow the processor and the disk are.
struct BulkPace {
    /// The longest pause: a peer that waits for its answers gives up after ten seconds.
    static let limitMicroseconds: UInt64 = 100_000

    private var start: UInt64?
    private var resume: UInt64 = 0

    /// A batch with history beside live messages is about to be written.
    mutating func began(at microseconds: UInt64) { self.start = microseconds }

    /// A batch has been written, or has failed.
    mutating func ended(at microseconds: UInt64) {
        guard let start = self.start.take() else { return }
        self.resume = microseconds + min(microseconds - start, Self.limitMicroseconds)
    }

    /// When the next run may be taken; nil while that waits for the end of a batch.
    var earliest: UInt64? { self.start == nil ? self.resume : nil }
}

extension ReceivedFrame {
    /// Whether it brings history.
    fileprivate var isRun: Bool { if case .syncRun = self.frame { true } else { false } }
}
