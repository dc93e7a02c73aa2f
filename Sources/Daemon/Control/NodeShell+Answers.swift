internal import ControlAPI
internal import Engine
internal import Formats
internal import Storage

/// A request that the node is working on, and where its answer goes.
struct PendingRequest {
    /// Nil for one of the shell's own.
    let reply: Reply?
    /// Whom to link to, as the answer repeats it.
    var address = ""
    /// Whether it is said what has become of a message at each member.
    var tellsMembers = false
    /// How many members are to have a message, where a number of them was asked for.
    var wanted: Int?
    /// The file that it sends, or the picture, which is kept only where a message or a profile tells of it.
    var blob: BlobID?
    /// What comes once a conversation has begun, in the place of the answer.
    var begun: ((ConversationID) -> Void)?
    /// What answers once somebody stands as was asked for, in the place of the person, or a message is
    /// taken back, edited or reacted to.
    var settled: (() -> Void)?
    /// What answers once payloads have gone, with their number.
    var expired: ((Int) -> Void)?
    /// What is given the answer to one of the shell's own: who reaches this node, and what becomes of packets.
    var reached: (([DialBackReport], [PacketReport]) -> Void)?
    /// What comes after the answer to one of the shell's own, unless the disk has refused it.
    var ended: (() -> Void)?
}

/// Requests to the node, and its answers.
extension NodeShell {
    func request(_ request: Request, _ pending: PendingRequest) {
        let id = self.requests.add(pending)
        self.happened(.request(id, request))
        pending.reply?.goOn()
    }

    func answered(_ id: RequestID, _ answer: Answer) {
        guard let pending = self.requests.remove(id) else { return }
        if let blob = pending.blob { self.removeUnlessTold(of: blob) }
        guard let reply = pending.reply else {
            if case .failed(let error) = answer {
                self.log(
                    .warning, "the daemon's own request failed: \(RPCError(error).message)")
            }
            if case .failed(.storage) = answer { return }
            if case .reach(let reports, let packets) = answer {
                pending.reached?(reports, packets)
            }
            pending.ended?()
            return
        }
        switch answer {
        case .failed(let error):
            reply.fail(
                RPCError(
                    error,
                    sent: { self.sendResult($0, deliveredTo: $1, for: pending) },
                    number: { self.unmetNumber(of: $0, for: pending) },
                    name: { self.markedName(of: $0) }))
        case .joined(let id):
            if let begun = pending.begun {
                begun(id)
            } else {
                self.withConversation(id, reply) { reply.answer($0) }
            }
        case .left where pending.settled != nil: pending.settled?()
        case .left(let id): self.left(id, reply)
        case .arranged where pending.settled != nil: pending.settled?()
        case .arranged(let id): self.withConversation(id, reply) { reply.answer($0) }
        case .sent where pending.settled != nil: pending.settled?()
        case .sent(let message, let isDuplicate, let peers):
            var result = self.sendResult(message, deliveredTo: peers, for: pending)
            result.duplicate = isDuplicate
            reply.answer(result)
        case .erased: pending.settled?()
        case .expired(_, let count): pending.expired?(count)
        case .restored: preconditionFailure("no client asks for people")
        case .connecting: reply.answer(ConnectMethod.Result { $0.address = pending.address })
        case .connected(let peer):
            reply.answer(
                ConnectMethod.Result {
                    $0.address = pending.address
                    $0.peer = peer.description
                })
        case .reach(let reports, let packets): self.answerDiagnosis(reports, packets, reply)
        case .profile: self.answerProfile(reply)
        case .presence(let presence): reply.answer(self.presenceResult(presence))
        case .streamOpened(let stream): self.opened(stream, reply)
        case .packetSent(let number, let told):
            reply.answer(
                SendStreamMethod.Result {
                    $0.number = Int64(clamping: number)
                    $0.told = Int64(told)
                })
        case .streamClosed: reply.answer(EmptyValue())
        case .typing(let told): reply.answer(TypingMethod.Result { $0.told = Int64(told) })
        case .standing(let peer, _), .declined(let peer):
            if let settled = pending.settled {
                settled()
            } else {
                reply.answer(self.personResult(peer))
            }
        }
    }

