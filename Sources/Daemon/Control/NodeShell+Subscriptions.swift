internal import ControlAPI
internal import Engine
internal import Formats
internal import Storage

/// Names a subscription of a client.
struct SubscriptionKey: Hashable, Comparable {
    var client: UInt64
    var number: Int64

    static func < (left: SubscriptionKey, right: SubscriptionKey) -> Bool {
        (left.client, left.number) < (right.client, right.number)
    }
}

/// One client following changes.
final class Subscription {
    let key: SubscriptionKey
    let client: ControlConnection
    /// The durable consumer that it reads for.
    let consumer: String?
    let filter: SubscriptionFilter
    var signals: SignalFilter
    var progress: SubscriptionProgress

    init(
        _ key: SubscriptionKey, client: ControlConnection, consumer: String?,
        filter: SubscriptionFilter, signals: SignalFilter, progress: SubscriptionProgress
    ) {
        self.signals = signals
        self.key = key
        self.filter = filter
        self.consumer = consumer
        self.client = client
        self.progress = progress
    }
}

extension NodeShell {
    /// Messages read from the store at a time for one subscriber.
    private static let pageMessages = 256
    /// Payload bytes read from the store at a time for one subscriber.
    private static let pageBytes = 262_144

    /// Begins a subscription behind a cursor, and answers with its number.
    func subscribe(
        _ params: SubscribeMethod.Params, to conversation: ConversationID?, after cursor: Cursor,
        _ reply: Reply
    ) {
        let filter: SubscriptionFilter
        // Another reader may have come while the store was asked for the position.
        do throws(RPCError) {
            try self.checkReader(params, in: conversation)
            filter = try self.filter(params)
        } catch { return reply.fail(error) }
        self.endReader(of: params.consumer, in: conversation)
        guard let client = reply.asker, client.isAlive else { return reply.answer(EmptyValue()) }
        let key = self.clients.makeKey(for: client)
        let start = min(cursor, self.clients.newestShown)
        let subscription = Subscription(
            key, client: client, consumer: params.consumer, filter: filter,
            signals: SignalFilter(params.kinds, in: conversation),
            progress: SubscriptionProgress(
                conversation: conversation, kinds: params.changeKinds, after: start,
                newest: self.clients.newestShown))
        self.clients.add(subscription)
        client.drained = { self.turn { self.resume(client: client.number) } }
        reply.answer(
            SubscribeMethod.Result {
                $0.subscription = key.number
                $0.cursor = start.rawValue
            })
        if cursor > start {
            self.tellGap(
                subscription, from: start, to: cursor,
                reason: "the store is older than this cursor")
        }
        self.resume(subscription)
        self.signalAll(to: subscription)
    }

    /// Refuses a second reader that does not ask to take over: the two would skip each other's
    /// messages.
    func checkReader(
        _ params: SubscribeMethod.Params, in conversation: ConversationID?
    ) throws(RPCError) {
        guard let consumer = params.consumer, params.takeOver != true,
            self.clients.reader(of: consumer, in: conversation) != nil
        else { return }
        throw .consumerInUse(
            consumer, remedy: "end it, or take over from it with takeOver (stoa tail --take-over)")
    }

    private func endReader(of consumer: String?, in conversation: ConversationID?) {
        guard let consumer, let reader = self.clients.reader(of: consumer, in: conversation) else {
            return
        }
        self.clients.remove(reader.key)
        let ended = EndedEvent {
            $0.subscription = reader.key.number
            $0.reason = "takenOver"
        }
        reader.client.write(ended.line)
    }

    func forgetSubscriptions(of client: UInt64) {
        self.closeStreams(of: client)
        self.clients.removeSubscriptions(of: client)
    }

    // MARK: Delivery

