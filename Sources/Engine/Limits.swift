package import Formats

/// The bounds that a node chooses for itself: their names, units and reasons.
extension Limits {
    // MARK: Entries and runs

    /// Reactions of one log to a message that are counted: the latest.
    package static let referencesPerLog = 16
    /// Entries that say something of one message and are looked at: of each kind the latest, and those of
    /// known people beyond them.
    package static let references = 1_024
    /// Those that subscribers are told of in one batch, since they came before their messages.
    package static let toldReferences = 1_024
    /// Own entries from one attestation to the next, of more than a run at a time: half of one, so that
    /// history can be sent in halves where live messages would wait for whole runs.
    package static let attestedEntries = 64
    /// How often a peer may change its realms between two looks at its link: by hand nobody does so as often, and
    /// each change may have all rooms of a realm announced anew.
    static let realmChangesPerPing = 32
    /// How often a peer may come back into rooms between two looks at its link: by hand nobody does so as often, and each
    /// time both ends begin to share the room anew.
    static let roomReturnsPerPing = 32
    /// An earlier secret of a realm is looked at again after an hour at the latest, since clocks may be
    /// set.
    static let secretsMilliseconds: UInt64 = 3_600_000
    /// What records may take that wait to be written: of more, those of strangers are left out.
    static let waitingRecordBytes = 8 << 20
    /// For so long nothing is taken of those who would be the next to give way, since who had as much has.
    static let recordRefusalMilliseconds: UInt64 = 600_000
    /// What of strangers' records is passed on at once, to all links; the next digest tells of the rest.
    static let passedRecordBytes = 262_144
    /// The time in which as much again is passed on: 64 KiB in a second.
    static let passedRecordMilliseconds: UInt64 = 4_000
    /// In conversations of more authors the digest of records, which takes some milliseconds, is made anew this seldom.
    static let recordDigestMilliseconds: UInt64 = 2_000
    /// The most authors of whom it is made as soon as it is asked for.
    static let recordDigestAuthors = 128
    /// Records of which is remembered by name that one peer is owed them, of people whom the user knows and as many of
    /// all others: more than a room of a thousand people has.
    static let owedRecords = 1_024
    /// The kinds that a later version may have beside those of this one.
    package static let recordKinds = 16

    // MARK: Frames and flow

    /// What a peer may send at once on the channel that no credit bounds, but for credit: twice the names
    /// of all rooms that it may be in.
    package static let controlBurstBytes = 524_288
    /// The time in which it may send as much again: 1,800 pings a second.
    package static let controlBurstMilliseconds: UInt64 = 16_000
    /// Two full runs and their frames, so that nothing can wait for itself; also fits any frame.
    package static let initialCredit = 327_680
    /// What strangers may leave of what they are sent, all together: of more, who leaves most is let go.
    ///
    /// In memory it takes about twice as much.
    static let strangersUntakenBytes = 24 << 20
    /// So much is sent before links are looked at for that again.
    static let untakenStepBytes = 1 << 20
    /// What a peer may have us hold before it has proven its identity.
    package static let handshakeBytes = 65_536
    /// A handshake on a LAN takes two round trips, and one more for each secret that was not the right one;
    /// five seconds is a thousand of them.
    package static let handshakeMilliseconds: UInt64 = 5_000
    /// Half-open handshakes at a time: an office that starts at nine, without paying for a flood.
    package static let halfOpenHandshakes = 32
    /// Full mesh with 128 links is the largest network that version 1 serves.
    package static let links = 128
    /// Of these, for people whom the user knows, who take the places of others, too.
    package static let knownLinks = 32
    /// Of the others, for what this node dials itself: so strangers cannot choose all of its neighbours.
    package static let dialledLinks = 16
    /// Links on trial of peers that dial: one of each source, and more than 16 hosts can hold together.
    static let trialLinks = 24
    /// On trial a peer says in which conversations it is: two round trips, also between busy hosts.
    static let trialMilliseconds: UInt64 = 2_000
    /// A conversation that fewer sources share is looked for among services that are not linked: of those
    /// that 16 hostile hosts and few others share, some honest ones are then always among the linked.
    static let soughtSources = 24
    /// Services are dialled so often while such a conversation is looked for: 1,000 hosts in eight minutes.
    static let seekMilliseconds: UInt64 = 500
    /// Control frames a link may queue before it counts as dead: pings and credits are tiny.
    package static let controlQueueBytes = 65_536

