import ControlAPI

/// What the daemon tells unasked, and the pages that it is asked for.
extension ChatState {
    /// How many messages are asked for at a time.
    private static let pageMessages: Int64 = 100
    /// How often the daemon is told that the user writes, in milliseconds; it tells others less often.
    private static let typingMilliseconds: Int64 = 1_000
    /// How many messages may wait to be asked for once more.
    private static let staleLimit = 64

    mutating func notified(_ event: ServerEvent) {
        switch event {
        case .message(let event):
            guard event.subscription == self.link.following else { return }
            self.link.cursor = event.message.cursor
            self.show(event.message)
        case .change(let event):
            if event.subscription == self.link.following {
                self.link.cursor = event.change.cursor
                self.changed(event.change)
            } else {
                self.stands(event.change)
            }
        case .gap(let gap) where gap.subscription == self.link.following:
            self.link.cursor = gap.to
            for place in self.conversations.indices { self.conversations[place].forget() }
            self.note("messages are missing here: \(gap.reason.shown)", isFault: true)
        case .typing(let event): self.types(event)
        case .missing(let event):
            self.link.missing[event.conversation] = MissingResult.line(
                event.missing, more: event.moreMissing)
        case .presence(let event):
            guard !event.peer.isEmpty else { return }
            self.presence[event.peer] = event.presence
            // Who was linked before the user knew them is told of in no other way.
            self.linked[event.peer] = event.presence != .offline
            self.around.change([.peers], at: self.now)
            self.comes(event)
        case .members(let event):
            self.with(event.conversation) {
                guard $0.memberCount != event.members else { return }
                ($0.memberCount, $0.hasMembers) = (event.members, false)
            }
        case .list(let event): self.around.change([event.list], at: self.now)
        case .transfer(let event): self.transfers.take(event.transfer)
        default: break
        }
    }

    /// How many people are shown who write at a time; each is told for a moment only.
    private static let typistLimit = 8

    private mutating func types(_ event: TypingEvent) {
        let peer = event.peer
        guard !peer.isEmpty, peer != self.own.id else { return }
        self.with(event.conversation) {
            if !event.typing {
                $0.typing[peer] = nil
            } else if $0.typing.count < Self.typistLimit {
                $0.typing[peer] = event.shown
            }
        }
    }

    /// Tells others that the user writes: no command, and once in a while.
    mutating func tellTyping() {
        let text = self.shown.input
        guard !text.isEmpty, text.characters.first != "/", self.place(of: self.current) != nil,
            self.now - self.link.toldTyping >= Self.typingMilliseconds,
            !self.link.asked.values.contains(.typing)
        else { return }
        let id = self.current
        if self.ask(TypingMethod.self, .typing, { $0.to = id }) { self.link.toldTyping = self.now }
    }

    private mutating func show(_ event: MessageResult) {
        let id = event.conversation
        guard let message = ChatMessage(event), !id.isEmpty else { return }
        guard let place = self.place(of: id) else { return self.askForConversations() }
        let isOwn = message.author == self.own.id
        self.outbox.confirm(message.id)
        if isOwn { self.isActive() }
        let isOfOthers = !isOwn && !message.isOfUser && message.isSaid
        let isLooked = id == self.current
        let isReading = isLooked && self.isReading
        let own = self.own.id
        self.with(id) {
            if event.kind == .topic, event.ignored != true { $0.topic = event.text.shown }
            if event.kind == .join || event.kind == .leave { $0.hasMembers = false }
            if isOfOthers, !(isReading && $0.isAtEnd) {
                // Who comes back finds where they left off.
                if isLooked, $0.isAtEnd, $0.unread == 0 { $0.reading.firstUnread = message.id }
                $0.unread += 1
                if message.isMention { $0.mentions += 1 }
                if isLooked, !$0.isAtEnd { $0.reading.missedBelow += 1 }
            }
            guard !$0.scrollback.isEmpty || isLooked, $0.scrollback[message.id] == nil else {
                return
            }
            if message.isLate {
                if $0.stale.count < Self.staleLimit, !$0.scrollback.isEmpty {
                    $0.stale.append(message.id)
                }
            } else if !$0.scrollback.hasNewer, $0.loading != .newest {
                $0.scrollback.append(message)
                $0.expect([message], own: own)
                $0.scrollback.trim(keepingOldest: $0.anchor != nil)
            }
        }
        let conversation = self.conversations[place]
        if isOfOthers, !conversation.isMuted,
            message.isMention || conversation.isDirect && !isReading
        {
            self.perform(.ring)
        }
    }

