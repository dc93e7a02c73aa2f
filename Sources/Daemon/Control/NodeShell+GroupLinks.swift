internal import ControlAPI
internal import Crypto
internal import Engine
internal import Formats

/// Links of groups, as clients ask for them.
extension NodeShell {
    private static let dayMilliseconds: UInt64 = 86_400_000
    private static let usualDays: Int64 = 7

    /// Answers with the line of a link: of the newest open one of its sort, or of a new one.
    func showLink(days: Int64?, needsApproval: Bool, of id: ConversationID, _ reply: Reply) {
        let links = self.node.ask { $0.groupReport(id) }?.links ?? []
        let earlier = links.filter { $0.isOfThisDevice && $0.needsApproval == needsApproval }
            .max { $0.time < $1.time }
        if days == nil, let earlier { return self.answer(earlier.id, of: id, reply) }
        let lasting = UInt64(clamping: days ?? Self.usualDays) * Self.dayMilliseconds
        let link = GroupLink(
            key: .zero, expires: self.now.wall + lasting, needsApproval: needsApproval)
        self.request(
            .groupAct(id, .link(link)),
            PendingRequest(reply, then: .acted { self.answer($0, of: id, reply) }))
    }

    private func answer(_ act: ActID, of id: ConversationID, _ reply: Reply) {
        let link = self.node.ask { $0.groupReport(id) }?.links.first { $0.id == act }
        guard let link, let line = self.node.ask({ $0.groupInvitation(by: act, in: id)?.line })
        else { return reply.fail(.noLink("the link has ended meanwhile")) }
        reply.answer(
            GroupLinkMethod.Result {
                $0.name = self.name(of: id)
                $0.act = act.hash.description
                $0.invite = line
                $0.approve = link.needsApproval ? true : nil
                $0.expires = link.expires.map { Timestamp(clamping: $0) }
            })
    }

    /// Ends the user's open links, or the one that a word names.
    func endLinks(_ text: String?, of id: ConversationID, _ reply: Reply) throws(RPCError) {
        let own = self.node.ask { $0.person(of: $0.id) }
        let links = (self.node.ask { $0.groupReport(id) }?.links ?? []).filter { link in
            text.map { $0.count >= 8 && link.id.hash.description.hasPrefix($0) }
                ?? (link.author == own)
        }
        guard let last = links.last, text == nil || links.count == 1 else {
            throw .noLink(
                text.map { "\"\(TerminalText.line($0))\" is not the id of an open link" }
                    ?? "you have no open link in this group")
        }
        for link in links.dropLast() { self.request(.groupAct(id, .endLink(link.id))) }
        let name = self.name(of: id)
        self.request(
            .groupAct(id, .endLink(last.id)),
            PendingRequest(
                reply,
                then: .acted { _ in
                    reply.answer(
                        GroupLinkMethod.Result {
                            $0.name = name
                            $0.ended = Int64(links.count)
                        })
                }))
    }

    // MARK: Coming by one

    func joinGroup(_ line: String, _ reply: Reply) throws(RPCError) {
        let invitation: GroupInvitation
        do throws(InvitationError) {
            invitation = try GroupInvitation(line)
        } catch {
            throw .invalidParams(
                "that is not the link of a group: \(error)", reason: "badInvite",
                remedy: "give the whole line that stoa group link printed",
                details: [JSON.Member("param", "invite")])
        }
        guard self.node.ask({ $0.realms.contains(invitation.realm) }) else {
            throw .refused(
                "the group is in a realm that you are not in", reason: "notInRealm",
                remedy: "ask who gave you the link for an invitation to the realm, and join that "
                    + "first: stoa realm join")
        }
        self.request(.joinGroup(invitation), reply)
    }

    /// The user is not in a group yet.
    func waitsToJoin(_ id: ConversationID, _ obstacle: JoinObstacle, _ reply: Reply) {
        let join = self.node.ask { $0.groupJoins }.first { $0.join.group == id }?.join
        reply.answer(
            ConversationResult {
                $0.id = id.description
                $0.kind = .group
                $0.name = join.map { self.name(of: $0) } ?? ""
                $0.realm = join?.labelled.map { self.nodeRealms.name(of: $0.realm) }
                $0.secret = true
                $0.waiting = JoinWaitWord(obstacle)
            })
    }

    func shown(_ join: GroupRequest, _ obstacle: JoinObstacle) -> RequestsMethod.Join {
        RequestsMethod.Join {
            $0.group = join.group.description
            $0.name = self.name(of: join)
            $0.time = Timestamp(clamping: join.time)
            $0.waiting = JoinWaitWord(obstacle)
        }
    }

    /// What the line of a link calls its group.
    private func name(of join: GroupRequest) -> String {
        join.labelled.map { "+\(self.nodeRealms.text(of: $0))" } ?? ""
    }

    /// A join of the user, by the group's name in its line or by its id; nil where the word means none.
    func groupJoin(_ text: String) -> GroupRequest? {
        let found = self.node.ask { $0.groupJoins }.map(\.join).filter {
            self.name(of: $0) == text || $0.group.description == text
        }
        return found.count == 1 ? found[0] : nil
    }
}

extension JoinWaitWord {
    fileprivate init(_ obstacle: JoinObstacle) {
        self =
            switch obstacle {
            case .unanswered: .member
            case .approval: .admin
            case .expired: .expired
            case .ended: .ended
            case .altered: .altered
            }
    }
}

extension RPCError {
    fileprivate static func noLink(_ text: String) -> RPCError {
        .refused(text, reason: "noLink", remedy: "see the open ones: stoa group members GROUP")
    }

    static var tooManyLinks: RPCError {
        .refused(
            "the group has \(Limits.groupLinks) open links already", reason: "tooManyLinks",
            remedy: "end some first: stoa group link GROUP --end")
    }

    static var tooManyJoins: RPCError {
        .refused(
            "you are on your way into \(Limits.ownJoins) groups already", reason: "tooManyRooms",
            remedy: "give some up first: stoa requests, stoa decline +GROUP")
    }

    /// Why the link of a group brings nobody in.
    init(_ obstacle: JoinObstacle) {
        switch obstacle {
        case .expired(let end):
            self = .refused(
                "the link has expired (\(UTCTime.text(end)))", reason: "linkExpired",
                remedy: "ask for a new one: stoa group link GROUP")
        case .altered:
            self = .refused(
                "the line is not that of the group's link: its secret was changed",
                reason: "linkAltered", remedy: "ask for the line again")
        case .ended, .approval, .unanswered:
            self = .refused(
                "a member says that the link has ended, or that the group is full",
                reason: "linkEnded",
                remedy: "ask for a new one: stoa group link GROUP. Other members are still asked; "
                    + "to give it up: stoa requests, stoa decline +GROUP")
        }
    }
}
