internal import ControlAPI
internal import Crypto
internal import Engine
internal import Formats

/// Groups, as clients ask for them.
extension NodeShell {
    /// The group that a word means.
    func group(_ text: String) throws(RPCError) -> ConversationID {
        let id = try self.conversation(text)
        guard self.node.ask({ $0.group(id) }) != nil else {
            throw .refused(
                "\"\(TerminalText.line(text))\" is not a group", reason: "notGroup",
                remedy: "write + before the name of a group; see stoa conversations")
        }
        return id
    }

    /// A group that waits for the user to come in, by its name or id; nil where the word means no group.
    func waitingGroup(_ text: String) throws(RPCError) -> GroupRequest? {
        let pending = self.node.ask { $0.pendingGroupRequests }
        if let id = ConversationID(text) { return pending.first { $0.group == id } }
        guard text.hasPrefix("+") else { return nil }
        let named = try self.room(typed: String(text.dropFirst()))
        let found = pending.filter {
            $0.founding.map { Room($0.name, in: $0.realm) } == named
        }
        switch found.count {
        case 1: return found[0]
        case 0:
            throw .notFound(
                "no group called \"\(TerminalText.line(text))\" waits for you",
                reason: "unknownName", remedy: "see which do: stoa requests")
        default:
            throw .refused(
                "\(found.count) groups called \"\(TerminalText.line(text))\" wait for you",
                reason: "severalRooms",
                remedy: "give the id of one: stoa --json requests; or decline the others")
        }
    }

    /// Whom a word means who is or comes into a group.
    func groupPerson(_ text: String, in id: ConversationID) throws(RPCError) -> PersonID {
        let found: PeerID
        do throws(RPCError) {
            found = try self.person(text, for: .reach)
        } catch {
            // A name that only a member of the group has is meant for that member.
            guard let member = self.member(text, of: id) else { throw error }
            return member
        }
        if let person = self.node.ask({ $0.person(of: found) }) { return person }
        throw .refused(
            "the keys of \"\(TerminalText.line(text))\" have not come here yet",
            reason: "keysUnknown",
            remedy: "link to them once (stoa connect HOST:PORT), or join a room they are in")
    }

    private func member(_ text: String, of id: ConversationID) -> PersonID? {
        let named = Set((try? self.people(text)) ?? [])
        guard let report = self.node.ask({ $0.groupReport(id) }) else { return nil }
        let people = Set(report.members.map(\.person) + report.undecided.map(\.author))
        let found = people.filter {
            (report.devices[$0] ?? []).contains(where: named.contains)
        }
        return found.count == 1 ? found.first : nil
    }

    /// How somebody is called; by the beginning of their person's id where no device of theirs is known.
    func shownName(of person: PersonID, _ devices: [PeerID] = []) -> (
        id: PeerID?, name: String, ambiguous: Bool?
    ) {
        if person == self.node.ask({ $0.person(of: $0.id) }) {
            let own = self.node.id
            let shown = self.shownName(of: own)
            return (own, shown.name, shown.ambiguous)
        }
        let known = self.node.ask { $0.devices(of: person) } + devices
        guard let device = known.first else {
            return (nil, String(person.description.prefix(12)), nil)
        }
        let shown = self.shownName(of: device)
        return (device, shown.name, shown.ambiguous)
    }

    /// What clients are told of a group.
    func groupInfo(_ id: ConversationID) throws(RPCError) -> GroupInfoMethod.Result {
        guard let report = self.node.ask({ $0.groupReport(id) }) else {
            throw self.notMember(of: id)
        }
        let own = self.node.ask { $0.person(of: $0.id) }
        let linked = Set(self.node.ask { $0.linkedPeers })
        let ordered = report.members.sorted { left, right in
            (left.role.order, left.person) < (right.role.order, right.person)
        }
        func name(_ person: PersonID) -> String {
            self.shownName(of: person, report.devices[person] ?? []).name
        }
        var result = GroupInfoMethod.Result()
        result.id = id.description
        result.name = self.name(of: id)
        result.history = report.group.history == .all ? .all : .joined
        result.role = report.members.first { $0.person == own }.map { RoleWord($0.role) }
        result.waitingActs = Int64(report.waitingActs)
        result.acts = Int64(report.acts)
        result.members = ordered.map { member in
            let shown = self.shownName(of: member.person, member.devices)
            return GroupInfoMethod.Member {
                $0.person = member.person.description
                $0.id = shown.id?.description
                ($0.name, $0.ambiguous) = (shown.name, shown.ambiguous)
                $0.own = member.person == own ? true : nil
                $0.role = RoleWord(member.role)
                $0.since = Timestamp(clamping: member.since)
                $0.by = name(member.by)
                // Who is out themselves hears nothing of it any more.
                $0.waiting =
                    member.hasCome || member.person == own || result.role == nil ? nil : true
                $0.devices = member.devices.map(\.description)
                $0.linked = member.devices.contains(where: linked.contains) ? true : nil
            }
        }
        result.undecided = report.undecided.map { act in
            GroupInfoMethod.Undecided {
                $0.act = act.id.hash.description
                $0.does = act.kind.word
                $0.person = act.subject.map(name)
                $0.by = name(act.author)
                $0.reason = act.reason.word
                $0.time = Timestamp(clamping: act.time)
            }
        }
        result.links = report.links.map { link in
            GroupInfoMethod.Link {
                $0.act = link.id.hash.description
                $0.by = name(link.author)
                $0.own = link.isOfThisDevice ? true : nil
                $0.approve = link.needsApproval ? true : nil
                $0.time = Timestamp(clamping: link.time)
                $0.expires = link.expires.map { Timestamp(clamping: $0) }
            }
        }
        return result
    }

