internal import Formats

/// How far the clocks of linked people are from the own one: to warn the user, and for nothing else.
///
/// Everybody on the network can link and say anything, so *now* does not depend on it
/// (``NodeTime``). Whoever has several devices linked has one vote, and where anybody is linked whom the user
/// knows, nobody else has one.
struct PeerClocks: Sendable {
    private struct Reading: Sendable {
        var person: PersonID
        var isKnown: Bool
        /// How far the peer's wall clock is ahead of the own monotonic one, modulo 2⁶⁴: so it stays
        /// right when the own wall clock is set.
        var lead: UInt64
    }

    private var readings: [LinkID: Reading] = [:]

    /// Takes what a link has told of the clock at its other end.
    ///
    /// - Parameter isKnown: whether the user knows the person.
    mutating func read(_ lead: UInt64, of person: PersonID, isKnown: Bool, on link: LinkID) {
        self.readings[link] = Reading(person: person, isKnown: isKnown, lead: lead)
    }

    /// Those readings that count.
    private var votes: [LinkID: Reading] {
        let known = self.readings.filter(\.value.isKnown)
        return known.isEmpty ? self.readings : known
    }

    /// A link has ended.
    mutating func drop(_ link: LinkID) { self.readings[link] = nil }

    /// How far the clock of each person is ahead of the own one, in milliseconds, ascending.
    private func offsets(at now: Instant) -> [Int64] {
        var votes: [PersonID: UInt64] = [:]
        for (_, reading) in self.votes.sorted(by: { $0.key < $1.key })
        where votes[reading.person] == nil { votes[reading.person] = reading.lead }
        return votes.values.map { Int64(bitPattern: $0 &+ now.monotonic &- now.wall) }.sorted()
    }

    /// How far the middle one of linked people's clocks is ahead of the own one, in milliseconds; 0
    /// where nobody is linked.
    ///
    /// Of an even number the nearer of the two in the middle: so at least half of all are as far.
    func offset(at now: Instant) -> Int64 {
        let offsets = self.offsets(at: now)
        guard !offsets.isEmpty else { return 0 }
        let (lower, upper) = (offsets[(offsets.count - 1) / 2], offsets[offsets.count / 2])
        return lower.magnitude <= upper.magnitude ? lower : upper
    }

    /// Whether those of several linked people say that the own clock is ahead by more than a minute.
    ///
    /// Of two clocks nobody knows which is wrong.
    func areBehind(at now: Instant) -> Bool {
        let offset = self.offset(at: now)
        return offset < 0 && offset.magnitude > Limits.differenceMilliseconds
            && Set(self.votes.values.map(\.person)).count > 1
    }

    /// What to tell people where most linked people's clocks differ by more than a minute.
    func warning(at now: Instant) -> String? {
        // As nearly always, where this is asked with each pong.
        let areNear = self.readings.values.allSatisfy {
            Int64(bitPattern: $0.lead &+ now.monotonic &- now.wall).magnitude
                <= Limits.differenceMilliseconds
        }
        guard !areNear else { return nil }
        let offset = self.offset(at: now)
        guard offset.magnitude > Limits.differenceMilliseconds else { return nil }
        let voters = self.votes.values
        let count = Set(voters.map(\.person)).count
        let others =
            count == 1 ? "that of the one linked person" : "most of \(count) linked people's"
        let unknown = count == 1 ? ", a stranger" : ", all strangers"
        return "this machine's clock is \(Self.text(offset.magnitude)) "
            + "\(offset > 0 ? "behind" : "ahead of") \(others)"
            + (voters.contains(where: \.isKnown) ? "" : unknown)
            + "; correct it (timedatectl set-ntp true), or ask them to correct theirs"
    }

    /// A length of time in words, so roughly that jitter does not change it.
    static func text(_ milliseconds: UInt64) -> String {
        let minutes = (milliseconds + 30_000) / 60_000
        switch minutes {
        case 0..<2: return "more than a minute"
        case 2..<120: return "\(minutes) minutes"
        case 120..<2_880: return "\(minutes / 60) hours"
        case 2_880..<1_051_200: return "\(minutes / 1_440) days"
        default: return "\(minutes / 525_600) years"
        }
    }
}
