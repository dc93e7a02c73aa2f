internal import Formats

/// What somebody asks of the user who may take their time, or decline.
protocol WaitingRequest: Sendable {
    associatedtype Key: Hashable & Comparable & Sendable
    /// Of requests with one key there is one.
    var key: Key { get }
    /// When it came, wall-clock milliseconds.
    var time: UInt64 { get }
    /// From where it came.
    var source: String { get }
    var isDeclined: Bool { get }
}

typealias DirectRequests = Requests<DirectRequest>

/// The requests that wait for the user, and those that were declined.
///
/// Keys cost nothing, so all of them together are bounded, and those of one source by the hour; who gives way, by
/// ``FairShare``, or is turned away is counted, and may ask again. Each key has one request, which neither another
/// text nor another start renews.
struct Requests<Request: WaitingRequest>: Sendable {
    typealias Key = Request.Key

    private(set) var all: [Key: Request]
    /// How many were turned away or gave way for want of room since the start.
    private(set) var turnedAway = 0

    init(_ stored: [Request]) {
        self.all = Dictionary(stored.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    }

    /// Those that wait for the user.
    var pending: [Request] { self.all.values.filter { !$0.isDeclined } }

    /// Who gives way to somebody's request; nil where it is not taken.
    ///
    /// - Parameters:
    ///   - wall: the time of the wall clock, in milliseconds.
    ///   - claims: those of who waits and of somebody who is to; asked for only where there is no room for all.
    func room(
        for key: Key, from source: String, at wall: UInt64,
        claims: ([Request]) -> [FairShare<Key>.Claim]
    ) -> [Request]? {
        if self.all[key] != nil { return [] }
        let hour = wall - min(wall, Limits.requestSourceMilliseconds)
        let recent = self.all.values.count { $0.source == source && $0.time >= hour }
        guard recent < Limits.requestsPerSource else { return nil }
        let pending = self.pending
        guard pending.count >= Limits.requests else { return [] }
        let all = claims(pending)
        guard let newcomer = all.first(where: { $0.key == key }) else { return nil }
        let others = all.filter { $0.key != key }
        return FairShare.room(for: newcomer, among: others, within: Limits.requests)?
            .compactMap { self.all[$0.key] }
    }

    /// Notes that somebody was turned away, or gave way.
    mutating func turnAway() { self.turnedAway += 1 }

    /// Takes a request; gives those that were declined for which there is no room any longer.
    mutating func add(_ request: Request) -> [Request] {
        self.all[request.key] = request
        let declined = self.all.filter(\.value.isDeclined)
        guard declined.count > Limits.declinedRequests else { return [] }
        let oldest = declined.sorted { ($0.value.time, $0.key) < ($1.value.time, $1.key) }
        let gone = oldest.prefix(declined.count - Limits.declinedRequests).map(\.value)
        for request in gone { self.all[request.key] = nil }
        return gone
    }

    /// Takes a request out that is accepted, or whose person the user wrote to.
    mutating func remove(_ key: Key) -> Request? {
        self.all.removeValue(forKey: key)
    }
}
