package import Formats

/// Bounds of groups.
extension Limits {
    /// People in a group.
    package static let groupMembers = 200
    /// People of a group who were ever given a rank.
    package static let groupRanks = 64
    /// What lies between the ranks that are given, so that there is room for some between them.
    static let rankStep = 256
    /// Acts of one group, and those of them that are kept for the owner.
    static let groupActs = 4_096
    static let groupOwnerActs = 1_024
    /// Acts of one link that wait in memory for those that they follow.
    static let waitingActs = 256
    /// Keys of one link that wait in memory for what their makers tell of them: all of a group of many removals may
    /// come before the first log does.
    static let waitingKeys = 1_024
    /// Keys of a group of which logs tell and that are not here: a log goes on behind the first of its own only.
    static let announcedKeys = 1_024
    /// Questions for acts that are open on a link.
    static let openActWants = 2
    /// What is told of one batch of acts, of people who came or went: it leaves room for what else waits to be told.
    static let rosterNotices = 64
    /// Heads from which on the next act of this node ties them first: one more is always left for an epoch.
    static let tiedHeads = 60
}
