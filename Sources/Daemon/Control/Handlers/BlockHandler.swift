internal import ControlAPI
internal import Engine
internal import Formats

extension BlockMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let peer = try shell.otherPerson(params.person)
        shell.request(.stand(peer, .blocked), reply)
    }
}

extension UnblockMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let peer = try shell.person(params.person, for: .blocked)
        guard shell.isBlocked(peer) else {
            throw .refused(
                "\"\(TerminalText.line(params.person))\" is not blocked", reason: "notBlocked",
                remedy: "see who is: stoa people")
        }
        shell.request(.stand(peer, .unsaid), reply)
    }
}
