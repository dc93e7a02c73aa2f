internal import ControlAPI
internal import Engine
internal import Formats

/// Conversations of two people, as clients ask for them.
extension NodeShell {
    /// What a client writes to: a conversation, or somebody with whom it has not begun.
    enum Destination {
        case begun(ConversationID)
        case person(PeerID)
    }

    /// What the word of a client means, which `@` and a name may be.
    func destination(_ text: String) throws(RPCError) -> Destination {
        guard text.hasPrefix("@") else { return .begun(try self.conversation(text)) }
        let peer = try self.person(text, for: .reach)
        if let id = self.node.ask({ $0.begunDirect(with: peer) }) { return .begun(id) }
        return .person(peer)
    }
}
