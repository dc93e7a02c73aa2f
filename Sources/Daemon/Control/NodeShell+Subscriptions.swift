internal import ControlAPI
internal import Engine
internal import Storage

/// Names a subscription of a client.
struct SubscriptionKey: Hashable, Comparable {
    var client: UInt64
    var number: Int64

    static func < (left: SubscriptionKey, right: SubscriptionKey) -> Bool {
        (left.client, left.number) < (right.client, right.number)
    }
}

/// One client following messages.
final class Subscription {
    let key: SubscriptionKey
    let client: ControlConnection
    var progress: SubscriptionProgress

    init(_ key: SubscriptionKey, client: ControlConnection, progress: SubscriptionProgress) {
        self.key = key
        self.client = client
        self.progress = progress
    }
}

extension NodeShell {
    /// Subscriptions of one client: each costs a lookup per message.
    private static let subscriptionsPerClient = 64
    /// Messages read from the store at a time for one subscriber.
    private static let pageMessages = 256
    /// Payload bytes read from the store at a time for one subscriber.
    private static let pageBytes = 262_144

    // MARK: Requests

    func subscribe(_ params: SubscribeParams, _ reply: Reply) throws(RPCError) {
        var conversation: ConversationID?
        if let to = params.to { conversation = try self.conversation(to) }
        guard let client = reply.asker else { return reply.answer(.empty) }
        let own = self.subscriptions.keys.count { $0.client == client.number }
        guard own < Self.subscriptionsPerClient else {
            throw .busy("a connection may hold \(Self.subscriptionsPerClient) subscriptions")
        }
        if let from = params.from {
            self.subscribe(to: conversation, after: Cursor(from), reply)
        } else if let consumer = params.consumer {
            let newest = self.newestShown
            self.ask { (store) async throws(StoreFailure) -> Cursor in
                if let position = try await store.consumer(consumer) { return position }
                // A new consumer starts here, also when it comes back without having acknowledged.
                try await store.acknowledge(consumer: consumer, cursor: newest)
                return newest
            } then: { result in
                switch result {
                case .success(let position):
                    self.subscribe(to: conversation, after: position, reply)
                case .failure(let failure): reply.fail(Self.storageFailed(failure))
                }
            }
        } else {
            self.subscribe(to: conversation, after: self.newestShown, reply)
        }
    }

    private func subscribe(
        to conversation: ConversationID?, after cursor: Cursor, _ reply: Reply
    ) {
        guard let client = reply.asker, client.isAlive else { return reply.answer(.empty) }
        let key = SubscriptionKey(client: client.number, number: self.nextSubscription)
        self.nextSubscription += 1
        let start = min(cursor, self.newestShown)
        let subscription = Subscription(
            key, client: client,
            progress: SubscriptionProgress(
                conversation: conversation, after: start, newest: self.newestShown))
        self.subscriptions[key] = subscription
        client.drained = { self.turn { self.resume(client: client.number) } }
        reply.answer(SubscribeResult(subscription: key.number, cursor: start.rawValue).json)
        if cursor > start {
            self.notify(
                subscription,
                .gap(
                    subscription: key.number, from: start.rawValue, to: cursor.rawValue,
                    reason: "the store is older than this cursor"))
        }
        self.resume(subscription)
    }

    func acknowledge(_ params: AcknowledgeParams, _ reply: Reply) throws(RPCError) {
        var conversation: ConversationID?
        if let named = params.conversation { conversation = try self.conversation(named) }
        let cursor = Cursor(params.cursor)
        guard cursor <= self.newestShown else {
            throw .invalidParams(
                "cursor \(params.cursor) is ahead of the newest one, \(self.newestShown.rawValue)",
                reason: "cursorAhead", remedy: "acknowledge a cursor that a message had",
                details: [JSON.Member("param", "cursor")])
        }
        let consumer = params.consumer
        let read = conversation
        self.ask { (store) async throws(StoreFailure) in
            if let consumer { try await store.acknowledge(consumer: consumer, cursor: cursor) }
            if let read { try await store.markRead(read, through: cursor) }
        } then: { result in
            switch result {
            case .success: reply.answer(.empty)
            case .failure(let failure): reply.fail(Self.storageFailed(failure))
            }
        }
    }

    func unsubscribe(_ params: UnsubscribeParams, _ reply: Reply) throws(RPCError) {
        let key = SubscriptionKey(
            client: reply.asker?.number ?? 0, number: params.subscription)
        guard self.subscriptions.removeValue(forKey: key) != nil else {
            throw .notFound(
                "this connection has no subscription \(params.subscription)",
                reason: "unknownSubscription", remedy: "give a number that subscribe returned")
        }
        reply.answer(.empty)
    }

    func forgetSubscriptions(of client: UInt64) {
        for key in self.subscriptions.keys where key.client == client {
            self.subscriptions[key] = nil
        }
    }

    // MARK: Delivery

    /// Gives messages to everybody who follows them and keeps up.
    func show(_ messages: [Message]) {
        guard let last = messages.last else { return }
        self.newestShown = max(self.newestShown, last.cursor)
        guard !self.subscriptions.isEmpty else { return }
        let subscriptions = self.subscriptions.keys.sorted().compactMap { self.subscriptions[$0] }
        var texts = MessageTexts()
        for message in messages {
            // Made once, whoever follows.
            var made: MessageResult?
            for subscription in subscriptions
            where subscription.progress.show(message, hasRoom: subscription.client.hasRoom) {
                let result = made ?? self.messageResult(message, &texts)
                made = result
                self.notify(
                    subscription,
                    .message(subscription: subscription.key.number, result))
            }
        }
        for subscription in subscriptions { self.resume(subscription) }
    }

    private func resume(client: UInt64) {
        for key in self.subscriptions.keys.sorted() where key.client == client {
            if let subscription = self.subscriptions[key] { self.resume(subscription) }
        }
    }

    /// Reads on for a subscriber that is behind and has room.
    private func resume(_ subscription: Subscription) {
        guard let cursor = subscription.progress.startReading(hasRoom: subscription.client.hasRoom)
        else { return }
        let conversation = subscription.progress.conversation
        // Where few of many rows are wanted, the rest of a long search is the store's thread's.
        let isSmall = self.scheduler.allowsQuery
        self.look(isSmall: isSmall) { (store) throws(StoreFailure) in
            try store.entries(
                after: cursor, limit: Self.pageMessages, in: conversation,
                byteLimit: Self.pageBytes, rowLimit: isSmall ? ReadPace.rowLimit : nil)
        } then: { result in
            // It may have ended while the store was read.
            guard self.subscriptions[subscription.key] === subscription else { return }
            switch result {
            case .success(let arrivals):
                var texts = MessageTexts()
                var lines: [UInt8] = []
                for message in subscription.progress.read(arrivals) {
                    let result = self.messageResult(message, &texts)
                    ControlAPI.Notification.message(
                        subscription: subscription.key.number, result
                    ).write(into: &lines)
                }
                if !lines.isEmpty { subscription.client.write(lines) }
                self.resume(subscription)
            case .failure(let failure):
                let gap = subscription.progress.skip(to: self.newestShown)
                self.log(.error, "a subscriber lost messages: \(failure.detail)")
                self.notify(
                    subscription,
                    .gap(
                        subscription: subscription.key.number, from: gap.from.rawValue,
                        to: gap.to.rawValue, reason: failure.detail))
            }
        }
    }

    private func notify(_ subscription: Subscription, _ notification: ControlAPI.Notification) {
        subscription.client.write(notification.line)
    }
}
