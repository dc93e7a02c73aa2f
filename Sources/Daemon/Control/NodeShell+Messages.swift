internal import ControlAPI
internal import Engine

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

extension Timestamp {
    /// Wall-clock milliseconds, however many.
    init(clamping milliseconds: UInt64) {
        self.init(milliseconds: Int64(clamping: milliseconds))
    }
}

extension MessageResult {
    /// How many bytes the message takes as JSON at most, without looking at its text.
    var mostJSONBytes: Int {
        let names = self.authorName.utf8.count + self.conversationName.utf8.count
        return 600 + 2 * names + 6 * self.text.utf8.count
    }

    /// About how many bytes the message takes as JSON, rather too many than too few.
    var jsonBytes: Int {
        var bytes = 600 + 2 * (self.authorName.utf8.count + self.conversationName.utf8.count)
        for byte in self.text.utf8 {
            bytes += byte < 0x20 || byte == 0x7F ? 6 : byte == 0x22 || byte == 0x5C ? 2 : 1
        }
        return bytes
    }
}
