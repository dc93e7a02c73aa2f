package import Formats

/// What people may ask of a node; nothing here changes it.
extension Node {
    /// The node as a whole.
    package func status(at now: Instant) -> NodeStatus {
        NodeStatus(
            id: self.id, person: self.own.certificate.personID,
            name: self.profile(of: self.id).name, links: self.links.all.count { !$0.isOnTrial },
            conversations: self.conversations.table.values.count(where: \.isJoined),
            requests: self.conversations.requests.pending.count + self.pendingGroupRequests.count,
            requestsTurnedAway: self.requestsTurnedAway,
            held: self.disk.held.count, incarnation: self.disk.history.incarnation,
            clockOffsetMilliseconds: self.clocks.peers.offset(at: now),
            isShutOut: self.isShutOut, alerts: self.alerts.all)
    }

    /// Peers that are linked, being dialled or remembered.
    package var peers: Set<PeerID> {
        var ids = Set(self.dialling.known.keys).union(self.links.peers)
        for target in self.dialling.targets.values {
            if let peer = target.peer ?? target.expecting { ids.insert(peer) }
        }
        ids.remove(self.id)
        return ids
    }

    /// How things stand with a peer; one of whom nothing is known is away.
    package func peerStatus(of peer: PeerID) -> PeerStatus {
        let link = self.links.link(with: peer)
        let leads = self.dialling.leads(to: peer)
        let known = self.dialling.known[peer]
        var addresses = [link?.address].compactMap { $0 }
        for address in leads.sorted(by: { $0.key < $1.key }).flatMap(\.value.addresses)
            + (known?.addresses ?? []) where !addresses.contains(address)
        {
            addresses.append(address)
        }
        addresses = Array(addresses.prefix(Limits.addressesPerTarget))
        let state: PeerStatus.State
        if link != nil {
            state = .linked
        } else if leads.values.contains(where: { !$0.attempts.isEmpty }) {
            state = .connecting
        } else if self.refusals.contains(where: { $0.peer == peer }) {
            state = .refused
        } else {
            state = .away
        }
        return PeerStatus(
            id: peer, person: self.person(of: peer), profile: self.profile(of: peer),
            state: state, presence: self.presence(of: peer), addresses: addresses,
            lastSeen: link?.pulse.lastHeardWall(at: self.now) ?? known?.lastSeen,
            source: self.source(of: link, Set(leads.keys)),
            roundTripMilliseconds: link?.pulse.roundTrip,
            clockOffsetMilliseconds: link?.pulse.clockOffset(at: self.now),
            failedDial: leads.values.compactMap(\.failedDial).max { $0.time < $1.time })
    }

    private func source(of link: Link?, _ leads: Set<TargetID>) -> PeerStatus.Source {
        for lead in leads.sorted() where lead.source != .remembered && !lead.isTold {
            return lead.source
        }
        if leads.contains(where: \.isTold), link.map({ $0.dial != nil }) ?? true { return .record }
        return link != nil && link?.dial == nil ? .incoming : .remembered
    }

    /// What is dialled, or would be if there were no link.
    package var targets: [TargetStatus] {
        self.dialling.targets.map { id, target in
            let leadsTo = [target.peer, target.expecting].compactMap { $0 }
            let state: TargetStatus.State
            if leadsTo.contains(where: { self.links.id(of: $0) != nil }) {
                state = .linked
            } else if target.isSelf {
                state = .ownAddress
            } else {
                state = target.attempts.isEmpty ? .waiting : .connecting
            }
            return TargetStatus(
                name: id.name, addresses: target.addresses, source: id.source,
                peer: leadsTo.first, state: state, failedDial: target.failedDial)
        }
    }

    /// Linked peers that discovery has never seen, though they announce themselves and have been linked for as long
    /// as it takes to be seen.
    ///
    /// It says something only where discovery follows all that comes and goes.
    package func unheard(at now: Instant) -> [PeerID] {
        let old = self.links.all.filter {
            $0.info.features.contains(.announced)
                && now.monotonic - min($0.linkedSince, now.monotonic) >= Limits.hearingMilliseconds
        }
        return old.map(\.info.peer).filter { peer in
            !self.dialling.leads(to: peer).keys.contains {
                if case .service = $0 { true } else { false }
            }
        }.sorted()
    }

    /// The latest refusals, newest first.
    package var refusals: [Refusal] { self.alerts.refusals }

