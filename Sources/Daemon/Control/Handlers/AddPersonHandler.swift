internal import ControlAPI
internal import Engine
internal import Formats

extension AddPersonMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let peer = try shell.otherPerson(params.person)
        switch shell.node.ask({ $0.standing(of: peer) }) {
        case .blocked:
            throw .refused(
                "you have blocked \"\(TerminalText.line(params.person))\"", reason: "blocked",
                remedy: "unblock them first: stoa unblock \(TerminalText.word(params.person))")
        // Who is verified is known, and more.
        case .verified: reply.answer(shell.personResult(peer))
        case .known, .unsaid:
            shell.request(.stand(peer, .known), reply)
        }
    }
}
