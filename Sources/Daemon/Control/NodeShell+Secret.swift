internal import ControlAPI
internal import Crypto
internal import Engine
internal import Formats
internal import Loop
internal import Posix
internal import Storage

/// Secret rooms, as clients ask for them.
extension NodeShell {
    /// As many bits as a phrase that somebody chose needs.
    private static let phraseBits = 60.0

    /// Makes a room for which a client gave a phrase or wants one, and enters it.
    func createSecret(
        _ params: CreateConversationMethod.Params, _ text: String, _ reply: Reply
    ) throws(RPCError) {
        let room = try self.secretRoom(typed: text)
        guard !self.node.ask({ $0.hasSecretRoom(named: room) }) else {
            let shown =
                "&" + TerminalText.line(text.hasPrefix("&") ? String(text.dropFirst()) : text)
            throw .refused(
                "you already have a secret room \(shown)", reason: "nameTaken",
                remedy:
                    "choose another name, or use that one: stoa invite \(TerminalText.word(shown))")
        }
        let made: Phrase?
        let phrase: Phrase
        let suite: ConversationKey.Suite
        if let typed = params.phrase {
            (phrase, suite) = try self.phrase(typed, params.suite)
            made = nil
        } else {
            suite = ConversationKey.Suite(params.suite)
            var random = SodiumRandom()
            phrase = Phrase.generate(for: suite, using: &random)
            made = phrase
        }
        guard suite.isAvailable else { throw RPCError(.cannotSeal) }
        try self.enter(room, by: phrase, suite, isNew: made == nil, reply) { entered in
            let invite = RoomInvitation(entered).line
            return .begun { id in
                self.withConversation(id, reply) { conversation in
                    reply.answer(
                        CreateConversationMethod.Result {
                            $0.conversation = conversation
                            $0.phrase = made?.text
                            $0.invite = invite
                        })
                }
            }
        }
    }

    /// Enters a secret room by the phrase that a client gave.
    func joinSecret(
        _ text: String, phrase typed: String, _ suite: SuiteWord?, _ reply: Reply
    ) throws(RPCError) {
        let room = try self.secretRoom(typed: text)
        let (phrase, suite) = try self.phrase(typed, suite)
        guard suite.isAvailable else { throw RPCError(.cannotSeal) }
        try self.enter(room, by: phrase, suite, isNew: false, reply) { _ in .answer }
    }

    /// Enters a secret room by a line that invites to it.
    func joinSecret(_ line: String, _ reply: Reply) throws(RPCError) {
        let room: SecretRoom
        do throws(InvitationError) {
            room = try RoomInvitation(line).room
        } catch {
            let isRealm = line.contains("stoa:realm?")
            throw .invalidParams(
                "that is not an invitation to a room: \(error)", reason: "badInvite",
                remedy: isRealm
                    ? "it is one to a realm: stoa realm join FILE"
                    : "give the whole line that stoa invite printed",
                details: [JSON.Member("param", "invite")])
        }
        guard self.node.ask({ $0.realms.contains(room.realm) }) else {
            throw RPCError(.notInRealm)
        }
        self.request(.joinSecret(room), reply)
    }

    /// Enters a secret room again that the user was in; its key is here still.
    func rejoinSecret(_ text: String, _ reply: Reply) throws(RPCError) {
        let id = try self.conversation(text)
        guard let room = self.node.ask({ $0.secretRoom(id) }) else {
            throw .refused(
                "\"\(TerminalText.line(text))\" is not a secret room", reason: "notSecret",
                remedy: "leave the & out, or give its phrase: stoa join ROOM --secret")
        }
        self.request(.joinSecret(room), reply)
    }

    /// The line that invites to a secret room.
    func invitation(to text: String) throws(RPCError) -> InviteMethod.Result {
        let id = try self.conversation(text)
        guard let room = self.node.ask({ $0.secretRoom(id) }) else {
            let isGroup = self.node.ask { $0.group(id) } != nil
            throw .refused(
                "\"\(TerminalText.line(text))\" is not a secret room", reason: "notSecret",
                remedy: isGroup
                    ? "invite people into a group: stoa group invite GROUP @PERSON"
                    : "join an open room by its name: stoa join ROOM")
        }
        return InviteMethod.Result {
            $0.name = self.name(of: id)
            $0.invite = RoomInvitation(room).line
        }
    }

    /// What clients are told of a conversation, with what is stored of it.
    func withConversation(
        _ id: ConversationID, _ reply: Reply, _ body: @escaping (ConversationResult) -> Void
    ) {
        let authors = self.node.ask { $0.topicAuthors }
        self.ask { (store) async throws(StoreFailure) in
            try await store.summaries(topicsBy: authors).first { $0.conversation == id }
        } then: { result in
            // It is entered whatever the store says about its last message.
            let summary = try? result.get()
            var texts = MessageTexts()
            guard let conversation = self.conversationResult(id, summary, &texts) else {
                reply.fail(.internalError("the conversation was left meanwhile"))
                return
            }
            body(conversation)
        }
    }

    // MARK: Phrases

    /// The name and realm of a secret room, with `&` before them or without.
    private func secretRoom(typed text: String) throws(RPCError) -> Room {
        let room = try self.room(typed: text.hasPrefix("&") ? String(text.dropFirst()) : text)
        guard self.node.ask({ $0.realms.contains(room.realm) }) else {
            throw RPCError(.notInRealm)
        }
        return room
    }