    // MARK: Liveness and time

    /// What is kept of a link that is not yet decided on: a second of what a peer says first, and its rooms.
    package static let heldBytesOfLink = 512 << 10
    /// The same of all strangers together; read, a frame may take some times as much.
    static let heldBytes = 1 << 20
    /// What each such frame counts beside its bytes.
    static let heldFrameBytes = 256
    /// Often enough to notice a dead peer of few within a minute, rare enough to cost nothing.
    package static let pingMilliseconds: UInt64 = 15_000
    /// So many links, and twice as many, are pinged that often; of more each is more rarely.
    static let oftenPingedLinks = 4
    /// After the network has changed a link that lives answers within this time.
    package static let networkCheckMilliseconds: UInt64 = 3_000
    /// After so long without a sign, and pings of which the first has had all of it but ``pingMilliseconds`` to be
    /// answered, nobody is there.
    package static let silenceMilliseconds: UInt64 = 60_000
    /// A link that has to prove itself against a newer one gets a second: a thousand LAN round trips.
    package static let probeMilliseconds: UInt64 = 1_000
    /// After something was sent, a sign of the peer is asked for that has given none: many round trips.
    static let unansweredMilliseconds: UInt64 = 2_000
    /// Then, where there still is none, the link is doubted, and another one dialled beside it: TCP would
    /// send again after twice as long each time, and so use a network that comes back late.
    static let doubtMilliseconds: UInt64 = 5_000
    /// Links from which a sign is due are looked at so often.
    static let pulseCheckMilliseconds: UInt64 = 1_000
    /// A dial beside a doubted link begins anew after so long, so that one is always young: what TCP sends
    /// first it sends again after one second.
    static let besideMilliseconds: UInt64 = 2_000
    /// A packet with so many bytes of a link is small: what every host and network takes, RFC 9293 section 3.7.1.
    package static let smallSegmentBytes = 536
    /// What each network takes of IPv6, RFC 8200 section 5: where less is known to pass, small packets are no news.
    static let leastPathBytes: UInt32 = 1_280
    /// A packet that was sent again so often in vain is not lost by chance; by then 1.4 s have passed.
    static let largeResends: UInt32 = 3
    /// On a link so young the handshake has shown just now that small packets pass.
    static let youngMilliseconds: UInt64 = 10_000
    /// Where large packets are lost, small ones are used for so long: as a network may be mended, and an hour of
    /// somewhat more work harms nobody.
    static let narrowMilliseconds: UInt64 = 3_600_000
    /// So many peers and hosts are remembered to which they are: all that may be linked, each by both.
    static let narrowPaths = 2 * links
    /// Clocks in an office differ by seconds; five minutes is what Kerberos tolerates.
    package static let aheadMilliseconds: UInt64 = 300_000
    /// Entries that were held and are shown at once.
    package static let releasedPerBatch = 128
    /// What is due beyond that waits so long: some thousand a second, beside live messages.
    static let releasePauseMilliseconds: UInt64 = 50
    /// Entries at most so far ahead are followed, and shown whoever has written them: so much a stranger can push the times of own entries
    /// ahead, and what is left to ``aheadMilliseconds`` is for clocks that differ.
    package static let followedMilliseconds: UInt64 = 60_000
    /// Where the next own entry would be as far ahead, a new incarnation begins: twice what is followed,
    /// so nobody but the own clock, when it is set back, can bring that about.
    package static let ownAheadMilliseconds: UInt64 = 120_000
    /// People are told where most clocks differ by more: who is further ahead is not followed.
    package static let differenceMilliseconds: UInt64 = 60_000
    /// The last millisecond that counts as *now*, whatever a clock says: in the year 6429, half of what
    /// a time can say, so that what follows *now* never comes to the end of time.
    package static let latestMilliseconds: UInt64 = 1 << 47
    /// An entry this much older than the newest shown one is flagged as late.
    package static let lateMilliseconds: UInt64 = 30_000
    /// Held entries are looked at again after an hour at the latest, since clocks may be set.
    package static let releaseMilliseconds: UInt64 = 3_600_000
    /// What is missing is told of once nothing of it has come for this long: on a LAN it comes in less.
    package static let holeMilliseconds: UInt64 = 2_000
    /// Subscribers are told so often at most what is missing of a conversation.
    static let holeEventMilliseconds: UInt64 = 1_000
    /// The same where only messages of strangers are missing or have come, who may do that again and again.
    static let strangersHoleEventMilliseconds: UInt64 = 10_000
    /// Logs of a conversation of which is remembered that there is more than is here: more than people read about.
    static let holeLogs = 64
    /// Who has it, of each of these logs.
    static let holeHolders = 16
    /// Signatures of runs that do not follow what is here are checked so often for strangers.
    static let holeCheckMilliseconds: UInt64 = 100
    /// Conversations that are looked at in one turn, since all are after a start.
    static let holeLooks = 8
    /// Clock deltas are gathered for this long, so that a burst costs one frame.
    package static let deltaMilliseconds: UInt64 = 100
    /// Peers that can do without them have their turn within this long.
    package static let deltaTurnMilliseconds: UInt64 = 5_000
    /// How many of these are told at a time: four of up to sixteen; of more two, or as many as it takes
    /// to reach each within ``deltaTurnMilliseconds``.
    package static func deltaPeers(ofLinks count: Int) -> Int {
        let moments = Int(Self.deltaTurnMilliseconds / Self.deltaMilliseconds)
        return count <= 16 ? 4 : max(2, (count + moments - 1) / moments)
    }
    /// Logs on links that are looked at at a time for those whose turn it is: some milliseconds.
    static let deltaSteps = 4_096
    /// The author pushes at once; who still lacks an entry after this asks others.
    package static let relayMilliseconds: UInt64 = 150
    /// Spreads the askers, so that not all of them choose the same moment.
    package static let relayJitterMilliseconds: UInt64 = 100
    /// A want not served for this long is given to another peer.
    package static let wantMilliseconds: UInt64 = 10_000
    /// A want on which nothing has come for this long is asked of another peer, too, where one has it.
    static let slowWantMilliseconds: UInt64 = 500
    /// An answer that comes more slowly than this is late: 64 kB a second.
    static let leastAnswerBytesPerMillisecond: UInt64 = 64

