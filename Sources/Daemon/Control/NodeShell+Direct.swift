internal import ControlAPI
internal import Engine

/// Conversations of two people, as clients ask for them.
extension NodeShell {
    /// Does something with the conversation that a client names; that with a person begins by it.
    ///
    /// Where it does not begin, `reply` says why.
    func withDestination(
        _ text: String, _ reply: Reply, _ body: @escaping (ConversationID) -> Void
    ) throws(RPCError) {
        guard text.hasPrefix("@") else { return body(try self.conversation(text)) }
        let peer = try self.person(text)
        if let id = self.node?.ask({ $0.begunDirect(with: peer) }) { return body(id) }
        self.request(.beginDirect(peer), PendingRequest(reply: reply, begun: body))
    }
}
