package import Formats

extension Limits {
    /// What of ephemeral frames is taken from one peer in one conversation: speech, or a cursor that moves,
    /// twice over; and what seals them.
    package static let ephemeralBytesPerSecond = 48_000
    /// How many of them: one for each picture that a screen shows, and who writes.
    package static let ephemeralFramesPerSecond = 68
    /// So many conversations may be as busy as one may be, on one link.
    package static let ephemeralConversations = 16
    /// What comes at once after the network has held it back, as so much time of it.
    static let ephemeralBurstMilliseconds: UInt64 = 2_000
    /// What the user's programs may send of such streams in one conversation.
    package static let streamBytesPerSecond = 30_000
    /// In how many packets.
    package static let streamPacketsPerSecond = 64
    /// Streams that the user's programs may have open: as many as control connections may be.
    package static let openStreams = 256
    /// Others are told this seldom of the same link whether the user is there: it must not show what they
    /// do.
    package static let presenceMilliseconds: UInt64 = 30_000
    /// Who tells it more often than networks make it seem is not listened to.
    static let presenceLeastMilliseconds: UInt64 = 20_000
    /// Others are told this seldom that the user writes in a conversation.
    package static let typingMilliseconds: UInt64 = 3_000
    /// Who was not heard to write again for so long does so no longer: twice that, and the network.
    package static let typingLastsMilliseconds: UInt64 = 7_000
    /// People who write at the same moment, over all conversations: of more nobody could tell.
    static let typists = 512
    /// Ephemeral frames that a link may queue before the oldest give way.
    package static let ephemeralQueueBytes = 65_536
}