    private func phrase(
        _ typed: String, _ word: SuiteWord?
    ) throws(RPCError) -> (Phrase, ConversationKey.Suite) {
        let phrase: Phrase
        do throws(PhraseError) {
            phrase = try Phrase(typed)
        } catch { throw RPCError(error) }
        let suite = ConversationKey.Suite(word)
        guard let said = phrase.suite else { return (phrase, suite) }
        guard word == nil || said == suite else {
            throw .refused(
                "the phrase is that of a room sealed with \(said.name)", reason: "otherSuite",
                remedy: "leave the suite out")
        }
        return (phrase, said)
    }

    /// Makes the room's key, then enters it.
    private func enter(
        _ room: Room, by phrase: Phrase, _ suite: ConversationKey.Suite, isNew: Bool,
        _ reply: Reply, then: @escaping (SecretRoom) -> PendingRequest.Continuation
    ) throws(RPCError) {
        let isChosen = phrase.suite == nil
        try self.makeKey(reply) { () throws(RPCError) in
            if isChosen {
                do throws(RPCError) { try Self.judge(phrase) } catch {
                    guard !isNew else { throw error }
                    // Where it cannot be judged here, it was where the room was made.
                    guard error.reason == "cannotJudge" else { throw Self.weakToEnter(error) }
                }
            }
            return try Self.secretRoom(room, phrase, suite)
        } then: { secret in
            self.request(.joinSecret(secret), PendingRequest(reply, then: then(secret)))
        }
    }

    /// Makes a key of a phrase on a thread of its own, which takes half a second and 256 MiB; one at a
    /// time.
    func makeKey<Value: Sendable>(
        _ reply: Reply, _ work: @escaping @Sendable () throws(RPCError) -> Value,
        then body: @escaping (Value) -> Void
    ) throws(RPCError) {
        guard !self.workers.isMakingKey else {
            throw .busy("another phrase is being turned into a key")
        }
        let worker: Worker
        do throws(SystemError) { worker = try self.workers.beginKey(on: self.loop) } catch {
            throw .internalError("no thread can be started: \(error.reason)")
        }
        reply.holdUp()
        worker.run { () -> Result<Value, RPCError> in
            do throws(RPCError) { return .success(try work()) } catch { return .failure(error) }
        } then: { result in
            self.turn {
                self.workers.endKey()
                switch result {
                case .success(let value): body(value)
                case .failure(let error): reply.fail(error)
                }
            }
        }
    }

    private static nonisolated func secretRoom(
        _ room: Room, _ phrase: Phrase, _ suite: ConversationKey.Suite
    ) throws(RPCError) -> SecretRoom {
        do throws(CryptoError) {
            return try phrase.room(room.name, in: room.realm, suite: suite)
        } catch {
            throw .noMemoryForKey(
                "the room's key", or: ", or join by an invitation, which needs no phrase")
        }
    }

    /// A room that is there has no such phrase; and who enters first by it would make one that has.
    private static nonisolated func weakToEnter(_ error: RPCError) -> RPCError {
        .refused(
            error.message, reason: "weakPhrase",
            remedy: "compare the phrase with theirs, or join by an invitation: stoa invite ROOM")
    }

    /// Refuses a phrase that somebody chose and others could guess.
    static nonisolated func judge(_ phrase: Phrase) throws(RPCError) {
        guard let bits = PhraseStrength.bits(of: phrase.text) else {
            throw .refused(
                "the strength of your phrase cannot be judged: \(PhraseStrength.library) is not installed",
                reason: "cannotJudge",
                remedy:
                    "leave the phrase out to get six words, or install the library (Debian: apt "
                    + "install libzxcvbn0)")
        }
        guard bits >= Self.phraseBits else {
            throw .refused(
                "the phrase is too easy to guess: it has about \(Int(bits)) of 60 bits",
                reason: "weakPhrase",
                remedy:
                    "use six or more unrelated words, or leave the phrase out "
                    + "to get six words")
        }
    }
}

extension ConversationKey.Suite {
    /// The suite of a word; the usual one where none is said.
    fileprivate init(_ word: SuiteWord?) {
        self = word.flatMap { ConversationKey.Suite(named: $0.rawValue) } ?? .xchacha20Poly1305
    }
}

extension RPCError {
    /// The memory that a phrase's key needs is not to be had.
    static func noMemoryForKey(_ what: String, or other: String = "") -> RPCError {
        RPCError(
            .busy, "there is not enough memory to make \(what)", reason: "noMemory",
            remedy: "free 256 MiB for a second" + other)
    }

    /// What is wrong with a phrase, and what may be meant.
    init(_ error: PhraseError) {
        let param = [JSON.Member("param", "phrase")]
        switch error {
        case .empty:
            self = .invalidParams(
                "the phrase is empty", reason: "badPhrase", remedy: "give its words",
                details: param)
        case .tooLong:
            self = .invalidParams(
                "the phrase has more than \(Phrase.limitBytes) bytes", reason: "badPhrase",
                remedy: "give only the phrase", details: param)
        case .unknownWord(let word, let number):
            let nearest = NearestName.find(word, among: Phrase.list)
            self = .invalidParams(
                "word \(number) of the phrase, \"\(TerminalText.line(word))\", is not in the word list",
                reason: "badPhrase",
                remedy: nearest.map { "did you mean \"\($0)\"?" } ?? "check its spelling",
                details: param)
        case .missingWord:
            self = .invalidParams(
                "the phrase has five of six words", reason: "badPhrase",
                remedy:
                    "find the missing word; a phrase of your own needs other words, or more",
                details: param)
        case .check:
            self = .invalidParams(
                "the words of the phrase do not belong together", reason: "badPhrase",
                remedy: "check each of them and their order", details: param)
        }
    }
}
