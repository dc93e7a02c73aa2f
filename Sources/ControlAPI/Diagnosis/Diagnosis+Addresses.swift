/// Who is found by what members of the user's realms pass on.
extension Diagnosis {
    /// How many of those whom only their own records lead to are linked, and who of the rest does not answer.
    ///
    /// A note and no finding: a machine that is off is no fault, and a member of a realm can name any host.
    static func otherNetworks(_ facts: DiagnosisFacts) -> String? {
        let told = facts.peers.filter { $0.source == .record }
        guard !told.isEmpty else { return nil }
        let linked = told.count { $0.state == .linked }
        let silent = told.filter { peer in
            peer.state != .linked
                && facts.dials.contains { $0.peer == peer.id && $0.failure != nil }
        }
        let names = silent.prefix(Self.listed).map { peer in
            let place = peer.addresses.first.map { " (\($0))" } ?? ""
            return (peer.name.isEmpty ? String(peer.id.prefix(8)) : peer.name) + place
        }
        let more = silent.count > Self.listed ? " and \(silent.count - Self.listed) more" : ""
        return
            "other networks: \(linked) of \(told.count) known by their address records "
            + (told.count == 1 ? "is" : "are") + " linked"
            + (names.isEmpty
                ? "" : "; no answer from " + names.joined(separator: ", ") + more)
    }
}
