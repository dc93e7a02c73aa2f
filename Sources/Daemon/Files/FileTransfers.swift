internal import Blobs
internal import ControlAPI
internal import Engine
internal import Formats
internal import Loop
internal import Posix

/// The content of files, and who waits for some of it: plain state of the shell, on the loop.
final class FileTransfers {
    /// How long a follower is told nothing more of the same file.
    static let tellMilliseconds: UInt64 = 250
    /// How many that have ended are remembered.
    private static let endedLimit = 64

    /// A file of which a message tells.
    struct Named {
        var message: EntryID
        var conversation: ConversationID
        var name: String
    }

    /// One that is fetched, as clients are told of it.
    struct Running {
        var report: TransferReport
        var named: Named?
        var pace = TransferPace()
        var toldAt: UInt64 = 0
        var isToBeTold = false
    }

    private let store: BlobStore
    private var isStopped = false
    var running: [BlobID: Running] = [:]
    private(set) var ended: [(blob: BlobID, running: Running)] = []
    /// The files of which other sites were given parts; nil before that was looked up.
    var atSites: SiteJournal?
    /// How far files were read through for damage; nil at the beginning of a round.
    var scrubbed: BlobPlaceOnDisk?
    /// What is being written to clients.
    var deliveries: [BlobID: [FileDelivery]] = [:]
    /// How many parts are held for clients that have not taken them.
    var heldParts: Int { self.deliveries.values.joined().reduce(0) { $0 + $1.held.count } }
    private var pictureWaits: [BlobID: [(TransferFailure?) -> Void]] = [:]
    private var followers: [Follower] = []

    private struct Follower {
        weak var client: ControlConnection?
    }

    init(_ store: BlobStore) { self.store = store }

    /// The content of files; nil at the end.
    var open: BlobStore? { self.isStopped ? nil : self.store }

    /// Notes that one has ended.
    func end(_ blob: BlobID, _ running: Running) {
        self.running[blob] = nil
        self.ended.removeAll { $0.blob == blob }
        if self.ended.count == Self.endedLimit { self.ended.removeFirst() }
        self.ended.append((blob, running))
    }

    /// Notes which message announces a file that is or was fetched; false where that was known.
    func name(_ blob: BlobID, _ named: Named) -> Bool {
        var isNew = false
        if let running = self.running[blob], running.named == nil {
            self.running[blob]?.named = named
            isNew = true
        }
        if let index = self.ended.firstIndex(where: { $0.blob == blob }),
            self.ended[index].running.named == nil
        {
            self.ended[index].running.named = named
            isNew = true
        }
        return isNew
    }

    /// Goes on once a picture is here, or cannot be had.
    func awaitPicture(_ blob: BlobID, then: @escaping (TransferFailure?) -> Void) {
        self.pictureWaits[blob, default: []].append(then)
    }

    /// A picture has come, or is not to be had.
    func endPicture(_ blob: BlobID, _ failure: TransferFailure?) {
        for wait in self.pictureWaits.removeValue(forKey: blob) ?? [] { wait(failure) }
    }

    /// Has a client told of every change.
    func follow(_ client: ControlConnection) {
        guard !self.followers.contains(where: { $0.client === client }) else { return }
        self.followers.append(Follower(client: client))
    }

    /// Those who are told of every change.
    var clients: [ControlConnection] {
        self.followers.removeAll { $0.client?.isAlive != true }
        return self.followers.compactMap(\.client)
    }

    /// Ends all that is written to clients.
    func stop() {
        for delivery in self.deliveries.values.joined() { delivery.close() }
        self.deliveries = [:]
        for blob in self.pictureWaits.keys { self.endPicture(blob, .cancelled) }
        self.isStopped = true
    }
}

/// How fast a file comes: what of it came in the last seconds.
struct TransferPace {
    private static let windowMilliseconds: UInt64 = 3_000
    private var samples: [(at: UInt64, stored: UInt64)] = []

    /// Notes how much is there at a moment.
    mutating func note(_ stored: UInt64, at now: UInt64) {
        self.samples.append((now, stored))
        self.samples.removeAll { $0.at + Self.windowMilliseconds < now && $0.at != now }
    }

    /// Bytes a second; nil where too little has come to say.
    var bytesPerSecond: UInt64? {
        guard let first = self.samples.first, let last = self.samples.last, last.at > first.at,
            last.stored > first.stored
        else { return nil }
        return (last.stored - first.stored) * 1_000 / (last.at - first.at)
    }
}
