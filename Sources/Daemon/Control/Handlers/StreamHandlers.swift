internal import ControlAPI
internal import Engine
internal import Formats

extension OpenStreamMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let conversation = try params.to.map { (to) throws(RPCError) in
            try shell.conversation(to)
        }
        let member = try params.member.map { (member) throws(RPCError) in
            try shell.person(member, for: .reach)
        }
        let name = try StreamName(checking: params.name)
        guard let client = reply.asker, client.isAlive else { return reply.answer(EmptyValue()) }
        guard shell.clients.streams.count(of: client.number) < ClientStreams.perClient else {
            throw .busy("a connection may have \(ClientStreams.perClient) streams open")
        }
        if params.receive != true, let conversation {
            return shell.request(
                .openStream(
                    conversation, name, isOrdered: params.ordered == true, member: member),
                reply)
        }
        if let conversation {
            let isIn = shell.node.ask { $0.conversationStatus(of: conversation) } != nil
            guard isIn else { throw shell.notMember(of: conversation) }
        }
        let number = shell.openReader(name, in: conversation, for: client)
        reply.answer(Result { $0.stream = number })
    }
}

extension SendStreamMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let key = SubscriptionKey(client: reply.asker?.number ?? 0, number: params.stream)
        guard let stream = shell.clients.streams.writers[key] else {
            throw .unknownStream(params.stream)
        }
        shell.request(
            .sendPacket(stream: stream, params.data.bytes), reply)
    }
}

extension CloseStreamMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let key = SubscriptionKey(client: reply.asker?.number ?? 0, number: params.stream)
        if shell.clients.streams.readers.removeValue(forKey: key) != nil {
            return reply.answer(EmptyValue())
        }
        guard let stream = shell.clients.streams.writers.removeValue(forKey: key) else {
            throw .unknownStream(params.stream)
        }
        shell.request(.closeStream(stream), reply)
    }
}

extension AppendStreamMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let name = try StreamName(checking: params.name)
        guard params.data.bytes.count <= Limits.streamPieceBytes else {
            throw .tooLarge(
                "the part", bytes: params.data.bytes.count, limit: Limits.streamPieceBytes,
                remedy: "append it in several parts")
        }
        guard
            let piece = StreamPiece(
                name: name, session: UInt64(clamping: params.session),
                offset: UInt64(clamping: params.offset), bytes: params.data.bytes,
                isEnd: params.end == true)
        else {
            throw .invalidParams(
                "there is nothing to append", reason: "badParam",
                remedy: "give data, or end: true", details: [JSON.Member("param", "data")])
        }
        let outgoing = { (conversation: ConversationID) in
            Outgoing(
                conversation: conversation, content: .stream(piece),
                idempotencyKey: params.idempotencyKey)
        }
        switch try shell.destination(params.to) {
        case .begun(let conversation):
            shell.request(.send(outgoing(conversation)), reply)
        case .person(let peer):
            shell.request(
                .beginDirect(peer),
                PendingRequest(
                    reply, then: .begun { shell.request(.send(outgoing($0)), reply) }))
            reply.holdUp()
        }
    }
}

extension StreamName {
    /// Takes what a client names.
    init(checking text: String) throws(RPCError) {
        guard let name = StreamName(typed: text) else {
            throw .invalidParams(
                "\"\(TerminalText.line(text))\" cannot be the name of a stream",
                reason: "badStreamName",
                remedy:
                    "use letters, digits and - _ . inside it, at most \(Limits.nameCharacters) characters",
                details: [JSON.Member("param", "name")])
        }
        self = name
    }
}

extension RPCError {
    /// A number that no open stream of the connection has.
    fileprivate static func unknownStream(_ number: Int64) -> RPCError {
        .notFound(
            "this connection has no stream \(number)", reason: "unknownStream",
            remedy: "give a number that openStream returned")
    }
}