    /// Rooms that the user is or was in, or a linked peer is in.
    package var rooms: [ConversationID: Room] {
        var rooms: [ConversationID: Room] = [:]
        for conversation in self.conversations.table.values {
            rooms[conversation.id] = conversation.room
        }
        for link in self.links.all { rooms.merge(link.rooms.named) { first, _ in first } }
        return rooms
    }

    /// Those of ``rooms`` that somebody is in: the others were left, and are known for their history alone.
    package var peopledRooms: [ConversationID: Room] {
        self.rooms.filter { id, _ in
            guard self.conversations.table.has(id), !self.conversations.table[known: id].isJoined
            else { return true }
            return self.links.ids.contains { self.links[$0].rooms.contains(id) }
        }
    }

    /// How things stand with one of ``rooms``.
    package func roomStatus(of id: ConversationID, _ room: Room) -> RoomStatus {
        let announced = self.links.all.filter { $0.rooms.contains(id) }.map(\.info.peer).sorted()
        let joined = self.conversations.table[id].flatMap { $0.isJoined ? $0 : nil }
        return RoomStatus(
            id: id, room: room, isJoined: joined != nil,
            isReachable: self.own.realms.contains(room.realm),
            members: self.peopleCount(of: joined.map { self.members(of: $0) } ?? announced),
            announcedBy: announced)
    }

    /// What the user is in.
    package var joinedConversations: [ConversationID: ConversationKind] {
        var joined: [ConversationID: ConversationKind] = [:]
        for conversation in self.conversations.table.values where conversation.isJoined {
            joined[conversation.id] = conversation.kind
        }
        return joined
    }

    /// How things stand with a conversation that the user is in; nil where that is none.
    package func conversationStatus(of id: ConversationID) -> ConversationStatus? {
        guard let conversation = self.conversations.table[id], conversation.isJoined else {
            return nil
        }
        let members = self.members(of: conversation)
        return ConversationStatus(
            id: id, kind: conversation.kind, members: members,
            people: self.peopleCount(of: members),
            isReachable: conversation.isReachable(in: self.own.realms),
            arrangement: conversation.arrangement, retention: conversation.retention,
            isLearning: self.isLearning(of: id))
    }

    /// How many people's devices these are; of whose person nothing is known here, one each.
    private func peopleCount(of devices: [PeerID]) -> Int {
        var people: Set<PersonID> = []
        let unknown = devices.count { device in
            guard let person = self.person(of: device) else { return true }
            people.insert(person)
            return false
        }
        return people.count + unknown
    }

    /// Who is in a conversation; the join of a linked peer that says so may not have come yet.
    private func members(of conversation: Conversation) -> [PeerID] {
        let announced = self.links.all.filter { link in
            link.rooms.contains(conversation.id)
                && conversation.attendance[link.info.peer] == nil
        }
        if conversation.kind.direct != nil {
            return Set(conversation.members + [self.id]).sorted()
        }
        return (conversation.members + announced.map(\.info.peer)).sorted()
    }

    private func isLearning(of conversation: ConversationID) -> Bool {
        self.catchUp.fetching.isFetching(conversation)
            || self.links.sharing(conversation).contains { id in
                let sync = self.links[id].shared[known: conversation]
                return !sync.pages.isPeerKnown || sync.isSeeking
            }
    }

    /// The name and status that a person chose; empty texts where none are known.
    package func profile(of peer: PeerID) -> Profile {
        self.persons.profiles.profile(of: peer)
            ?? Profile(name: peer == self.id ? self.own.configuration.name : "", status: "")
    }

    /// The open room that a conversation is; nil where it is none or is not known.
    package func room(of conversation: ConversationID) -> Room? {
        self.conversations.table[conversation]?.room
    }

    /// The secret room that a conversation is; nil where it is none or is not known.
    package func secretRoom(_ conversation: ConversationID) -> SecretRoom? {
        self.conversations.table[conversation]?.kind.secretRoom
    }

    /// How a conversation is written; nil where it is not known.
    package func name(of conversation: ConversationID) -> String? {
        guard self.conversations.table.has(conversation) else { return nil }
        return self.name(of: self.conversations.table[known: conversation].kind)
    }

    /// The first of some conversations, as an alert has them: by name, and in the log, which no lock hides, by the
    /// beginning of their id where they are private.
    func names(of conversations: [ConversationID], inLog: Bool) -> String {
        conversations.prefix(3).map { id in
            let name = inLog && self.room(of: id) == nil ? nil : self.name(of: id)
            return name ?? String(id.description.prefix(8))
        }.joined(separator: ", ") + (conversations.count > 3 ? " and others" : "")
    }

