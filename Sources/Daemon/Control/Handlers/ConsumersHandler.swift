internal import ControlAPI
internal import Engine
internal import Formats
internal import Storage

extension ConsumersMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let cut = try params.cut(of: "consumers")
        shell.ask { (store) async throws(StoreFailure) in
            try await store.consumers()
        } then: { result in
            switch result {
            case .success(let positions):
                reply.answer(
                    cut.page(of: positions, byteLimit: reply.listBytes) { position in
                        let conversation = position.conversation?.description ?? ""
                        return PagePlace(rank: 0, key: "\(position.name) \(conversation)")
                    } element: { position in
                        Position {
                            $0.name = position.name
                            $0.conversation = position.conversation?.description
                            $0.conversationName =
                                position.conversation.map { shell.name(of: $0) } ?? ""
                            $0.cursor = position.cursor.rawValue
                            $0.live =
                                shell.clients.reader(
                                    of: position.name, in: position.conversation) != nil
                        }
                    })
            case .failure(let failure): reply.fail(RPCError(failure))
            }
        }
    }
}

extension RemoveConsumerMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let name = params.consumer
        guard !shell.clients.subscriptions.values.contains(where: { $0.consumer == name }) else {
            throw .consumerInUse(name, remedy: "end its reader first")
        }
        shell.ask { (store) async throws(StoreFailure) in
            try await store.removeConsumer(name)
        } then: { result in
            switch result {
            case .success(true): reply.answer(EmptyValue())
            case .success(false):
                reply.fail(
                    .notFound(
                        "there is no consumer \"\(TerminalText.line(name))\"",
                        reason: "unknownConsumer", remedy: "see stoa consumers"))
            case .failure(let failure): reply.fail(RPCError(failure))
            }
        }
    }
}

extension RPCError {
    /// A consumer has one reader at a time.
    static func consumerInUse(_ name: String, remedy: String) -> RPCError {
        .refused(
            "consumer \"\(TerminalText.line(name))\" has a live reader", reason: "consumerInUse",
            remedy: remedy)
    }
}
