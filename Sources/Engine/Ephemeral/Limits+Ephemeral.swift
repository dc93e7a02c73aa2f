extension Limits {
    /// Ephemeral frames fit one datagram, should they ever travel so.
    public static let ephemeralFrameBytes = 1_280
    /// What one ephemeral frame carries: a packet of a stream, its name and what seals them.
    public static let ephemeralBytes = 1_216
    /// What of ephemeral frames is taken from one peer in one conversation: speech, or a cursor that moves,
    /// twice over; and what seals them.
    public static let ephemeralBytesPerSecond = 48_000
    /// How many of them: one for each picture that a screen shows, and who writes.
    public static let ephemeralFramesPerSecond = 68
    /// So many conversations may be as busy as one may be, on one link.
    public static let ephemeralConversations = 16
    /// What comes at once after the network has held it back, as so much time of it.
    static let ephemeralBurstMilliseconds: UInt64 = 2_000
    /// What one entry of a durable stream carries: with what seals and names it, it fits one.
    public static let streamPieceBytes = 49_152
    /// A packet of an ephemeral stream.
    public static let streamPacketBytes = 1_024
    /// What the user's programs may send of such streams in one conversation.
    public static let streamBytesPerSecond = 30_000
    /// In how many packets.
    public static let streamPacketsPerSecond = 64
    /// Streams that the user's programs may have open: as many as control connections may be.
    public static let openStreams = 256
    /// Others are told this seldom of the same link whether the user is there: it must not show what they
    /// do.
    public static let presenceMilliseconds: UInt64 = 30_000
    /// Who tells it more often than networks make it seem is not listened to.
    static let presenceLeastMilliseconds: UInt64 = 20_000
    /// Others are told this seldom that the user writes in a conversation.
    public static let typingMilliseconds: UInt64 = 3_000
    /// Who was not heard to write again for so long does so no longer: twice that, and the network.
    public static let typingLastsMilliseconds: UInt64 = 7_000
    /// People who write at the same moment, over all conversations: of more nobody could tell.
    static let typists = 512
    /// Ephemeral frames that a link may queue before the oldest give way.
    public static let ephemeralQueueBytes = 65_536
}
