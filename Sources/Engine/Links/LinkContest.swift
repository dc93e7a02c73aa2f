internal import Formats

/// Which of two links to one peer stays.
enum ContestVerdict: Hashable, Sendable {
    /// The newer one takes the place of the older one.
    case newer
    /// The older one stays if it answers a probe; the newer one is then told this.
    case olderIfAlive(GoawayReason, String)
}

/// What ``LinkContest`` wants done, in order.
enum ContestAction: Sendable {
    /// Wake the node or not, or close a link of which nobody else needs to know.
    case perform(Action)
    /// Close a link that is refused, and count that.
    case turnAway(Link, GoawayReason, String)
    /// The older link of a peer has answered: close the newer one.
    case refuse(Challenger)
}

/// A newer link to a peer, held back until the older one has answered or not.
struct Challenger: Sendable {
    var link: Link
    /// Whether it is somebody's whom the user knows, which gives way to nobody else's.
    var isKnown: Bool
    var frames: [ReceivedFrame] = []
    /// What they take.
    var bytes = 0
    /// What the newer link is told when the older one answers.
    var refusal: GoawayReason
    var refusalText: String
    /// What the ping carried that the older one must answer.
    var probeNonce: UInt64
}

/// Two links to one peer: which one stays.
///
/// `Docs/Protocol/Wire.md`, "Duplicate links".
///
/// Both ends come to the same verdict where both links live. An older link that would stay is
/// probed first; meanwhile the newer one is held back, its frames too. There is one challenger per
/// peer.
struct LinkContest: Sendable {
    private(set) var challengers: [PeerID: Challenger] = [:]
    /// Peers that have turned this node away because its key runs in another daemon, and when last.
    private var shutOuts: [PeerID: UInt64] = [:]

    var isEmpty: Bool { self.challengers.isEmpty }

    /// Decides between two links to one peer.
    static func verdict(own: PeerID, older: LinkInfo, newer: LinkInfo) -> ContestVerdict {
        guard older.boot == newer.boot else {
            return .olderIfAlive(.identityInUse, "the same key is linked from another start")
        }
        let isNewer: Bool
        if older.isInitiator == newer.isInitiator {
            isNewer = newer.dial > older.dial
        } else {
            let initiator = newer.isInitiator ? own : newer.peer
            isNewer = initiator == min(own, newer.peer)
        }
        return isNewer ? .newer : .olderIfAlive(.duplicate, "another link stays")
    }

    /// Holds a newer link back until the older one has answered a ping.
    mutating func challenge(
        by link: Link, isKnown: Bool, _ refusal: GoawayReason, _ text: String, probe: UInt64,
        at now: Instant
    ) -> [ContestAction] {
        let peer = link.info.peer
        precondition(self.challengers[peer] == nil, "a peer has one challenger at a time")
        self.challengers[peer] = Challenger(
            link: link, isKnown: isKnown, refusal: refusal, refusalText: text, probeNonce: probe)
        return [.perform(.arm(.probe(peer), at: now.monotonic + Limits.probeMilliseconds))]
    }

    /// What is known of a link that is not yet decided on; nil where it is none.
    func info(of id: LinkID) -> LinkInfo? {
        self.challengers.first { $0.value.link.id == id }?.value.link.info
    }

    /// Keeps a frame of a link that is not yet decided on.
    ///
    /// No credit bounds them yet, and a key costs nothing. Where they are too much of one link, or of all
    /// together, the link that sent most is turned away, a stranger's first.
    mutating func hold(_ frame: ReceivedFrame, on id: LinkID) -> [ContestAction] {
        guard let peer = self.challengers.first(where: { $0.value.link.id == id })?.key
        else { return [] }
        self.challengers[known: peer].frames.append(frame)
        self.challengers[known: peer].bytes += Limits.heldFrameBytes + frame.byteCount
        if self.challengers[known: peer].bytes > Limits.heldBytesOfLink {
            return self.turnAway(peer)
        }
        let strangers = self.challengers.filter { !$0.value.isKnown }
        let most = strangers.max { ($0.value.bytes, $0.key) < ($1.value.bytes, $1.key) }
        guard let most, strangers.values.reduce(0, { $0 + $1.bytes }) > Limits.heldBytes
        else { return [] }
        return self.turnAway(most.key)
    }

    private mutating func turnAway(_ peer: PeerID) -> [ContestAction] {
        guard let challenger = self.challengers.removeValue(forKey: peer) else { return [] }
        return [
            .perform(.disarm(.probe(peer))),
            .turnAway(challenger.link, .busy, "too much was sent before a link was decided on"),
        ]
    }

    /// The older link has brought a pong; one that answers the probe, or the latest ping, lets it
    /// stay.
    ///
    /// A pong that was not asked for, or answers a ping from before the probe, proves nothing.
    mutating func receivePong(_ nonce: UInt64, from peer: PeerID, latest: UInt64) -> [ContestAction]
    {
        guard let challenger = self.challengers[peer],
            nonce == challenger.probeNonce || nonce == latest
        else { return [] }
        self.challengers[peer] = nil
        return [.perform(.disarm(.probe(peer))), .refuse(challenger)]
    }

    /// A peer has turned this node away because its key runs in another daemon, as it says.
    mutating func shutOut(by peer: PeerID, at now: Instant) {
        if self.shutOuts.count >= Limits.shutOutPeers && self.shutOuts[peer] == nil {
            self.shutOuts = [:]
        }
        self.shutOuts[peer] = now.monotonic
    }

    /// The peers that have turned this node away lately, and have not taken it since.
    func shutOutBy(at now: Instant) -> Set<PeerID> {
        Set(self.shutOuts.filter { now.monotonic < $0.value + Limits.alertMilliseconds }.keys)
    }

    /// A peer has answered a ping, and so has taken the link.
    mutating func accepted(by peer: PeerID) { self.shutOuts[peer] = nil }

    /// Ends a contest in favour of the newer link; nil where there is none.
    mutating func takeChallenger(of peer: PeerID) -> Challenger? {
        self.challengers.removeValue(forKey: peer)
    }

    /// Ends the contest of a newer link that is gone; nil where it is no challenger.
    mutating func challengerClosed(_ id: LinkID) -> ContestAction? {
        guard let peer = self.challengers.first(where: { $0.value.link.id == id })?.key else {
            return nil
        }
        self.challengers[peer] = nil
        return .perform(.disarm(.probe(peer)))
    }
}
