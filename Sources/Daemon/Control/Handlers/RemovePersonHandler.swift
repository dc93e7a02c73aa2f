internal import ControlAPI
internal import Engine
internal import Formats

extension RemovePersonMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let peer = try shell.person(params.person, for: .reach)
        guard [.known, .verified].contains(shell.node.ask { $0.standing(of: peer) }) else {
            throw .refused(
                "\"\(TerminalText.line(params.person))\" is not a contact of yours",
                reason: "notKnown", remedy: "see your contacts: stoa people")
        }
        shell.request(.stand(peer, .unsaid), reply)
    }
}
