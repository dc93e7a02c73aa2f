package import Formats

/// What those may take who are trusted as far as one another: of one author or peer where it says so, else of all of the
/// tier together.
///
/// The largest number stands for no bound of its own. `Docs/Protocol/Threats.md` has the same table, with the bounds that
/// strangers and fellows share.
package struct TierBudget: Hashable, Sendable {
    /// Links at a time; strangers and fellows have theirs together.
    package let links: Int
    /// Logs of one author, in each conversation of ``Limits/crowdedLogs`` or more.
    ///
    /// Each restore of a backup, start without the state directory and clock that is set back makes one: three a day for
    /// a year, then the author's oldest closed one gives way. As keys cost nothing, it bounds nobody who makes logs on
    /// purpose: ``Limits/logsPerConversation`` does.
    package let logsOfAuthor: Int
    /// Quarters of what messages may take of the disk (`DiskLimit=`).
    package let diskQuarters: UInt64
    /// What profiles may take, in bytes: some ten thousand names.
    package let profileBytes: Int
    /// What all other records may take: those of some hundred rooms whose members tell what they have.
    package let recordBytes: Int
    /// Rooms of one peer that this node is not in, of which the names are remembered.
    package let roomNames: Int
    /// How much room pictures may take for those of the tier to be fetched by themselves.
    package let pictureBytes: UInt64
    /// Members of whom it is kept how far they have an own log.
    package let positions: Int
    /// The time between two marks of one member that are taken, in the long run: less than its author waits.
    package let markMilliseconds: UInt64
}

extension Limits {
    /// Anybody on the network, and who is blocked.
    package static let ofStrangers = TierBudget(
        links: links - knownLinks, logsOfAuthor: 64, diskQuarters: 1, profileBytes: 8 << 20,
        recordBytes: 16 << 20, roomNames: 64, pictureBytes: 0, positions: 256,
        markMilliseconds: storedMilliseconds / 2)
    /// Who shares a realm with a secret, of which keys cost nothing either.
    package static let ofFellows = TierBudget(
        links: links - knownLinks, logsOfAuthor: 1_024, diskQuarters: 2, profileBytes: 8 << 20,
        recordBytes: 16 << 20, roomNames: roomsPerPeer, pictureBytes: 64 << 20, positions: 256,
        markMilliseconds: storedMilliseconds / 2)
    /// Whom the user knows or has verified, and own devices.
    package static let ofKnown = TierBudget(
        links: links, logsOfAuthor: 1_024, diskQuarters: 4, profileBytes: .max, recordBytes: .max,
        roomNames: roomsPerPeer, pictureBytes: .max, positions: .max,
        markMilliseconds: readMilliseconds / 2)

    /// What those of a tier may take.
    package static func budget(of tier: Tier) -> TierBudget {
        switch tier {
        case .blocked, .stranger: Self.ofStrangers
        case .fellow: Self.ofFellows
        case .known, .verified, .own: Self.ofKnown
        }
    }
}
