internal import ControlAPI
internal import Engine
internal import Formats

extension ForgetMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        if params.dryRun == true { return try shell.tellForgotten(params.to, reply) }
        switch try shell.destination(params.to) {
        case .person(let peer): shell.forget(peer, nil, reply)
        case .begun(let id):
            let status = shell.node.ask { $0.conversationStatus(of: id) }
            if let direct = status?.kind.direct {
                guard direct.device != shell.node.id else {
                    return shell.forgetTexts(of: id, reply)
                }
                return shell.forget(direct.device, id, reply)
            }
            guard status != nil else { return shell.forgetTexts(of: id, reply) }
            let pending = PendingRequest(
                reply, then: .done { shell.forgetTexts(of: id, reply) })
            shell.request(.leave(id), pending)
        }
    }
}

extension NodeShell {
    /// Says how many messages would be deleted.
    fileprivate func tellForgotten(_ to: String, _ reply: Reply) throws(RPCError) {
        switch try self.destination(to) {
        case .person(let peer):
            reply.answer(ForgetMethod.Result { $0.name = "@" + self.markedName(of: peer) })
        case .begun(let id):
            let name = self.name(of: id)
            let all = Expiry(conversation: id, .above(bytes: 0))
            self.countGoing(before: nil, all, of: id, reply) { count in
                reply.answer(
                    ForgetMethod.Result {
                        $0.name = name
                        $0.messages = Int64(count)
                    })
            }
        }
    }

    /// Forgets somebody, and what was said with them.
    fileprivate func forget(_ peer: PeerID, _ conversation: ConversationID?, _ reply: Reply) {
        let name = "@" + self.markedName(of: peer)
        let pending = PendingRequest(
            reply,
            then: .done {
                guard let conversation else {
                    return reply.answer(ForgetMethod.Result { $0.name = name })
                }
                self.forgetTexts(of: conversation, reply)
            })
        self.request(.forget(peer), pending)
    }

    /// Takes what was said in a conversation off the disk, and puts it away where it stays.
    fileprivate func forgetTexts(of id: ConversationID, _ reply: Reply) {
        let name = self.name(of: id)
        if self.node.ask({ $0.conversationStatus(of: id) }) != nil {
            self.request(
                .arrange(id, ArrangementChange(adding: .archived)))
        }
        self.request(.read(id, through: self.clients.newestShown))
        let pending = PendingRequest(
            reply,
            then: .expired { count in
                reply.answer(
                    ForgetMethod.Result {
                        $0.name = name
                        $0.messages = Int64(count)
                    })
            })
        self.request(.expire(id, .above(bytes: 0)), pending)
    }
}
