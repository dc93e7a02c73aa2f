internal import Crypto

/// The keys of conversations that are here: what opens entries, and what own ones are sealed with.
package struct Keyring: Sendable {
    private struct Conversation {
        var keys: [Bytes32: ConversationKey] = [:]
        /// The one that own entries are sealed with; nil where this machine has none that it can use.
        var current: ConversationKey?
    }

    private var conversations: [ConversationID: Conversation] = [:]

    package init() {}

    /// Adds a key; own entries are sealed with it from here on.
    package mutating func add(_ key: ConversationKey) {
        self.conversations[key.conversation, default: Conversation()].keys[key.id] = key
        self.conversations[key.conversation]?.current = key
    }

    /// Adds what opens a conversation; nothing where it is not sealed.
    package mutating func add(_ kind: ConversationKind) {
        if case .room = kind { return }
        guard let key = kind.key else {
            // What is not sealed is nobody's word in it, also where nothing of it can be opened.
            return self.conversations[kind.id] = self.conversations[kind.id] ?? Conversation()
        }
        self.add(key)
    }

    /// Forgets all keys of a conversation.
    package mutating func remove(_ conversation: ConversationID) {
        self.conversations[conversation] = nil
    }

    /// What own entries of a conversation are sealed with; nil where they are not.
    package func current(in conversation: ConversationID) -> ConversationKey? {
        self.conversations[conversation]?.current
    }

    /// Whether what is said in a conversation is sealed; also where nothing of it can be opened here.
    package func isSealed(_ conversation: ConversationID) -> Bool {
        self.conversations[conversation] != nil
    }

    /// A key of a conversation by its name; nil where it is not here.
    func key(_ id: Bytes32, of conversation: ConversationID) -> ConversationKey? {
        let known = self.conversations[conversation]
        // Nearly all is sealed with the one that is in use.
        return known?.current?.id == id ? known?.current : known?.keys[id]
    }

    /// Reads an entry, as far as it can be.
    package func read(_ envelope: Envelope) -> EntryReading {
        var reading = EntryReading()
        guard let payload = envelope.payload else { return reading }
        let body: Body?
        if envelope.epoch != .zero {
            guard let key = self.key(envelope.epoch, of: envelope.conversation) else {
                // What is not even sealed can never be opened.
                reading.isLocked = !Content.isPlain(payload)
                return reading
            }
            body = envelope.header.flatMap { header in
                SealedPayload.open(payload, with: key, header: header)
                    .flatMap { try? Body(decoding: $0) }
            }
        } else if self.conversations[envelope.conversation] == nil {
            body = Content.plainBody(of: payload)
        } else {
            // Where all else is sealed, anybody on the way could have written this.
            body = nil
        }
        guard let body else { return reading }
        reading.kind = body.kind
        reading.content = Content(
            body, in: envelope.entryClass, isUnderstood: envelope.isUnderstood)
        return reading
    }
}
