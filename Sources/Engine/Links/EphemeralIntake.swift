/// How much of what is worth nothing later a peer may send: nothing else bounds that channel.
///
/// `Docs/Protocol/Wire.md`, "Ephemeral frames".
struct EphemeralIntake: Sendable {
    private var bytes: TokenBucket
    private var frames: TokenBucket
    /// How many frames came in time.
    private(set) var taken = 0
    /// How many came too fast.
    private(set) var dropped = 0

    init(at now: Instant) {
        self.bytes = TokenBucket(
            capacity: Limits.ephemeralBytesPerSecond, fullMilliseconds: 1_000, at: now.monotonic)
        self.frames = TokenBucket(
            capacity: Limits.ephemeralFramesPerSecond, fullMilliseconds: 1_000, at: now.monotonic)
    }

    /// Counts a frame; false where it came too fast and is dropped.
    mutating func take(_ byteCount: Int, at now: Instant) -> Bool {
        // Bytes only where there is a place for the frame, so that many small ones cost no more.
        var bytes = self.bytes
        guard bytes.take(byteCount, at: now.monotonic), self.frames.take(at: now.monotonic) else {
            self.dropped += 1
            return false
        }
        self.bytes = bytes
        self.taken += 1
        return true
    }
}
