internal import ControlAPI
internal import Engine
internal import Formats

extension GroupCreateMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let name = params.name
        let room = try shell.room(typed: name.hasPrefix("+") ? String(name.dropFirst()) : name)
        shell.request(.groupCreate(room.name, room.realm, .all), reply)
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
        let kind: ActKind
        switch params.act {
        case .add: kind = .add(person)
        case .remove: kind = .remove(person, seen: [])
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
        shell.request(.groupAct(id, kind), reply)
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
