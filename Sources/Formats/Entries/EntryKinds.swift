/// What may become of an entry, which everybody can see without reading it.
///
/// `Docs/Protocol/Entries.md` section 2. An entry of another class is stored and relayed.
package enum EntryClass: UInt8, CaseIterable, Sendable {
    /// Who is there, and who may what: never erased, expired or evicted.
    case control = 1
    /// What people and scripts write.
    case content = 2
    /// What programs send each other.
    case stream = 3
}

/// The kinds of entries that this version writes and reads: the one list of them.
///
/// A new kind is one case here, with its ``traits``, and one of ``Content``, which is its codec. An
/// entry of another kind is stored and relayed, and shown by versions that have it. The numbers that
/// are spoken for stand in `Docs/Protocol/Entries.md`.
package enum EntryKind: UInt64, CaseIterable, Sendable {
    /// The first entry of a log: whose it is.
    case open = 1
    /// The author joins; the content is the room's name.
    case join = 2
    /// The author leaves; no content.
    case leave = 3
    /// What the conversation is about from here on.
    case topic = 4
    /// The author wants payloads erased; the content is of which entries.
    case erase = 5
    /// A key of a group, and whom it is for.
    case epoch = 6
    /// What one of the user's devices tells the others, in the notes.
    case own = 7
    /// A message: UTF-8 text, in answer to another one or not.
    case text = 32
    /// What the author does, in words: "waves".
    case action = 33
    /// Where the author is, or something else.
    case location = 34
    /// Another text for a message of the same person.
    case edit = 35
    /// What the author makes of a message, in a sign.
    case reaction = 37
    /// A file: what it is called, and by which name its content is fetched.
    case file = 38
    /// What is left of a call.
    case call = 39
    /// Bytes that programs send each other, in order.
    case stream = 64

    /// What the store and the node need to know of a kind.
    package struct Traits: Hashable, Sendable {
        /// The class of its entries.
        package var entryClass = EntryClass.control
        /// Whether it makes its author a member (true), ends that (false), or neither (nil).
        package var attendance: Bool?
        /// Whether it counts as unread, and may be a conversation's last message.
        package var countsAsUnread = false
        /// Whether somebody waits for it now: it goes before what is caught up with.
        package var isLive = false
        /// Whether people see it.
        package var isShown = true
        /// Whether it says something of a message and stands with that, not in the conversation.
        package var isAside = false
    }

    /// What the store and the node need to know of this kind.
    package var traits: Traits {
        switch self {
        case .open: Traits(isShown: false)
        case .join: Traits(attendance: true)
        case .leave: Traits(attendance: false)
        case .topic: Traits(isLive: true)
        case .erase, .epoch, .own: Traits(isShown: false)
        case .text, .action, .location, .file, .call:
            Traits(entryClass: .content, countsAsUnread: true, isLive: true)
        case .edit, .reaction: Traits(entryClass: .content, isLive: true, isAside: true)
        case .stream: Traits(entryClass: .stream)
        }
    }
}

