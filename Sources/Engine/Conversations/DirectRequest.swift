package import Formats

/// Somebody whom the user does not know, and who has written to them.
///
/// One row of the store; nothing else of what such a person writes is kept before the user has accepted.
package struct DirectRequest: Hashable, Sendable {
    /// The device that wrote.
    package var device: PeerID
    /// The person's keys.
    package var person: PublicPerson
    /// What was written first, at most ``Limits/requestTextBytes``; nothing once it is declined.
    package var text: String
    /// When it came, wall-clock milliseconds.
    package var time: UInt64
    /// From where it came.
    package var source: String
    /// Whether the user has declined it, of which the person is not told.
    package var isDeclined = false

    /// Describes a request; the text is cut to its limit.
    package init(device: PeerID, person: PublicPerson, text: String, time: UInt64, source: String) {
        self.device = device
        self.person = person
        self.text = text.cut(toBytes: Limits.requestTextBytes)
        self.time = time
        self.source = source
    }
}

/// Who may start direct conversations with the user; from others they are requests.
package enum DirectPolicy: String, Hashable, Sendable, CaseIterable {
    /// Anybody.
    case anyone
    /// Whom the user knows.
    case known
    /// Whom the user has verified.
    case verified

    /// Whether somebody may start one without being accepted.
    func admits(_ tier: Tier) -> Bool {
        #if MUTANTS
            if Mutant.letAnybodyIn.isActive { return true }
        #endif
        return switch self {
        case .anyone: true
        case .known: tier >= .known
        case .verified: tier >= .verified
        }
    }
}

/// The requests that wait for the user, and those that were declined.
///
/// Keys cost nothing, so all of them together are bounded, and those of one source by the hour; who gives way, by
/// ``FairShare``, or is turned away is counted, and may ask again. Each person has one, which neither another text nor
/// another start renews.
struct DirectRequests: Sendable {
    private(set) var all: [PersonID: DirectRequest]
    /// How many were turned away or gave way for want of room since the start.
    private(set) var turnedAway = 0

    init(_ stored: [DirectRequest]) {
        self.all = Dictionary(stored.map { ($0.person.id, $0) }, uniquingKeysWith: { $1 })
    }

    /// Those that wait for the user.
    var pending: [DirectRequest] { self.all.values.filter { !$0.isDeclined } }

    /// Who gives way to somebody's text; nil where it is not taken.
    ///
    /// - Parameters:
    ///   - wall: the time of the wall clock, in milliseconds.
    ///   - claims: those of who waits and of somebody who is to; asked for only where there is no room for all.
    func room(
        for person: PersonID, from source: String, at wall: UInt64,
        claims: ([DirectRequest]) -> [FairShare<PersonID>.Claim]
    ) -> [DirectRequest]? {
        if self.all[person] != nil { return [] }
        let hour = wall - min(wall, Limits.requestSourceMilliseconds)
        let recent = self.all.values.count { $0.source == source && $0.time >= hour }
        guard recent < Limits.requestsPerSource else { return nil }
        let pending = self.pending
        guard pending.count >= Limits.requests else { return [] }
        let all = claims(pending)
        guard let newcomer = all.first(where: { $0.key == person }) else { return nil }
        let others = all.filter { $0.key != person }
        return FairShare.room(for: newcomer, among: others, within: Limits.requests)?
            .compactMap { self.all[$0.key] }
    }

    /// Notes that somebody was turned away, or gave way.
    mutating func turnAway() { self.turnedAway += 1 }

    /// Takes a request; gives those that were declined for which there is no room any longer.
    mutating func add(_ request: DirectRequest) -> [DirectRequest] {
        self.all[request.person.id] = request
        let declined = self.all.filter(\.value.isDeclined)
        guard declined.count > Limits.declinedRequests else { return [] }
        let oldest = declined.sorted { ($0.value.time, $0.key) < ($1.value.time, $1.key) }
        let gone = oldest.prefix(declined.count - Limits.declinedRequests).map(\.value)
        for request in gone { self.all[request.person.id] = nil }
        return gone
    }

    /// Takes a request out that is accepted, or whose person the user wrote to.
    mutating func remove(_ person: PersonID) -> DirectRequest? {
        self.all.removeValue(forKey: person)
    }
}
