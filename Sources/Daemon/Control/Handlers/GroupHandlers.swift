internal import ControlAPI
internal import Engine
internal import Formats

extension GroupCreateMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let name = params.name
        let room = try shell.room(typed: name.hasPrefix("+") ? String(name.dropFirst()) : name)
        let history: Group.History = params.history == .joined ? .joined : .all
        shell.request(.groupCreate(room.name, room.realm, history), reply)
    }
}

extension GroupInfoMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        reply.answer(try shell.groupInfo(try shell.group(params.group)))
    }
}

extension GroupActMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let id = try shell.group(params.group)
        let person = try shell.groupPerson(params.person, in: id)
        let report = shell.node.ask { $0.groupReport(id) }
        let member = report?.members.first { $0.person == person }
        let kind: ActKind
        switch params.act {
        case .add:
            let isOwn = person == shell.node.ask { $0.person(of: $0.id) }
            guard !isOwn, member?.hasCome != true else { throw .isMember(params.person) }
            kind = .add(person)
        case .remove:
            let waits = report?.undecided.contains { $0.author == person } ?? false
            guard member != nil || waits else { throw RPCError(Roster.Reason.notMember) }
            kind = .remove(person, seen: [])
        case .demote: kind = .demote(person)
        case .admin:
            let other = try params.above.map { (text) throws(RPCError) in
                try shell.groupPerson(text, in: id)
            }
            guard let rank = shell.node.ask({ $0.rank(for: person, above: other, in: id) }) else {
                throw RPCError(Roster.Reason.rankTaken)
            }
            kind = .admin(person, rank)
        }
        let act = Request.groupAct(
            id, kind, since: params.since.map { HybridTime($0).milliseconds })
        // The message that is sent next is not for who is removed: it waits for the disk to have that.
        if params.act.takesAway { reply.holdUp(toEnd: true) }
        guard params.act.takesAway, params.now != true else { return shell.request(act, reply) }
        shell.syncActs(of: [id], besides: person, reply) { unasked in
            shell.request(
                act,
                PendingRequest(
                    reply,
                    then: .acted { _ in
                        shell.withConversation(id, reply) { conversation in
                            var result = conversation
                            result.unasked = unasked.isEmpty ? nil : unasked
                            reply.answer(result)
                        }
                    }))
        }
    }
}

extension NodeShell {
    /// Asks linked members of groups for their acts, and then does something that these may bear on.
    ///
    /// That is told who could not be asked, by name. Nothing is done once the client has gone.
    func syncActs(
        of groups: [ConversationID], besides person: PersonID? = nil, device: PeerID? = nil,
        _ reply: Reply,
        then body: @escaping ([String]) -> Void
    ) {
        self.request(
            .syncActs(groups, besides: person, device: device),
            PendingRequest(
                reply,
                then: .synced { unasked in
                    guard reply.asker?.isAlive == true else {
                        return reply.fail(.internalError("the client is gone"))
                    }
                    body(self.names(of: unasked, in: groups))
                }))
    }
}

extension NodeShell {
    /// The names of people who need not be known otherwise than as members of groups; of some, where they are many.
    private func names(of people: [PersonID], in groups: [ConversationID]) -> [String] {
        guard !people.isEmpty else { return [] }
        let reports = groups.compactMap { id in self.node.ask { $0.groupReport(id) } }
        return people.prefix(Limits.groupMembers).map { person in
            let known = reports.lazy.compactMap { $0.devices[person] }.first { !$0.isEmpty }
            return self.shownName(of: person, known ?? []).name
        }
    }
}

extension RPCError {
    fileprivate static func isMember(_ person: String) -> RPCError {
        .refused(
            "\(TerminalText.line(person)) is in the group already", reason: "inGroup",
            remedy: "see who is: stoa group members GROUP")
    }
}

extension GroupLinkMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let id = try shell.group(params.group)
        if params.end == true { return try shell.endLinks(params.act, of: id, reply) }
        shell.showLink(days: params.days, needsApproval: params.approve == true, of: id, reply)
    }
}

extension GroupApproveMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let id = try shell.group(params.group)
        shell.request(.groupAct(id, .accept(try shell.undecided(params.act, in: id))), reply)
    }
}
