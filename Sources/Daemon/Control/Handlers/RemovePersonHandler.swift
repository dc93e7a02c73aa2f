internal import ControlAPI
internal import Engine

extension RemovePersonMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let peer = try shell.person(params.person)
        guard shell.node?.ask({ $0.knownPeople }).contains(peer) == true else {
            throw .refused(
                "\"\(TerminalText.line(params.person))\" is nobody whom you know",
                reason: "notKnown", remedy: "see stoa people")
        }
        shell.request(.know(peer, false), PendingRequest(reply: reply))
    }
}
