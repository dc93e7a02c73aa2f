internal import Engine
internal import Formats
internal import Storage

/// Those who use the control socket: what they have asked, and what they follow.
///
/// Lives on the loop.
final class Clients {
    let control: ControlServer
    var requests = PendingRequests()
    private(set) var subscriptions: [SubscriptionKey: Subscription] = [:]
    let streams = ClientStreams()
    var attention = Attention()
    /// Who waits for what is to go to other sites.
    var waitingExport: WaitingExport?
    /// Whether something of it has come since somebody was about to wait.
    var isExportStale = false
    /// Whether it is about to be looked which parts of files are wanted of other sites.
    var isWantsDue = false
    /// When something is to be told at other sites that nothing stores, monotonic; nil where that is not timed.
    var signalsDueAt: UInt64?
    /// When somebody asked for it last, monotonic; nil for never.
    var exportedAt: UInt64?
    /// When they were given records last, monotonic.
    var recordsExportedAt: UInt64 = 0
    /// The letters for members of groups that are given to other sites now.
    var giftRound: SiteGiftRound?
    /// Certificates of devices of members of groups, as the store has them.
    var certificates: [PeerID: Certificate] = [:]
    /// When those who follow lists are told that some have changed.
    var lists = ListPace()
    /// The newest change that was shown.
    private(set) var newestShown: Cursor
    private var dirty: [ControlConnection] = []
    private var lastNumber: Int64 = 0

    init(_ control: ControlServer, newest: Cursor) {
        self.control = control
        self.newestShown = newest
    }

    // MARK: Output

    /// A client has output to flush at the end of the turn.
    func dirtied(_ client: ControlConnection) { self.dirty.append(client) }

    /// Whether ``flush()`` has something to do.
    var isDirty: Bool { !self.dirty.isEmpty }

    func flush() {
        let clients = self.dirty
        self.dirty = []
        for client in clients { client.flush() }
    }

    // MARK: What they follow

    /// The name of a new subscription or stream.
    func makeKey(for client: ControlConnection) -> SubscriptionKey {
        self.lastNumber += 1
        return SubscriptionKey(client: client.number, number: self.lastNumber)
    }

    func shown(through cursor: Cursor) { self.newestShown = max(self.newestShown, cursor) }

    func add(_ subscription: Subscription) {
        self.subscriptions[subscription.key] = subscription
    }

    /// Ends a subscription; nil where there is none.
    @discardableResult
    func remove(_ key: SubscriptionKey) -> Subscription? {
        self.subscriptions.removeValue(forKey: key)
    }

    /// Those of one client, or all, in order.
    func subscriptions(of client: UInt64? = nil) -> [Subscription] {
        self.subscriptions.values.filter { client == nil || $0.key.client == client }
            .sorted { $0.key < $1.key }
    }

    /// Up to where all have read who still read a conversation's streams from the store; nil where none does.
    func streamsReadThrough(in conversation: ConversationID) -> Cursor? {
        self.subscriptions.values.filter {
            $0.progress.conversation == nil || $0.progress.conversation == conversation
        }.compactMap(\.progress.streamsReadThrough).min()
    }

    /// The subscription that reads for a consumer in one conversation or all.
    func reader(of consumer: String, in conversation: ConversationID?) -> Subscription? {
        self.subscriptions.values.first {
            $0.consumer == consumer && $0.progress.conversation == conversation
        }
    }

    func removeSubscriptions(of client: UInt64? = nil) {
        self.subscriptions = self.subscriptions.filter { client != nil && $0.key.client != client }
    }
}
