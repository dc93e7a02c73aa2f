internal import Crypto
package import Formats

/// Why the user is not in a group yet after using its link, as a member answered.
package enum JoinObstacle: Hashable, Sendable {
    /// No member has answered.
    case unanswered
    /// An admin decides: the link needs that, or the user was removed before.
    case approval
    /// When it ended, in milliseconds since 1970.
    case expired(UInt64)
    /// An admin has ended it, somebody was removed since it was made, or the group is full; only members can know.
    case ended
    /// The line has another secret than the link.
    case altered

    /// Whether the link itself shows that nobody can come by it now.
    package var isOver: Bool {
        switch self {
        case .unanswered, .approval, .ended: false
        case .expired, .altered: true
        }
    }
}

/// How far the user has come with a link, since the start or since they asked.
struct JoinProgress {
    /// Who is told what becomes of it, and until when that is open.
    var request: (id: RequestID, until: UInt64)?
    /// What the peers have answered that were shown the join.
    var answers: [LinkID: JoinObstacle] = [:]

    var obstacle: JoinObstacle {
        if self.answers.values.contains(.approval) { return .approval }
        let answers = self.answers.sorted { $0.key < $1.key }.map(\.value)
        return answers.first(where: \.isOver) ?? answers.first { $0 == .ended } ?? .unanswered
    }
}

/// Links by which the user comes into groups.
///
/// Until a member has let the user in there is only the join, kept as a request of this device itself.
extension Groups {
    /// Joins by which the user is not in yet, in the order of their groups.
    var joins: [GroupRequest] {
        self.joinsToShow.filter { self.table[$0.group]?.isActive != true }
    }

    /// Also those of groups that a peer has shown, until the acts are here that say that the user is in.
    var joinsToShow: [GroupRequest] {
        self.requests.pending.filter {
            $0.device == self.device
                && (self.table[$0.group]?.isActive != true || !self.isInside($0.group))
        }.sorted { $0.group < $1.group }
    }

    func join(_ id: ConversationID) -> GroupRequest? { self.joins.first { $0.group == id } }

    func obstacle(to id: ConversationID) -> JoinObstacle {
        self.joining[id]?.obstacle ?? .unanswered
    }

    /// Signs that the user comes by a link, or takes what was signed before; gives what is to be written.
    mutating func join(
        by invitation: GroupInvitation, _ request: RequestID, until: UInt64, at time: HybridTime,
        by signer: ActSigner
    ) -> GroupWrites {
        let id = invitation.group
        self.joining[id] = JoinProgress(request: (request, until))
        if let earlier = self.join(id)?.joined, earlier.link == invitation.link {
            let key = GroupLink(key: GroupLink.signer(of: invitation.seed).publicKey)
            if key.isShown(by: earlier.act, as: earlier.link) { return GroupWrites() }
        }
        let proof = GroupLink.proof(
            of: invitation.link, in: id, for: self.own, on: self.device,
            by: GroupLink.signer(of: invitation.seed))
        // It follows what the user has left by last, on whichever devices, which puts them out otherwise.
        let left = self.table[id]?.acts.values.filter {
            $0.statement.author == self.own && $0.statement.kind == .leave
        }.sorted { ($1.time, $1.id) < ($0.time, $0.id) }.prefix(8)
        let basis = Set(left?.map(\.id) ?? []).union([invitation.link])
        let join = Act(
            .join(invitation.link, proof: proof), in: id, basis: basis.sorted(), time: time,
            certificate: signer.certificate, by: signer.device)
        return self.ask(
            GroupRequest(
                group: id, device: self.device, add: join.id, acts: [join],
                time: time.milliseconds,
                source: GroupRequest.label(invitation.name, in: invitation.realm)))
    }

    /// Shows a join to a peer that shows its link.
    mutating func show(_ join: GroupRequest, on link: LinkID) -> [GroupAction] {
        guard self.peers[link] != nil, let own = join.joined?.act,
            self.joining[join.group]?.answers[link] ?? .unanswered
                == .unanswered
        else { return [] }
        self.joining[join.group, default: JoinProgress()].answers[link] = .unanswered
        return [.send(.acts(join.group, [own]), on: link)]
    }

