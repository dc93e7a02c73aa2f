internal import Crypto
internal import Formats

/// Who comes and goes among the people of the user's conversations: each is told once, however many links it took.
///
/// Who goes is told at once, with the reason; who comes a second later, when they have said which conversations
/// they are in. A link that another one replaces is no news. Somebody who comes and goes too often is still shown
/// as they are, but the conversation is not told each time.
struct Comings: Sendable {
    /// A device that is linked, by one of its links.
    struct Comer: Hashable, Sendable {
        var peer: PeerID
        var person: PersonID
        var link: LinkID
        /// The start of the daemon there.
        var boot: UInt64
        var tier: Tier
        var source: Source
    }

    /// How a link has ended.
    enum Ending: Hashable, Sendable {
        /// The peer's daemon stops.
        case goodbye
        case lost
        /// Another link to the peer stays, or is about to come.
        case replaced
        /// Somebody wants no such link, whether or not the peer is there.
        case unneeded
    }

    /// What subscribers are to be told.
    enum News: Hashable, Sendable {
        case presence(PeerID, Presence?, Coming?)
        case linked(PeerID)
        case unlinked(PeerID, Coming.Event?)
    }

    /// What was told of somebody last.
    private enum Told: Hashable, Sendable {
        case nothing, here, away, left, interrupted
        /// They are not linked, which was told to nobody.
        case unlinked

        /// What ends when they are back.
        var ending: Coming.Event? {
            switch self {
            case .nothing, .here, .unlinked: nil
            case .away: .away
            case .left: .left
            case .interrupted: .interrupted
            }
        }

        var isHere: Bool { self == .here || self == .away }
    }

    private struct Seen: Sendable {
        var comer: Comer
        /// A later one has a greater number.
        var number: Int64
        var isLinked = false
        /// What they tell; nil for nothing.
        var presence: Presence?
        var told = Told.nothing
        /// Whether subscribers were told that they are linked.
        var isToldLinked = false
        /// When it is to be looked at whether they have come, or a link that was replaced has no successor.
        var due: UInt64?
        /// Where they were when their link was replaced.
        var places: [ConversationID] = []
        var bucket = TokenBucket(
            capacity: Limits.comingsAtOnce, fullMilliseconds: Limits.comingsMilliseconds)
    }

    private let own: PersonID
    private var seen: [PeerID: Seen] = [:]
    private var lastNumber: Int64 = 0
    /// How much strangers of one source may still cause.
    private var sources: [Source: TokenBucket] = [:]
    /// Until when those who are found were there before this node.
    private var foundUntil: UInt64 = 0

    /// - Parameter own: the user, whose own devices come and go without a word.
    init(own: PersonID) { self.own = own }

    /// How many are remembered who are not linked.
    var goneCount: Int { self.seen.values.count { !$0.isLinked } }

    /// When ``look(at:places:)`` is due; nil for never.
    var nextDue: UInt64? { self.seen.values.compactMap(\.due).min() }

    /// The node starts: peers that link soon afterwards were there before it.
    mutating func begin(at now: UInt64) { self.foundUntil = now + Limits.foundMilliseconds }

    /// A link has a place.
    ///
    /// - Parameter presence: what the peer has told on it already.
    mutating func linked(
        _ comer: Comer, _ presence: Presence?, in places: [ConversationID], at now: UInt64
    ) -> [News] {
        let peer = comer.peer
        var news: [News] = []
        if let before = self.seen[peer], !before.isLinked, before.due != nil,
            before.comer.boot != comer.boot
        {
            news = self.go(peer, .interrupted, from: before.places, at: now)
        }
        self.lastNumber += 1
        var seen = self.seen[peer] ?? Seen(comer: comer, number: self.lastNumber)
        (seen.comer, seen.isLinked, seen.due) = (comer, true, nil)
        (seen.presence, seen.places) = (nil, [])
        if !seen.isToldLinked, comer.tier > .stranger {
            seen.isToldLinked = true
            news.append(.linked(peer))
        }
        self.seen[peer] = seen
        guard let presence else { return news }
        return news + self.heard(presence, of: peer, on: comer.link, in: places, at: now)
    }

    /// The peer of a link tells whether they are there.
    mutating func heard(
        _ presence: Presence, of peer: PeerID, on link: LinkID, in places: [ConversationID],
        at now: UInt64
    ) -> [News] {
        guard var seen = self.seen[peer], seen.isLinked, seen.comer.link == link else { return [] }
        seen.presence = presence
        defer { self.seen[peer] = self.seen[peer].map { _ in seen } }
        guard seen.due == nil else { return [] }
        let standing: Told = presence == .away ? .away : .here
        switch seen.told {
        case standing: return []
        case .here, .away:
            let coming = self.coming(
                standing == .away ? .away : .back, after: seen.told.ending, of: &seen, in: places,
                at: now)
            seen.told = standing
            return [.presence(peer, presence, coming)]
        case .nothing where now < self.foundUntil, .unlinked:
            seen.told = standing
            return [.presence(peer, presence, nil)]
        case .nothing, .left, .interrupted:
            seen.due = now + Limits.comingMilliseconds
            return []
        }
    }

    /// The peer of a link stops telling whether they are there, since no conversation is shared.
    mutating func silenced(_ peer: PeerID, on link: LinkID) -> [News] {
        guard let seen = self.seen[peer], seen.isLinked, seen.comer.link == link else { return [] }
        self.seen[peer]?.due = nil
        self.seen[peer]?.presence = nil
        guard seen.told.isHere else { return [] }
        self.seen[peer]?.told = .unlinked
        return [.presence(peer, nil, nil)]
    }