    /// Numbers a stream that a client sends; where that has gone meanwhile it ends at once.
    private func opened(_ stream: UInt64, _ reply: Reply) {
        guard let client = reply.asker, client.isAlive else {
            return self.request(.closeStream(stream), PendingRequest(reply: nil))
        }
        let key = SubscriptionKey(client: client.number, number: self.nextSubscription)
        self.nextSubscription += 1
        self.streams.writers[key] = stream
        reply.answer(OpenStreamMethod.Result { $0.stream = key.number })
    }

    /// How many were to have a message, and could; nil where no number was asked for.
    private func unmetNumber(
        of message: SentMessage, for pending: PendingRequest
    ) -> SendMethod.UnmetNumber? {
        pending.wanted.map { wanted in
            SendMethod.UnmetNumber(
                wanted: wanted,
                others: self.node?.ask { $0.outcomes(of: message).count } ?? 0,
                conversation: self.name(of: message.conversation))
        }
    }

    /// What clients are told of a message that is on disk.
    private func sendResult(
        _ message: SentMessage, deliveredTo peers: [PeerID], for pending: PendingRequest
    ) -> SendMethod.Result {
        var result = SendMethod.Result(message, deliveredTo: peers)
        if pending.tellsMembers {
            result.members = self.shownMembers(self.node?.ask { $0.outcomes(of: message) } ?? [])
        }
        result.shutOut = self.node?.ask { $0.isShutOut } == true ? true : nil
        result.waits = self.node?.ask { $0.sendWait(in: message.conversation) }.map {
            SendMethod.Waits($0)
        }
        return result
    }
}

extension SendMethod.Result {
    /// Describes a message that was sent.
    init(_ message: SentMessage, deliveredTo peers: [PeerID]) {
        self.init()
        self.id = message.id.description
        self.conversation = message.conversation.description
        self.cursor = message.cursor?.rawValue ?? 0
        self.time = Timestamp(clamping: message.time.milliseconds)
        self.deliveredTo = peers.map(\.description)
    }
}

extension SendMethod.Waits {
    init(_ wait: SendWait) {
        self =
            switch wait {
            case .away: .away
            case .indirect: .indirect
            case .unaccepted: .unaccepted
            case .nobody: .nobody
            }
    }
}

