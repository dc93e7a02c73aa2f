internal import ControlAPI
internal import Engine

extension ProfileMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        guard params.name != nil || params.status != nil else {
            reply.answer(shell.ownProfile())
            return
        }
        shell.request(
            .profile(name: params.name, status: params.status), PendingRequest(reply: reply))
    }
}

extension NodeShell {
    func ownProfile() -> ProfileMethod.Result {
        let profile = self.node.map { $0.profile(of: $0.id) }
        return ProfileMethod.Result {
            $0.id = self.node?.id.description ?? ""
            $0.name = profile?.name ?? ""
            $0.status = profile?.status ?? ""
        }
    }
}
