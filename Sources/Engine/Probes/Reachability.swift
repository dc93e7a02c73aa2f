package import Formats

/// What has become of asking a linked peer to dial this node back.
package struct DialBackReport: Hashable, Sendable {
    /// How it has ended.
    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// A stream of the peer has come in, with its key: what this node has seen itself.
        case reached
        /// The peer says that something refused: nobody listens, or somebody else.
        case refused
        /// The peer says that nothing came back.
        case noAnswer
        /// The peer says that it has not tried: too often, or no such port.
        case notTried
        /// The peer has said nothing in time, or to have reached this node, of which nothing was seen.
        case silent
    }

    /// Who was asked.
    package var peer: PeerID
    /// Where its link is: numeric `HOST:PORT`.
    package var address: String
    /// How it has ended.
    package var outcome: Outcome
    /// When that was, wall-clock milliseconds.
    package var time: UInt64
}

/// Whether others reach this node, by what becomes of dials that it asks linked peers for.
///
/// Only a user has it ask. A peer is believed no more than it can know: an answer counts from the link on
/// which it was asked for, and once; and that it has reached this node counts only when its stream has come
/// in here, with its key. That it has not is its word, which is why several are asked.
/// `Docs/Protocol/Wire.md`, "Dial back".
struct Reachability: Sendable {
    /// A peer that may be asked.
    struct Candidate: Sendable {
        var link: LinkID
        var peer: PeerID
        var address: String
    }

    private struct Ask: Sendable {
        var link: LinkID
        var address: String
        /// The monotonic moment of asking.
        var at: UInt64
        /// Nil while it is waited for.
        var report: DialBackReport?
    }

    private var asks: [PeerID: Ask] = [:]
    /// Requests that wait, and for whom.
    private var waiting: [RequestID: [PeerID]] = [:]

    /// When those that have not answered are given up; nil where nobody is waited for.
    var due: UInt64? {
        self.asks.values.filter { $0.report == nil }.map(\.at).min()
            .map { $0 + Limits.dialBackAnswerMilliseconds }
    }

    /// A user wants to know; gives the links on which to ask now.
    ///
    /// Who has answered lately is not asked again, since it would not dial again.
    mutating func ask(
        _ candidates: [Candidate], for request: RequestID, at now: Instant
    ) -> [LinkID] {
        let named = Set(self.waiting.values.joined()).union(candidates.map(\.peer))
        self.asks = self.asks.filter { peer, ask in
            named.contains(peer) || now.monotonic - ask.at < Limits.dialBackMilliseconds
        }
        self.waiting[request] = candidates.map(\.peer)
        var links: [LinkID] = []
        for candidate in candidates where !self.isAnswered(candidate, at: now) {
            self.asks[candidate.peer] = Ask(
                link: candidate.link, address: candidate.address, at: now.monotonic)
            links.append(candidate.link)
        }
        return links
    }

    /// Whether a peer is being waited for, or has said lately what it would say again.
    private func isAnswered(_ candidate: Candidate, at now: Instant) -> Bool {
        guard let ask = self.asks[candidate.peer],
            now.monotonic - ask.at < Limits.dialBackMilliseconds
        else { return false }
        switch ask.report?.outcome {
        case nil, .reached: return true
        case .refused, .noAnswer: return ask.link == candidate.link
        case .notTried, .silent: return false
        }
    }

    /// A peer says what has become of it.
    mutating func answered(_ outcome: DialBackOutcome, on link: LinkID, at now: Instant) {
        guard let peer = self.asks.first(where: { $0.value.link == link })?.key else { return }
        switch outcome {
        // Whoever has reached this node is seen here, too.
        case .reached: break
        case .refused: self.end(peer, .refused, at: now)
        case .noAnswer: self.end(peer, .noAnswer, at: now)
        case .notTried: self.end(peer, .notTried, at: now)
        }
    }

    /// A stream of a peer has come in, with its key: it can reach this node, whatever it has said.
    mutating func accepted(from peer: PeerID, at now: Instant) {
        self.asks[peer]?.report = nil
        self.end(peer, .reached, at: now)
    }

    /// A link has ended, on which nothing is said any longer.
    mutating func linkEnded(_ link: LinkID, at now: Instant) {
        guard let peer = self.asks.first(where: { $0.value.link == link })?.key else { return }
        self.end(peer, .silent, at: now)
    }

    /// Gives up those that have not answered in time.
    mutating func expire(at now: Instant) {
        for (peer, ask) in self.asks
        where now.monotonic >= ask.at + Limits.dialBackAnswerMilliseconds {
            self.end(peer, .silent, at: now)
        }
    }

    private mutating func end(_ peer: PeerID, _ outcome: DialBackReport.Outcome, at now: Instant) {
        guard let ask = self.asks[peer], ask.report == nil else { return }
        self.asks[peer]?.report = DialBackReport(
            peer: peer, address: ask.address, outcome: outcome, time: now.wall)
    }

    /// The requests that wait for nobody any longer, with what has become of what they asked for.
    mutating func takeAnswered() -> [(request: RequestID, reports: [DialBackReport])] {
        var answered: [(request: RequestID, reports: [DialBackReport])] = []
        for (request, peers) in self.waiting.sorted(by: { $0.key < $1.key }) {
            let reports = peers.compactMap { self.asks[$0]?.report }
            guard reports.count == peers.count else { continue }
            self.waiting[request] = nil
            answered.append((request, reports))
        }
        return answered
    }
}
