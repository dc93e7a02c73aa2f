internal import Crypto
internal import Formats

/// What ``Signals`` wants done, in order.
enum SignalAction: Hashable, Sendable {
    case perform(Action)
    case send(Frame, LinkID)
    /// Send the same frame on several links.
    case spread(EncodedFrame, [LinkID])
    case write(Notice)
}

/// Where in a conversation what is worth nothing later goes, and how.
struct SignalOutlet: Sendable {
    let conversation: ConversationID
    let own: PeerID
    /// The links of those who are told.
    var listeners: [LinkID]
    /// What it is sealed with.
    let key: ConversationKey?
    /// Whether nothing goes out there that is not sealed.
    let isSealed: Bool
}

/// What is worth nothing later: who is there, who writes, streams that nobody keeps.
///
/// `Docs/Protocol/Ephemeral.md`.
struct Signals: Sendable {
    private var presences = Presences()
    private var typists = Typists()
    private var streams = OutgoingStreams()
    private var comings: Comings
    /// What goes by way of servers.
    private(set) var sites = SiteSignals()

    /// - Parameter own: the user.
    init(own: PersonID) { self.comings = Comings(own: own) }

    /// What the own user is.
    var ownPresence: Presence { self.presences.own }

    /// What the peer of a link tells; nil for one that tells nothing.
    func presence(on link: LinkID) -> Presence? { self.presences.presence(on: link) }

    /// Who writes where, in order.
    var typing: [Signal] { self.typists.all.map { .typing($0.peer, $0.conversation, true) } }

    // MARK: What others are told

    mutating func set(_ presence: Presence, at now: Instant) -> [SignalAction] {
        self.presences.set(presence)
        return self.tellPresence(at: now) + self.askForSites()
    }

    /// From here on nobody is told whether the user is there.
    mutating func tellNobody() { self.presences.tellNobody() }

    /// A conversation is shared on a link from here on, or somebody was let in: its peer may know whether
    /// the user is there.
    mutating func open(
        _ id: LinkID, of links: LinkTable, _ conversations: Conversations, at now: Instant
    ) -> [SignalAction] {
        guard links[id].info.features.contains(.ephemeral), !self.presences.isOpen(id) else {
            return []
        }
        let isAny = links[id].shared.keys.contains {
            !conversations.isWaitingToBeLetIn($0, on: id, of: links)
        }
        guard isAny else { return [] }
        self.presences.open(id)
        return self.tellPresence(at: now)
    }

    private mutating func tellPresence(at now: Instant) -> [SignalAction] {
        let due = self.presences.takeDue(at: now.monotonic)
        return due.map { .send(.presence(self.presences.own), $0) } + self.arm(at: now)
    }

    /// Tells others that the user writes in a conversation; says how many are told.
    mutating func tellTyping(
        in outlet: SignalOutlet, using random: inout some RandomNumberGenerator, at now: Instant
    ) -> (told: Int, [SignalAction]) {
        guard !outlet.listeners.isEmpty,
            self.typists.tell(in: outlet.conversation, at: now.monotonic)
        else { return (0, []) }
        return outlet.send(.typing, stream: 0, using: &random)
    }

    // MARK: Streams

    mutating func openStream(
        _ name: StreamName, in id: ConversationID, isOrdered: Bool, for member: StreamMember? = nil,
        using random: inout some RandomNumberGenerator, at now: Instant
    ) -> Answer {
        let number = max(1, random.next())
        switch self.streams.open(
            number, name, in: id, isOrdered: isOrdered, for: member, at: now.monotonic)
        {
        case .opened: return .streamOpened(number)
        case .tooMany: return .failed(.tooManyStreams)
        case .tooFast(let wait): return .failed(.tooFast(milliseconds: wait))
        }
    }

    /// In which conversation an open stream is, and whom alone it is for; nil where there is none.
    func place(of stream: UInt64) -> (conversation: ConversationID, member: StreamMember?)? {
        self.streams.place(of: stream)
    }

