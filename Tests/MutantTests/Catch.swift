#if MUTANTS
    import Formats
    import Simulation

    /// What catches a deliberate bug, and finds nothing without it.
    enum Catch: Sendable {
        /// A seed of the simulation, and a part of what it then complains of.
        case seed(UInt64, says: String)
        /// A seed with a peer that breaks the protocol, and a part of what it then complains of.
        case assault(UInt64, says: String)
        /// A seed with one attacker who has many keys, and a part of what it then complains of.
        case sybils(UInt64, says: String)
        /// A test of the ordinary suite: its suite and function, and itself.
        case test(String, @Sendable () async throws -> Void)
    }

    extension Mutant {
        /// What catches this bug; `Docs/Testing/Mutants.md` says the same.
        var catches: [Catch] {
            switch self {
            case .acknowledgeBeforeCommit:
                [.seed(2, says: "acknowledges what is not on its disk")]
            case .pushBeforeCommit: [.seed(6, says: "stores an entry that nobody wrote")]
            case .claimBeforeCommit: [.seed(2, says: "claims to have what is not on its disk")]
            case .creditBeforeCommit: [.seed(6, says: "gives credit for what is not on its disk")]
            case .countFailedCommits: [.seed(20, says: "its head is")]
            case .creditTwice: [.seed(6, says: "gets more credit than it used")]
            case .takeSentForDelivered: [.seed(3, says: "says delivered where it is not")]
            case .takeHeldForDelivered: [EngineCatches.held]
            case .believeAnyDelivery: [EngineCatches.lies]
            case .countStrangersAsDelivered: [EngineCatches.strangersWord]
            case .believeMarks: [EngineCatches.marks]
            case .tellPrivateReads: [EngineCatches.privateReads]
            case .forgetRealmRole: [EngineCatches.mirrored]
            case .believeNames: [EngineCatches.names]
            case .forgetAnybody: [EngineCatches.strangers]
            case .evictKnown:
                [.sybils(2, says: "whom its user knows"), EngineCatches.places]
            case .evictKnownAuthors:
                [.sybils(5, says: "of somebody whom its user knows"), EngineCatches.knownLogs]
            case .letTimeDecide: [EngineCatches.claimedTime]
            case .chargeAuthors:
                [.sybils(1, says: "who has not brought it"), EngineCatches.charged]
            case .shareByAuthor: [SimulationCatches.washed, EngineCatches.linkedRecords]
            case .protectFollowed: [SimulationCatches.ratcheted, EngineCatches.protected]
            case .retainByAge: [SimulationCatches.flooded]
            case .tellStrangers: [.seed(1, says: "about a conversation that is not shared")]
            case .shareWithAnybody: [SimulationCatches.secretRooms]
            case .serveAnyPicture: [EngineCatches.pictures]
            case .serveUnreferenced:
                [.seed(59, says: "a file that it must not have"), EngineCatches.uploads]
            case .believeWrongChunks:
                [
                    .assault(60, says: "shows as whole what its author did not send"),
                    EngineCatches.parts, EngineCatches.liars,
                ]
            case .forgetPieces:
                [.seed(57, says: "a part of a file that it has"), EngineCatches.resumes]
            case .renewByBytes: [EngineCatches.drip]
            case .acceptUnshared: [EngineCatches.unshared]
            case .letAnybodyIn: [SimulationCatches.requests]
            case .takeDigestsForEqual: [.seed(1, says: "still not: all agree")]
            case .keepEveryLink: [.seed(1, says: "links between")]
            case .leaveOutOwnLogs: [.seed(4, says: "still not: all agree")]
            case .forgetRole: [EngineCatches.mirroredHeads]
            case .tagsFromPublicHash: [EngineCatches.publicHash]
            case .forgetDeps: [.seed(1, says: "writes as if it had not shown")]
            case .followTheWallClock: [.seed(1, says: "goes back in time")]
            case .believeEveryClock: [SimulationCatches.clocks]
            case .followTooFar:
                [
                    .sybils(1, says: "writes ahead of its clock"), SimulationCatches.creep,
                    EngineCatches.followed,
                ]
            case .countStrangersClocks:
                [.sybils(1, says: "writes ahead of its clock"), EngineCatches.clocks]
            case .trapOnSaturation: [SimulationCatches.falseClocks, EngineCatches.pong]
            case .trustRestoredHistory: [SimulationCatches.restoredBackup]
            case .forgetForkProofs: [SimulationCatches.fork]
            case .leaveForksUnmarked:
                [.assault(1, says: "does not mark"), StorageCatches.proof]
            case .sendAgainUnderAKey: [.seed(3, says: "sent twice under one key")]
            case .acceptUnattested:
                [.assault(2, says: "stores an entry that nobody wrote"), EngineCatches.changedRun]
            case .dropRoleByte: [EngineCatches.signatures]
            case .acceptOtherCertificate: [EngineCatches.certificates, EngineCatches.device]
            case .acceptAnotherKey: [EngineCatches.otherKey]
            case .acceptLongVarints: [EngineCatches.varints]
            case .showLogsOfNobody: [EngineCatches.verdicts]
            case .acceptWithheldControl: [EngineCatches.withheld]
            case .eraseForAnybody: [EngineCatches.erasers]
            case .believeAbsentPayload: [EngineCatches.wanted]
            case .wantExpired: [EngineCatches.expired]
            case .syncNothing, .splitBatches: [StorageCatches.syncs]
            case .keepFailedBatches: [StorageCatches.refused]
            case .dropAttestations: [StorageCatches.runs]
            case .boundEarlyReferences:
                [SimulationCatches.references, StorageCatches.references]
            case .orderByArrival: [StorageCatches.order]
            case .forgetKeys: [StorageCatches.keys]
            case .forgetMark: [StorageCatches.mark]
            }
        }
    }
#endif
