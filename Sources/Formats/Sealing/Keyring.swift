package import Crypto

/// The keys of conversations that are here: what opens entries, and what own ones are sealed with.
package struct Keyring: Sendable {
    private struct Conversation {
        var keys: [Bytes32: ConversationKey] = [:]
        /// The one that own entries are sealed with; nil where there is none that this machine can use.
        var current: ConversationKey?
        /// Whether keys come and go, and are announced in clear.
        var hasEpochs = false
        /// Whether the first of them is made by all devices of two people; others follow once one is revoked.
        var isDirect = false
    }

    private var conversations: [ConversationID: Conversation] = [:]

    package init() {}

    /// Adds a key that opens entries.
    package mutating func add(_ key: ConversationKey) {
        self.conversations[key.conversation, default: Conversation()].keys[key.id] = key
    }

    /// Seals own entries with a key from here on.
    package mutating func use(_ key: ConversationKey) {
        self.add(key)
        self.conversations[key.conversation]?.current = key
    }

    /// Seals nothing of a conversation until ``use(_:)`` names a key again.
    package mutating func stopUsing(in conversation: ConversationID) {
        self.conversations[conversation]?.current = nil
    }

    /// Adds what opens and seals a conversation; nothing where it is not sealed.
    package mutating func add(_ kind: ConversationKind) {
        if case .room = kind { return }
        if case .group(let group) = kind { return self.addEpochs(of: group.id) }
        guard let key = kind.key else {
            // What is not sealed is nobody's word in it, also where nothing of it can be opened.
            return self.conversations[kind.id] = self.conversations[kind.id] ?? Conversation()
        }
        guard kind.direct != nil else { return self.use(key) }
        let isNew = self.conversations[kind.id]?.keys[key.id] == nil
        self.conversations[kind.id, default: Conversation()].isDirect = true
        // Another one may be in use by now, or be due.
        if isNew { self.use(key) }
    }

    /// Notes that a conversation has epochs: `open` and `epoch` in it are in clear, so that whoever lacks the key knows whose
    /// log it is, and all else is sealed.
    ///
    /// Until ``use(_:)`` names one, there is nothing to seal own entries with.
    package mutating func addEpochs(of conversation: ConversationID) {
        self.conversations[conversation, default: Conversation()].hasEpochs = true
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
    package func key(_ id: Bytes32, of conversation: ConversationID) -> ConversationKey? {
        let known = self.conversations[conversation]
        // Nearly all is sealed with the one that is in use.
        return known?.current?.id == id ? known?.current : known?.keys[id]
    }

    /// Whether a conversation has epochs.
    private func hasEpochs(_ conversation: ConversationID) -> Bool {
        self.conversations[conversation]?.hasEpochs ?? false
    }

    /// Whether anything in a conversation may be in clear.
    private func mayBeClear(_ conversation: ConversationID) -> Bool {
        self.conversations[conversation].map { $0.hasEpochs || $0.isDirect } ?? true
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
        } else if self.mayBeClear(envelope.conversation) {
            body = Content.plainBody(of: payload)
                .flatMap { self.isSealed(envelope.conversation) && !$0.isClear ? nil : $0 }
        } else {
            // Where all else is sealed, anybody on the way could have written this.
            body = nil
        }
        guard let body else { return reading }
        reading.kind = body.kind
        // Acts say who is in a group; no entry does.
        if body.isComingOrGoing, self.hasEpochs(envelope.conversation) { return reading }
        reading.content = Content(
            body, in: envelope.entryClass, isUnderstood: envelope.isUnderstood)
        return reading
    }
}

/// What is ephemeral.
extension Keyring {
    /// Reads what a peer has sent; nil for what it cannot have meant for this conversation.
    package func read(_ piece: EphemeralPiece, by author: PeerID) -> EphemeralBody? {
        guard let known = self.conversations[piece.conversation] else {
            return EphemeralBody(clear: piece)
        }
        guard known.hasEpochs || known.isDirect else {
            return known.current.flatMap { EphemeralBody(sealed: piece, by: author, with: $0) }
        }
        // The peer may not know yet that a device was revoked.
        if let root = known.keys.values.first(where: { !$0.isEpoch }),
            let body = EphemeralBody(sealed: piece, by: author, with: root)
        {
            return body
        }
        let name = piece.bytes.prefix(EphemeralBody.epochBytes)
        // Nearly always the one that is in use here, too.
        if let current = known.current, current.isEpoch, EphemeralBody.names(name, current) {
            return EphemeralBody(sealed: piece, by: author, with: current)
        }
        for key in known.keys.values where key.isEpoch && EphemeralBody.names(name, key) {
            // Of several with one name at most one opens it.
            if let body = EphemeralBody(sealed: piece, by: author, with: key) { return body }
        }
        return nil
    }
}

extension Body {
    fileprivate var isComingOrGoing: Bool {
        self.kind == EntryKind.join.rawValue || self.kind == EntryKind.leave.rawValue
    }

    /// Whether it is in clear in a conversation that has epochs.
    fileprivate var isClear: Bool {
        self.kind == EntryKind.open.rawValue || self.kind == EntryKind.epoch.rawValue
    }
}

extension Content {
    /// Whether it is in clear in a conversation that has epochs.
    package var isClearBesideEpochs: Bool {
        switch self {
        case .open, .epoch: true
        default: false
        }
    }
}