    /// Sends the next packet of a stream; to nobody where there is no outlet.
    mutating func send(
        _ bytes: [UInt8], of stream: UInt64, to outlet: SignalOutlet?,
        using random: inout some RandomNumberGenerator, at now: Instant
    ) -> (Answer, [SignalAction]) {
        guard (1...Limits.streamPacketBytes).contains(bytes.count) else {
            let limit = Limits.streamPacketBytes
            return (.failed(.packetSize(bytes.count, limit: limit)), [])
        }
        switch self.streams.next(bytes, of: stream, at: now.monotonic) {
        case .packet(_, let packet):
            let (told, wanted) =
                outlet?.send(.packet(packet), stream: stream, using: &random) ?? (0, [])
            return (.packetSent(number: packet.number, told: told), wanted)
        case .tooFast(let wait): return (.failed(.tooFast(milliseconds: wait)), [])
        case .unknown: return (.failed(.unknownStream), [])
        }
    }

    /// Ends a stream and says so to those who read it.
    mutating func close(
        _ stream: UInt64, to outlet: SignalOutlet?,
        using random: inout some RandomNumberGenerator
    ) -> (Answer, [SignalAction]) {
        guard let (_, end) = self.streams.close(stream) else {
            return (.failed(.unknownStream), [])
        }
        let sent = outlet?.send(.packet(end), stream: stream, using: &random)
        return (.streamClosed, sent?.1 ?? [])
    }

    // MARK: Calls

    /// Sends a piece of what arranges a call to each device that listens.
    mutating func sendCall(
        _ bytes: [UInt8], to outlet: SignalOutlet, of links: LinkTable,
        using random: inout some RandomNumberGenerator, at now: Instant
    ) -> (Answer, [SignalAction]) {
        guard (1...Limits.streamPacketBytes).contains(bytes.count) else {
            return (.failed(.packetSize(bytes.count, limit: Limits.streamPacketBytes)), [])
        }
        let wait = self.streams.take(bytes.count, in: outlet.conversation, at: now.monotonic)
        guard wait == 0 else { return (.failed(.tooFast(milliseconds: wait)), []) }
        var wanted: [SignalAction] = []
        for listener in outlet.listeners {
            var one = outlet
            one.listeners = [listener]
            let signal = CallSignal(to: links[listener].info.peer, bytes: bytes)
            wanted += one.send(.signal(signal), stream: 0, using: &random).1
        }
        return (.callSignalled(told: wanted.count), wanted)
    }

    // MARK: What others tell

    mutating func receive(
        _ presence: Presence, _ byteCount: Int, on id: LinkID, of links: inout LinkTable,
        _ conversations: Conversations, at now: Instant
    ) -> [SignalAction] {
        var wanted: [SignalAction] = []
        guard Self.take(byteCount, in: nil, on: id, of: &links, at: now, &wanted),
            links[id].shared.count > 0,
            self.presences.receive(presence, on: id, at: now.monotonic)
        else { return wanted }
        let news = self.comings.heard(
            presence, of: links[id].info.peer, on: id,
            in: Self.places(of: id, links, conversations), at: now.monotonic)
        return self.tell(news, at: now)
    }

    /// Reads what has come in a conversation that is shared; nil for what says nothing, or may not.
    func read(
        _ piece: EphemeralPiece, _ byteCount: Int, on id: LinkID, of links: inout LinkTable,
        _ conversations: Conversations, _ keyring: Keyring, own: PeerID, at now: Instant
    ) -> (EphemeralBody?, [SignalAction]) {
        let conversation = piece.conversation
        var wanted: [SignalAction] = []
        guard Self.take(byteCount, in: conversation, on: id, of: &links, at: now, &wanted),
            conversations.table[known: conversation].isJoined,
            !conversations.isWaitingToBeLetIn(conversation, on: id, of: links)
        else { return (nil, wanted) }
        let peer = links[id].info.peer
        let body = keyring.read(piece, by: peer)
        switch body {
        case .typing where piece.stream == 0: return (body, [])
        case .packet(let packet) where piece.stream != 0:
            let signal = Signal.packet(peer, conversation, stream: piece.stream, packet)
            return (body, [.perform(.signal([signal]))])
        // Nobody rings in a room that everyone may enter.
        case .signal(let signal)
        where piece.stream == 0 && signal.device == own && keyring.isSealed(conversation):
            let call = Signal.call(
                peer, conversation, signal.bytes, address: links[id].address)
            return (body, [.perform(.signal([call]))])
        case .typing, .packet, .signal, nil: return (nil, [])
        }
    }