    // MARK: Sync

    /// Wants open on one link: enough to keep the pipe full whatever the logs' sizes.
    package static let wantsPerLink = 64
    /// Logs of which one peer is asked for the first entries at once: a newcomer to a room of 1,000 logs
    /// learns their names in 32 round trips, and half of the wants are left for what is known.
    package static let discoveriesPerLink = 32
    /// A peer answers for a log's first entries within a round trip or two; this long after its last
    /// answer another one is asked for what else is unknown.
    package static let discoveryMilliseconds: UInt64 = 250
    /// Logs on links that are looked at at once to choose whom to ask for what: many times what an office
    /// has, a few milliseconds.
    static let fetchSteps = 32_768
    /// So many of them in one turn beyond that: about a millisecond.
    static let fetchStepsPerTurn = 8_192
    /// Such turns come so often at most: a small part of the time, and nobody sees the wait.
    static let fetchTurnMilliseconds: UInt64 = 20
    /// Those on links of people whom the user knows that are looked at without a turn.
    static let knownFetchSteps = 1_024
    /// Entries of own logs that an own `erase` names: they stand in the header, too, and fit it.
    package static let ownEraseTargets = 20
    /// Requests to give payloads up that wait: one for each of some rooms, and more of none.
    package static let waitingExpiries = conversations
    /// Payloads that one transaction gives up: a few milliseconds, so that messages do not wait.
    package static let expiredPerBatch = 256
    /// Their bytes, which are overwritten on the disk.
    package static let expiredBytesPerBatch = 1_048_576
    /// Entries that are looked at for that.
    package static let expiryRowsPerBatch = 1_024
    /// A clock that is so far behind what is shown already was set back: others may be ahead by less.
    static let pastMilliseconds: UInt64 = 600_000
    /// What streams brought is looked at so long after it came or was received: a burst counts once.
    static let streamCheckMilliseconds: UInt64 = 5_000
    /// And so often, since it becomes old: days are kept, so an hour more is nothing.
    static let streamAgeMilliseconds: UInt64 = 3_600_000
    /// For how many days it is kept at most where nobody says.
    package static let streamsKeepDays: UInt64 = 7
    /// An answer with the largest payloads: each of the others takes two bytes and a length.
    static let payloadsFrameBytes = runEntryBytes + 4 * payloadItems + 64
    /// The same payload is asked of the same link once an hour: one that may never come costs a few
    /// bytes, and whoever begins to have it says so in a clock.
    package static let payloadWantMilliseconds: UInt64 = 3_600_000
    /// What the disk did not take is asked for again so long after it failed; a disk that is nearly full takes
    /// what is smaller meanwhile.
    static let lostPayloadMilliseconds: UInt64 = 60_000
    /// Logs of which is remembered that links were asked for their payloads, of all links together.
    ///
    /// Each takes some 130 bytes, for an hour.
    static let payloadAsks = 65_536
    /// Those of one link that are remembered in any case.
    static let payloadAsksPerLink = 1_024
    /// Logs that are looked at for links to be asked for payloads, in one turn.
    static let payloadStepsPerTurn = 1_024
    /// Logs that are not known here of which one peer has asked for payloads: some tens of kilobytes.
    ///
    /// Of more it is not told that they have come, and asks again after an hour.
    static let awaitedTags = 1_024
    /// Questions for payloads that a link did not answer in time, whose answers are taken if they come.
    static let lateAnswers = 4
    /// Answers with payloads in one transaction: as much as a large run each.
    static let payloadFillsPerBatch = 4
    /// Devices of one person that stand as the first one does: more than anybody has, since keys cost
    /// nothing.
    package static let devicesPerPerson = 16
    /// Revocations by one person whom the user knows that are kept, also of devices that have shown themselves nowhere
    /// here: more than anybody loses.
    static let revocationsPerPerson = 64
    /// People who have revoked one device, of whom it has shown some on links alone: more than own it in its life.
    static let revocationsPerDevice = 8
    /// People of one name who are told apart; those of whom the user has said something always are.
    ///
    /// More than one network has, and few enough to look at for each message that is shown.
    static let namesakes = 64
    /// Strangers of whom anything is remembered: all others of the largest network, many times over.
    package static let strangers = 4_096
    /// What is kept of what somebody writes whom the user does not know: enough to say who they are.
    package static let requestTextBytes = 4_096
    /// What such people may send before the first text of theirs, in bytes: an opening and some runs.
    static let requestIntakeBytes = 262_144
    /// Entries that they are asked for at a time until there is a text among them.
    static let requestIntakeEntries: UInt64 = 8
    /// People who wait to be accepted: more than anybody looks through, a megabyte at most.
    package static let requests = 256
    /// How many of one source may begin to wait within an hour.
    package static let requestsPerSource = 8
    /// The time for which those are counted.
    package static let requestSourceMilliseconds: UInt64 = 3_600_000
    /// Direct conversations with people whom the user does not know: those that wait, and where anybody
    /// may begin one, so many of them.
    package static let strangersDirects = 1_024
    /// People who were declined and are remembered, so that they do not ask twice.
    package static let declinedRequests = 1_024
    /// Rooms one peer may announce: as many as it may be in.
    package static let roomsPerPeer = 4_096
    /// What an entry takes on the disk beside its payload and its extra fields, about: columns and rows of indexes.
    package static let entryOverheadBytes: UInt64 = 256
    /// From so many logs on strangers may have fewer each, since some may have to give way.
    static let crowdedLogs = 1_024
    /// For so many days after an answer of somebody who does not give way a log does not either.
    static let answeredDays: UInt64 = 30
    /// Logs that are said to be closed and are not here, of a conversation: some tens of kilobytes.
    static let closedElsewhere = 4_096
    /// Who gives way in a full conversation is found anew so often, in monotonic milliseconds.
    static let crowdMilliseconds: UInt64 = 10_000
    /// Entries that one transaction takes off the disk with the logs that they are in.
    package static let droppedPerBatch = 1_024
    /// Their payloads, in bytes, but for one run.
    package static let droppedBytesPerBatch = 1_048_576
    /// Logs that give way with one batch where strangers or fellows have too much: some milliseconds.
    static let victimsPerBatch = 64
    /// What rows of logs that are not known here may take on links of strangers, all together: a hundred
    /// neighbours may each have some nine hundred that a newcomer does not know yet.
    static let strangersUnknownBytes = 16 << 20
    /// What one of them takes, with what there is to find it by.
    static let unknownRowBytes = 192
    /// What else rows may take there, all together, of logs that are known here.
    static let strangersRememberedBytes = 16 << 20
    /// What one of them takes that says more than how far a log goes: 36 bytes, and half of a table is empty.
    static let specialRowBytes = 80
    /// What is to be remembered of a log takes of which a peer has more than is here.
    static let lackingLogBytes = 32
    /// So many come before links are looked at for that again.
    static let rowsStep = 1_024
    /// A clock is sent in frames of about this size, so that wants and runs may go between.
    package static let clockFrameBytes = 65_536
    /// Logs refused for want of room of which is told by name: enough for a room that is just full.
    package static let refusedLogs = 1_024
    /// Logs and peers of which was told that histories differ, before all are told anew.
    package static let forkSuspicions = 1_024
    /// Fork-search steps of 128 entries, doubled each time, before the search is given up.
    package static let forkSearchSteps = 40

