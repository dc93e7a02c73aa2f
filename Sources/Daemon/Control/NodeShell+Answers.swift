internal import ControlAPI
internal import Engine
internal import Formats
internal import Storage

/// Requests to the node, and its answers.
extension NodeShell {
    /// Asks the node for what a client wants, or the shell itself, and answers in the words of the API.
    func request(_ request: Request, _ reply: Reply? = nil) {
        self.request(request, PendingRequest(reply))
    }

    func request(_ request: Request, _ pending: PendingRequest) {
        let id = self.clients.requests.add(pending)
        self.happened(.request(id, request))
        pending.reply?.goOn()
    }

    func answered(_ id: RequestID, _ answer: Answer) {
        guard let pending = self.clients.requests.remove(id) else { return }
        if let blob = pending.blob { self.removeUnlessTold(of: blob) }
        if case .failed(let error) = answer { return self.failed(error, pending) }
        switch (pending.then, answer) {
        case (.done(let body), _): body()
        case (.ended(let body), _): body(true)
        case (.begun(let body), .joined(let id)): body(id)
        case (.acted(let body), .acted(_, let act)): body(act)
        case (.synced(let body), .synced(let unasked)): body(unasked)
        case (.expired(let body), .expired(_, let count)): body(count)
        case (.reached(let body), .reach(let reports, let packets)): body(reports, packets)
        case (.handedOver(let body), .handedOver(let bytes)): body(bytes)
        case (.imported(let body), .imported(let verdicts)): body(verdicts)
        case (.told(let body), .siteSignals(let told, let next)): body(told, next)
        case (.linked(let address), .connected(let peer)):
            pending.reply?.answer(
                ConnectMethod.Result {
                    $0.address = address
                    $0.peer = peer.description
                })
        case (.linked(let address), _):
            pending.reply?.answer(ConnectMethod.Result { $0.address = address })
        case (_, .sent(let message, let isDuplicate, let peers)):
            var result = self.sendResult(message, deliveredTo: peers, pending.terms)
            result.duplicate = isDuplicate
            pending.reply?.answer(result)
        default: if let reply = pending.reply { self.tell(answer, reply) }
        }
    }

    private func failed(_ error: RequestError, _ pending: PendingRequest) {
        if let reply = pending.reply {
            return reply.fail(
                RPCError(
                    error,
                    sent: { self.sendResult($0, deliveredTo: $1, pending.terms) },
                    number: { self.unmetNumber(of: $0, pending.terms) },
                    name: { self.markedName(of: $0) }))
        }
        self.log(.warning, "the daemon's own request failed: \(RPCError(error).message)")
        guard case .ended(let body) = pending.then else { return }
        if case .storage = error { body(false) } else { body(true) }
    }

    /// Answers a client as the API says it.
    private func tell(_ answer: Answer, _ reply: Reply) {
        switch answer {
        case .joined(let id), .arranged(let id), .acted(let id, _):
            self.withConversation(id, reply) { reply.answer($0) }
        case .waitsToJoin(let id, let obstacle): self.waitsToJoin(id, obstacle, reply)
        case .left(let id): self.left(id, reply)
        case .profile: self.answerProfile(reply)
        case .presence(let presence): reply.answer(self.presenceResult(presence))
        case .streamOpened(let stream): self.opened(stream, reply)
        case .packetSent(let number, let told):
            reply.answer(
                SendStreamMethod.Result {
                    $0.number = Int64(clamping: number)
                    $0.told = Int64(told)
                })
        case .streamClosed, .declinedGroup: reply.answer(EmptyValue())
        case .callSignalled(let told):
            reply.answer(CallSignalMethod.Result { $0.told = Int64(told) })
        case .typing(let told): reply.answer(TypingMethod.Result { $0.told = Int64(told) })
        case .standing(let peer, _), .declined(let peer): reply.answer(self.personResult(peer))
        case .deviceCode(let code, _):
            reply.answer(DeviceLinkMethod.Result { $0.code = code })
        case .deviceCheck(let check, _):
            reply.answer(DeviceApproveMethod.Result { $0.check = check })
        case .revoked(let device), .renamed(let device): self.answerDevice(device, reply)
        case .sent, .erased, .expired, .connecting, .connected, .reach, .restored, .failed,
            .handedOver, .synced, .imported, .siteSignals:
            preconditionFailure("what follows this was said with the request")
        }
    }

    /// Numbers a stream that a client sends; where that has gone meanwhile it ends at once.
    private func opened(_ stream: UInt64, _ reply: Reply) {
        guard let client = reply.asker, client.isAlive else {
            return self.request(.closeStream(stream))
        }
        let key = self.clients.makeKey(for: client)
        self.clients.streams.writers[key] = stream
        reply.answer(OpenStreamMethod.Result { $0.stream = key.number })
    }

    /// How many were to have a message, and could; nil where no number was asked for.
    private func unmetNumber(
        of message: SentMessage, _ terms: SendTerms
    ) -> SendMethod.UnmetNumber? {
        terms.wanted.map { wanted in
            SendMethod.UnmetNumber(
                wanted: wanted,
                others: self.node.ask { $0.outcomes(of: message).count },
                conversation: self.name(of: message.conversation))
        }
    }

    /// What clients are told of a message that is on disk.
    private func sendResult(
        _ message: SentMessage, deliveredTo peers: [PeerID], _ terms: SendTerms
    ) -> SendMethod.Result {
        var result = SendMethod.Result(message, deliveredTo: peers)
        if terms.tellsMembers {
            result.members = self.shownMembers(self.node.ask { $0.outcomes(of: message) })
        }
        result.shutOut = self.node.ask { $0.isShutOut } ? true : nil
        result.waits = self.waits(in: message.conversation, withFileOf: terms.fileBytes)
        return result
    }

    /// What keeps a message from others; nil where nothing does.
    func waits(in conversation: ConversationID, withFileOf bytes: UInt64) -> SendMethod.Waits? {
        guard let wait = self.node.ask({ $0.sendWait(in: conversation) }) else { return nil }
        guard wait != .unaccepted, self.goesToSites(conversation) else {
            return SendMethod.Waits(wait)
        }
        // Servers between sites take it, though nobody is linked.
        let takesFiles = self.clients.waitingExport.map { $0.params.files == true } ?? true
        return bytes > (takesFiles ? self.configuration.sites.fileBytes : 0) ? .large : nil
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
