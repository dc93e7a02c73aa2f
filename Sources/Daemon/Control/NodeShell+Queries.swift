internal import ControlAPI
internal import Discovery
internal import Engine
internal import Posix
internal import Storage

/// Requests that only look.
extension NodeShell {
    // MARK: The node

    func status(_ reply: Reply) {
        self.ask { (store) async throws(StoreFailure) in
            try await store.counts()
        } then: { result in
            guard let node = self.node else {
                reply.fail(.shuttingDown())
                return
            }
            let messages: Int
            switch result {
            case .success(let counts): messages = counts.entries
            case .failure(let failure):
                // A broken disk is when people look at the status, so it is shown all the same.
                self.log(.error, failure.detail)
                messages = 0
            }
            reply.answer(self.statusResult(node.status(at: self.now), messages: messages).json)
        }
    }

    private func statusResult(_ status: NodeStatus, messages: Int) -> StatusResult {
        StatusResult(
            version: Build.version, id: status.id.description, name: status.name,
            dataDirectory: self.configuration.dataDirectory,
            startedAt: Self.timestamp(self.startedAt), listen: self.dialableAddresses(),
            discoveryMode: self.configuration.discovery.rawValue,
            discoveryBackend: self.discovery.backend,
            discoveryState: self.discovery.state,
            links: status.links, conversations: status.conversations, messages: messages,
            held: status.held,
            incarnation: Self.hexadecimal(status.incarnation),
            clockOffsetMilliseconds: status.clockOffsetMilliseconds,
            scrub: self.scrubStatus,
            alerts: ((self.damage.map { [$0] } ?? []) + status.alerts).map {
                StatusResult.Alert(
                    code: $0.code.rawValue, text: $0.text, since: Self.timestamp($0.since))
            })
    }

    /// All 64 bits, which a JSON number does not carry safely.
    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// What peers can dial: a wildcard is shown as the addresses of the interfaces.
    private func dialableAddresses() -> [String] {
        var found: [SocketAddress] = []
        for address in self.listening.addresses {
            guard address.ip.isWildcard else {
                found.append(address)
                continue
            }
            let all = ((try? NetworkInterface.all()) ?? []).filter(\.isUp)
            let real = all.filter { !$0.isLoopback }.flatMap(\.addresses)
            let candidates = real.isEmpty ? all.flatMap(\.addresses) : real
            for ip in candidates.sorted() where address.ip.isIPv6 || !ip.isIPv6 {
                found.append(SocketAddress(ip: ip, port: address.port))
            }
        }
        return found.map(\.description)
    }

    func peers() -> PeersResult {
        PeersResult(
            peers: (self.node?.peers ?? []).map(Self.peerResult),
            refusals: (self.node?.refusals ?? []).map {
                PeersResult.Refusal(
                    time: Self.timestamp($0.time), address: $0.address,
                    peer: $0.peer?.description, reason: $0.reason, count: $0.count)
            })
    }

    private static func peerResult(_ peer: PeerStatus) -> PeerResult {
        PeerResult(
            id: peer.id.description, name: peer.profile.name, status: peer.profile.status,
            state: self.state(peer.state), addresses: peer.addresses,
            lastSeen: peer.lastSeen.map(self.timestamp), verified: false,
            source: self.source(peer.source),
            roundTripMilliseconds: peer.roundTripMilliseconds.map { Double($0) },
            clockOffsetMilliseconds: peer.clockOffsetMilliseconds)
    }

    private static func state(_ state: PeerStatus.State) -> PeerResult.State {
        switch state {
        case .linked: .linked
        case .connecting: .connecting
        case .away: .away
        case .refused: .refused
        }
    }

    private static func source(_ source: PeerStatus.Source) -> PeerResult.Source {
        switch source {
        case .discovery: .discovery
        case .static: .static
        case .remembered: .remembered
        case .incoming: .incoming
        }
    }

    func rooms() -> JSON {
        .array(
            (self.node?.rooms ?? []).map {
                RoomResult(
                    id: $0.id.description, name: $0.name.text, joined: $0.isJoined,
                    members: $0.members, announcedBy: $0.announcedBy.map(\.description)
                ).json
            })
    }

    func whois(_ params: WhoisParams) throws(RPCError) -> WhoisResult {
        let id = try self.person(params.person)
        let profile = self.node?.profile(of: id)
        let peer = self.node?.peers.first { $0.id == id }
        return WhoisResult(
            id: id.description, name: profile?.name ?? "", status: profile?.status ?? "",
            state: peer.map { Self.state($0.state) } ?? .away, verified: false,
            addresses: peer?.addresses ?? [])
    }

    func ownProfile() -> ProfileResult {
        let profile = self.node.map { $0.profile(of: $0.id) }
        return ProfileResult(
            id: self.node?.id.description ?? "", name: profile?.name ?? "",
            status: profile?.status ?? "")
    }

    // MARK: The store

    func conversations(_ reply: Reply) {
        let all = self.node?.conversations ?? []
        self.look(isSmall: all.count <= ReadPace.roomLimit) { (store) throws(StoreFailure) in
            try store.summaries()
        } then: { result in
            switch result {
            case .success(let summaries): reply.answer(self.conversations(all, summaries, reply))
            case .failure(let failure): reply.fail(Self.storageFailed(failure))
            }
        }
    }

    private func conversations(
        _ all: [ConversationStatus], _ summaries: [ConversationSummary], _ reply: Reply
    ) -> JSON {
        var byID: [ConversationID: ConversationSummary] = [:]
        for summary in summaries { byID[summary.conversation] = summary }
        // One line holds them all: with many conversations only short last messages are shown.
        let share = reply.byteBudget / 2 / max(1, all.count)
        var texts = MessageTexts()
        return ConversationResult.written(
            all.map { self.conversationResult($0, byID[$0.id], previewBytes: share, &texts) })
    }

