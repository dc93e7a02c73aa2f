internal import ControlAPI
internal import Engine
internal import Formats
internal import Storage

extension SubscribeMethod: MethodHandler {
    /// Subscriptions of one client: each costs a lookup per message.
    private static let perClient = 64

    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        // As with the methods of these names: who may write to the account is for the account to say.
        let ownerOnly: [(kind: ChangeKind, what: String)] = [
            (.request, "requests"), (.setting, "settings"), (.call, "calls"),
        ]
        for (kind, what) in ownerOnly
        where params.kinds?.contains(kind) == true && reply.asker?.access == .group {
            throw .ownerOnly("subscribe to \(what)")
        }
        let conversation = try params.to.map { (to) throws(RPCError) in
            try shell.conversation(to)
        }
        try shell.checkReader(params, in: conversation)
        guard let client = reply.asker else { return reply.answer(EmptyValue()) }
        let own = shell.clients.subscriptions(of: client.number).count
        guard own < Self.perClient else {
            throw .busy("a connection may hold \(Self.perClient) subscriptions")
        }
        let from = params.from.map { Cursor($0) }
        if let consumer = params.consumer {
            let newest = shell.clients.newestShown
            shell.ask { (store) async throws(StoreFailure) -> Cursor in
                if let position = try await store.consumer(consumer, in: conversation) {
                    return from ?? position
                }
                // A new consumer starts here, also when it comes back without having acknowledged.
                try await store.acknowledge(
                    consumer: consumer, in: conversation, cursor: min(from ?? newest, newest))
                return from ?? newest
            } then: { result in
                switch result {
                case .success(let position):
                    shell.subscribe(params, to: conversation, after: position, reply)
                case .failure(let failure): reply.fail(RPCError(failure))
                }
            }
        } else {
            shell.subscribe(
                params, to: conversation, after: from ?? shell.clients.newestShown, reply)
        }
    }
}

extension UnsubscribeMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let key = SubscriptionKey(
            client: reply.asker?.number ?? 0, number: params.subscription)
        guard shell.clients.remove(key) != nil else {
            throw .notFound(
                "this connection has no subscription \(params.subscription)",
                reason: "unknownSubscription", remedy: "give a number that subscribe returned")
        }
        reply.answer(EmptyValue())
    }
}
