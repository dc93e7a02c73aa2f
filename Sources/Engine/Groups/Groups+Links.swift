internal import Crypto
internal import Formats

/// What becomes of a join that a newcomer shows on their own link.
enum JoinFinding: Hashable {
    /// It brings them in, or is judged as any other act.
    case brings
    /// It is kept, and an admin decides.
    case waits
    case refused
}

/// Links by which people come, on the side of the members.
///
/// Who has the line of a link shows a tag of it, as of a conversation; a member shows the same tag in return, and is shown
/// the join. Where that does not bring the newcomer in, the answer is the act that made the link, which says why.
/// `Docs/Protocol/Groups.md` section 3.
extension Groups {
    /// The links by which the peer of a link might come, and their groups' realms: also those that have ended, so that
    /// the peer is told.
    func links(for link: LinkID) -> [(link: ActID, realm: RealmID)] {
        self.table.keys.sorted().flatMap { id -> [(link: ActID, realm: RealmID)] in
            guard let state = self.table[id], state.isActive, self.isInside(id),
                self.peers[link]?.groups[id]?.isShared != true
            else { return [] }
            return state.links.suffix(Limits.shownLinks).map {
                (link: $0, realm: state.group.realm)
            }
        }
    }

    /// Notes links whose tags are shown in return to the peer of a link; false where they were before.
    mutating func open(_ links: [ActID], to link: LinkID) -> Bool {
        guard let earlier = self.peers[link]?.openedLinks else { return false }
        self.peers[link]?.openedLinks.formUnion(links)
        return !earlier.isSuperset(of: links)
    }

    /// The links by which one can come now, in the order of their ids.
    func openLinks(of id: ConversationID, at wall: UInt64) -> [Act] {
        guard let state = self.table[id] else { return [] }
        return state.view.roster.openLinks.sorted().compactMap { state.acts[$0] }.filter {
            $0.link?.expires.map { $0 > wall } ?? true
        }
    }

    /// The line of a link that this device has made; nil for any other.
    func invitation(
        by link: ActID, in id: ConversationID, of device: Signer
    ) -> GroupInvitation? {
        guard let state = self.table[id], let act = state.acts[link], let made = act.link,
            act.statement.device == self.device
        else { return nil }
        let seed = GroupLink.seed(
            of: device, in: id, basis: act.statement.basis, time: act.time)
        guard GroupLink.signer(of: seed).publicKey == made.key else { return nil }
        return GroupInvitation(
            name: state.group.name, realm: state.group.realm, group: id, link: link, seed: seed)
    }

    /// Judges the join of a peer that is not a member, and gives the answer to send.
    ///
    /// A join from its author's own device is taken only while its link is open by this node's clock, so that nobody
    /// comes late with an earlier date.
    mutating func look(
        at join: Act, among acts: [Act], of id: ConversationID, on link: LinkID, as tier: Tier,
        at wall: UInt64
    ) -> (finding: JoinFinding, answer: [GroupAction]) {
        guard let peer = self.peers[link], let state = self.table[id],
            case .join(let name, _) = join.statement.kind,
            // A member who came by a link may bring it, too.
            let made = state.acts[name] ?? acts.first(where: { $0.id == name }),
            let terms = made.link
        else { return (.refused, []) }
        // Each costs signatures and a look at the whole roster.
        guard peer.joins < Limits.joinsOfLink else { return (.refused, []) }
        self.peers[link]?.joins += 1
        let answer = [GroupAction.send(.acts(id, [made]), on: link)]
        let isHere = state.has(join.id)
        guard terms.isShown(by: join, as: name),
            isHere || terms.isInTime(at: wall),
            isHere || !state.isFull && (state.acts[name] == nil || state.hasRoom(for: join))
        else { return (.refused, answer) }
        // Whose clock is so far ahead shows it again on the next link.
        guard join.statement.time <= wall + Limits.joinMilliseconds else { return (.refused, []) }
        let view = state.view(with: acts.filter { !state.has($0.id) })
        if view.isMember(peer.person, on: peer.device) { return (.brings, []) }
        switch view.roster.verdicts[join.id] {
        case .undecided(.approve), .undecided(.cameBack):
            let isTaken = !isHere && state.acts[name] != nil && state.mayWait(join, as: tier)
            return (isTaken ? .waits : .refused, answer)
        default: return (.refused, answer)
        }
    }
}

extension GroupLink {
    /// Whether a join from before its end is still taken from its author.
    fileprivate func isInTime(at wall: UInt64) -> Bool {
        self.expires.map { wall <= $0 || wall - $0 <= Limits.joinMilliseconds } ?? true
    }
}

extension GroupState {
    /// Whether nobody more can come by themselves; a join with an earlier date would put out somebody else.
    fileprivate var isFull: Bool {
        self.view(with: []).roster.members.count >= Limits.groupMembers
    }

    /// Whether one more join is kept that an admin is to decide on: one of each person, and of strangers half.
    fileprivate func mayWait(_ join: Act, as tier: Tier) -> Bool {
        let waiting = self.view(with: []).waitingJoins
        return !waiting.contains(join.statement.author)
            && waiting.count < Limits.waitingJoins(of: tier)
    }
}

extension GroupView {
    /// Who has come by a link that is open, and waits for an admin.
    fileprivate var waitingJoins: [PersonID] {
        self.graph.ids.indices.compactMap { place in
            let act = self.graph.acts[place]
            guard case .join(let link, _) = act.kind, self.roster.openLinks.contains(link) else {
                return nil
            }
            switch self.roster.verdicts[self.graph.ids[place]] {
            case .undecided(.approve), .undecided(.cameBack): return act.author
            default: return nil
            }
        }
    }
}

extension Act {
    /// The link that it makes; nil where it makes none.
    var link: GroupLink? { self.statement.kind.link }

    /// Whether somebody comes by a link with it.
    func isJoin(of person: PersonID) -> Bool {
        if case .join = self.statement.kind { self.statement.author == person } else { false }
    }
}

extension ActKind {
    /// What is signed: a link gets the key that its device makes for it.
    func keyed(
        in group: ConversationID, basis: some Sequence<ActID>, time: HybridTime, by device: Signer
    ) -> ActKind {
        guard case .link(var link) = self, link.key == .zero else { return self }
        let seed = GroupLink.seed(of: device, in: group, basis: basis, time: time)
        link.key = GroupLink.signer(of: seed).publicKey
        return .link(link)
    }
}

extension ActKind {
    /// The link that it makes; nil where it makes none.
    ///
    /// Not inlined: the optimizer of Swift 6.3.1 ends with an error where it is.
    @inline(never)
    var link: GroupLink? {
        guard case .link(let link) = self else { return nil }
        return link
    }
}
