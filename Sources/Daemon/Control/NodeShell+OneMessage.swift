internal import ControlAPI
internal import Engine
internal import Formats
internal import Storage

/// What clients do to one message: find it, and be refused what its author alone may.
extension NodeShell {
    /// Finds the message whose id begins as a client has typed it, and goes on with it; where there is
    /// none, or more than one, the client is told so.
    func withMessage(
        _ typed: String, _ reply: Reply,
        _ body: @escaping (StoredEntry) throws(RPCError) -> Void
    ) throws(RPCError) {
        let shown = TerminalText.line(typed)
        guard let prefix = EntryIDPrefix(typed.lowercased()) else {
            throw .notFound(
                "\"\(shown)\" is not a message id", reason: "unknownMessage",
                remedy:
                    "take one from stoa history --ids: at least \(EntryIDPrefix.leastCharacters) characters"
            )
        }
        reply.holdUp()
        // All that is not yet indexed is looked through, and after a start read first.
        self.look(isSmall: false) { (store) throws(StoreFailure) in
            try store.entries(beginning: prefix)
        } then: { result in
            do throws(RPCError) {
                guard case .success(let found) = result else {
                    if case .failure(let failure) = result { reply.fail(RPCError(failure)) }
                    return
                }
                guard let entry = found.first else {
                    throw .notFound(
                        "there is no message \(shown)", reason: "unknownMessage",
                        remedy: "take an id from: stoa history ROOM --ids")
                }
                guard found.count == 1 else {
                    throw .notFound(
                        "several messages begin with \(shown)", reason: "ambiguousMessage",
                        remedy: "give more characters of the id")
                }
                try body(entry)
                reply.goOn()
            } catch { reply.fail(error) }
        }
    }

    /// Refuses what is not a message of the own person.
    func checkOwn(_ entry: StoredEntry, toDo what: String) throws(RPCError) {
        let author = entry.key.name.author
        guard self.isOwn(author) else {
            throw .refused(
                "that message is not yours: \(self.markedName(of: author)) wrote it",
                reason: "notYours",
                remedy: "only its author can \(what); to hide everything a person "
                    + "writes: stoa block @PERSON")
        }
        try Self.checkContent(entry)
    }

    /// Refuses who has joined and left.
    static func checkContent(_ entry: StoredEntry) throws(RPCError) {
        guard entry.envelope.entryClass == EntryClass.content.rawValue else {
            throw .refused(
                "a join or leave is not a message", reason: "notErasable",
                remedy: "give the id of a message")
        }
    }

    /// The message of an entry; refused where its text is gone, or where it stands with another one.
    func message(of entry: StoredEntry) throws(RPCError) -> Message {
        try Self.checkContent(entry)
        guard let message = Message(entry, by: self.keyring) else {
            throw .refused(
                "the text of that message is not here: it was deleted, or cannot be read",
                reason: "gone", remedy: "give the id of another message")
        }
        if let reference = Reference(message.content) {
            throw .refused(
                "that is an edit of or a reaction to another message", reason: "notAMessage",
                remedy: "give the id of that message: \(reference.target.id.description.prefix(12))"
            )
        }
        return message
    }

    /// The answer to what was done to a message.
    func changedMessage(_ id: EntryID, in conversation: ConversationID) -> ChangedMessage {
        ChangedMessage {
            $0.id = id.description
            $0.conversation = conversation.description
            $0.conversationName = self.name(of: conversation)
        }
    }

    /// Sends what an own entry says of a message, and answers once it is on disk.
    func change(
        _ message: Message, by content: Content, _ reply: Reply
    ) {
        let answer = self.changedMessage(message.id, in: message.conversation)
        self.request(
            .send(Outgoing(conversation: message.conversation, content: content)),
            PendingRequest(reply, then: .done { reply.answer(answer) }))
    }
}
