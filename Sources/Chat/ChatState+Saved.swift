package import ControlAPI

/// What is kept of the client, and what it takes over.
extension ChatState {
    /// Whether what is not sent may be kept on the disk: a lock protects none of it there.
    package var mayKeep: Bool { !self.link.hasLock }

    /// What is to be kept should the client end now.
    package var saved: SavedChat {
        // Of another person, whose daemon was there before, it stays for them.
        var saved = self.left
        let own = self.own.id
        saved.lines += self.outbox.unsent.map {
            .init(
                person: own, to: $0.conversation, text: $0.text, isAction: $0.isAction,
                replyTo: $0.replyTo, key: $0.key)
        }
        saved.drafts += self.typed
        return saved
    }

    /// What is typed and not entered.
    var typed: [SavedChat.Draft] {
        let own = self.own.id
        return ([self.empty] + self.conversations).compactMap { conversation in
            let text = conversation.input.text
            guard !text.isEmpty, !TypedInvitation.isIn(text) else { return nil }
            return .init(
                person: own, conversation: conversation.id, text: text,
                replyTo: conversation.aiming.replying, editing: conversation.aiming.editing)
        } + self.drafts
    }

    /// How many lines were entered with this client: each is to be kept at once.
    package var entered: Int { self.outbox.made }

    /// Takes over what an earlier chat has left.
    package mutating func restore(_ saved: SavedChat) {
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
        (self.aiming.replying, self.aiming.editing) = (draft.replyTo, draft.editing)
    }
}