    /// The wait before an unchanged digest is sent again to a peer whose digest differs.
    package static let repairFirstMilliseconds: UInt64 = 30_000
    /// The longest such wait; each is twice the one before.
    ///
    /// Two replicas may differ for good where one has reached its bounds: then this is what it costs.
    package static let repairLastMilliseconds: UInt64 = 960_000

    /// Records kept of a link whose authors have no entry here yet; those of more authors come again
    /// with the next digest.
    package static let earlyRecords = 256
    /// Those of all links together, in bytes: a newcomer has the same of each.
    static let earlyRecordBytes = 4_194_304
    /// Records of which is remembered that their signatures are right: as many as there are strangers.
    static let checkedRecords = strangers
    /// What waits for credit on one link: announcements, digests and wants of some thousand rooms.
    ///
    /// What answers questions is made when it goes.
    package static let outboxBytes = 1_048_576

    // MARK: Commit

    /// Own messages in one transaction: a group commit stays near the cost of one fsync, and what
    /// comes meanwhile waits for a few milliseconds only.
    package static let draftsPerBatch = 1_024
    /// Received runs in one transaction, while nobody writes: 2,048 entries at most.
    ///
    /// Here and below full runs are meant; up to sixteen small ones count as one.
    package static let runsPerBatch = 16
    /// Received records in one transaction, in bytes; those beyond it come with the next.
    static let recordBytesPerBatch = 1_048_576
    /// Received runs in one transaction while live messages come or go: as many entries as drafts.
    package static let runsPerLiveBatch = 8
    /// Of these, those of catch-up: a live message may have to wait for it.
    package static let bulkRunsPerLiveBatch = 1
    /// Runs of others that wait for the disk before strangers are read no further, in bytes: a second's worth.
    static let crowdedRunBytes = 4_194_304
    /// Of a run with so many entries is kept what they say until they are shown, and not read again.
    static let keptContents = 4
    /// The same in runs: of small ones each takes more memory than its bytes.
    static let crowdedRuns = 2_048
    /// For so long after a live message the next one is awaited with small transactions.
    package static let liveMilliseconds: UInt64 = 1_000
    /// After a failure the store is tried again by itself; own messages try it at once.
    package static let storageRetryMilliseconds: UInt64 = 5_000
    /// Own messages that may wait for the disk before senders are told to slow down.
    package static let waitingDrafts = 65_536

