import ControlAPI

/// What was typed into a chat and others do not have, as it outlives the chat.
///
/// Lines that were entered go out once, whichever chat sends them: each keeps its key. Drafts come back into
/// the line where they were typed and are never sent by themselves.
public struct SavedChat: Equatable, Sendable {
    /// A text that was entered and that the daemon has not taken.
    public struct Line: Equatable, Sendable {
        /// Whose it is, by the device; empty where that was not known.
        public var person: String
        /// The conversation, by its id or as it was written.
        public var to: String
        /// What is sent.
        public var text: String
        /// Whether it says what somebody does.
        public var isAction: Bool
        /// The message that it answers.
        public var replyTo: String?
        /// The key under which it is sent once.
        public var key: String

        /// Makes one.
        public init(
            person: String = "", to: String, text: String, isAction: Bool = false,
            replyTo: String? = nil, key: String
        ) {
            (self.person, self.to, self.text, self.isAction) = (person, to, text, isAction)
            (self.replyTo, self.key) = (replyTo, key)
        }
    }

    /// A text that was not entered.
    public struct Draft: Equatable, Sendable {
        /// Whose it is, by the device; empty where that was not known.
        public var person: String
        /// The conversation's id; empty where none was there yet.
        public var conversation: String
        /// What was typed.
        public var text: String
        /// The message that it answers.
        public var replyTo: String?
        /// The message whose text it is to be.
        public var editing: String?

        /// Makes one.
        public init(
            person: String = "", conversation: String, text: String, replyTo: String? = nil,
            editing: String? = nil
        ) {
            self.person = person
            (self.conversation, self.text) = (conversation, text)
            (self.replyTo, self.editing) = (replyTo, editing)
        }
    }

    /// What was entered, oldest first.
    public var lines: [Line] = []
    /// What was not.
    public var drafts: [Draft] = []

    /// Nothing.
    public init() {}

    /// Whether there is nothing to keep.
    public var isEmpty: Bool { self.lines.isEmpty && self.drafts.isEmpty }

    /// As it is stored.
    public var bytes: [UInt8] {
        let json: JSON = .members([
            "lines": .array(
                self.lines.map {
                    .members([
                        "person": .string($0.person), "to": .string($0.to),
                        "text": .string($0.text),
                        "action": $0.isAction ? true : nil,
                        "replyTo": $0.replyTo.map { .string($0) }, "key": .string($0.key),
                    ])
                }),
            "drafts": .array(
                self.drafts.map {
                    .members([
                        "person": .string($0.person),
                        "conversation": .string($0.conversation), "text": .string($0.text),
                        "replyTo": $0.replyTo.map { .string($0) },
                        "editing": $0.editing.map { .string($0) },
                    ])
                }),
        ])
        return Array(json.text.utf8)
    }

    /// Reads what was stored; nil where it is something else.
    public init?(_ bytes: [UInt8]) {
        guard let json = try? JSON(parsing: bytes), json["lines"] != nil else { return nil }
        self.lines = json.list("lines").compactMap {
            guard let to = $0["to"]?.stringValue, let text = $0["text"]?.stringValue,
                let key = $0["key"]?.stringValue
            else { return nil }
            return Line(
                person: $0["person"]?.stringValue ?? "", to: to, text: text,
                isAction: $0["action"] == .bool(true),
                replyTo: $0["replyTo"]?.stringValue, key: key)
        }
        self.drafts = json.list("drafts").compactMap {
            guard let text = $0["text"]?.stringValue else { return nil }
            return Draft(
                person: $0["person"]?.stringValue ?? "",
                conversation: $0["conversation"]?.stringValue ?? "", text: text,
                replyTo: $0["replyTo"]?.stringValue, editing: $0["editing"]?.stringValue)
        }
    }
}

extension ChatState {
    /// What is to be kept should the client end now.
    public var saved: SavedChat {
        // Of another person, whose daemon was there before, it stays for them.
        var saved = self.left
        let own = self.own.id
        saved.lines += self.outbox.unsent.map {
            .init(
                person: own, to: $0.conversation, text: $0.text, isAction: $0.isAction,
                replyTo: $0.replyTo, key: $0.key)
        }
        saved.drafts += ([self.empty] + self.conversations).compactMap { conversation in
            let text = conversation.input.text
            guard !text.isEmpty, !Invitation.isIn(text) else { return nil }
            return .init(
                person: own, conversation: conversation.id, text: text,
                replyTo: conversation.replying, editing: conversation.editing)
        }
        saved.drafts += self.drafts
        return saved
    }

    /// How many lines were entered with this client: each is to be kept at once.
    public var entered: Int { self.outbox.made }

    /// Takes over what an earlier chat has left.
    public mutating func restore(_ saved: SavedChat) {
        self.left.lines += saved.lines
        self.left.drafts += saved.drafts
    }

    /// Once it is known who the user is: what they entered goes out, and what they typed comes back.
    mutating func takeLeft() {
        let own = self.own.id
        func isOwn(_ person: String) -> Bool { person.isEmpty || person == own }
        let known = Set(self.outbox.items.map(\.key))
        self.outbox.restore(
            self.left.lines.filter { isOwn($0.person) && !known.contains($0.key) })
        self.drafts += self.left.drafts.filter { isOwn($0.person) }
        self.left.lines.removeAll { isOwn($0.person) }
        self.left.drafts.removeAll { isOwn($0.person) }
        self.placeDrafts()
    }

    /// Puts drafts into the lines of their conversations, as far as these are known.
    mutating func placeDrafts() {
        guard self.link.hasList else { return }
        var waiting: [SavedChat.Draft] = []
        for draft in self.drafts {
            guard !draft.conversation.isEmpty else {
                self.shown.place(draft)
                continue
            }
            let found =
                self.place(of: draft.conversation)
                ?? self.conversation(called: draft.conversation).flatMap { self.place(of: $0.id) }
            guard let place = found else {
                waiting.append(draft)
                continue
            }
            self.conversations[place].place(draft)
        }
        self.drafts = waiting
    }
}

extension ChatConversation {
    /// Puts a draft into the line; among what was typed before where something else stands in it.
    fileprivate mutating func place(_ draft: SavedChat.Draft) {
        guard self.input.isEmpty else { return self.input.keep(draft.text) }
        self.input.set(draft.text)
        (self.replying, self.editing) = (draft.replyTo, draft.editing)
    }
}
