#if MUTANTS
    /// Deliberate bugs, one at a time: they show that simulation and tests notice when it matters.
    ///
    /// Only debug builds have them. Each stands where a person could have made it, in
    /// Engine or Storage; `Docs/Testing/Mutants.md` says what catches it.
    package enum Mutant: String, CaseIterable, Sendable {
        // What must not happen before the commit, or not at all without it.

        /// A send is answered when its batch is given to the store.
        case acknowledgeBeforeCommit
        /// Own entries are pushed when their batch is given to the store.
        case pushBeforeCommit
        /// A clock counts what has come in and is not yet on disk.
        case claimBeforeCommit
        /// Credit for a run returns before it is on disk.
        case creditBeforeCommit
        /// After a commit that failed the node goes on as if it had not.
        case countFailedCommits

        // What is told to whom.

        /// Bytes that were committed are credited back twice.
        case creditTwice
        /// A send counts as delivered when it has left.
        case takeSentForDelivered
        /// A send counts as delivered where it is held, and nobody sees it.
        case takeHeldForDelivered
        /// Whatever a member says to have counts as delivered, whether or not there is such an entry.
        case believeAnyDelivery
        /// A stranger who says to have a message counts where people are known.
        case countStrangersAsDelivered
        /// Whatever a mark says to have been read counts, whether or not its author has shown to have it.
        case believeMarks
        /// Others are told what the user has read, who keeps that to themselves.
        case tellPrivateReads
        /// The tags of realms and conversations do not say which side of the link made them.
        case forgetRealmRole
        /// No name is ever marked, whoever else looks like it.
        case believeNames
        /// Whoever was seen least recently is forgotten, whether the user knows them or not.
        case forgetAnybody
        /// A stranger takes the place of a link to somebody whom the user knows.
        case evictKnown
        /// In a full room the log of somebody whom the user knows gives way to a stranger's.
        case evictKnownAuthors
        /// In a full room the logs with the latest times give way.
        case letTimeDecide
        /// A log takes the room of its author instead of who brought it.
        case chargeAuthors
        /// Where records give way each author counts as a source, linked or not.
        case shareByAuthor
        /// A log never gives way once somebody known has written behind an entry of it.
        case protectFollowed
        /// What is more than is kept goes by its age, whoever wrote it.
        case retainByAge
        /// A peer hears of rooms that it is not in.
        case tellStrangers
        /// What is no open room is shared with anybody, whether or not they have shown to know it.
        case shareWithAnybody
        /// The picture of a person is served to whoever asks for it.
        case serveAnyPicture
        /// A part of a file is served to who was not told that it is here.
        case serveUnreferenced
        /// A part of a file is taken whatever its hash.
        case believeWrongChunks
        /// What of a file had come before a start is fetched again.
        case forgetPieces
        /// Each byte of a part of a file gives who sends it all the time again.
        case renewByBytes
        /// A log is taken of a conversation that the link does not share.
        case acceptUnshared
        /// Whoever writes to the user first is let in.
        case letAnybodyIn
        /// Every digest is taken for equal, so that nothing is ever asked for.
        case takeDigestsForEqual
        /// Of several links to one peer all stay.
        case keepEveryLink
        /// A clock page leaves out the logs of its sender.
        case leaveOutOwnLogs
        /// Tags do not say which side sends them.
        case forgetRole
        /// Tags are keyed with the handshake's hash, which everybody can compute who sees the link.
        case tagsFromPublicHash

        // Order and clocks.

        /// Own entries follow nothing but their own log.
        case forgetDeps
        /// Own entries take the wall clock's time also where it was set back.
        case followTheWallClock
        /// Entries from the future are shown at once.
        case believeEveryClock
        /// Whatever is shown is followed, however far ahead it is.
        case followTooFar
        /// The clock of any peer that is ahead of the own one counts.
        case countStrangersClocks
        /// What is worked out from a peer's clock traps where it is out of range.
        case trapOnSaturation

        // History that is one.

        /// The old incarnation goes on also where a restored backup may lack entries.
        case trustRestoredHistory
        /// A fork proof is not stored.
        case forgetForkProofs
        /// What a fork proof disputes stays as if there were none.
        case leaveForksUnmarked
        /// A message that is sent again under its key is written again.
        case sendAgainUnderAKey

        // What is taken from others.

        /// A run needs no valid attestation.
        case acceptUnattested
        /// The signature in the handshake does not cover who speaks.
        case dropRoleByte
        /// The certificate of any device is taken for the one's that shows it.
        case acceptOtherCertificate
        /// Another key than the pinned one is let in.
        case acceptAnotherKey
        /// A varint may be longer than needed.
        case acceptLongVarints
        /// A log is shown whose first entry does not say whose it is.
        case showLogsOfNobody
        /// A run may come without the payloads of control entries.
        case acceptWithheldControl
        /// Anybody may erase what anybody has written.
        case eraseForAnybody
        /// An entry that came without its payload counts as whole.
        case believeAbsentPayload
        /// What this node would expire first is wanted all the same.
        case wantExpired

        // Storage.

        /// Commits are not synced to the disk.
        case syncNothing
        /// A batch is two transactions.
        case splitBatches
        /// What a batch that failed had written by then stays.
        case keepFailedBatches
        /// Attestations are not stored.
        case dropAttestations
        /// Of what is said of a message that is not here only the first is kept.
        case boundEarlyReferences
        /// Entries of one time are shown in the order in which they came.
        case orderByArrival
        /// Idempotency keys are not stored.
        case forgetKeys
        /// The continuity file is not told how far own logs have come.
        case forgetMark

        /// The bug that is switched on, for the running task and what it calls.
        @TaskLocal package static var active: Mutant?

        /// Whether this is the bug that is switched on.
        package var isActive: Bool { Self.active == self }
    }
#endif
