internal import ControlAPI
internal import Engine
internal import Formats
internal import Storage

/// Texts that messages share with others of a page, so that it makes them once.
///
/// Names may change between turns, so it does not outlive one.
struct MessageTexts {
    /// How a device stands in messages.
    struct Device {
        var id = ""
        var name = ""
        var isAmbiguous: Bool?
        var isVerified: Bool?
        var isOwn = false

        /// The name where nothing else says whether it is ambiguous: then with the beginning of the key, as in
        /// `Ada@3f7kq2mbx5ac`.
        var markedName: String {
            self.isAmbiguous == true && !self.name.isEmpty
                ? "\(self.name)@\(self.id.prefix(12))" : self.name
        }
    }

    var conversation: ConversationID?
    var conversationID = ""
    var conversationName = ""
    /// Who has written the message before.
    var author: PeerID?
    var ofAuthor = Device()
    /// Those who make something of messages.
    var devices: [PeerID: Device] = [:]
    /// The messages that reactions are to, with all of these.
    var targets: [EntryID: Message] = [:]
}

extension HybridTime {
    /// The first of a moment that a client names.
    init(_ moment: Timestamp) {
        self.init(wallMilliseconds: UInt64(max(0, moment.milliseconds)))
    }
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
            texts.ofAuthor = self.device(message.author)
        }
        var result = MessageResult()
        result.id = message.id.description
        result.conversation = texts.conversationID
        result.conversationName = texts.conversationName
        result.author = texts.ofAuthor.id
        result.authorName = texts.ofAuthor.name
        result.ambiguous = texts.ofAuthor.isAmbiguous
        result.verified = texts.ofAuthor.isVerified
        result.own = texts.ofAuthor.isOwn ? true : nil
        result.kind = MessageResult.Kind(message.content)
        switch message.content {
        case .text(let text), .action(let text), .topic(let text), .fallback(let text):
            result.text = text
        case .reply(let text, let target):
            result.text = text
            result.replyTo = MessageResult.Answered {
                $0.id = target.id.description
                $0.author = target.log.author.description
                $0.authorName = self.markedName(of: target.log.author)
            }
        case .join, .leave: break
        case .location(let location):
            result.text = location.label ?? ""
            result.location = MessageResult.Place(location)
        case .file(let file):
            result.text = file.caption ?? ""
            result.file = FileResult {
                $0.name = file.name
                $0.type = file.type
                $0.size = Int64(clamping: file.size)
            }
        case .call(let call):
            let call = CallResult(call)
            (result.call, result.text) = (call, call.text)
        case .stream(let piece): result.text = piece.name.text
        case .open, .erase, .epoch, .own, .edit, .reaction:
            preconditionFailure("what only has effects is not shown by itself")
        }
        if self.isMention(message, isOwn: texts.ofAuthor.isOwn) { result.mention = true }
        if let edited = message.edited {
            result.edited = Timestamp(clamping: edited.milliseconds)
        }
        if !message.reactions.isEmpty {
            let (signs, more) = self.signs(of: message, &texts)
            result.reactions = signs.isEmpty ? nil : signs
            result.moreReactions = more > 0 ? Int64(more) : nil
        }
        result.time = Timestamp(clamping: message.time.milliseconds)
        result.cursor = message.cursor.rawValue
        result.late = message.isLate
        result.disputed = message.isDisputed ? true : nil
        if self.node.ask({ $0.isGroup(message.conversation) }) {
            if self.node.ask({ $0.isOutside(message) }) { result.outside = true }
            if self.node.ask({ $0.isIgnored(message) }) { result.ignored = true }
        }
        return result
    }

    func device(_ id: PeerID) -> MessageTexts.Device {
        let (name, isAmbiguous) = self.shownName(of: id)
        let isVerified = self.node.ask { $0.standing(of: id) } == .verified
        return MessageTexts.Device(
            id: id.description, name: name, isAmbiguous: isAmbiguous,
            isVerified: isVerified ? true : nil, isOwn: self.isOwn(id))
    }

    /// Whether a message of somebody else calls the user by name, or answers them.
    func isMention(_ message: Message, isOwn: Bool) -> Bool {
        guard !isOwn, let text = message.content.text else { return false }
        if case .reply(_, let target) = message.content, self.isOwn(target.log.author) {
            return true
        }
        guard Mention.isPossible(in: text) else { return false }
        return Mention.isMade(of: self.ownProfile().name, in: text)
    }

    /// Whether somebody is a device of the own person.
    func isOwn(_ author: PeerID) -> Bool {
        self.node.ask { $0.isOwnDevice(author) }
    }

    /// What people make of a message, and how many signs more than are listed.
    private func signs(
        of message: Message, _ texts: inout MessageTexts
    ) -> (signs: [MessageResult.Sign], more: Int) {
        let all: [ReactionCount] =
            self.node.ask { node in
                let tiers = node.tiers(of: Set(message.reactions.map(\.author)))
                return ReactionCount.count(
                    message.reactions, person: { node.person(of: $0) },
                    isKnown: { (tiers[$0] ?? .stranger) >= .known })
            }
        let counts = all.prefix(MessageResult.Sign.listed)
        var signs: [MessageResult.Sign] = []
        for count in counts {
            let devices = count.people.map { self.device($0, &texts) }
            signs.append(
                MessageResult.Sign {
                    $0.sign = count.sign
                    $0.count = Int64(devices.count)
                    $0.own = devices.contains { $0.isOwn } ? true : nil
                    let listed = devices.prefix(MessageResult.Sign.listedPeople)
                    $0.people = listed.map(\.id)
                    $0.names = listed.map(\.markedName)
                })
        }
        return (signs, all.count - counts.count)
    }

    private func device(_ id: PeerID, _ texts: inout MessageTexts) -> MessageTexts.Device {
        if let known = texts.devices[id] { return known }
        let made = self.device(id)
        texts.devices[id] = made
        return made
    }
}

