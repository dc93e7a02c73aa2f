internal import ControlAPI
internal import Engine
internal import Storage

/// Texts that a message shares with the one before it, so that a page makes them once.
///
/// Names may change between turns, so it does not outlive one.
struct MessageTexts {
    var conversation: ConversationID?
    var conversationID = ""
    var conversationName = ""
    var author: PeerID?
    var authorID = ""
    var authorName = ""
    var isAuthorAmbiguous: Bool?
    var isAuthorVerified: Bool?
}

extension NodeShell {
    /// The message as clients see it; `texts` is kept for the messages of one page or turn.
    func messageResult(_ message: Message, _ texts: inout MessageTexts) -> MessageResult {
        if texts.conversation != message.conversation {
            texts.conversation = message.conversation
            texts.conversationID = message.conversation.description
            texts.conversationName = self.name(of: message.conversation)
        }
        if texts.author != message.author {
            texts.author = message.author
            texts.authorID = message.author.description
            (texts.authorName, texts.isAuthorAmbiguous) = self.shownName(of: message.author)
            let standing = self.node?.ask { $0.standing(of: message.author) }
            texts.isAuthorVerified = standing == .verified ? true : nil
        }
        var result = MessageResult()
        result.id = message.id.description
        result.conversation = texts.conversationID
        result.conversationName = texts.conversationName
        result.author = texts.authorID
        result.authorName = texts.authorName
        result.ambiguous = texts.isAuthorAmbiguous
        result.verified = texts.isAuthorVerified
        switch message.content {
        case .text(let text): result.text = text
        case .reply(let text, let target):
            result.text = text
            result.replyTo = MessageResult.Answered {
                $0.id = target.id.description
                $0.author = target.log.author.description
                $0.authorName = self.shownName(of: target.log.author).name
            }
        case .action(let text):
            result.kind = .action
            result.text = text
        case .join: result.kind = .join
        case .leave: result.kind = .leave
        case .fallback(let text):
            result.kind = .unknown
            result.text = text
        case .open, .erase: preconditionFailure("what only has effects is not shown")
        }
        result.time = Timestamp(clamping: message.time.milliseconds)
        result.cursor = message.cursor.rawValue
        result.late = message.isLate
        result.disputed = message.isDisputed ? true : nil
        return result
    }
}

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
                "\"\(shown)\" is no message's id", reason: "unknownMessage",
                remedy: "take it from history: at least \(EntryIDPrefix.leastCharacters) characters"
            )
        }
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
                        remedy: "take an id from history: stoa history ROOM --ids")
                }
                guard found.count == 1 else {
                    throw .notFound(
                        "several messages begin with \(shown)", reason: "ambiguousMessage",
                        remedy: "give more of the id")
                }
                try body(entry)
            } catch { reply.fail(error) }
        }
    }
}

extension EntryTarget {
    /// Names a stored entry.
    init(_ entry: StoredEntry) {
        self.init(log: entry.key.name, seq: entry.seq, id: entry.id)
    }
}

extension Timestamp {
    /// Wall-clock milliseconds, however many.
    init(clamping milliseconds: UInt64) {
        self.init(milliseconds: Int64(clamping: milliseconds))
    }
}

extension MessageResult {
    /// What the message that it answers takes at most.
    private var replyBytes: Int { self.replyTo.map { 200 + 2 * $0.authorName.utf8.count } ?? 0 }

    /// How many bytes the message takes as JSON at most, without looking at its text.
    var mostJSONBytes: Int {
        let names = self.authorName.utf8.count + self.conversationName.utf8.count
        return 600 + self.replyBytes + 2 * names + 6 * self.text.utf8.count
    }

    /// About how many bytes the message takes as JSON, rather too many than too few.
    var jsonBytes: Int {
        var bytes =
            600 + self.replyBytes + 2
            * (self.authorName.utf8.count + self.conversationName.utf8.count)
        for byte in self.text.utf8 {
            bytes += byte < 0x20 || byte == 0x7F ? 6 : byte == 0x22 || byte == 0x5C ? 2 : 1
        }
        return bytes
    }
}
