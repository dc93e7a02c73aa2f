internal import Engine
internal import Formats
internal import Formats

/// A request that the node is working on, and what follows its answer.
struct PendingRequest {
    /// What follows once the node has done what it was asked for.
    enum Continuation {
        /// The answer in the words of the API.
        case answer
        /// The answer to a message, on these terms.
        case sent(SendTerms)
        /// The answer to a dial, with the address as the client gave it.
        case linked(to: String)
        case done(() -> Void)
        case begun((ConversationID) -> Void)
        /// Something was done in a group.
        case acted((ActID) -> Void)
        /// Members have told of their acts, but for these.
        case synced(([PersonID]) -> Void)
        /// Payloads have gone, so many.
        case expired((Int) -> Void)
        /// Who reaches this node, and what becomes of packets.
        case reached(([DialBackReport], [PacketReport]) -> Void)
        /// What another device has handed over.
        case handedOver(([UInt8]) -> Void)
        /// What became of what other sites have published.
        case imported(([SiteVerdict]) -> Void)
        /// What of the user is to be told at other sites, and when there is more.
        case told(([SiteTold], UInt64?) -> Void)
        /// Also where the node refuses, for the shell itself; and whether the disk has taken it.
        case ended((Bool) -> Void)
    }

    /// Nil for one of the shell's own.
    let reply: Reply?
    /// The file that it sends, or the picture, which is kept only where a message or a profile names it.
    let blob: BlobID?
    let then: Continuation

    init(_ reply: Reply?, blob: BlobID? = nil, then: Continuation = .answer) {
        self.reply = reply
        self.blob = blob
        self.then = then
    }

    var terms: SendTerms {
        if case .sent(let terms) = self.then { terms } else { SendTerms() }
    }
}

/// What a client wants to know of a message that it sends.
struct SendTerms {
    /// Whether it is said what has become of the message at each member.
    var tellsMembers = false
    /// How many members are to have it, where a number of them was asked for.
    var wanted: Int?
    /// The size of the file that it is about; 0 without one.
    var fileBytes: UInt64 = 0
}

/// The requests that the node is working on, by the names that it has for them.
struct PendingRequests {
    private var pending: [RequestID: PendingRequest] = [:]
    private var last: UInt64 = 0

    /// Names a request.
    mutating func add(_ request: PendingRequest) -> RequestID {
        self.last += 1
        self.pending[RequestID(self.last)] = request
        return RequestID(self.last)
    }

    /// Takes out a request that is answered.
    mutating func remove(_ id: RequestID) -> PendingRequest? {
        self.pending.removeValue(forKey: id)
    }

    /// Takes out all, oldest first.
    mutating func removeAll() -> [PendingRequest] {
        defer { self.pending = [:] }
        return self.pending.sorted { $0.key < $1.key }.map(\.value)
    }
}
