internal import ControlAPI
internal import Engine

extension AddPersonMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let peer = try shell.person(params.person)
        guard peer != shell.node?.id else {
            throw .refused(
                "that is you", reason: "ownPerson", remedy: "name somebody else; see stoa peers")
        }
        shell.request(.know(peer, true), PendingRequest(reply: reply))
    }
}