    func conversationResult(
        _ status: ConversationStatus, _ summary: ConversationSummary?, previewBytes: Int,
        _ texts: inout MessageTexts
    ) -> ConversationResult {
        let last = summary?.lastMessage.flatMap { Message($0) }.map {
            self.messageResult($0, &texts)
        }
        return ConversationResult(
            id: status.id.description, kind: .room, name: status.name.text,
            members: status.members.map { self.member($0, &texts) },
            unread: summary?.unread ?? 0,
            lastMessage: last.flatMap { $0.jsonBytes <= max(previewBytes, 2_048) ? $0 : nil })
    }

    private func member(
        _ peer: PeerID, _ texts: inout MessageTexts
    ) -> ConversationResult.Member {
        if let member = texts.members[peer] { return member }
        let member = ConversationResult.Member(id: peer.description, name: self.name(of: peer))
        texts.members[peer] = member
        return member
    }

    func history(_ params: HistoryParams, _ reply: Reply) throws(RPCError) {
        let conversation = try self.conversation(params.to)
        guard params.before == nil || params.after == nil else {
            throw .invalidParams(
                "\"before\" and \"after\" exclude each other", reason: "conflictingParams",
                remedy: "give one of them, and limit")
        }
        let anchorText = params.before ?? params.after
        let anchor = anchorText.flatMap { EntryID($0) }
        let isForward = params.after != nil
        let since = params.since.map {
            HybridTime(wallMilliseconds: UInt64(max(0, $0.milliseconds)))
        }
        let budget = reply.byteBudget - 65_536
        let isSmall = params.limit <= ReadPace.pageLimit
        self.look(isSmall: isSmall) { (store) throws(StoreFailure) -> HistoryPage? in
            var query = HistoryQuery(
                conversation: conversation, limit: params.limit, since: since,
                byteLimit: max(budget, 0))
            if let anchor {
                guard let entry = try store.entry(anchor),
                    entry.key.conversation == conversation
                else { return nil }
                let position = DisplayPosition(entry)
                query.direction = isForward ? .after(position) : .before(position)
            }
            return try store.history(query)
        } then: { result in
            switch result {
            case .success(.some(let page)):
                reply.answer(self.historyResult(page, isForward: isForward, budget: budget).written)
            case .success(.none):
                reply.fail(
                    .notFound(
                        "there is no message \(anchorText ?? "") in that conversation",
                        reason: "unknownMessage", remedy: "take an id from history"))
            case .failure(let failure): reply.fail(Self.storageFailed(failure))
            }
        }
    }

    /// Keeps what fits one line, nearest to where the query starts, and at least one message.
    private func historyResult(
        _ page: HistoryPage, isForward: Bool, budget: Int
    ) -> HistoryResult {
        var texts = MessageTexts()
        let all = page.entries.compactMap { Message($0) }.map { self.messageResult($0, &texts) }
        // Most pages fit by far, and then nobody has to know by how much.
        if all.reduce(0, { $0 + $1.mostJSONBytes }) <= budget {
            return HistoryResult(messages: all, more: page.hasMore)
        }
        var kept: [MessageResult] = []
        var bytes = 0
        for message in isForward ? all : all.reversed() {
            bytes += message.jsonBytes
            if bytes > budget, !kept.isEmpty { break }
            kept.append(message)
        }
        return HistoryResult(
            messages: isForward ? kept : kept.reversed(),
            more: page.hasMore || kept.count < all.count)
    }

    // MARK: Values

    /// The message as clients see it; `texts` is kept for the messages of one page or turn.
    func messageResult(_ message: Message, _ texts: inout MessageTexts) -> MessageResult {
        if texts.conversation != message.conversation {
            texts.conversation = message.conversation
            texts.conversationID = message.conversation.description
            texts.conversationName = self.name(of: message.conversation)
        }
        if texts.author != message.author {
            texts.author = message.author
            texts.authorID = message.author.description
            texts.authorName = self.name(of: message.author)
        }
        let (kind, text): (MessageResult.Kind, String) =
            switch message.content {
            case .text(let text): (.text, text)
            case .join: (.join, "")
            case .leave: (.leave, "")
            }
        return MessageResult(
            id: message.id.description, conversation: texts.conversationID,
            conversationName: texts.conversationName, author: texts.authorID,
            authorName: texts.authorName,
            kind: kind, text: text, time: Self.timestamp(message.time.milliseconds),
            cursor: message.cursor.rawValue, late: message.isLate, disputed: message.isDisputed)
    }

    static func timestamp(_ milliseconds: UInt64) -> Timestamp {
        Timestamp(milliseconds: Int64(clamping: milliseconds))
    }

    static func storageFailed(_ failure: StoreFailure) -> RPCError {
        RPCError(
            .storageFailed, failure.detail, reason: "storageFailed", remedy: failure.remedy)
    }
}

extension MessageResult {
    /// How many bytes the message takes as JSON at most, without looking at its text.
    var mostJSONBytes: Int {
        let names = self.authorName.utf8.count + self.conversationName.utf8.count
        return 600 + 2 * names + 6 * self.text.utf8.count
    }

    /// About how many bytes the message takes as JSON, rather too many than too few.
    var jsonBytes: Int {
        var bytes = 600 + 2 * (self.authorName.utf8.count + self.conversationName.utf8.count)
        for byte in self.text.utf8 {
            bytes += byte < 0x20 || byte == 0x7F ? 6 : byte == 0x22 || byte == 0x5C ? 2 : 1
        }
        return bytes
    }
}
