internal import ControlAPI
internal import Engine
internal import Formats

/// What of it a subscriber is told that nothing keeps.
struct SignalFilter {
    let kinds: Set<ChangeKind>
    /// The conversation of which it is told who writes; nil for all.
    let conversation: ConversationID?
    /// Whether something was left out while the client did not read, so that all has to be said again.
    var isBehind = false
    /// The conversations of which it was told that something is missing.
    var incomplete: Set<ConversationID> = []

    init(_ kinds: [ChangeKind]?, in conversation: ConversationID?) {
        self.kinds = Set(kinds ?? []).intersection([
            .presence, .typing, .picture, .list, .members, .missing, .call, .roster,
        ])
        self.conversation = conversation
    }

    func follows(_ signal: Signal) -> Bool {
        switch signal {
        case .presence: self.kinds.contains(.presence)
        case .typing(_, let conversation, _):
            self.kinds.contains(.typing)
                && (self.conversation == nil || self.conversation == conversation)
        case .picture: self.kinds.contains(.picture)
        case .missing(let conversation):
            self.kinds.contains(.missing)
                && (self.conversation == nil || self.conversation == conversation)
        case .call(_, let conversation, _, _):
            self.kinds.contains(.call)
                && (self.conversation == nil || self.conversation == conversation)
        case .packet: false
        }
    }

    /// What of somebody's coming or going is told where one conversation is followed; nil for nothing.
    func followed(_ coming: Coming) -> Coming? {
        guard let conversation = self.conversation else { return coming }
        guard coming.conversations.contains(conversation) else { return nil }
        return Coming(coming.event, after: coming.after, in: [conversation])
    }
}

extension ComingWord {
    init(_ event: Coming.Event) {
        self =
            switch event {
            case .joined: .joined
            case .back: .back
            case .away: .away
            case .left: .left
            case .interrupted: .interrupted
            }
    }
}

extension NodeShell {
    /// Gives what nothing keeps to everybody who follows it and reads.
    func signal(_ signals: [Signal]) {
        for case .packet(let peer, let conversation, let stream, let packet) in signals {
            self.receive(packet, stream: stream, of: peer, in: conversation)
        }
        for subscription in self.clients.subscriptions() where !subscription.signals.kinds.isEmpty {
            for signal in signals where subscription.signals.follows(signal) {
                guard subscription.client.hasRoom else {
                    subscription.signals.isBehind = true
                    break
                }
                self.write(signal, to: subscription)
            }
        }
    }

    /// Says to a subscriber how all stands: at first, and where it has missed something.
    func signalAll(to subscription: Subscription) {
        guard !subscription.signals.kinds.isEmpty, subscription.client.hasRoom else { return }
        subscription.signals.isBehind = false
        // What is here meanwhile stands no longer.
        let gone = subscription.signals.incomplete.sorted().map { Signal.missing($0) }
        let standing = self.node.ask { $0.standingSignals }
        for signal in gone.filter({ !standing.contains($0) }) + standing
        where subscription.signals.follows(signal) {
            self.write(signal, to: subscription)
        }
        self.tellAllLists(to: subscription)
    }

    private func write(_ signal: Signal, to subscription: Subscription) {
        var line: [UInt8] = []
        switch signal {
        case .presence(let peer, let presence, let coming):
            var event = PresenceEvent()
            event.subscription = subscription.key.number
            event.peer = peer.description
            (event.name, event.ambiguous) = self.shownName(of: peer)
            event.presence = presence.map { PresenceWord($0) } ?? .offline
            event.lastSeen = self.peerStatus(of: peer).lastSeen.map { Timestamp(clamping: $0) }
            if let coming = coming.flatMap({ subscription.signals.followed($0) }) {
                event.event = ComingWord(coming.event)
                event.after = coming.after.map { ComingWord($0) }
                event.conversations = coming.conversations.map(\.description)
            }
            event.writeLine(into: &line)
        case .typing(let peer, let conversation, let isTyping):
            var event = TypingEvent()
            event.subscription = subscription.key.number
            event.conversation = conversation.description
            event.conversationName = self.name(of: conversation)
            event.peer = peer.description
            (event.name, event.ambiguous) = self.shownName(of: peer)
            event.typing = isTyping
            event.writeLine(into: &line)
        case .picture(let peer, let picture):
            var event = PictureEvent()
            event.subscription = subscription.key.number
            event.peer = peer.description
            (event.name, event.ambiguous) = self.shownName(of: peer)
            event.picture = picture.flatMap { _ in self.pictureResult(of: peer) }
            event.writeLine(into: &line)
        case .missing(let conversation):
            let known = self.incomplete(conversation)
            if known.missing.isEmpty {
                subscription.signals.incomplete.remove(conversation)
            } else {
                subscription.signals.incomplete.insert(conversation)
            }
            var event = MissingEvent()
            event.subscription = subscription.key.number
            event.conversation = known.conversation
            event.conversationName = known.conversationName
            (event.missing, event.moreMissing) = (known.missing, known.moreMissing)
            event.writeLine(into: &line)
        case .call(let peer, let conversation, let bytes, let address):
            let device = self.device(peer)
            var event = CallEvent()
            event.subscription = subscription.key.number
            event.conversation = conversation.description
            event.conversationName = self.name(of: conversation)
            event.peer = peer.description
            (event.name, event.ambiguous) = (device.name, device.isAmbiguous)
            event.verified = device.isVerified
            event.address = CallEvent.host(of: address)
            event.data = Base64(bytes)
            event.writeLine(into: &line)
        case .packet: return
        }
        subscription.client.write(line)
    }
}
