internal import ControlAPI
internal import Engine
internal import Storage

/// A request that the node is working on, and where its answer goes.
struct PendingRequest {
    /// Nil for one of the shell's own.
    let reply: Reply?
    /// Whom to link to, as the answer repeats it.
    var address = ""
}

/// Requests to the node, and its answers.
extension NodeShell {
    func request(_ request: Request, _ pending: PendingRequest) {
        let id = self.requests.add(pending)
        self.happened(.request(id, request))
    }

    func answered(_ id: RequestID, _ answer: Answer) {
        guard let pending = self.requests.remove(id) else { return }
        guard let reply = pending.reply else {
            if case .failed(let error) = answer {
                self.log(
                    .warning, "a configured peer was not taken: \(RPCError(error).message)")
            }
            return
        }
        let isShutOut = self.node?.isShutOut == true
        switch answer {
        case .failed(let error):
            reply.fail(RPCError(error, isShutOut: isShutOut) { self.shownName(of: $0).name })
        case .joined(let id): self.joined(id, reply)
        case .left(let id): self.left(id, reply)
        case .sent(let message, let isDuplicate, let peers):
            reply.answer(
                SendMethod.Result(
                    message, isDuplicate: isDuplicate, peers, isShutOut: isShutOut))
        case .erased, .expired:
            preconditionFailure("no method asks for an erasure, or for what is old to expire")
        case .connecting: reply.answer(ConnectMethod.Result { $0.address = pending.address })
        case .connected(let peer):
            reply.answer(
                ConnectMethod.Result {
                    $0.address = pending.address
                    $0.peer = peer.description
                })
        case .profile: reply.answer(self.ownProfile())
        case .known(let peer, _):
            reply.answer(self.personResult(peer))
        }
    }
}

extension SendMethod.Result {
    /// Describes a message that was sent.
    init(_ message: SentMessage, isDuplicate: Bool, _ peers: [PeerID], isShutOut: Bool) {
        self.init()
        self.id = message.id.description
        self.conversation = message.conversation.description
        self.cursor = message.cursor?.rawValue ?? 0
        self.time = Timestamp(clamping: message.time.milliseconds)
        self.duplicate = isDuplicate
        self.deliveredTo = peers.map(\.description)
        self.shutOut = isShutOut ? true : nil
    }
}

extension RPCError {
    /// Why the node did not do what it was asked for.
    ///
    /// - Parameter name: what people are called.
    init(
        _ error: RequestError, isShutOut: Bool = false,
        name: (PeerID) -> String = { _ in "" }
    ) {
        self =
            switch error {
            case .unknownConversation:
                .notFound(
                    "there is no such conversation", reason: "unknownConversation",
                    remedy: "join the room first: stoa join ROOM")
            case .notMember: .notMember()
            case .size(let limit):
                RPCError(
                    .tooLarge, "the text is empty or has more than \(limit) bytes",
                    reason: "tooLarge", remedy: "use 1 to \(limit) bytes",
                    details: [JSON.Member("limit", .integer(Int64(limit)))])
            case .misleadingName:
                .refused(
                    "the name could be taken for a key, or for none", reason: "misleadingName",
                    remedy: "use a name that people can read and that has no @")
            case .tooManyPeople:
                .refused(
                    "you know \(Limits.people) people already", reason: "tooManyPeople",
                    remedy: "remove some first: stoa people remove @PERSON")
            case .notInRealm:
                .refused(
                    "you are not in the realm of this room", reason: "notInRealm",
                    remedy: "join the realm again: stoa realm join FILE; see stoa realm list")
            case .tooManyRooms:
                .refused(
                    "you are in \(Limits.conversations) rooms already", reason: "tooManyRooms",
                    remedy: "leave one first")
            case .notConnected(let failure):
                .refused(
                    "there is no link: \(failure.detail)", reason: failure.reason.rawValue,
                    remedy: Self.remedy(of: failure))
            case .tooManyTargets:
                .refused(
                    "\(Limits.targets) addresses are being dialled already",
                    reason: "tooManyTargets",
                    remedy: "restart the daemon to forget those that connect has added")
            case .keyReused: .keyReused()
            case .busy: .busy("too many messages are waiting for the disk")
            case .storage(let failure): RPCError(failure)
            case .deliveryTimeout(let message, let peers, let waiting):
                .deliveryTimeout(
                    SendMethod.Result(
                        message, isDuplicate: false, peers, isShutOut: isShutOut),
                    waitingFor: waiting.map { ($0.description, TerminalText.line(name($0))) })
            case .nobodyKnown:
                .refused(
                    "you know nobody in this room, so nobody counts as all",
                    reason: "nobodyKnown",
                    remedy: "say whom you know: stoa people add @PERSON; or use --members any")
            case .notInRoom(let peers):
                .refused(
                    "not in this room: "
                        + peers.map {
                            name($0).isEmpty
                                ? "@\($0.description.prefix(8))" : TerminalText.line(name($0))
                        }.joined(separator: ", "),
                    reason: "notInRoom", remedy: "see who is: stoa --json conversations")
            case .held(let held):
                .held(
                    SendMethod.Result(
                        held.message, isDuplicate: false, held.deliveredTo, isShutOut: isShutOut),
                    by: held.heldBy.map(\.description), until: Timestamp(clamping: held.until),
                    untilText: UTCTime.text(held.until), ahead: held.ahead)
            }
    }

    /// What to do about a dial that has failed.
    private static func remedy(of failure: DialFailure) -> String {
        switch failure.reason {
        case .ownAddress: "give the address of another daemon"
        case .wrongRealm: "be in the same realm on both sides"
        case .refused, .noRoute, .timedOut, .wrongKey, .rejected, .failed:
            "the daemon goes on dialling; see stoa peers"
        }
    }

    /// Why the store did not.
    init(_ failure: StoreFailure) {
        self = .storageFailed(failure.detail, remedy: failure.remedy)
    }
}
