/// Who bears names that look alike, over all people known here.
///
/// Not what a command happens to print decides whether a name needs a mark, but everybody: so a name
/// is marked in each list or in none.
struct Namesakes: Sendable {
    private var looks: [PeerID: NameLook] = [:]
    private var bearers: [String: Set<PeerID>] = [:]

    /// Somebody bears a name from here on.
    mutating func name(_ peer: PeerID, _ name: String) {
        for key in self.looks.removeValue(forKey: peer)?.keys ?? [] {
            self.bearers[key]?.remove(peer)
            if self.bearers[key]?.isEmpty == true { self.bearers[key] = nil }
        }
        guard !name.isEmpty else { return }
        let look = NameLook(name)
        self.looks[peer] = look
        for key in look.keys { self.bearers[key, default: []].insert(peer) }
    }

    /// Somebody whom the user knows, and whose name somebody else's could be taken for.
    ///
    /// The first by key where there are several; nil where nobody is, or the user knows who it is.
    func known(behindNameOf peer: PeerID, tier: (PeerID) -> Tier) -> PeerID? {
        guard let look = self.looks[peer], tier(peer) < .known else { return nil }
        let bearers = look.keys.flatMap { self.bearers[$0] ?? [] }
        return bearers.filter { tier($0) == .known || tier($0) == .verified }.min()
    }

    /// Whether the name of somebody needs a mark: nothing is to be seen of it, it could be a key, or
    /// somebody of the same tier or a higher one bears one that looks like it.
    ///
    /// Nobody without a name needs one: then the key stands alone.
    func isAmbiguous(_ peer: PeerID, tier: (PeerID) -> Tier) -> Bool {
        guard let look = self.looks[peer] else { return false }
        #if MUTANTS
            if Mutant.believeNames.isActive { return false }
        #endif
        let own = tier(peer)
        // One's own name is never marked to oneself.
        guard own != .own else { return false }
        if look.isBlank || look.isLikeKey { return true }
        return look.keys.contains { key in
            self.bearers[key]?.contains { $0 != peer && tier($0) >= own } ?? false
        }
    }
}