/// What an entry says, by its kind.
///
/// How a payload holds it stands in `Content.swift`.
package enum Content: Hashable, Sendable {
    /// The log begins.
    indirect case open(LogOpening)
    /// A message.
    case text(String)
    /// A message that answers another one of the same conversation.
    indirect case reply(String, to: EntryTarget)
    /// What the author does, in words.
    case action(String)
    /// A place on the Earth.
    indirect case location(Location)
    indirect case file(AttachedFile)
    /// A call that is over.
    indirect case call(CallEntry)
    /// Another text for a message that the same person has written.
    indirect case edit(String, of: EntryTarget)
    /// What the author makes of a message.
    indirect case reaction(Reaction)
    /// Bytes of a stream, for programs.
    indirect case stream(StreamPiece)
    /// The author joined; the room's name, in open rooms.
    case join(RoomName?)
    /// The author left.
    case leave
    /// What the conversation is about from here on; empty for nothing.
    case topic(String)
    /// Payloads are to be erased, of these entries; ascending, at most ``Limits/eraseTargets``.
    case erase([EntryTarget])
    /// What own entries of a group are sealed with from here on.
    indirect case epoch(EpochAnnouncement)
    /// What the other devices of the author's person are told.
    indirect case own(OwnEntry)
    /// What a message that this version cannot read wants shown in its place.
    case fallback(String)

    /// The kind of an entry with this content; nil for one that this version does not know.
    package var kind: EntryKind? {
        switch self {
        case .open: .open
        case .text, .reply: .text
        case .action: .action
        case .location: .location
        case .file: .file
        case .call: .call
        case .edit: .edit
        case .reaction: .reaction
        case .stream: .stream
        case .join: .join
        case .leave: .leave
        case .topic: .topic
        case .erase: .erase
        case .epoch: .epoch
        case .own: .own
        case .fallback: nil
        }
    }

    /// What the author has written; nil where that is not for people to read, or cannot be read here.
    package var text: String? {
        switch self {
        case .text(let text), .reply(let text, _), .action(let text), .edit(let text, _): text
        case .location(let location): location.label
        case .file(let file): file.caption ?? file.name
        case .call(let call): call.fallback
        case .open, .reaction, .stream, .join, .leave, .topic, .erase, .epoch, .own, .fallback:
            nil
        }
    }

    /// What the conversation is about from here on; nil where that is not said, or nothing.
    package var topic: String? {
        if case .topic(let topic) = self, !topic.isEmpty { topic } else { nil }
    }

    /// The same with another text; nil for what has none that can be edited.
    package func edited(_ text: String) -> Content? {
        switch self {
        case .text: .text(text)
        case .reply(_, let target): .reply(text, to: target)
        case .action: .action(text)
        default: nil
        }
    }

    /// Whether it says the same as what was sent before under the same key.
    ///
    /// A file that is sent again is encrypted anew.
    package func isRepeat(of other: Content) -> Bool {
        guard case .file(let file) = self, case .file(let earlier) = other else {
            return self == other
        }
        return (file.name, file.size, file.type, file.caption)
            == (earlier.name, earlier.size, earlier.type, earlier.caption)
    }

    /// Whether people may give it another text.
    package var isEditable: Bool { self.edited("") != nil }

    /// Whether its text has a size that can be sent.
    package var hasSendableText: Bool {
        switch self {
        case .location, .reaction, .file, .call, .stream: true
        case .topic(let topic): topic.utf8.count <= Limits.topicBytes
        default: self.text.map { (1...Limits.textBytes).contains($0.utf8.count) } ?? false
        }
    }

    /// Names the message that a text answers.
    private static let replyType: UInt64 = 4
    /// Names the message that has another text.
    fileprivate static let editedType: UInt64 = 3

    /// What the store and the node need to know of it.
    package var traits: EntryKind.Traits {
        // Somebody has written something, whatever it was.
        self.kind?.traits ?? EntryKind.text.traits
    }

    /// Writes the fields of its kind.
    func write(to writer: inout WireWriter) {
        switch self {
        case .open(let opening): opening.write(to: &writer)
        case .text(let text), .action(let text): writer.field(1, text: text)
        case .reply(let text, let target):
            writer.field(1, text: text)
            writer.field(Self.replyType, target.encoded)
        case .location(let location): location.write(to: &writer)
        case .file(let file): file.write(to: &writer)
        case .call(let call): call.write(to: &writer)
        case .edit(let text, let target):
            writer.field(1, text: text)
            writer.field(Self.editedType, target.encoded)
        case .reaction(let reaction): reaction.write(to: &writer)
        case .stream(let piece): piece.write(to: &writer)
        case .join(let name): if let name { writer.field(1, text: name.text) }
        case .leave: break
        case .topic(let topic): writer.field(1, text: topic)
        case .erase(let targets): EntryTarget.write(targets, to: &writer)
        case .epoch(let epoch): epoch.write(to: &writer)
        case .own(let own): own.write(to: &writer)
        case .fallback: preconditionFailure("what cannot be read is not written")
        }
    }

    /// Reads the fields of a kind; nil where a value is missing, or is not as described.
    init?(_ kind: EntryKind, _ fields: FieldList) {
        guard fields.isUnderstood(by: kind.mustKnow) else { return nil }
        switch kind {
        case .open:
            guard let opening = LogOpening(fields) else { return nil }
            self = .open(opening)
        case .text:
            guard let text = fields.text(of: 1, bytes: 1...Limits.textBytes) else { return nil }
            guard let named = fields.value(of: Self.replyType) else {
                self = .text(text)
                return
            }
            guard let target = EntryTarget(decoding: Array(named)) else { return nil }
            self = .reply(text, to: target)
        case .action:
            guard let text = fields.text(of: 1, bytes: 1...Limits.textBytes) else { return nil }
            self = .action(text)
        case .location:
            guard let location = Location(fields) else { return nil }
            self = .location(location)
        case .file:
            guard let file = AttachedFile(fields) else { return nil }
            self = .file(file)
        case .call:
            guard let call = CallEntry(fields) else { return nil }
            self = .call(call)
        case .edit:
            guard let text = fields.text(of: 1, bytes: 1...Limits.textBytes),
                let target = EntryTarget(field: Self.editedType, of: fields)
            else { return nil }
            self = .edit(text, of: target)
        case .reaction:
            guard let reaction = Reaction(fields) else { return nil }
            self = .reaction(reaction)
        case .stream:
            guard let piece = StreamPiece(fields) else { return nil }
            self = .stream(piece)
        case .join:
            let name = fields.text(of: 1, bytes: 1...Limits.nameBytes).flatMap { RoomName($0) }
            guard name != nil || fields.value(of: 1) == nil else { return nil }
            self = .join(name)
        case .leave: self = .leave
        case .topic:
            guard let topic = fields.text(of: 1, bytes: 0...Limits.topicBytes) else { return nil }
            self = .topic(topic)
        case .erase:
            guard let targets = EntryTarget.read(fields) else { return nil }
            self = .erase(targets)
        case .epoch:
            guard let epoch = EpochAnnouncement(fields) else { return nil }
            self = .epoch(epoch)
        case .own:
            guard let own = OwnEntry(fields) else { return nil }
            self = .own(own)
        }
    }
}

extension EntryKind {
    /// The types of fields of which a reader must know what they mean.
    fileprivate var mustKnow: [UInt64] {
        switch self {
        case .open: LogOpening.mustKnow
        case .text, .action, .join, .topic: [1]
        case .location: Location.mustKnow
        case .file: AttachedFile.mustKnow
        case .call: CallEntry.mustKnow
        case .edit: [1, Content.editedType]
        case .reaction: Reaction.mustKnow
        case .stream: StreamPiece.mustKnow
        case .leave: []
        case .erase: EntryTarget.mustKnow
        case .epoch: EpochAnnouncement.mustKnow
        case .own: OwnEntry.mustKnow
        }
    }
}