    /// A link has ended.
    ///
    /// - Parameters:
    ///   - tier: how far the peer is trusted now.
    ///   - places: the conversations that it shared.
    mutating func ended(
        _ peer: PeerID, _ link: LinkID, _ ending: Ending, _ tier: Tier, in places: [ConversationID],
        at now: UInt64
    ) -> [News] {
        guard let seen = self.seen[peer], seen.isLinked, seen.comer.link == link else { return [] }
        defer { self.forgetMany() }
        self.seen[peer]?.comer.tier = tier
        switch ending {
        case .replaced:
            self.seen[peer]?.isLinked = false
            self.seen[peer]?.presence = nil
            self.seen[peer]?.due = now + Limits.replacedMilliseconds
            self.seen[peer]?.places = places
            return []
        case .goodbye: return self.go(peer, .left, from: places, at: now)
        case .lost: return self.go(peer, .interrupted, from: places, at: now)
        case .unneeded: return self.go(peer, nil, from: places, at: now)
        }
    }

    private mutating func go(
        _ peer: PeerID, _ event: Coming.Event?, from places: [ConversationID], at now: UInt64
    ) -> [News] {
        guard var seen = self.seen[peer] else { return [] }
        var news: [News] = []
        let wasLinked = seen.isLinked
        (seen.isLinked, seen.presence, seen.due, seen.places) = (false, nil, nil, [])
        if seen.told.isHere {
            let coming = event.flatMap {
                self.coming($0, after: nil, of: &seen, in: places, at: now)
            }
            seen.told = event.map { $0 == .left ? .left : .interrupted } ?? .unlinked
            news.append(.presence(peer, nil, coming))
        }
        // They may have been strangers when they were linked.
        if seen.isToldLinked || wasLinked, seen.comer.tier > .stranger {
            seen.isToldLinked = false
            news.append(.unlinked(peer, event))
        }
        self.seen[peer] = seen.told == .nothing ? nil : seen
        return news
    }

    /// Finds the peers that came, and those whose link ended without another.
    ///
    /// - Parameter places: the conversations that a link shares.
    mutating func look(at now: UInt64, places: (LinkID) -> [ConversationID]) -> [News] {
        var news: [News] = []
        let due = self.seen.filter { $0.value.due.map { $0 <= now } ?? false }.keys.sorted()
        for peer in due {
            guard var seen = self.seen[peer] else { continue }
            guard seen.isLinked, let presence = seen.presence else {
                news += self.go(peer, .interrupted, from: seen.places, at: now)
                continue
            }
            seen.due = nil
            let event: Coming.Event =
                presence == .away ? .away : seen.told == .nothing ? .joined : .back
            let coming = self.coming(
                event, after: seen.told.ending, of: &seen, in: places(seen.comer.link), at: now)
            seen.told = presence == .away ? .away : .here
            self.seen[peer] = seen
            news.append(.presence(peer, presence, coming))
        }
        self.forgetMany()
        return news
    }

    /// What conversations are told of it; nil where they are not, since somebody comes and goes too often, or
    /// another device of theirs is there.
    private mutating func coming(
        _ event: Coming.Event, after ending: Coming.Event?, of seen: inout Seen,
        in places: [ConversationID], at now: UInt64
    ) -> Coming? {
        let comer = seen.comer
        let isBesideAnother = self.seen.contains { peer, other in
            peer != comer.peer && other.comer.person == comer.person && other.isLinked
                && other.presence != nil
        }
        guard !places.isEmpty, comer.person != self.own, !isBesideAnother else { return nil }
        let isInTime =
            comer.tier > .stranger
            ? seen.bucket.take(at: now) : self.takeOfStranger(from: comer.source, at: now)
        guard isInTime else { return nil }
        return Coming(event, after: event == .back ? ending : nil, in: places)
    }

    private mutating func takeOfStranger(from source: Source, at now: UInt64) -> Bool {
        if self.sources[source] == nil, self.sources.count >= Limits.comingSources {
            self.sources = self.sources.filter { !$0.value.isFull(at: now) }
            guard self.sources.count < Limits.comingSources else { return false }
        }
        return self.sources[
            source,
            default: TokenBucket(
                capacity: Limits.comingsAtOnce, fullMilliseconds: Limits.comingsMilliseconds,
                at: now)
        ].take(at: now)
    }

    /// Who has to be forgotten is told of as new when they are back.
    private mutating func forgetMany() {
        let gone = self.seen.filter { !$0.value.isLinked && $0.value.due == nil }
        guard gone.count > Limits.goneRemembered else { return }
        var shares = FairShare(
            gone.map { peer, seen in
                FairShare.Claim(
                    key: peer, tier: seen.comer.tier, source: seen.comer.source, author: peer,
                    number: seen.number)
            })
        for claim in shares.giveWay(downTo: Limits.goneRemembered * 9 / 10) {
            self.seen[claim.key] = nil
        }
    }
}

extension Comings.Ending {
    /// Why this node has closed a link.
    init(_ reason: GoawayReason) {
        self =
            switch reason {
            case .dead, .protocolViolation: .lost
            case .duplicate: .replaced
            case .shutdown, .identityInUse, .busy, .`self`, .storage, .blocked, .notNeeded:
                .unneeded
            }
    }

    /// The reason that a peer gave for closing a link; nil for one that this version does not know.
    init(saidBy reason: GoawayReason?) {
        self =
            switch reason {
            case .shutdown: .goodbye
            case .dead, .storage, .protocolViolation, nil: .lost
            case .duplicate: .replaced
            case .identityInUse, .busy, .`self`, .blocked, .notNeeded: .unneeded
            }
    }
}
