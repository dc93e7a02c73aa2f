internal import ControlAPI
internal import Engine

extension MuteMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.arrange(params, reply) { $0.insert(.muted) }
    }
}

extension UnmuteMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.arrange(params, reply) { $0.remove(.muted) }
    }
}

extension ArchiveMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.arrange(params, reply) { $0.insert(.archived) }
    }
}

extension UnarchiveMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.arrange(params, reply) { $0.remove(.archived) }
    }
}

extension NodeShell {
    /// Changes what the user has said of a conversation in their list.
    fileprivate func arrange(
        _ params: ConversationParams, _ reply: Reply, _ change: (inout Arrangement) -> Void
    ) throws(RPCError) {
        let id = try self.conversation(params.to)
        guard let status = self.node?.ask({ $0.conversationStatus(of: id) }) else {
            throw .notMember()
        }
        var arrangement = status.arrangement
        change(&arrangement)
        self.request(.arrange(id, arrangement), PendingRequest(reply: reply))
    }
}