    /// The undecided act that a word means: the beginning of its id, or the person it is about.
    func undecided(_ text: String, in id: ConversationID) throws(RPCError) -> ActID {
        let all = self.node.ask { $0.groupReport(id) }?.undecided ?? []
        var found = all.filter { text.count >= 8 && $0.id.hash.description.hasPrefix(text) }
        if text.hasPrefix("@") {
            let person = try self.groupPerson(text, in: id)
            found = all.filter { ($0.subject ?? $0.author) == person }
            // Who has come by several links is let in once.
            if found.allSatisfy(\.isJoin) { found = found.suffix(1) }
        }
        guard found.count == 1 else {
            throw .refused(
                found.isEmpty
                    ? "nothing undecided in this group is meant by \"\(TerminalText.line(text))\""
                    : "\"\(TerminalText.line(text))\" means \(found.count) undecided acts",
                reason: "unknownAct", remedy: "see their ids: stoa group members GROUP")
        }
        return found[0].id
    }
}

extension RoleWord {
    fileprivate init(_ role: Roster.Role) {
        switch role {
        case .owner: self = .owner
        case .admin: self = .admin
        case .member: self = .member
        }
    }
}

extension Roster.Role {
    /// The owner, then admins by their ranks, then all others.
    fileprivate var order: Int {
        switch self {
        case .owner: 0
        case .admin(let rank): Int(rank)
        case .member: .max
        }
    }
}

extension GroupReport.Undecided {
    fileprivate var isJoin: Bool { if case .join = self.kind { true } else { false } }

    /// Whom it is about; nil for nobody.
    fileprivate var subject: PersonID? { self.isJoin ? self.author : self.kind.subject }
}

extension ActKind {
    /// Whom it is about; nil for nobody.
    fileprivate var subject: PersonID? {
        switch self {
        case .add(let person), .remove(let person, _), .admin(let person, _), .demote(let person):
            person
        default: nil
        }
    }

    /// How clients are told of it.
    fileprivate var word: String {
        switch self {
        case .create: "create"
        case .add: "add"
        case .remove: "remove"
        case .admin: "admin"
        case .demote: "demote"
        case .leave: "leave"
        case .link: "link"
        case .endLink: "endLink"
        case .join: "join"
        case .accept: "accept"
        case .cut: "cut"
        case .tie: "tie"
        }
    }
}

extension Roster.Reason {
    /// How clients are told of it.
    var word: String {
        switch self {
        case .notOwner: "notOwner"
        case .notAdmin: "notAdmin"
        case .notMember: "notInGroup"
        case .ownerStays: "ownerStays"
        case .oneself: "oneself"
        case .outranked: "outranked"
        case .rankStands, .rankTaken: "rankTaken"
        case .full: "full"
        case .lift: "removed"
        case .removed: "authorRemoved"
        case .cut: "deviceCut"
        case .form, .notSeen, .granted, .noLink, .ended, .late, .approve: self.rawValue
        case .cameBack: "cameBack"
        case .share: "actsUsedUp"
        }
    }
}

extension RPCError {
    /// What was to be done in a group would not count.
    init(_ reason: Roster.Reason) {
        let (message, remedy) =
            switch reason {
            case .notOwner:
                (
                    "only the owner of the group may do this",
                    "ask the owner: stoa group members GROUP"
                )
            case .notAdmin:
                ("only an admin of the group may do this", "ask one: stoa group members GROUP")
            case .notMember:
                ("that person is not in the group", "see who is: stoa group members GROUP")
            case .ownerStays:
                (
                    "the owner of a group cannot be removed or demoted",
                    "leave the group, or create another with its people: stoa group create NAME --from GROUP"
                )
            case .oneself:
                (
                    "nobody removes or demotes themselves",
                    "leave the group instead: stoa leave GROUP"
                )
            case .outranked:
                (
                    "that person is as senior as you are, or more",
                    "ask the owner, or a more senior admin"
                )
            case .lift:
                (
                    "someone more senior than you has removed that person",
                    "ask them, or the owner, to invite"
                )
            case .full:
                (
                    "the group is full: 200 members, or 64 people who have ever been admins",
                    "remove someone, or create another group: stoa group create NAME --from GROUP"
                )
            case .rankStands, .rankTaken:
                (
                    "there is no place for them among the admins",
                    "leave --above out, or name another admin"
                )
            case .share:
                (
                    "nobody would take another change of yours: each member has 16, each admin 128, and a group 4096",
                    "ask the owner or an admin, or go on in a new group: stoa group create NAME --from GROUP"
                )
            default:
                (
                    "this would not count in the group",
                    "see what is undecided: stoa group members GROUP"
                )
            }
        self = .refused(message, reason: reason.word, remedy: remedy)
    }
}
