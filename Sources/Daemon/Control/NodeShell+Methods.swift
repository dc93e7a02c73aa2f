internal import ControlAPI
internal import Engine
internal import Loop
internal import Crypto
internal import Posix
internal import Storage

/// A request that the node is working on, and where its answer goes.
enum PendingRequest {
    case join(Reply)
    case leave(Reply)
    case send(Reply)
    case connect(Reply, address: String)
    case profile(Reply)
    /// The shell's own.
    case silent

    var reply: Reply? {
        switch self {
        case .join(let reply), .leave(let reply), .send(let reply), .connect(let reply, _),
            .profile(let reply):
            reply
        case .silent: nil
        }
    }
}

extension NodeShell {
    // MARK: The method table

    /// Does what a client asks for; each call is answered once, now or later.
    func handle(_ request: ControlAPI.Request, _ reply: Reply) {
        guard self.phase == .running else {
            reply.fail(.shuttingDown())
            return
        }
        do throws(RPCError) {
            switch try MethodCall(request) {
            case .status: self.status(reply)
            case .peers: reply.answer(self.peers().json)
            case .rooms: reply.answer(self.rooms())
            case .conversations: self.conversations(reply)
            case .join(let params): try self.join(params, reply)
            case .leave(let params): try self.leave(params, reply)
            case .send(let params): try self.send(params, reply)
            case .history(let params): try self.history(params, reply)
            case .subscribe(let params): try self.subscribe(params, reply)
            case .acknowledge(let params): try self.acknowledge(params, reply)
            case .unsubscribe(let params): try self.unsubscribe(params, reply)
            case .connect(let params): try self.connect(params, reply)
            case .profile(let params): self.profile(params, reply)
            case .whois(let params): reply.answer(try self.whois(params).json)
            case .discover: reply.answer(OpenRPC.document)
            }
        } catch { reply.fail(error) }
    }

    // MARK: What changes something

    private func join(_ params: JoinParams, _ reply: Reply) throws(RPCError) {
        guard let room = RoomName(typed: params.room) else {
            throw .invalidParams(
                "\"\(TerminalText.line(params.room))\" cannot be the name of a room",
                reason: "badRoomName",
                remedy: "use 1 to \(Limits.nameBytes) bytes of letters, digits and - _ . within",
                details: [JSON.Member("param", "room")])
        }
        self.request(.join(room), .join(reply))
    }

    private func leave(_ params: LeaveParams, _ reply: Reply) throws(RPCError) {
        self.request(.leave(try self.conversation(params.room)), .leave(reply))
    }

    private func send(_ params: SendParams, _ reply: Reply) throws(RPCError) {
        let conversation = try self.conversation(params.to)
        let deadline: UInt64? =
            switch params.wait {
            case .sent: nil
            case .delivered:
                SystemClock.monotonicMilliseconds() + UInt64(max(0, params.timeoutMilliseconds))
            }
        self.request(
            .send(
                Outgoing(
                    conversation: conversation, text: params.text,
                    idempotencyKey: params.idempotencyKey, deliverBy: deadline)),
            .send(reply))
    }

    private func connect(_ params: ConnectParams, _ reply: Reply) throws(RPCError) {
        let address: PeerAddress
        do throws(PeerAddressError) {
            address = try PeerAddress(params.address)
        } catch {
            throw .invalidParams(
                "\"\(TerminalText.line(params.address))\" is not [KEY@]HOST:PORT",
                reason: "badAddress", remedy: error.description,
                details: [JSON.Member("param", "address")])
        }
        self.resolve(address) { result in
            switch result {
            case .success(let numeric):
                self.request(
                    .connect(address: numeric, expecting: address.key, by: nil),
                    .connect(reply, address: numeric))
            case .failure(let error):
                reply.fail(
                    .notFound(
                        "the address of \(address.address) cannot be found: \(error)",
                        reason: "unknownHost", remedy: "check the name, or give the address itself"
                    ))
            }
        }
    }

    private func profile(_ params: ProfileParams, _ reply: Reply) {
        guard params.name != nil || params.status != nil else {
            reply.answer(self.ownProfile().json)
            return
        }
        self.request(.profile(name: params.name, status: params.status), .profile(reply))
    }

    /// Finds the numeric address of a peer; looks names up on the worker, since that may block.
    func resolve(
        _ address: PeerAddress, then: @escaping (Result<String, SystemError>) -> Void
    ) {
        if let numeric = address.numeric {
            then(.success(numeric))
            return
        }
        let text = address.address
        let isTaken = self.worker?.run { () -> Result<String, SystemError> in
            do throws(SystemError) {
                let found = try SocketAddress.resolve(text)
                guard let first = found.first else {
                    return .failure(SystemError(2, "resolve", text, advice: "it has no address"))
                }
                return .success(first.description)
            } catch { return .failure(error) }
        } then: { result in
            self.turn { then(result) }
        }
        if isTaken != true {
            then(.failure(SystemError(11, "resolve", text, advice: "too many names wait")))
        }
    }

    func request(_ request: Engine.Request, _ pending: PendingRequest) {
        let id = Engine.RequestID(self.nextRequest)
        self.nextRequest += 1
        self.requests[id] = pending
        self.happened(.request(id, request))
    }

    // MARK: Answers of the node

