package import Formats

extension Limits {
    /// What of ephemeral frames is taken from one peer in one conversation: speech, or a cursor that moves,
    /// twice over; and what seals them.
    package static let ephemeralBytesPerSecond = 60_000
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
    /// Who comes is told so much later: by then they have said which conversations they are in.
    package static let comingMilliseconds: UInt64 = 1_000
    /// A link that another one replaces is followed by it, or it was the last.
    static let replacedMilliseconds: UInt64 = 10_000
    /// Who is linked so soon after the start was there before this node.
    package static let foundMilliseconds: UInt64 = 10_000
    /// How often conversations are told at once that somebody comes or goes, or strangers of one source do: some
    /// restarts in a row.
    static let comingsAtOnce = 6
    /// After which time as many are told again.
    static let comingsMilliseconds: UInt64 = 60_000
    /// Sources of strangers who come and go within that time; of more the conversations are not told.
    static let comingSources = 64
    /// People who are gone and are told of as back when they come: a small town, and a few hundred kilobytes.
    static let goneRemembered = 512
    /// Conversations that are told of one who comes or goes: more than anybody reads.
    static let comingConversations = 256
    /// Others are told this seldom that the user writes in a conversation.
    package static let typingMilliseconds: UInt64 = 3_000
    /// Who was not heard to write again for so long does so no longer: twice that, and the network.
    package static let typingLastsMilliseconds: UInt64 = 7_000
    /// People who write at the same moment, over all conversations: of more nobody could tell.
    static let typists = 512
    /// Ephemeral frames that a link may queue before the oldest give way.
    package static let ephemeralQueueBytes = 65_536
}