    /// Gives changes to everybody who follows them and keeps up.
    func show(_ changes: [Change]) {
        guard let last = changes.last else { return }
        self.clients.shown(through: last.cursor)
        guard !self.clients.subscriptions.isEmpty else { return }
        let subscriptions = self.clients.subscriptions()
        var texts = MessageTexts()
        for change in changes {
            // Made once, whoever follows.
            var event: ShownChange?
            let isHidden = self.isHidden(change)
            for subscription in subscriptions
            where subscription.progress.show(
                change, hasRoom: subscription.client.hasRoomForEvents)
                && !isHidden && self.passes(change, subscription.filter)
            {
                let made = event ?? self.shownChange(change, after: change.cursor, &texts)
                event = made
                var line: [UInt8] = []
                line.reserveCapacity(made.expectedBytes)
                made.writeLine(for: subscription.key.number, into: &line)
                subscription.client.write(line)
            }
        }
        for subscription in subscriptions { self.resume(subscription) }
    }

    func resume(client: UInt64) {
        self.resumeStreams(of: client)
        for subscription in self.clients.subscriptions(of: client)
        where self.isFollowed(subscription) {
            self.resume(subscription)
            if subscription.signals.isBehind { self.signalAll(to: subscription) }
        }
    }

    /// Whether a subscription has not ended meanwhile.
    private func isFollowed(_ subscription: Subscription) -> Bool {
        self.clients.subscriptions[subscription.key] === subscription
    }

    /// Reads on for a subscriber that is behind and has room.
    private func resume(_ subscription: Subscription) {
        guard let cursor = subscription.progress.startReading(hasRoom: subscription.client.hasRoom)
        else { return }
        let conversation = subscription.progress.conversation
        let withNotices = subscription.progress.wantsNotices
        let withBeside = subscription.progress.wantsBeside
        // Where few of many rows are wanted, the rest of a long search is the store's thread's. A small one
        // that goes there for another reason tells how long such take now.
        let isSmall = !self.disk.scheduler.isTurnSpent
        let reader = subscription.progress.wantsReactions ? self.keyring : nil
        self.look(isSmall: isSmall) { (store) throws(StoreFailure) in
            let arrivals = try store.entries(
                after: cursor, limit: Self.pageMessages, in: conversation,
                withNotices: withNotices, withBeside: withBeside, byteLimit: Self.pageBytes,
                rowLimit: isSmall ? ReadPace.rowLimit : nil)
            var targets: [EntryID: Message] = [:]
            if let reader { targets = try store.targets(of: arrivals, by: reader) }
            return (arrivals, targets)
        } then: { result in
            // It may have ended while the store was read.
            guard self.isFollowed(subscription) else { return }
            switch result {
            case .success(let (arrivals, targets)):
                var texts = MessageTexts()
                texts.targets = targets
                var lines: [UInt8] = []
                let keyring = self.keyring
                for change in subscription.progress.read(arrivals, by: keyring)
                where !self.isHidden(change) && self.passes(change, subscription.filter) {
                    self.shownChange(change, after: cursor, &texts)
                        .writeLine(for: subscription.key.number, into: &lines)
                }
                if !lines.isEmpty { subscription.client.write(lines) }
                self.resume(subscription)
            case .failure(let failure):
                let gap = subscription.progress.skip(to: self.clients.newestShown)
                self.log(.error, "a subscriber lost messages: \(failure.detail)")
                self.tellGap(subscription, from: gap.from, to: gap.to, reason: failure.detail)
            }
        }
    }

    private func tellGap(
        _ subscription: Subscription, from: Cursor, to: Cursor, reason: String
    ) {
        var event = GapEvent()
        event.subscription = subscription.key.number
        event.from = from.rawValue
        event.to = to.rawValue
        event.reason = reason
        subscription.client.write(event.line)
    }
}

extension MessageStore {
    /// The messages to which the reactions of a page belong, with all their reactions.
    fileprivate func targets(
        of arrivals: Arrivals, by keyring: Keyring
    ) throws(StoreFailure) -> [EntryID: Message] {
        var targets: [EntryID: Message] = [:]
        for entry in arrivals.entries {
            guard case .reaction(let reaction)? = Message(entry, by: keyring)?.content,
                targets[reaction.target.id] == nil,
                let found = try self.entry(reaction.target.id)
            else { continue }
            targets[reaction.target.id] = Message(found, by: keyring)
        }
        return targets
    }
}
