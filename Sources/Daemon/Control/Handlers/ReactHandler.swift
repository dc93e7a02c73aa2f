internal import ControlAPI
internal import Engine
internal import Formats

extension ReactMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.withMessage(params.id, reply) { (entry) throws(RPCError) in
            let message = try shell.message(of: entry)
            let isWithdrawn = params.remove == true
            guard
                let reaction = Reaction(
                    params.sign, to: EntryTarget(entry), isWithdrawn: isWithdrawn)
            else { preconditionFailure("a sign of another size was refused before") }
            let own = shell.node.ask { $0.person(of: $0.id) }
            let counts = ReactionCount.count(
                message.reactions, person: { shell.node.person(of: $0) }, isKnown: { _ in true })
            let isGiven = counts.contains { count in
                count.sign == params.sign
                    && count.people.contains { shell.node.person(of: $0) == own }
            }
            // What stands already need not be said again.
            guard isGiven == isWithdrawn else {
                return reply.answer(
                    shell.changedMessage(message.id, in: message.conversation))
            }
            shell.change(message, by: .reaction(reaction), reply)
        }
    }
}