    /// Takes what a peer sends of a group into which the user comes by a link.
    func receive(
        _ acts: [Act], for join: GroupRequest, on link: LinkID, at wall: UInt64
    ) -> [GroupAction] {
        guard let peer = self.peers[link], let (own, name) = join.joined else { return [] }
        if let founding = self.founding(letIn: join, by: acts, on: link) {
            // It is shown on until the user is inside: who answers first may be no member.
            var request = join
            request.acts = [own] + acts.filter { $0.id != own.id }
            request.time = wall
            return [.entered(request, of: founding, host: peer.person)]
        }
        guard self.joining[join.group]?.answers[link] != nil,
            let made = acts.first(where: { $0.id == name }), let terms = made.link
        else { return [] }
        let wasRemoved = self.table[join.group]?.view.roster.removals[self.own] != nil
        let obstacle: JoinObstacle =
            if !terms.isShown(by: own, as: name) {
                .altered
            } else if let end = terms.expires, end < max(wall, own.time.milliseconds) {
                .expired(end)
            } else if terms.needsApproval || wasRemoved {
                .approval
            } else {
                .ended
            }
        return [.joinAnswered(join.group, obstacle, on: link)]
    }

    /// The founding of a group where acts bring the user in; nil where they do not.
    ///
    /// Of a long past not all comes in one frame. What then cannot be judged is believed of whom the group's link has
    /// shown to be of it, and only where the owner has signed it, or somebody whom the owner has made an admin.
    func founding(letIn join: GroupRequest, by acts: [Act], on link: LinkID) -> Group? {
        guard let (own, name) = join.joined,
            let founding = acts.lazy.compactMap({ $0.statement.kind.founded }).first
        else { return nil }
        let (view, _) = self.bringing([own] + acts, of: join.group, founding)
        if view.roster.members[self.own] != nil { return founding }
        guard self.joining[join.group]?.answers[link] != nil else { return nil }
        let admins = acts.compactMap { $0.statement.admin(by: founding.owner.id) }
        let isLetIn = acts.contains { act in
            guard view.roster.verdicts[act.id] == .waits,
                self.table[join.group]?.acts[act.id] == nil
            else { return false }
            // Own join shows no more than that the peer has the group; the user has its link by their line.
            if act.id == own.id { return acts.contains { $0.id == name } }
            let author = act.statement.author
            return (act.brings == self.own || act.statement.kind == .accept(own.id))
                && (author == founding.owner.id || admins.contains(author))
        }
        return isLetIn ? founding : nil
    }

    /// Notes a peer's answer, and gives the request that it settles, if any.
    mutating func answered(
        _ id: ConversationID, _ obstacle: JoinObstacle, on link: LinkID
    ) -> RequestID? {
        self.joining[id]?.answers[link] = obstacle
        guard obstacle == .approval else { return nil }
        return self.joining[id]?.takeRequest()
    }

    /// Takes out those whom to tell what has become of joins so far.
    mutating func joinsDue(at moment: UInt64) -> [(group: ConversationID, request: RequestID)] {
        self.joining.keys.sorted().compactMap { id in
            guard let request = self.joining[id]?.request, request.until <= moment else {
                return nil
            }
            self.joining[id]?.request = nil
            return (id, request.id)
        }
    }

    /// Enters a group that a member has shown; nil where that cannot be.
    mutating func enter(
        _ request: GroupRequest, host: PersonID, at wall: UInt64
    ) -> (writes: GroupWrites, request: RequestID?)? {
        guard let group = request.founding else { return nil }
        var writes = self.ask(request)
        writes.add(self.begin(group, with: request.wanted, at: wall))
        self.table[request.group]?.hosts.insert(host)
        return (writes, self.joining[request.group]?.takeRequest())
    }

    /// Gives up to come by a link; nil where there is no such join.
    mutating func endJoin(_ id: ConversationID) -> GroupWrites? {
        guard self.joinsToShow.contains(where: { $0.group == id }) else { return nil }
        self.joining[id] = nil
        return self.endRequest(id)
    }
}

extension JoinProgress {
    /// Takes out the request that waits for the outcome.
    mutating func takeRequest() -> RequestID? { self.request.take()?.id }
}

extension GroupRequest {
    /// The join and its link, where the user has come by one.
    var joined: (act: Act, link: ActID)? {
        guard let act = self.acts.first, act.id == self.add,
            case .join(let link, _) = act.statement.kind
        else { return nil }
        return (act, link)
    }

    /// What the line of a link calls its group: kept where else is from where a request came.
    static func label(_ name: RoomName, in realm: RealmID) -> String {
        "\(realm) \(name.text)"
    }

    /// The name and the realm that the line says.
    package var labelled: Room? {
        let parts = self.source.split(separator: " ", maxSplits: 1)
        guard parts.count == 2,
            let realm = Base32.decode(String(parts[0])).flatMap({ Bytes32($0) }),
            let name = RoomName(String(parts[1]))
        else { return nil }
        return Room(name, in: RealmID(realm))
    }
}
