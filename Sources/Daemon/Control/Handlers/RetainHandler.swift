internal import ControlAPI
internal import Engine
internal import Formats
internal import Storage

extension RetainMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let id = try shell.conversation(params.to)
        guard shell.node.ask({ $0.conversationStatus(of: id) }) != nil else {
            throw shell.notMember(of: id)
        }
        guard params.off == true || params.days != nil || params.bytes != nil else {
            return shell.withConversation(id, reply) { reply.answer($0) }
        }
        guard params.off != true || params.days == nil && params.bytes == nil else {
            throw .invalidParams(
                "off cannot be combined with days or bytes", reason: "invalid",
                remedy: "leave off out, or days and bytes", details: [JSON.Member("param", "off")])
        }
        // Each of the two stands until it is given anew, or all is kept.
        var retention =
            params.off == true
            ? Retention() : shell.node.ask { $0.retention(of: id) }
        if let days = params.days { retention.days = UInt32(clamping: days) }
        if let bytes = params.bytes { retention.bytes = UInt64(clamping: bytes) }
        if params.dryRun == true { return shell.tellGoing(by: retention, of: id, reply) }
        let pending = PendingRequest(
            reply,
            then: .done {
                if retention.days == nil {
                    // What is older and not here yet is kept again.
                    shell.request(
                        .expire(id, .before(HybridTime(0))))
                }
                shell.expireOld()
                shell.withConversation(id, reply) { reply.answer($0) }
            })
        shell.request(.retain(id, retention), pending)
    }
}

extension NodeShell {
    /// Says how many messages a bound would take off the disk.
    fileprivate func tellGoing(
        by retention: Retention, of id: ConversationID, _ reply: Reply
    ) {
        let bounds = self.node.ask { $0.retentionBounds(by: retention, at: self.now.wall) }
        var (before, size): (HybridTime?, Expiry?) = (nil, nil)
        for bound in bounds {
            switch bound {
            case .before(let time): before = time
            case .above:
                let steps = self.node.ask { $0.retentionSteps(bound, in: id) }
                size = Expiry(conversation: id, bound, by: steps)
            case .streams: continue  // not among what a user asks to keep
            }
        }
        self.countGoing(before: before, size, of: id, reply) { count in
            self.withConversation(id, reply) { conversation in
                var answer = conversation
                answer.retainGoing = Int64(count)
                reply.answer(answer)
            }
        }
    }

    /// Counts the messages that would be taken off the disk.
    func countGoing(
        before: HybridTime?, _ size: Expiry?, of id: ConversationID, _ reply: Reply,
        then use: @escaping (Int) -> Void
    ) {
        self.ask { (store) async throws(StoreFailure) in
            try await store.expiring(in: id, before: before, size)
        } then: { result in
            switch result {
            case .success(let going): use(going.messages)
            case .failure(let failure): reply.fail(RPCError(failure))
            }
        }
    }
}