    /// The peer of a link says that it writes.
    ///
    /// - Parameter tier: how far it is trusted.
    mutating func noteTyping(
        in conversation: ConversationID, on id: LinkID, of links: LinkTable, _ tier: Tier,
        at now: Instant
    ) -> [SignalAction] {
        let place = Typists.Place(conversation: conversation, peer: links[id].info.peer)
        return self.note(place, on: id, tier, from: Source(links[id].address), at: now)
    }

    private mutating func note(
        _ place: Typists.Place, on link: LinkID?, _ tier: Tier, from source: Source,
        at now: Instant
    ) -> [SignalAction] {
        let (isNews, ended) = self.typists.receive(
            place, on: link, at: now.monotonic, tier, from: source)
        guard isNews else { return [] }
        return Self.end(ended.map { [$0] } ?? [])
            + [.perform(.signal([.typing(place.peer, place.conversation, true)]))]
            + self.arm(at: now)
    }

    /// Whether a frame came in time.
    private static func take(
        _ byteCount: Int, in conversation: ConversationID?, on id: LinkID,
        of links: inout LinkTable, at now: Instant, _ wanted: inout [SignalAction]
    ) -> Bool {
        guard !links[id].ephemeral.take(byteCount, in: conversation, at: now) else { return true }
        let dropped = links[id].ephemeral.dropped
        // Worth a line ever more rarely: a flood must not fill the log.
        if dropped & (dropped - 1) == 0 {
            let text =
                "\(links[id].info.peer.shortText) sends ephemeral frames too fast: "
                + "\(dropped) dropped"
            wanted.append(.perform(.log(.debug, text)))
        }
        return false
    }

    // MARK: By way of servers

    /// What is to be told at other sites now; and when there is more.
    mutating func takeSiteSignals(
        to audiences: [SiteSignals.Audience], tellsPresence: Bool, at now: Instant
    ) -> (due: [SiteSignals.Due], next: UInt64?) {
        self.sites.takeDue(
            to: audiences, tellsPresence ? self.presences.own : nil, at: now)
    }

    /// The user writes in a conversation.
    mutating func tellTypingAtSites(
        in conversation: ConversationID, at now: Instant
    ) -> [SignalAction] {
        self.sites.write(in: conversation, at: now.monotonic) ? self.askForSites() : []
    }

    private func askForSites() -> [SignalAction] {
        self.sites.isUsed ? [.perform(.siteSignals)] : []
    }

    /// Takes what somebody has signed; who has a link is heard on it.
    mutating func receiveAtSite(
        _ signal: SiteSignal, _ tier: Tier, _ links: LinkTable, at now: Instant
    ) -> [SignalAction] {
        let peer = signal.device
        let received = self.sites.receive(signal, tier, at: now)
        var wanted = self.gone(received.gone, links)
        guard links.id(of: peer) == nil else { return wanted + self.arm(at: now) }
        if received.asks { wanted += self.askForSites() }
        guard received.isNews else { return wanted + self.arm(at: now) }
        switch signal.word {
        case .presence(let presence, _):
            wanted.append(.perform(.signal([.presence(peer, presence)])))
        case .typing:
            let place = Typists.Place(conversation: signal.conversation, peer: peer)
            wanted += self.note(place, on: nil, tier, from: .sites, at: now)
        case nil: break
        }
        return wanted + self.arm(at: now)
    }

    /// Somebody is blocked, or their device is revoked.
    mutating func silence(_ peer: PeerID, _ links: LinkTable, at now: Instant) -> [SignalAction] {
        self.sites.forget(peer, at: now) ? self.gone([peer], links) + self.arm(at: now) : []
    }

    private func gone(_ peers: [PeerID], _ links: LinkTable) -> [SignalAction] {
        let gone = peers.filter { links.id(of: $0) == nil }
        return gone.isEmpty
            ? [] : [.perform(.signal(gone.map { .presence($0, nil) }))]
    }

    // MARK: The end of it

    /// What people have sent they write no longer.
    mutating func shown(_ changes: [Change]) -> [SignalAction] {
        guard !self.typists.isEmpty else { return [] }
        var ended: [Typists.Place] = []
        for case .message(let message) in changes where Change.message(message).kind == .message {
            let place = Typists.Place(conversation: message.conversation, peer: message.author)
            if self.typists.end(place) { ended.append(place) }
        }
        return Self.end(ended)
    }