    /// How a conversation is written: `ops`, `office/ops`, `&ops`, `@Ada`.
    package func name(of kind: ConversationKind) -> String {
        switch kind {
        case .room(let room): return self.own.realms.text(of: room)
        case .secret(let room):
            return "&\(self.own.realms.text(of: Room(room.name, in: room.realm)))"
        case .group(let group):
            return "+\(self.own.realms.text(of: Room(group.name, in: group.realm)))"
        case .direct(let direct):
            if direct.device == self.id { return "@me" }
            let name = self.profile(of: direct.device).name
            let key = direct.device.shortText
            if name.isEmpty { return "@\(key)" }
            return self.isAmbiguous(direct.device) ? "@\(name) (\(key))" : "@\(name)"
        }
    }

    /// How a conversation is written where a bare word would be that of two.
    private func fullName(of kind: ConversationKind) -> String {
        guard let room = kind.room else { return self.name(of: kind) }
        return "\(self.own.realms.name(of: room.realm))/\(room.name.text)"
    }

    /// The conversation that a person typed: `ops`, `office/ops`, `&ops`, `+ops`, or a full id.
    ///
    /// Throws ``NameError`` when the user neither is nor was in one, and where several have the name: `office/ops` is the
    /// open room then, `&ops` the secret one, `+ops` the group.
    package func conversation(named text: String) throws(NameError) -> ConversationID {
        if let id = ConversationID(text), self.conversations.table[id] != nil { return id }
        let sign = text.first.flatMap { $0 == "&" || $0 == "+" ? $0 : nil }
        let room = try self.own.realms.room(typed: sign == nil ? text : String(text.dropFirst()))
        let others: [ConversationKind] =
            switch sign {
            case "&": self.conversations.privates.secrets(named: room).map { .secret($0) }
            case "+": self.conversations.privates.groups(named: room).map { .group($0) }
            default: self.conversations.privates.named(room)
            }
        // Its id is hashed anew each time that it is asked for.
        let open = room.conversation
        let isOpen = sign == nil && self.conversations.table.has(open)
        if isOpen, others.isEmpty || text.contains("/") { return open }
        if !isOpen, others.count == 1 { return others[0].id }
        let found = others + (isOpen ? [.room(room)] : [])
        // Nothing goes to one that the user has left: of several groups of one name they mean the one they are in.
        if sign != nil {
            let joined = found.filter { self.conversations.table[$0.id]?.isJoined == true }
            if joined.count == 1 { return joined[0].id }
        }
        throw found.isEmpty ? .notFound(text) : self.severalRooms(text, found)
    }

    /// The open room that a person means to enter by `ops` or `office/ops`.
    ///
    /// Throws ``NameError`` where a bare word is the name of a secret room or group here: whoever means that one
    /// must not enter the open one, which tells everybody its name, nor write there.
    package func roomToJoin(named text: String) throws(NameError) -> Room {
        let room = try self.own.realms.room(typed: text)
        let others = self.conversations.privates.named(room)
        guard others.isEmpty || text.contains("/") else {
            throw self.severalRooms(text, others + [.room(room)])
        }
        return room
    }

    /// Whether a secret room of that name is here, whether or not the user is in it.
    package func hasSecretRoom(named room: Room) -> Bool {
        !self.conversations.privates.secrets(named: room).isEmpty
    }

    private func severalRooms(_ text: String, _ found: [ConversationKind]) -> NameError {
        .severalRooms(
            text, found.map { NamedConversation(id: $0.id, name: self.fullName(of: $0)) })
    }

    /// Whether another room here has a room's name, so that the bare word is refused.
    package func sharesName(_ kind: ConversationKind) -> Bool {
        let room: Room
        switch kind {
        case .room(let open): room = open
        case .secret(let secret): room = Room(secret.name, in: secret.realm)
        case .group(let group): room = Room(group.name, in: group.realm)
        case .direct: return false
        }
        let others = self.conversations.privates.named(room).count
        return others > 0
            && others + (self.conversations.table.has(room.conversation) ? 1 : 0) > 1
    }
}

extension TargetID {
    /// Where a target was learnt from.
    fileprivate var source: PeerStatus.Source {
        switch self {
        case .service: .discovery
        case .fixed: .static
        case .remembered: .remembered
        case .told: .record
        }
    }

    /// What it is told from others of its source by.
    fileprivate var name: String {
        switch self {
        case .service(let name): name
        case .fixed(let address): address
        case .remembered(let peer), .told(let peer): peer.description
        }
    }
}
