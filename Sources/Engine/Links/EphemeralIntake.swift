internal import Formats

/// How much of what is worth nothing later a peer may send: nothing else bounds that channel.
///
/// `Docs/Protocol/Ephemeral.md` section 1.
struct EphemeralIntake: Sendable {
    /// Of all conversations together.
    private var all: FrameAllowance
    private var conversations: [ConversationID: FrameAllowance] = [:]
    /// How many frames came in time.
    private(set) var taken = 0
    /// How many came too fast.
    private(set) var dropped = 0

    init(at now: Instant) { self.all = Self.allowance(Limits.ephemeralConversations, at: now) }

    /// What so many conversations may take together.
    private static func allowance(_ conversations: Int, at now: Instant) -> FrameAllowance {
        let seconds = Int(Limits.ephemeralBurstMilliseconds / 1_000)
        return FrameAllowance(
            bytes: conversations * seconds * Limits.ephemeralBytesPerSecond,
            frames: conversations * seconds * Limits.ephemeralFramesPerSecond,
            fullMilliseconds: Limits.ephemeralBurstMilliseconds, at: now.monotonic)
    }

    /// Counts a frame of a conversation that is shared, or of none; false where it came too fast and is
    /// dropped.
    mutating func take(_ byteCount: Int, in conversation: ConversationID?, at now: Instant) -> Bool
    {
        guard self.all.take(byteCount, at: now.monotonic),
            self.takeOfOne(byteCount, conversation, now)
        else {
            self.dropped += 1
            return false
        }
        self.taken += 1
        return true
    }

    private mutating func takeOfOne(
        _ byteCount: Int, _ conversation: ConversationID?, _ now: Instant
    ) -> Bool {
        guard let conversation else { return true }
        return self.conversations[conversation, default: Self.allowance(1, at: now)]
            .take(byteCount, at: now.monotonic)
    }

    /// A conversation is shared no longer.
    mutating func drop(_ conversation: ConversationID) { self.conversations[conversation] = nil }
}