extension RPCError {
    /// Why the node did not do what it was asked for.
    ///
    /// - Parameters:
    ///   - sent: describes a message that is on disk all the same.
    ///   - number: how many were to have that message, where a number was asked for.
    ///   - name: what people are called.
    init(
        _ error: RequestError,
        sent: (SentMessage, [PeerID]) -> SendMethod.Result = {
            SendMethod.Result($0, deliveredTo: $1)
        },
        number: (SentMessage) -> SendMethod.UnmetNumber? = { _ in nil },
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
            case .packetSize(let bytes, let limit):
                .tooLarge(
                    "the packet", bytes: bytes, limit: limit,
                    remedy: "send 1 to \(limit) bytes in each")
            case .misleadingName:
                .refused(
                    "the name could be taken for a key, for a mark of Stoa, or for no name",
                    reason: "misleadingName",
                    remedy: "use a name that people can read, without @")
            case .tooManyPeople:
                .refused(
                    "you have \(Limits.people) contacts already", reason: "tooManyPeople",
                    remedy: "remove some first: stoa people remove @PERSON")
            case .notInRealm:
                .refused(
                    "you are not in this room's realm", reason: "notInRealm",
                    remedy: "join the realm again: stoa realm join FILE; see stoa realm list")
            case .tooManyRooms:
                .refused(
                    "you are in \(Limits.conversations) rooms already", reason: "tooManyRooms",
                    remedy: "leave one first")
            case .keysUnknown(let peer):
                .refused(
                    "the keys of \(Self.text(of: peer, name)) have not arrived here yet",
                    reason: "keysUnknown",
                    remedy: "link to them once (stoa connect HOST:PORT), or join a room they are in"
                )
            case .codesDiffer(let peer):
                .refused(
                    "that is not the code of you and \(Self.text(of: peer, name))",
                    reason: "codesDiffer",
                    remedy:
                        "check for typing mistakes; if there are none, one of you has the wrong "
                        + "keys: compare in person, and do not trust earlier messages")
            case .blocked(let peer):
                .refused(
                    "you have blocked \(Self.text(of: peer, name))", reason: "blocked",
                    remedy: "unblock them first: stoa unblock @PERSON")
            case .noRequest(let peer):
                .refused(
                    "\(Self.text(of: peer, name)) is not waiting to be accepted",
                    reason: "noRequest", remedy: "see the people who are: stoa requests")
            case .directStays:
                .refused(
                    "a conversation with one person cannot be left", reason: "directStays",
                    remedy: "remove the contact: stoa people remove @PERSON")
            case .cannotSeal:
                .refused(
                    "this machine cannot do AES-256-GCM, which seals that room",
                    reason: "cannotSeal",
                    remedy: "use a machine whose processor has AES, or make a room without --suite")
            case .notConnected(let failure):
                .refused(
                    "there is no link: \(failure.detail)", reason: failure.reason.rawValue,
                    remedy: Self.remedy(of: failure))
            case .tooManyTargets:
                .refused(
                    "\(Limits.targets) addresses are being dialled already",
                    reason: "tooManyTargets",
                    remedy: "restart the daemon to drop those that connect added")
            case .tooFast(let milliseconds):
                RPCError(
                    .busy, "the streams of this conversation have used up their rate",
                    reason: "tooFast",
                    remedy: "send the packet again in \(milliseconds) ms",
                    details: [
                        JSON.Member("retryMilliseconds", .integer(Int64(clamping: milliseconds)))
                    ])
            case .unknownStream:
                .notFound(
                    "there is no such stream", reason: "unknownStream",
                    remedy: "open it again: openStream")
            case .tooManyStreams:
                .refused(
                    "\(Limits.openStreams) streams are open already", reason: "tooManyStreams",
                    remedy: "close one first")
            case .keyReused: .keyReused()
            case .busy: .busy("too many messages are waiting for the disk")
            case .storage(let failure): RPCError(failure)
            case .deliveryTimeout(let message, let isRead, let peers, let waiting):
                .deliveryTimeout(
                    sent(message, peers), isRead: isRead,
                    waitingFor: waiting.map { ($0.description, TerminalText.line(name($0))) },
                    number: number(message))
            case .nobodyKnown:
                .refused(
                    "you have no contacts in this room, so \"all\" means nobody",
                    reason: "nobodyKnown",
                    remedy: "add contacts: stoa people add @PERSON; or use --members any")
            case .notInRoom(let peers):
                .refused(
                    "not in this room: "
                        + peers.map {
                            name($0).isEmpty
                                ? "@\($0.description.prefix(8))" : TerminalText.line(name($0))
                        }.joined(separator: ", "),
                    reason: "notInRoom", remedy: "see its members: stoa members ROOM")
            case .held(let held):
                .held(
                    sent(held.message, held.deliveredTo),
                    by: held.heldBy.map(\.description), until: Timestamp(clamping: held.until),
                    untilText: UTCTime.text(held.until), ahead: held.ahead,
                    isOwnClockAhead: held.isOwnClockAhead)
            }
    }

    private static func text(of peer: PeerID, _ name: (PeerID) -> String) -> String {
        let name = name(peer)
        return name.isEmpty ? "@\(peer.description.prefix(8))" : "@\(TerminalText.line(name))"
    }

    /// What to do about a dial that has failed.
    private static func remedy(of failure: DialFailure) -> String {
        switch failure.reason {
        case .ownAddress: "give the address of another daemon"
        case .wrongRealm: "join the same realm on both sides"
        case .wrongKey: "give the key that stoa status shows there (not the person)"
        case .refused, .noRoute, .otherNetwork, .timedOut, .rejected, .failed:
            "the daemon keeps dialling; see stoa peers"
        }
    }

    /// Why the store did not.
    init(_ failure: StoreFailure) {
        self = .storageFailed(failure.detail, remedy: failure.remedy)
    }
}
