/// How many frames may go or come, and how many bytes in them: both, or neither.
struct FrameAllowance: Sendable {
    private var bytes: TokenBucket
    private var frames: TokenBucket

    /// A full one, at a monotonic moment; what is taken comes back within so many milliseconds.
    init(bytes: Int, frames: Int, fullMilliseconds: UInt64, at now: UInt64) {
        self.bytes = TokenBucket(capacity: bytes, fullMilliseconds: fullMilliseconds, at: now)
        self.frames = TokenBucket(capacity: frames, fullMilliseconds: fullMilliseconds, at: now)
    }

    /// Takes a frame; false, and nothing is taken, where it comes too early.
    mutating func take(_ byteCount: Int, at now: UInt64) -> Bool {
        var bytes = self.bytes
        guard bytes.take(byteCount, at: now), self.frames.take(at: now) else { return false }
        self.bytes = bytes
        return true
    }

    /// How many milliseconds there are until a frame may be taken; 0 for none.
    ///
    /// - Precondition: the frame is not larger than all that may ever be taken.
    func wait(for byteCount: Int, at now: UInt64) -> UInt64 {
        max(self.bytes.wait(for: byteCount, at: now), self.frames.wait(for: 1, at: now))
    }

    /// Whether nothing is missing.
    func isFull(at now: UInt64) -> Bool {
        self.bytes.isFull(at: now) && self.frames.isFull(at: now)
    }
}