    func answered(_ id: Engine.RequestID, _ answer: Answer) {
        guard let pending = self.requests.removeValue(forKey: id) else { return }
        guard let reply = pending.reply else {
            if case .failed(let error) = answer {
                self.log(
                    .warning, "a configured peer was not taken: \(self.rpcError(error).message)")
            }
            return
        }
        switch (answer, pending) {
        case (.failed(let error), _): reply.fail(self.rpcError(error))
        case (.joined(let id), .join): self.joined(id, reply)
        case (.left(let id), .leave):
            reply.answer(LeaveResult(id: id.description, name: self.name(of: id)).json)
        case (.sent(let message, let isDuplicate, let peers), .send):
            reply.answer(Self.sendResult(message, isDuplicate: isDuplicate, peers).written)
        case (.connecting, .connect(_, let address)), (.connected, .connect(_, let address)):
            reply.answer(ConnectResult(address: address).json)
        case (.profile, .profile): reply.answer(self.ownProfile().json)
        case (.joined, _), (.left, _), (.sent, _), (.connecting, _), (.connected, _),
            (.profile, _):
            preconditionFailure("the node answers a request in its own kind")
        }
    }

    private func joined(_ id: ConversationID, _ reply: Reply) {
        self.ask { (store) async throws(StoreFailure) in
            try await store.summaries().first { $0.conversation == id }
        } then: { result in
            // The room is joined whatever the store says about its last message.
            let summary = try? result.get()
            guard let status = self.node?.conversations.first(where: { $0.id == id }) else {
                reply.fail(.internalError("the room was left meanwhile"))
                return
            }
            var texts = MessageTexts()
            reply.answer(
                self.conversationResult(status, summary, previewBytes: .max, &texts).json)
        }
    }

    private static func sendResult(
        _ message: SentMessage, isDuplicate: Bool, _ peers: [PeerID]
    ) -> SendResult {
        SendResult(
            id: message.id.description, conversation: message.conversation.description,
            cursor: message.cursor?.rawValue ?? 0,
            time: Timestamp(milliseconds: Int64(message.time.milliseconds)),
            duplicate: isDuplicate, deliveredTo: peers.map(\.description))
    }

    private func rpcError(_ error: RequestError) -> RPCError {
        switch error {
        case .unknownConversation:
            .notFound(
                "there is no such conversation", reason: "unknownConversation",
                remedy: "see stoa conversations, or join the room first")
        case .notMember:
            RPCError(
                .notMember, "you are not in that room", reason: "notMember",
                remedy: "join it first: stoa join ROOM")
        case .size(let limit):
            RPCError(
                .tooLarge, "the text is empty or has more than \(limit) bytes",
                reason: "tooLarge", remedy: "use 1 to \(limit) bytes",
                details: [JSON.Member("limit", .integer(Int64(limit)))])
        case .tooManyRooms:
            .refused(
                "you are in \(Limits.conversations) rooms already", reason: "tooManyRooms",
                remedy: "leave one first")
        case .busy: .busy("too many messages wait for the disk")
        case .notConnected(let failure):
            .refused(
                "there is no link: \(failure.detail)", reason: failure.reason.rawValue,
                remedy: "it is dialled on; see stoa peers")
        case .tooManyTargets:
            .refused(
                "\(Limits.targets) addresses are dialled already", reason: "tooManyTargets",
                remedy: "restart the daemon to forget those that connect has added")
        case .storage(let failure): .storageFailed("\(failure.detail); \(failure.remedy)")
        case .deliveryTimeout(let message, let peers):
            .deliveryTimeout(Self.sendResult(message, isDuplicate: false, peers))
        }
    }

    // MARK: Names

    /// The conversation that a room name or a full id means.
    func conversation(_ text: String) throws(RPCError) -> ConversationID {
        if text.hasPrefix("@") {
            _ = try self.person(text)
            throw .refused(
                "messages to one person are not in this version", reason: "noDirect",
                remedy: "join a room together: stoa join ROOM")
        }
        do throws(NameError) {
            let found = try self.node?.ask { (node) throws(NameError) in
                try node.conversation(named: text)
            }
            if let found { return found }
        } catch { throw self.rpcError(error, kind: "conversation") }
        throw .shuttingDown()
    }

    func person(_ text: String) throws(RPCError) -> PeerID {
        do throws(NameError) {
            let found = try self.node?.ask { (node) throws(NameError) in
                try node.person(named: text)
            }
            if let found { return found }
        } catch { throw self.rpcError(error, kind: "person") }
        throw .shuttingDown()
    }

    private func rpcError(_ error: NameError, kind: String) -> RPCError {
        switch error {
        case .notFound(let text):
            .notFound(
                "there is no \(kind) \"\(TerminalText.line(text))\"", reason: "unknownName",
                remedy: kind == "person" ? "see stoa peers" : "see stoa rooms; stoa join enters one"
            )
        case .ambiguous(let text, let candidates):
            .ambiguous(
                text,
                candidates: candidates.map { ($0.description, self.name(of: $0)) })
        case .malformed(let text):
            .invalidParams(
                "\"\(TerminalText.line(text))\" cannot be the name of a \(kind)",
                reason: "badName",
                remedy: "a room is a bare word, a person @name, an id has 52 characters")
        case .tooShort(let text):
            .invalidParams(
                "\"\(TerminalText.line(text))\" is too short for a key", reason: "shortKey",
                remedy: "give 8 or more characters of the key")
        }
    }

    func name(of conversation: ConversationID) -> String {
        self.node?.ask { $0.name(of: conversation)?.text } ?? ""
    }

    func name(of peer: PeerID) -> String { self.node?.ask { $0.profile(of: peer).name } ?? "" }
}
