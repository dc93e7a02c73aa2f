internal import Formats

/// Who bears names that look alike, over all people known here.
///
/// Not what a command happens to print decides whether a name needs a mark, but everybody: so a name
/// is marked in each list or in none.
struct Namesakes: Sendable {
    /// Who bears names that look alike.
    ///
    /// Keys cost nothing, so of those whom the user has not chosen only the first ones are looked at.
    private struct Bearers {
        var looked: Set<PeerID> = []
        var crowd: Set<PeerID> = []

        var isEmpty: Bool { self.looked.isEmpty && self.crowd.isEmpty }
        /// Whether at most one bears such a name.
        var isAlone: Bool { self.looked.count + self.crowd.count <= 1 }

        mutating func add(_ peer: PeerID, isChosen: Bool) {
            if isChosen || self.looked.count < Limits.namesakes {
                self.looked.insert(peer)
            } else {
                self.crowd.insert(peer)
            }
        }

        mutating func remove(_ peer: PeerID) {
            if self.looked.remove(peer) == nil { self.crowd.remove(peer) }
        }

        mutating func choose(_ peer: PeerID) {
            if self.crowd.remove(peer) != nil { self.looked.insert(peer) }
        }
    }

    private var looks: [PeerID: NameLook] = [:]
    private var bearers: [String: Bearers] = [:]
    /// How the keys look of those whom the user has chosen.
    private var chosenKeys: Set<String> = []

    /// Somebody bears a name from here on.
    ///
    /// - Parameter isChosen: whether the user is this or has said something of them, so that no crowd under
    ///   the same name hides them.
    mutating func name(_ peer: PeerID, _ name: String, isChosen: Bool = false) {
        for key in self.looks.removeValue(forKey: peer)?.keys ?? [] {
            self.bearers[key]?.remove(peer)
            if self.bearers[key]?.isEmpty == true { self.bearers[key] = nil }
        }
        if isChosen { self.chosenKeys.insert(NameLook.key(of: peer)) }
        guard !name.isEmpty else { return }
        let look = NameLook(name)
        self.looks[peer] = look
        for key in look.keys { self.bearers[key, default: Bearers()].add(peer, isChosen: isChosen) }
    }

    /// The user has said something of somebody: no crowd under the same name hides them any longer.
    mutating func choose(_ peer: PeerID) {
        self.chosenKeys.insert(NameLook.key(of: peer))
        for key in self.looks[peer]?.keys ?? [] { self.bearers[key]?.choose(peer) }
    }

    /// Somebody whom the user knows, and whose name somebody else's could be taken for.
    ///
    /// The first by key where there are several; nil where nobody is, or the user knows who it is.
    func known(behindNameOf peer: PeerID, tier: (PeerID) -> Tier) -> PeerID? {
        guard let look = self.looks[peer], tier(peer) < .known else { return nil }
        let bearers = look.keys.flatMap { self.bearers[$0]?.looked ?? [] }
        return bearers.filter { [.known, .verified].contains(tier($0)) }.min()
    }

    /// Whether the name of somebody needs a mark: nothing is to be seen of it, it could be a key, somebody of
    /// the same tier or a higher one bears one that looks like it, or a stranger's is written unusually.
    ///
    /// Nobody without a name needs one: then the key stands alone. Of whom the user does not know it is also
    /// said where more bear such a name than are looked at.
    func isAmbiguous(_ peer: PeerID, tier: (PeerID) -> Tier) -> Bool {
        guard let look = self.looks[peer] else { return false }
        #if MUTANTS
            if Mutant.believeNames.isActive { return false }
        #endif
        // Mostly nobody else bears it, and it need not be looked at who they are.
        let isAlone = look.keys.allSatisfy { self.bearers[$0]?.isAlone ?? true }
        let isMisleading = look.isMisleading || look.contains(anyOf: self.chosenKeys)
        if isAlone && !isMisleading && !look.isUnusual { return false }
        let own = tier(peer)
        // One's own name is never marked to oneself.
        guard own != .own else { return false }
        if isMisleading || look.isUnusual && own < .known { return true }
        return look.keys.contains { key in
            guard let bearers = self.bearers[key] else { return false }
            return own < .known && !bearers.crowd.isEmpty
                || bearers.looked.contains { $0 != peer && tier($0) >= own }
        }
    }
}