    /// A conversation is shared on a link no longer.
    mutating func unshared(
        _ conversation: ConversationID, on id: LinkID, of links: inout LinkTable, at now: Instant
    ) -> [SignalAction] {
        links[id].ephemeral.drop(conversation)
        let ended = Self.end(self.typists.end(on: id, in: conversation))
        guard links[id].shared.count == 0 else { return ended }
        self.presences.close(id)
        return ended + self.tell(self.comings.silenced(links[id].info.peer, on: id), at: now)
    }

    /// - Parameter places: those that it shared.
    mutating func linkEnded(
        _ link: Link, _ ending: Comings.Ending, _ tier: Tier, in places: [ConversationID],
        at now: Instant
    ) -> [SignalAction] {
        self.presences.close(link.id)
        if ending == .goodbye { _ = self.sites.forget(link.info.peer, at: now) }
        let news = self.comings.ended(
            link.info.peer, link.id, ending, tier, in: places, at: now.monotonic)
        return Self.end(self.typists.end(on: link.id)) + self.tell(news, at: now)
            + self.askForSites()
    }

    // MARK: Who comes and goes

    mutating func begin(at now: Instant) { self.comings.begin(at: now.monotonic) }

    /// A link has a place.
    mutating func linked(
        _ link: Link, _ tier: Tier, _ links: LinkTable, _ conversations: Conversations,
        at now: Instant
    ) -> [SignalAction] {
        let comer = Comings.Comer(
            peer: link.info.peer, person: link.info.certificate.personID, link: link.id,
            boot: link.info.boot, tier: tier, source: Source(link.address))
        let news = self.comings.linked(
            comer, self.presence(on: link.id), in: Self.places(of: link.id, links, conversations),
            at: now.monotonic)
        return self.tell(news, at: now)
    }

    /// The conversations of a link whose members are told of one another.
    static func places(
        of id: LinkID, _ links: LinkTable, _ conversations: Conversations
    ) -> [ConversationID] {
        guard links.has(id) else { return [] }
        let places = links[id].shared.keys.filter {
            conversations.table[known: $0].isJoined
                && !conversations.isWaitingToBeLetIn($0, on: id, of: links)
        }
        return Array(places.sorted().prefix(Limits.comingConversations))
    }

    private func tell(_ news: [Comings.News], at now: Instant) -> [SignalAction] {
        let told = news.map { (news) -> SignalAction in
            switch news {
            case .presence(let peer, let presence, let coming):
                // Who has no link may be heard by way of servers.
                .perform(
                    .signal([.presence(peer, presence ?? self.sites.presence(of: peer), coming)]))
            case .linked(let peer): .write(Notice(.linked(peer), at: now.wall))
            case .unlinked(let peer, let reason):
                .write(Notice(.unlinked(peer, reason), at: now.wall))
            }
        }
        return told + self.arm(at: now)
    }

    private static func end(_ places: [Typists.Place]) -> [SignalAction] {
        guard !places.isEmpty else { return [] }
        return [.perform(.signal(places.map { .typing($0.peer, $0.conversation, false) }))]
    }

    // MARK: Time

    mutating func wake(
        of links: LinkTable, _ conversations: Conversations, at now: Instant
    ) -> [SignalAction] {
        let news = self.comings.look(at: now.monotonic) {
            Self.places(of: $0, links, conversations)
        }
        return Self.end(self.typists.takeOver(at: now.monotonic))
            + self.gone(self.sites.takeOver(at: now.monotonic), links)
            + self.tell(news, at: now) + self.tellPresence(at: now)
    }

    private func arm(at now: Instant) -> [SignalAction] {
        let moments = [
            self.presences.nextDue, self.typists.nextOver, self.comings.nextDue,
            self.sites.nextOver,
        ]
        guard let next = moments.compactMap(\.self).min() else { return [] }
        return [.perform(.arm(.signals, at: max(next, now.monotonic)))]
    }
}

extension SignalOutlet {
    /// Sends to all who listen; says to how many.
    fileprivate func send(
        _ body: EphemeralBody, stream: UInt64, using random: inout some RandomNumberGenerator
    ) -> (told: Int, [SignalAction]) {
        guard !self.listeners.isEmpty, self.key != nil || !self.isSealed else { return (0, []) }
        let piece = body.piece(
            in: self.conversation, stream: stream, by: self.own, with: self.key, using: &random)
        return (self.listeners.count, [.spread(Frame.ephemeral(piece).encoded, self.listeners)])
    }
}
