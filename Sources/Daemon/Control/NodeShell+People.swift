internal import ControlAPI
internal import Engine
internal import Formats

/// How people stand in answers.
extension NodeShell {
    /// The name of somebody, and true where the key belongs to it.
    func shownName(of peer: PeerID) -> (name: String, ambiguous: Bool?) {
        let (name, isAmbiguous) = self.node.ask {
            ($0.profile(of: peer).name, $0.isAmbiguous(peer))
        }
        return (name, isAmbiguous ? true : nil)
    }

    /// The name of somebody where nothing else says whether it is ambiguous.
    func markedName(of peer: PeerID) -> String { self.device(peer).markedName }

    /// How things stand with a peer.
    func peerStatus(of peer: PeerID) -> PeerStatus {
        self.node.ask { $0.peerStatus(of: peer) }
    }

    /// Whether the user has blocked somebody, so that nothing of them is shown.
    func isBlocked(_ peer: PeerID) -> Bool {
        self.node.ask { $0.standing(of: peer) } == .blocked
    }

    /// Whether a change is about a message of somebody whom the user has blocked, or says of another one
    /// what does not count.
    func isHidden(_ change: Change) -> Bool {
        switch change {
        case .message(let message):
            if self.isBlocked(message.author) { return true }
            guard change.kind != .message else { return false }
            return !self.node.ask { $0.counts(message) }
        case .notice(_, let notice):
            switch notice.event {
            case .erased(_, _, let peer), .delivered(_, _, let peer), .read(_, _, let peer),
                .linked(let peer), .unlinked(let peer, _):
                return self.isBlocked(peer)
            default: return false
            }
        }
    }

    /// Somebody else whom a client names to say something of them.
    func otherPerson(_ text: String) throws(RPCError) -> PeerID {
        let peer = try self.person(text, for: .reach)
        guard peer != self.node.id else {
            throw .refused(
                "that is you", reason: "ownPerson",
                remedy: "name a different person; see stoa peers")
        }
        return peer
    }

    /// What clients are told of somebody whom the user knows.
    func personResult(_ id: PeerID) -> PersonResult {
        let (shown, peer) = (self.shownName(of: id), self.peerStatus(of: id))
        return PersonResult {
            $0.id = id.description
            $0.name = shown.name
            $0.ambiguous = shown.ambiguous
            $0.tier = TierWord(self.node.ask { $0.tier(of: id) })
            $0.state = PeersMethod.State(peer.state)
            $0.presence = PresenceWord(peer)
            $0.lastSeen = peer.lastSeen.map { Timestamp(clamping: $0) }
        }
    }
}

extension TierWord {
    /// The same tier in the words of the API.
    init(_ tier: Tier) {
        self =
            switch tier {
            case .blocked: .blocked
            case .stranger: .stranger
            case .fellow: .fellow
            case .known: .known
            case .verified: .verified
            case .own: .own
            }
    }
}
