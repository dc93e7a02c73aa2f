internal import ControlAPI
internal import Engine
internal import Formats

extension VerifyMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let peer = try shell.otherPerson(params.person)
        guard let code = shell.node.ask({ $0.verificationCode(with: peer) }) else {
            throw RPCError(.keysUnknown(peer), name: { shell.markedName(of: $0) })
        }
        let answer = {
            reply.answer(
                Result {
                    $0.person = shell.personResult(peer)
                    $0.digits = code.digits
                    $0.words = code.words
                })
        }
        guard let typed = params.code else { return answer() }
        shell.request(
            .verify(peer, code: typed), PendingRequest(reply, then: .done(answer)))
    }
}
