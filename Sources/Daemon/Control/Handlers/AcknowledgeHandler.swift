internal import ControlAPI
internal import Engine
internal import Formats
internal import Storage

extension AcknowledgeMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        var conversation: ConversationID?
        if let named = params.conversation { conversation = try shell.conversation(named) }
        let cursor = Cursor(params.cursor)
        guard cursor <= shell.clients.newestShown else {
            throw .invalidParams(
                "cursor \(params.cursor) is ahead of the newest one, \(shell.clients.newestShown.rawValue)",
                reason: "cursorAhead", remedy: "acknowledge the cursor of a message",
                details: [JSON.Member("param", "cursor")])
        }
        let scope = conversation
        guard let consumer = params.consumer else {
            guard let scope else { preconditionFailure("one of the two was checked to be there") }
            let pending = PendingRequest(reply, then: .done { reply.answer(EmptyValue()) })
            return shell.request(.read(scope, through: cursor), pending)
        }
        shell.ask { (store) async throws(StoreFailure) -> [ConsumerPosition]? in
            guard try await store.consumer(consumer, in: scope) != nil else {
                return try await store.consumers().filter { $0.name == consumer }
            }
            try await store.acknowledge(consumer: consumer, in: scope, cursor: cursor)
            return nil
        } then: { result in
            switch result {
            case .success(nil): reply.answer(EmptyValue())
            case .success(let positions?):
                let places = positions.map { $0.conversation.map { shell.name(of: $0) } }
                reply.fail(.noPosition(consumer, in: scope.map { shell.name(of: $0) }, but: places))
            case .failure(let failure): reply.fail(RPCError(failure))
            }
        }
    }
}

extension RPCError {
    /// A consumer has no position where one is to be moved: what it reads was subscribed to otherwise.
    ///
    /// - Parameters:
    ///   - place: the conversation; nil for all together.
    ///   - places: where it has positions.
    fileprivate static func noPosition(
        _ consumer: String, in place: String?, but places: [String?]
    ) -> RPCError {
        let name = "\"\(TerminalText.line(consumer))\""
        guard !places.isEmpty else {
            return .notFound(
                "there is no consumer \(name)", reason: "unknownConsumer",
                remedy: "subscribe with it first; see stoa consumers",
                details: [JSON.Member("param", "consumer")])
        }
        let known = places.map { $0.map { TerminalText.line($0) } ?? "all conversations" }
        let list = known.prefix(ControlLimits.candidates).joined(separator: ", ")
        let read = place.map { TerminalText.line($0) } ?? "all conversations together"
        return .notFound(
            "consumer \(name) does not read \(read), but \(list)", reason: "noPosition",
            remedy: place == nil
                ? "give \"conversation\", as it was given to subscribe"
                : "give the \"conversation\" that it reads, or leave it out for all",
            details: [JSON.Member("param", "conversation")])
    }
}