    private mutating func changed(_ change: ChangeResult) {
        let id = change.id ?? ""
        let message = change.message ?? ""
        switch change.knownEvent {
        case .edited:
            self.with(id) {
                $0.scrollback.change(message) { $0.edit(change.text ?? "") }
            }
        case .deleted: self.with(id) { $0.scrollback.change(message) { $0.erase() } }
        case .reacted, .removed:
            self.with(id) {
                if $0.scrollback[message] != nil, !$0.stale.contains(message),
                    $0.stale.count < Self.staleLimit
                {
                    $0.stale.append(message)
                }
            }
        case .seen:
            self.with(id) {
                ($0.unread, $0.mentions) = (change.unread ?? 0, change.mentions ?? 0)
            }
        case .joined, .left, .arranged, .realmJoined, .realmLeft:
            self.around.change([.rooms], at: self.now)
            self.askForConversations()
        case .accepted, .declined: self.around.change([.requests], at: self.now)
        case .added, .verified, .blocked, .unlisted, .profile:
            self.around.change([.peers], at: self.now)
        case .requested:
            self.around.change([.requests], at: self.now)
            let name =
                ShownPerson(name: change.name.shown).quoted + " " + (change.peer ?? "").shortKey
            self.note(
                "\(name) wants to write to you: \"\(change.text.shown)\"; /accept or /decline "
                    + (change.peer ?? "").shortKey)
        case .invited: self.tell(invitation: change)
        case .memberAdded, .memberLeft, .memberRemoved, .adminAdded, .adminRemoved:
            self.turned(change)
        case .raised: self.notice = change.text.shown
        case .cleared, .realmRenewed, .changed, nil: break
        case .delivered, .read, .linked, .unlinked: self.stands(change)
        }
    }

    /// How far somebody has come, or whether they are linked.
    private mutating func stands(_ change: ChangeResult) {
        let id = change.id ?? ""
        guard let peer = change.peer else { return }
        let message = change.message ?? ""
        switch change.knownEvent {
        case .delivered:
            self.with(id) { $0.receipts.delivered[peer] = message }
            // It waits no more.
            let waits = SendMethod.Waits.allCases.map { Self.text(of: $0) }
            if id == self.current, waits.contains(self.notice ?? "") { self.notice = nil }
        case .read: self.with(id) { $0.receipts.read[peer] = message }
        case .linked, .unlinked:
            self.linked[peer] = change.knownEvent == .linked
            self.around.change([.peers], at: self.now)
        default: break
        }
    }

    // MARK: History

    /// Asks for what the screen needs and is not here.
    mutating func loadWhatIsMissing() {
        guard self.link.isConnected, let place = self.place(of: self.current) else { return }
        let shown = self.conversations[place]
        if shown.loading == nil {
            if let goal = shown.goal {
                self.load(.goal(goal), around: goal)
            } else if shown.scrollback.messages.allSatisfy(\.isNote), shown.scrollback.hasOlder {
                self.load(.newest)
            } else if shown.scrollback.hasOlder, shown.reading.isSeekingUnread || self.isNearTop {
                self.load(.older)
            } else if shown.scrollback.hasNewer, self.isNearBottom {
                self.load(.newer)
            }
        }
        if !shown.hasMembers { self.askForMembers(of: shown.id, isShown: false) }
        if let stale = shown.stale.first,
            !self.link.asked.values.contains(.info(conversation: shown.id))
        {
            if shown.scrollback[stale] != nil {
                self.ask(InfoMethod.self, .info(conversation: shown.id)) { $0.id = stale }
            } else if shown.loading == nil {
                self.load(.around, around: stale)
            }
        }
        self.acknowledge()
    }

    /// Asks for a page of the conversation that is looked at.
    mutating func load(_ what: ChatConversation.Loading, around: String? = nil) {
        let scrollback = self.shown.scrollback
        let id = self.current
        let isSeeking =
            what == .newest && self.shown.reading.isEntered && self.shown.unread > 50
            || what == .older && self.shown.reading.isSeekingUnread
        let isAsked = self.ask(HistoryMethod.self, .history(id, what)) {
            $0.to = id
            $0.limit = isSeeking ? Int64(ControlLimits.historyMessages) : Self.pageMessages
            switch what {
            case .newest: break
            case .older: $0.before = scrollback.oldest
            case .newer: $0.after = scrollback.newest
            case .around, .goal: $0.around = around
            }
        }
        if isAsked { self.shown.loading = what }
    }

