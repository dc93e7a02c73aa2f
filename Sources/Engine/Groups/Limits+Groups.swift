package import Formats

/// Bounds of groups.
extension Limits {
    /// People in a group.
    package static let groupMembers = 200
    /// People of a group who were ever given a rank.
    package static let groupRanks = 64
    /// What lies between the ranks that are given, so that there is room for some between them.
    static let rankStep = 256
    /// Acts of one group, and those of them that are kept for the owner and for people with a rank; the last of what
    /// somebody may use are kept for cuts.
    static let groupActs = 4_096
    static let groupOwnerActs = 1_024
    static let groupAdminActs = 1_024
    static let groupCuts = 256
    /// Acts of a person who ever had a rank, and of any other; and cuts, which do not count among these.
    static let actsOfAdmin = 128
    static let actsOfMember = 16
    static let cutsOfPerson = 16
    /// Acts of all people together whom nothing has brought that counts: joins that wait for an admin, or that came too
    /// late.
    static let groupStrangeActs = 256
    /// How many shares of a person come along with acts of others.
    ///
    /// So many sets of theirs may have been taken by different nodes; more makes a roster slow to work out.
    static let sharesAlong = 8
    /// Acts of a group with those that the owner's acts follow: what the owner's devices and this one have each taken
    /// for the sake of others.
    static let actsWithOwner = 4 * groupActs
    /// Acts that wait in memory, brought by the links of one person, for those that they follow or for one that follows
    /// them: what eight admins sign beyond their shares and an honest node has taken.
    ///
    /// Where one of the owner's is among them, as many as it may follow.
    static let waitingActs = 1_024
    /// Keys of one link that wait in memory for what their makers tell of them: all of a group of many removals may
    /// come before the first log does.
    static let waitingKeys = 1_024
    /// Keys of a group of which logs tell and that are not here, of each person, and of all where it is not a member's:
    /// a log goes on behind the first of its own only.
    static let announcedKeysOfPerson = 256
    static let announcedKeys = 1_024
    /// Keys of a group that one person has made: an honest one makes one after a change at most.
    static let keysOfPerson = 1_024
    /// How many of them may have no announcement in a log here; a log is taken up to each announcement in turn.
    static let unplacedKeysOfPerson = 64
    /// Keys that are given on a link before it is looked at again: half of those that may wait at its other end.
    static let keysAtOnce = 512
    /// When a client asks again that waits for a key that is being made, in milliseconds.
    static let keyRetryMilliseconds: UInt64 = 100
    /// Links of one group by which one can come.
    package static let groupLinks = 32
    /// Links of one group, the newest, by which a peer may come or is told why not.
    static let shownLinks = 64
    /// How long after a link has ended a join from before is taken from its author, in milliseconds, and how far ahead
    /// of time one may be.
    package static let joinMilliseconds: UInt64 = 300_000
    /// Joins of a peer that are looked at on one link.
    static let joinsOfLink = 16
    /// Joins by open links that wait for an admin, in one group; strangers take half of the places, and never those of
    /// people whom the user knows.
    static func waitingJoins(of tier: Tier) -> Int {
        tier >= .known ? 64 : tier == .fellow ? 48 : 32
    }
    /// Groups into which the user comes by links and is not in yet.
    package static let ownJoins = 32
    /// How long members have to answer a join before its user is told what is known, in milliseconds.
    static let joinAnswerMilliseconds: UInt64 = 2_000
    /// How long a removal or demotion waits for the acts of linked members, in milliseconds.
    package static let actSyncMilliseconds: UInt64 = 10_000
    /// Questions for acts that are open on a link.
    static let openActWants = 2
    /// What is told of one batch of acts, of people who came or went: it leaves room for what else waits to be told.
    static let rosterNotices = 64
    /// Heads from which on the next act of this node ties them first: one more is always left for an epoch.
    static let tiedHeads = 60
    /// How long the other devices wait at most before they tie heads that the chosen one left untied, in milliseconds.
    static let tieMilliseconds: UInt64 = 60_000
}
