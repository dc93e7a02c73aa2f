internal import ControlAPI
internal import Engine
internal import Formats
internal import Posix

extension SendMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        guard params.members == nil || params.wait.map({ $0 != .sent }) == true else {
            throw .invalidParams(
                "members is given without wait", reason: "membersWithoutWait",
                remedy: "give wait: delivered or wait: read",
                details: [JSON.Member("param", "members")])
        }
        let wait = try Self.wait(params, in: shell)
        var source: RandomAccessFile?
        if params.file != nil {
            guard let passed = reply.asker?.takePassed() else { throw .nothingPassed() }
            do throws(SystemError) {
                source = try RandomAccessFile(adopting: passed, path: "the file")
            } catch {
                throw .refused(
                    "the passed descriptor is not a regular file", reason: "badDescriptor",
                    remedy: "pass a regular file, open for reading")
            }
        }
        switch try shell.destination(params.to) {
        case .begun(let conversation):
            try Self.send(params, source, to: conversation, wait, reply, in: shell)
        case .person(let peer):
            let pending = PendingRequest(
                reply,
                then: .begun { conversation in
                    do throws(RPCError) {
                        try Self.send(params, source, to: conversation, wait, reply, in: shell)
                    } catch { reply.fail(error) }
                })
            shell.request(.beginDirect(peer), pending)
            reply.holdUp()
        }
    }

    private static func send(
        _ params: Params, _ source: RandomAccessFile?, to conversation: ConversationID,
        _ wait: DeliveryWait?, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        func send(
            _ content: Content, _ blob: BlobID? = nil, answering time: HybridTime? = nil
        ) {
            let outgoing = Outgoing(
                conversation: conversation, content: content, answers: time,
                idempotencyKey: params.idempotencyKey, wait: wait)
            var terms = SendTerms(tellsMembers: wait != nil)
            // One is any of them, of whom it is said whether they are linked.
            if case .members(let number) = wait?.aim.goal, number > 1 { terms.wanted = number }
            if case .file(let file) = content { terms.fileBytes = file.size }
            shell.request(
                .send(outgoing),
                PendingRequest(reply, blob: blob, then: .sent(terms)))
        }
        if let file = params.file, let source {
            return shell.take(source, file, saying: params.text, in: conversation, reply) {
                send(.file($0), $0.blob)
            }
        }
        if let place = params.location {
            guard
                let location = Location(
                    latitude: place.latitude, longitude: place.longitude,
                    accuracy: place.accuracy.map { Int($0) },
                    label: params.text.isEmpty ? nil : params.text)
            else { preconditionFailure("what is no place was refused before") }
            return send(.location(location))
        }
        if let call = params.call {
            return send(.call(try shell.callEntry(call, in: conversation)))
        }
        guard let answered = params.replyTo else {
            return send(params.kind == .action ? .action(params.text) : .text(params.text))
        }
        try shell.withMessage(answered, reply) { (entry) throws(RPCError) in
            guard entry.key.conversation == conversation,
                entry.envelope.entryClass == EntryClass.content.rawValue
            else {
                throw .notFound(
                    "\(TerminalText.line(answered)) is not a message of that conversation",
                    reason: "unknownMessage",
                    remedy:
                        "take an id from history: stoa history \(TerminalText.word(params.to)) --ids"
                )
            }
            // What is not shown need not be followed.
            let isShown = entry.cursor > Cursor(0) && entry.isSeen
            send(
                .reply(params.text, to: EntryTarget(entry)),
                answering: isShown ? entry.time : nil)
        }
    }

    /// What the client waits for; nil where that is only the disk.
    private static func wait(
        _ params: Params, in shell: isolated NodeShell
    ) throws(RPCError) -> DeliveryWait? {
        guard let what = params.wait, what != .sent else { return nil }
        let milliseconds = params.timeoutMilliseconds ?? ControlLimits.waitMillisecondsDefault
        return DeliveryWait(
            try Self.goal(params.members, in: shell), isRead: what == .read,
            by: SystemClock.monotonicMilliseconds() + UInt64(max(0, milliseconds)))
    }

    /// Whom the client wants to have it.
    private static func goal(
        _ members: String?, in shell: isolated NodeShell
    ) throws(RPCError) -> DeliveryGoal {
        switch try members.map({ (text) throws(RPCError) in try DeliveryMembers(text) }) {
        case nil: return .members(1)
        case .count(let count)?: return .members(count)
        case .all?: return .all
        case .named(let names)?:
            var peers: Set<PeerID> = []
            for name in names { peers.insert(try shell.person(name, for: .reach)) }
            return .named(peers)
        }
    }
}