    mutating func loaded(
        _ result: HistoryMethod.Result, of id: String, _ what: ChatConversation.Loading
    ) {
        guard let place = self.place(of: id) else { return }
        let page = result.messages.compactMap { ChatMessage($0) }
        for message in page { self.outbox.confirm(message.id) }
        // What was shown when it was asked for may have been let go of since: then it fits nowhere.
        guard self.conversations[place].loading == what else { return }
        // A message that was let go of and comes back begins to count its changes anew.
        self.layouts = LayoutCache()
        let more = result.more
        let own = self.own.id
        var shown = self.conversations[place]
        shown.loading = nil
        switch what {
        case .newest:
            shown.scrollback.replace(page, hasOlder: more, hasNewer: false)
            self.conversations[place] = shown
            return self.begin(at: place)
        case .older:
            shown.scrollback.merge(page, isOlder: true)
            shown.scrollback.hasOlder = more && !page.isEmpty
            if shown.reading.isSeekingUnread {
                self.conversations[place] = shown
                return self.begin(at: place)
            }
            shown.expect(page, own: own)
            shown.scrollback.trim(keepingOldest: true)
        case .newer:
            shown.scrollback.merge(page, isOlder: false)
            shown.scrollback.hasNewer = more && !page.isEmpty
            shown.expect(page, own: own)
            shown.scrollback.trim(keepingOldest: false)
        case .around:
            // None where the conversation was let go of meanwhile.
            guard let target = shown.stale.first else { break }
            // One that came late: it and its neighbours take their places.
            shown.stale.removeFirst()
            if page.contains(where: { shown.scrollback[$0.id] != nil && $0.id != target }) {
                shown.scrollback.merge(page, isOlder: true)
                shown.expect(page, own: own)
            }
        case .goal(let goal):
            // None where the person has gone elsewhere meanwhile.
            guard shown.goal == goal else { break }
            shown.goal = nil
            guard page.contains(where: { $0.id == goal }) else {
                self.notice = "that message is not here now"
                break
            }
            shown.scrollback.replace(page, hasOlder: true, hasNewer: true)
            shown.expect(page, own: own)
            self.conversations[place] = shown
            return self.look(at: goal, in: id)
        }
        self.conversations[place] = shown
    }

    mutating func informed(_ result: InfoMethod.Result, in id: String) {
        self.with(id) {
            if !$0.stale.isEmpty { $0.stale.removeFirst() }
            guard let message = result.message.flatMap({ ChatMessage($0) }) else { return }
            $0.scrollback.change(message)
        }
    }

    // MARK: Members

    mutating func askForMembers(of id: String, isShown: Bool, after place: String? = nil) {
        guard !self.link.asked.values.contains(.members(id, isShown: isShown)) else { return }
        let isAsked = self.ask(MembersMethod.self, .members(id, isShown: isShown)) {
            $0.to = id
            $0.page.limit = 1_000
            $0.page.after = place
        }
        if isAsked, place == nil { self.with(id) { ($0.members, $0.hasMembers) = ([], true) } }
    }

    mutating func learned(_ result: MembersMethod.Result, of id: String, isShown: Bool) {
        let own = self.own.id
        for member in result.items where !member.id.isEmpty {
            guard let state = member.state else { continue }
            self.linked[member.id] = state == .linked
            self.presence[member.id] = member.presence
        }
        self.with(id) {
            // The same list may be coming twice: for the screen, and for /who.
            var places = Dictionary(
                $0.members.enumerated().map { ($1.id, $0) },
                uniquingKeysWith: { first, _ in first })
            for item in result.items {
                let member = ChatMember(
                    id: item.id, name: item.name.shown, person: item.shown,
                    isAway: item.presence == .away,
                    isHere: item.state == nil || item.state == .linked, isSelf: item.id == own)
                if let place = places[member.id] {
                    $0.members[place] = member
                } else {
                    places[member.id] = $0.members.count
                    $0.members.append(member)
                }
            }
        }
        if let next = result.next, !result.items.isEmpty {
            return self.askForMembers(of: id, isShown: isShown, after: next)
        }
        guard isShown, let place = self.place(of: id) else { return }
        let members = self.conversations[place].members
        let here = members.filter(\.isHere).map {
            $0.person.quoted + ($0.isSelf ? " (you)" : $0.isAway ? " (away)" : "")
        }
        let away = members.filter { !$0.isHere }.map(\.person.quoted)
        self.note("here: " + here.joined(separator: ", "), in: id)
        if !away.isEmpty { self.note("away: " + away.joined(separator: ", "), in: id) }
    }
}
