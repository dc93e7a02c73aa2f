internal import ControlAPI
internal import Engine
internal import Formats
internal import Storage

extension InfoMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.withMessage(params.id, reply) { (entry) throws(RPCError) in
            let members = shell.members(having: entry)
            var result = Result {
                $0.id = entry.id.description
                $0.author = entry.key.name.author.description
                $0.number = Int64(clamping: entry.seq)
                $0.incarnation = NodeShell.hexadecimal(entry.key.name.incarnation)
                $0.members = members
                $0.waits = shell.waits(of: entry, members)
            }
            let keyring = shell.keyring
            if let message = Message(entry, by: keyring), Reference(message.content) == nil,
                message.content.traits.isShown
            {
                var texts = MessageTexts()
                result.message = shell.messageResult(message, &texts)
                if message.edited != nil {
                    result.firstText = keyring.read(entry.envelope).content?.text
                }
            }
            result.disputed = shell.disputes(of: entry, by: keyring)
            result.deleted = entry.envelope.payload == nil
            shell.withFollowed(by: entry, reply) { followed in
                result.follows = followed
                reply.answer(result)
            }
        }
    }
}

extension NodeShell {
    /// Finds what an entry follows: the one before it in its log, then what its author had last from others.
    fileprivate func withFollowed(
        by entry: StoredEntry, _ reply: Reply, _ body: @escaping ([InfoMethod.Followed]) -> Void
    ) {
        let (key, seq) = (entry.key, entry.seq)
        self.look(isSmall: false) { (store) throws(StoreFailure) in
            let stored = try store.payloads(key, from: seq, through: seq).first
            let deps = stored?.entry.deps ?? []
            return (prev: stored?.prev, deps: deps, found: try store.entries(deps))
        } then: { result in
            switch result {
            case .success(let read):
                var followed =
                    read.prev.map { [self.followed($0, (key.name.author, seq - 1))] } ?? []
                for dep in read.deps {
                    let place = read.found[dep].map { ($0.key.name.author, $0.seq) }
                    followed.append(self.followed(dep, place))
                }
                body(followed)
            case .failure(let failure): reply.fail(RPCError(failure))
            }
        }
    }

    private func followed(
        _ id: EntryID, _ place: (author: PeerID, seq: UInt64)?
    ) -> InfoMethod.Followed {
        InfoMethod.Followed {
            $0.id = id.description
            guard let place else { return }
            $0.author = place.author.description
            $0.authorName = self.markedName(of: place.author)
            $0.number = Int64(clamping: place.seq)
        }
    }

    /// What is said of a message and does not count, since its author has signed two histories.
    fileprivate func disputes(
        of entry: StoredEntry, by keyring: Keyring
    ) -> [InfoMethod.Disputed]? {
        let disputed = entry.disputes.compactMap { Message($0, by: keyring) }
            .prefix(InfoMethod.Disputed.listed).map { message in
                InfoMethod.Disputed {
                    $0.author = message.author.description
                    $0.authorName = self.markedName(of: message.author)
                    $0.time = Timestamp(clamping: message.time.milliseconds)
                    switch message.content {
                    case .edit(let text, _): $0.text = text
                    case .reaction(let reaction):
                        $0.sign = reaction.sign
                        $0.removed = reaction.isWithdrawn ? true : nil
                    default: break
                    }
                }
            }
        return disputed.isEmpty ? nil : disputed
    }

    /// What has become of an own message at the other members; nil for those of others.
    fileprivate func members(having entry: StoredEntry) -> [InfoMethod.Member]? {
        guard entry.key.name.author == self.node.id else { return nil }
        return self.shownMembers(
            self.node.ask {
                $0.outcomes(of: entry.seq, in: entry.key, under: entry.envelope.epoch)
            })
    }

    /// What keeps an own message from members; nil where all have it, and for those of others.
    fileprivate func waits(
        of entry: StoredEntry, _ members: [InfoMethod.Member]?
    ) -> SendMethod.Waits? {
        let isLacking = members?.contains { $0.outcome == .waiting || $0.outcome == .away }
        guard let members, isLacking == true || members.isEmpty else { return nil }
        var bytes: UInt64 = 0
        if case .file(let file)? = Message(entry, by: self.keyring)?.content { bytes = file.size }
        return self.waits(in: entry.key.conversation, withFileOf: bytes)
    }

    /// What has become of an own message at members, for clients.
    func shownMembers(
        _ outcomes: [(peer: PeerID, outcome: DeliveryOutcome)]
    ) -> [InfoMethod.Member] {
        outcomes.prefix(InfoMethod.Result.listedMembers).map { peer, outcome in
            InfoMethod.Member {
                $0.id = peer.description
                ($0.name, $0.ambiguous) = self.shownName(of: peer)
                $0.outcome = InfoMethod.Outcome(outcome)
                if case .passing(let through) = outcome {
                    $0.through = through.map(\.description)
                    $0.throughNames = through.map { self.markedName(of: $0) }
                }
            }
        }
    }
}

extension InfoMethod.Outcome {
    fileprivate init(_ outcome: DeliveryOutcome) {
        self =
            switch outcome {
            case .read: .read
            case .delivered: .delivered
            case .held: .held
            case .waiting: .waiting
            case .passing: .onItsWay
            case .away: .away
            }
    }
}
