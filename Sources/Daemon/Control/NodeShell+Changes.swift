internal import ControlAPI
internal import Engine
internal import Formats

/// A change as clients see it.
enum ShownChange {
    case message(MessageResult)
    case change(ChangeResult)
    case stream(StreamPieceEvent)
    case gap(GapEvent)

    /// About how many bytes its line takes.
    var expectedBytes: Int {
        switch self {
        case .message(let message): message.expectedBytes + 64
        case .change(let change): change.expectedBytes + 64
        case .stream(let event): event.expectedBytes
        case .gap(let event): event.expectedBytes
        }
    }

    /// Appends the notification's line for one subscription.
    func writeLine(for subscription: Int64, into lines: inout [UInt8]) {
        switch self {
        case .message(let message):
            var event = MessageEvent()
            event.subscription = subscription
            event.message = message
            event.writeLine(into: &lines)
        case .change(let change):
            var event = ChangeEvent()
            event.subscription = subscription
            event.change = change
            event.writeLine(into: &lines)
        case .stream(var event):
            event.subscription = subscription
            event.writeLine(into: &lines)
        case .gap(var event):
            event.subscription = subscription
            event.writeLine(into: &lines)
        }
    }
}

extension NodeShell {
    /// The change as clients see it; `texts` is kept for the messages of one page or turn.
    ///
    /// - Parameter position: how far the subscriber was before it.
    func shownChange(
        _ change: Change, after position: Cursor, _ texts: inout MessageTexts
    ) -> ShownChange {
        switch change {
        case .notice(let cursor, let notice) where notice.isGap:
            var event = GapEvent()
            event.from = position.rawValue
            event.to = cursor.rawValue
            event.reason =
                "there were more changes of the kind \(ChangeKind(notice.kind).rawValue) than are kept"
            return .gap(event)
        case .message(let message):
            return self.streamPiece(message).map { .stream($0) }
                ?? self.changeResult(message, texts.targets).map { .change($0) }
                ?? .message(self.messageResult(message, &texts))
        case .notice(let cursor, let notice):
            return .change(self.changeResult(notice, at: cursor))
        }
    }

    /// The bytes of a durable stream; nil for what is none.
    private func streamPiece(_ message: Message) -> StreamPieceEvent? {
        guard case .stream(let piece) = message.content else { return nil }
        return StreamPieceEvent {
            $0.cursor = message.cursor.rawValue
            $0.conversation = message.conversation.description
            $0.peer = message.author.description
            $0.peerName = self.markedName(of: message.author)
            $0.name = piece.name.text
            $0.session = Int64(piece.session)
            $0.offset = Int64(piece.offset)
            $0.data = Base64(piece.bytes)
            $0.end = piece.isEnd ? true : nil
        }
    }

    /// What a message says of another one; nil for one that stands by itself.
    private func changeResult(
        _ message: Message, _ targets: [EntryID: Message]
    ) -> ChangeResult? {
        var result = ChangeResult()
        switch message.content {
        case .edit(let text, let target):
            result.kind = .edited
            self.name(message.conversation, as: .edited, in: &result)
            result.message = target.id.description
            result.text = text
        case .reaction(let reaction):
            result.kind = .reaction
            self.name(
                message.conversation, as: reaction.isWithdrawn ? .removed : .reacted, in: &result)
            result.message = reaction.target.id.description
            result.text = reaction.sign
            result.count = targets[reaction.target.id].map { self.count(of: reaction.sign, to: $0) }
        default: return nil
        }
        result.time = Timestamp(clamping: message.time.milliseconds)
        result.cursor = message.cursor.rawValue
        self.name(message.author, in: &result)
        return result
    }

    /// How many people have given a sign to a message.
    private func count(of sign: String, to message: Message) -> Int64 {
        let counts = self.node.ask { node in
            ReactionCount.count(
                message.reactions, person: { node.person(of: $0) }, isKnown: { _ in true })
        }
        return Int64(counts.first { $0.sign == sign }?.people.count ?? 0)
    }

    private func changeResult(_ notice: Notice, at cursor: Cursor) -> ChangeResult {
        var result = ChangeResult()
        result.kind = ChangeKind(notice.kind)
        result.time = Timestamp(clamping: notice.time)
        result.cursor = cursor.rawValue
        switch notice.event {
        case .joined(let conversation): self.name(conversation, as: .joined, in: &result)
        case .left(let conversation): self.name(conversation, as: .left, in: &result)
        case .arranged(let conversation, let arrangement):
            self.name(conversation, as: .arranged, in: &result)
            result.muted = arrangement.contains(.muted)
            result.archived = arrangement.contains(.archived)
        case .realmJoined(let realm): self.name(realm, as: .realmJoined, in: &result)
        case .realmLeft(let realm): self.name(realm, as: .realmLeft, in: &result)
        case .realmRenewed(let realm): self.name(realm, as: .realmRenewed, in: &result)
        case .raised(let code, let peer, let text):
            result.event = .raised
            result.code = code.rawValue
            result.peer = peer?.description
            result.text = text
        case .cleared(let code):
            result.event = .cleared
            result.code = code.rawValue
        case .requested(let peer, let text):
            result.event = .requested
            result.peer = peer.description
            result.name = self.markedName(of: peer)
            result.text = text
        case .erased(let conversation, let message, let author):
            self.name(conversation, as: .deleted, in: &result)
            result.message = message.description
            self.name(author, in: &result)
        case .delivered(let conversation, let message, let peer):
            self.name(conversation, as: .delivered, in: &result)
            result.message = message.description
            self.name(peer, in: &result)
        case .read(let conversation, let message, let peer):
            self.name(conversation, as: .read, in: &result)
            result.message = message.description
            self.name(peer, in: &result)
        case .seen(let conversation, let unread, let mentions):
            self.name(conversation, as: .seen, in: &result)
            result.unread = Int64(unread)
            result.mentions = Int64(mentions)
        case .linked(let peer):
            result.event = .linked
            self.name(peer, in: &result)
        case .unlinked(let peer, let reason):
            result.event = .unlinked
            result.reason = reason.map { ComingWord($0) }
            self.name(peer, in: &result)
        case .stood(let peer, let standing):
            result.event = ChangeResult.Event(standing)
            self.name(peer, in: &result)
        case .profiled(let peer):
            let profile = self.node.ask { $0.profile(of: peer) }
            result.event = .profile
            self.name(peer, in: &result)
            result.name = profile.name
            result.status = profile.status
        case .set(let name, let value):
            result.event = .changed
            (result.name, result.value) = (name, value)
        case .decided(let peer, let isAccepted):
            result.event = isAccepted ? .accepted : .declined
            self.name(peer, in: &result)
        case .invited, .answered, .turned: self.name(ofGroup: notice.event, in: &result)
        case .forgotten: preconditionFailure("a gap is told as one")
        }
        return result
    }

