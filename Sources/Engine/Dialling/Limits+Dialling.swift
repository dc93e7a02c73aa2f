package import Formats

/// Bounds of discovery and dialling.
extension Limits {
    /// Addresses of one peer are tried one after another, this far apart.
    ///
    /// RFC 8305 section 5.
    package static let staggerMilliseconds: UInt64 = 250
    /// The wait before the first redial.
    package static let backoffFirstMilliseconds: UInt64 = 1_000
    /// The longest wait between redials; each is twice the one before.
    package static let backoffLastMilliseconds: UInt64 = 60_000
    /// The longest wait for a remembered peer, which may be away for weeks: one packet in a quarter of an
    /// hour costs nothing, and without discovery nothing else would find it again.
    package static let rememberedLastMilliseconds: UInt64 = 900_000
    /// Dial targets that are remembered: four times the links of the largest network.
    package static let targets = 512
    /// Of these, peers that are dialled for having been linked and whom the user does not know: a full mesh.
    static let rememberedTargets = links
    /// Links for which services are dialled; the other half of ``links`` is for peers that dial.
    ///
    /// More than enough for one piece by chance: of hosts that each choose six at random, all are.
    package static let wantedLinks = 64
    /// Dials of services that are under way at a time.
    ///
    /// What is left waits, and meanwhile many of those dial us. Well below ``halfOpenHandshakes``, since
    /// all of an office begin at the same time.
    package static let serviceDials = 12
    /// So many services may be dialled at once, two for each link that is wanted.
    static let serviceDialBurst = 128
    /// In this time as many again: sixteen a second.
    static let serviceDialMilliseconds: UInt64 = 8_000
    /// Names of services that are remembered as come upon: more than the library keeps of such as can be dialled.
    static let overflowNames = 8 * targets
    /// Where all start together, this long they may be more than there are places, and links be missing.
    static let morningMilliseconds: UInt64 = 5_000
    /// While there are more services than places people are told of it this often.
    static let overflowToldMilliseconds: UInt64 = 1_000
    /// And so long after the last new one it is over.
    static let overflowAlertMilliseconds: UInt64 = 3_000
    /// Services that are dialled beside the links that are wanted, each time that the network is asked.
    package static let exploredServices = 4
    /// Links that are left for peers that dial even where others are explored.
    package static let reservedLinks = 16
    /// From so many services on they are a crowd, in which not everybody may ask at any time.
    package static let crowd = 8
    /// Who is asked answers after 20 to 120 ms.
    package static let answersMilliseconds: UInt64 = 150
    /// Looks at what was announced, after the beginning: often while a host that starts at the same time
    /// announces itself (after 750 ms), then up to the time that a slow one takes.
    static let glanceMilliseconds: [UInt64] = [
        1_080, 1_160, 1_240, 1_320, 1_400, 1_600, 1_800, 2_000, 2_500, 3_000, 4_000, 5_000, 7_000,
        10_000, 15_000, 20_000, 30_000,
    ]
    /// Who has heard of no crowd by then is not in one.
    package static let fewMilliseconds: UInt64 = 5_000
    /// In a crowd, a look at what was announced comes about as often, and costs no packet.
    package static let glanceAgainMilliseconds: UInt64 = 60_000
    /// Who has no link although there is a crowd asks about as often, four times, then ever less often.
    package static let askAloneMilliseconds: UInt64 = 6_000
    /// In a crowd somebody asks about as often.
    package static let askAgainMilliseconds: UInt64 = 30_000
    /// The longest time between two questions of a node, but for chance.
    package static let askLastMilliseconds: UInt64 = 1_800_000
    /// How often all peers together may have this node dial them back, in a minute.
    package static let dialBacksPerMinute = 6
    /// The peer of one link may do so this seldom: less than it takes to mend a firewall and ask the doctor again.
    package static let dialBackMilliseconds: UInt64 = 20_000
    /// The first port that is dialled back: those below are for services of the system.
    package static let dialBackPort: UInt16 = 1_024
    /// So many peers are asked to dial this node back where a user wants to know whether it is reached.
    package static let dialBackPeers = 3
    /// Who is on the network is heard by discovery within a second; a peer that is linked for so long and was
    /// not is out of its reach.
    package static let hearingMilliseconds: UInt64 = 30_000
    /// A peer that is asked dials and shakes hands within five seconds, or says that it could not.
    package static let dialBackAnswerMilliseconds: UInt64 = 6_000
    /// So many links are tried for lost packets, where a user wants to know what is wrong.
    package static let packetTrialLinks = 8
    /// So many pings go on each: where one packet in twenty is lost, all of so many arrive in one trial of sixty.
    package static let packetTrialPings = 80
    /// So many more where a packet was lost: enough to tell two of a hundred from one that had bad luck.
    package static let packetTrialMorePings = 200
    /// Between two pings on a link: longer than an answer takes on a local network, so that each is a packet
    /// of its own, and that one that is lost is known of before the next but one.
    package static let packetTrialMilliseconds: UInt64 = 15
    /// After the last of them: the system sends again what was lost at the end after 200 ms.
    package static let packetSettleMilliseconds: UInt64 = 300
    /// Alerts about peers that stand at a time; those about strangers give way, then the oldest.
    package static let peerAlerts = 64
    /// Somebody whom the user knows is missed so long after their link has ended without a goodbye.
    package static let missingMilliseconds: UInt64 = 600_000
    /// Who is gone for so long is not missed any longer: their machine is off.
    package static let missedMilliseconds: UInt64 = 43_200_000
    /// What was found on this machine when somebody was missed holds for so long: of many who vanish together
    /// each is missed at a moment of their own.
    static let examinedMilliseconds: UInt64 = 60_000
    /// Links that end so soon after the own network became another one are those that it has left: they are
    /// found dead within a minute, or when the network is looked at.
    static let movedMilliseconds: UInt64 = 120_000
    /// An alert that nothing ends by itself is over so long after what was seen last of it.
    package static let alertMilliseconds: UInt64 = 3_600_000
    /// One about two histories of an author, or that is raised once of another own device, stands for a day:
    /// so long there is somebody to ask.
    package static let forkAlertMilliseconds: UInt64 = 86_400_000
    /// What a user says in days.
    static let dayMilliseconds: UInt64 = 86_400_000
    /// Peers that are remembered to have turned this node away since its key runs twice.
    static let shutOutPeers = 64
    /// Lines of the log that peers may cause at once.
    static let peerLines = 64
    /// Until they may cause as many again.
    static let peerLinesMilliseconds: UInt64 = 640_000
    /// Refusals kept for `stoa peers`.
    package static let refusals = 64
    /// Notices that the store keeps for subscribers that are away; the oldest go.
    package static let notices = 4_096
    /// Notices that wait for the disk, beside those of joins and leaves; the oldest go.
    package static let waitingNotices = 256
    /// The longest text of an alert in a notice.
    package static let noticeTextBytes = 1_024
    /// Subscribers are told of alerts of one code this seldom.
    package static let alertNoticeMilliseconds: UInt64 = 60_000
    /// How long other sites count as out of reach after that was last said.
    package static let sitesAlertMilliseconds: UInt64 = 180_000
}