extension MessageResult.Kind {
    /// What a message is in the words of the API.
    init(_ content: Content) {
        self =
            switch content {
            case .text, .reply: .text
            case .action: .action
            case .location: .location
            case .file: .file
            case .call: .call
            case .join: .join
            case .leave: .leave
            case .topic: .topic
            case .fallback, .open, .erase, .epoch, .own, .edit, .reaction, .stream: .unknown
            }
    }
}

extension MessageResult.Place {
    fileprivate init(_ location: Location) {
        self.init()
        self.latitude = location.latitude
        self.longitude = location.longitude
        self.accuracy = location.accuracy.map { Int64($0) }
        self.uri = location.uri
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
    /// What stands around the text and is rarely there takes at most: the message that it answers, a
    /// place, signs.
    private var rareBytes: Int {
        let reply = self.replyTo.map { 200 + 2 * $0.authorName.utf8.count } ?? 0
        let signs = (self.reactions ?? []).reduce(0) { $0 + 440 + 56 * $1.people.count }
        let file = self.file.map { 100 + 6 * ($0.name.utf8.count + $0.type.utf8.count) } ?? 0
        return reply + signs + file + (self.location == nil && self.call == nil ? 0 : 200)
    }

    /// How many bytes the message takes as JSON at most, without looking at its text.
    var mostJSONBytes: Int {
        let names = self.authorName.utf8.count + self.conversationName.utf8.count
        return 600 + self.rareBytes + 2 * names + 6 * self.text.utf8.count
    }

    /// About how many bytes the message takes as JSON, rather too many than too few.
    var jsonBytes: Int {
        var bytes =
            600 + self.rareBytes + 2
            * (self.authorName.utf8.count + self.conversationName.utf8.count)
        for byte in self.text.utf8 {
            bytes += byte < 0x20 || byte == 0x7F ? 6 : byte == 0x22 || byte == 0x5C ? 2 : 1
        }
        return bytes
    }
}