    private func name(
        _ conversation: ConversationID, as event: ChangeResult.Event, in result: inout ChangeResult
    ) {
        result.event = event
        result.id = conversation.description
        result.name = self.name(of: conversation)
    }

    /// What has become of a group, or of an invitation to one.
    private func name(ofGroup event: Notice.Event, in result: inout ChangeResult) {
        switch event {
        case .invited(let peer, let group):
            result.event = .invited
            result.id = group.description
            result.name = self.groupName(of: group)
            self.name(peer, in: &result)
        case .answered(let group, let isAccepted):
            result.event = isAccepted ? .accepted : .declined
            result.id = group.description
            result.name = self.groupName(of: group)
        case .turned(let group, let turn):
            self.name(group, as: ChangeResult.Event(turn.event), in: &result)
            let person = self.shownMember(turn.person, of: group)
            (result.peer, result.peerName) = (person.id?.description, person.name)
            guard let by = turn.by.map({ self.shownMember($0, of: group) }) else { break }
            (result.by, result.byName) = (by.id?.description, by.name)
        default: break
        }
    }

    /// The name of a group that the user is in or is invited to; nil where neither is so now.
    private func groupName(of id: ConversationID) -> String? {
        let pending = self.node.ask { $0.pendingGroupRequests }.first { $0.group == id }
        if let founded = pending?.founding {
            return self.node.ask { $0.name(of: .group(founded)) }
        }
        return self.node.ask { $0.group(id) } == nil ? nil : self.name(of: id)
    }

    /// A device of a present or former member of a group, and the name to show.
    private func shownMember(
        _ person: PersonID, of group: ConversationID
    ) -> (id: PeerID?, name: String) {
        var devices = self.node.ask { $0.devices(of: person) }
        if devices.isEmpty {
            devices = self.node.ask { $0.groupReport(group) }?.devices[person] ?? []
        }
        let shown = self.shownName(of: person, devices)
        return (shown.id, shown.id.map(self.markedName(of:)) ?? shown.name)
    }

    private func name(_ author: PeerID, in result: inout ChangeResult) {
        result.peer = author.description
        result.peerName = self.markedName(of: author)
    }

    private func name(
        _ realm: RealmID, as event: ChangeResult.Event, in result: inout ChangeResult
    ) {
        result.event = event
        result.id = realm.description
        result.name = self.node.realms.name(of: realm)
    }
}

extension ChangeResult.Event {
    fileprivate init(_ standing: Standing) {
        switch standing {
        case .unsaid: self = .unlisted
        case .known: self = .added
        case .verified: self = .verified
        case .blocked: self = .blocked
        }
    }
}

extension ChangeResult.Event {
    fileprivate init(_ event: RosterTurn.Event) {
        switch event {
        case .added: self = .memberAdded
        case .left: self = .memberLeft
        case .removed: self = .memberRemoved
        case .promoted: self = .adminAdded
        case .demoted: self = .adminRemoved
        }
    }
}

extension ChangeKind {
    fileprivate init(_ kind: Change.Kind) {
        switch kind {
        case .message: self = .message
        case .conversation: self = .conversation
        case .alert: self = .alert
        case .request: self = .request
        case .erased: self = .deleted
        case .edited: self = .edited
        case .reaction: self = .reaction
        case .delivery: self = .delivery
        case .peer: self = .peer
        case .stream: self = .stream
        case .person: self = .person
        case .setting: self = .setting
        case .roster: self = .roster
        }
    }
}

extension SubscribeMethod.Params {
    /// What is to be given: messages where nothing else is said.
    var changeKinds: Set<Change.Kind> {
        Set(
            (self.kinds ?? [.message]).compactMap { kind in
                switch kind {
                case .message: .message
                case .conversation: .conversation
                case .alert: .alert
                case .request: .request
                case .deleted: .erased
                case .edited: .edited
                case .reaction: .reaction
                case .delivery: .delivery
                case .peer: .peer
                case .stream: .stream
                case .person: .person
                case .setting: .setting
                case .roster: .roster
                case .presence, .typing, .picture, .list, .members, .missing, .call: nil
                }
            })
    }
}