    /// Own ids that are kept to check what members say to have: more than are ever on their way.
    static let recentOwnIDs = 1_024

    // MARK: What members have received and read

    /// What the user has read is told this long after the last time: who scrolls reads many at once.
    static let readMilliseconds: UInt64 = 2_000
    /// What has come is told this seldom in the long run, to those who are linked through others only.
    static let storedMilliseconds: UInt64 = 10_000
    /// And this long after the last time, since its author may wait to hear of it.
    static let storedLeastMilliseconds: UInt64 = 1_500
    /// So often in quick succession.
    static let marksAtOnce = 12
    /// Whether somebody lets the user in is known so soon where they are linked: a few round trips.
    static let unsaidMilliseconds: UInt64 = 1_000
    /// Of so many is told through whom a message goes to somebody.
    static let passingNamed = 3
    /// Marks and positions are written this seldom, so that many cost one transaction.
    static let gatherMilliseconds: UInt64 = 1_000
    /// What comes first waits this long for others that come with it.
    static let soonMilliseconds: UInt64 = 100
    /// Who was not heard of for so long is not waited for where all are to have a message.
    static let awayMilliseconds: UInt64 = 30 * dayMilliseconds

    /// Of whom something came through others that is not older is there, though not linked.
    static let heardOfMilliseconds: UInt64 = 5 * 60_000
}
