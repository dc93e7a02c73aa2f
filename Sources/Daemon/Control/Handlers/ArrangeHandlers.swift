internal import ControlAPI
internal import Engine
internal import Formats

extension MuteMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.arrange(params, reply, ArrangementChange(adding: .muted))
    }
}

extension UnmuteMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.arrange(params, reply, ArrangementChange(removing: .muted))
    }
}

extension ArchiveMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.arrange(params, reply, ArrangementChange(adding: .archived))
    }
}

extension UnarchiveMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.arrange(params, reply, ArrangementChange(removing: .archived))
    }
}

extension NodeShell {
    /// Changes what the user has said of a conversation in their list.
    fileprivate func arrange(
        _ params: ConversationParams, _ reply: Reply, _ change: ArrangementChange
    ) throws(RPCError) {
        let id = try self.conversation(params.to)
        self.request(.arrange(id, change), reply)
    }
}
