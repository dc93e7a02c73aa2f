import CPages
import Dispatch
import Engine
import Formats
import Glibc
import Crypto
import Synchronization
import TestSupport
import Testing

@testable import Storage

/// Runs the store's jobs on a queue of its own.
final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "store")
    /// How many jobs were given.
    let jobs = Atomic(0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.jobs.add(1, ordering: .relaxed)
        self.queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// The directories of a store; they go away with the last reference to them.
final class TemporaryDirectory: Sendable {
    private let folder: TestFolder

    init() throws {
        self.folder = try TestFolder()
        try #require(mkdir(self.data, 0o700) == 0 && mkdir(self.state, 0o700) == 0)
    }

    var path: String { self.folder.path }
    var data: String { self.folder("data") }
    var state: String { self.folder("state") }
    var database: String { "\(self.data)/stoa.db" }
    var continuity: String { "\(self.state)/continuity" }

    /// Opens the store in this directory.
    func open(
        owner: PeerID = ada.id, executor: QueueExecutor = QueueExecutor(),
        idBatchCount: Int = RecentIDs.batchCount
    ) async throws -> MessageStore {
        return try await MessageStore.open(
            directory: self.data, continuity: self.continuity, owner: owner, safe: safe,
            executor: executor,
            idBatchCount: idBatchCount, identify: fileIdentity)
    }
}

/// The size of a page.
let pageBytes = Int(CPAGES_PAGE_BYTES)

/// The inode of a file; birth times differ from one file system of a test machine to the next.
@Sendable func fileIdentity(_ path: String) -> StoreFileIdentity? {
    var found = stat()
    guard stat(path, &found) == 0 else { return nil }
    return StoreFileIdentity(inode: UInt64(found.st_ino), birthNanoseconds: nil)
}

/// The bytes of a file.
func readFile(_ path: String) throws -> [UInt8] {
    try #require(TestFiles.read(path))
}

/// Overwrites a file in place, so that it keeps its inode.
func writeFile(_ path: String, _ bytes: [UInt8]) throws {
    let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try #require(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
}

/// A person with a fixed key.
struct Person: Sendable {
    let signer: Signer
    var id: PeerID { PeerID(self.signer.publicKey) }

    init(_ seed: UInt8) {
        let bytes = [UInt8](repeating: seed, count: SigningKey.seedByteCount)
        do {
            self.signer = Signer(try SigningKey(seed: bytes.span.bytes))
        } catch {
            preconditionFailure("every seed of 32 bytes makes a key")
        }
    }
}

/// The safe of all stores of tests; the same in a child that a test starts.
let safe: Safe = {
    let bytes = [UInt8](repeating: 0x5A, count: SecretKey.byteCount)
    guard let key = try? SecretKey(bytes.span.bytes) else {
        preconditionFailure("any 32 bytes are a key")
    }
    return Safe(key)
}()

let ada = Person(1)
let bob = Person(2)
let eve = Person(3)

/// A room of the open realm that tests write to.
func room(_ name: String) -> Room {
    guard let name = RoomName(name) else { preconditionFailure("tests use valid names") }
    return Room(name, in: .open)
}

let ops = room("ops")

/// The time that lies some milliseconds behind the start of the tests' epoch.
func time(_ milliseconds: UInt64, _ counter: UInt64 = 0) -> HybridTime {
    HybridTime(HybridTime(wallMilliseconds: 1_700_000_000_000 + milliseconds).rawValue + counter)
}

/// The payload of a content with a fixed salt.
func payload(_ content: Content) -> [UInt8] {
    struct Sevens: RandomNumberGenerator {
        func next() -> UInt64 { 0x0707_0707_0707_0707 }
    }
    var sevens = Sevens()
    return content.payload(using: &sevens)
}

/// Whose logs all are of which tests write, though these begin with any entry.
let somebody = PersonID(Bytes32([UInt8](repeating: 9, count: 32)) ?? .zero)

/// Says what becomes of entries in logs that are all somebody's.
struct LogsOfSomebody: EntryJudge {
    var keyring = Keyring()

    func read(_ envelope: Envelope) -> EntryReading { self.keyring.read(envelope) }

    func judge(
        _ reading: EntryReading, seq: UInt64, of author: PeerID, in person: inout PersonID?
    ) -> EntryVerdict {
        person = somebody
        return EntryVerdict(of: reading, in: person)
    }
}

extension Append {
    /// An append of a log of somebody's, as a node would say what becomes of its entries.
    init(
        run: VerifiedRun, heldFrom: Int, lateBefore: HybridTime = HybridTime(0),
        idempotencyKeys: [Int: String] = [:]
    ) {
        let (verdicts, person) = run.verdicts(by: LogsOfSomebody(), person: nil)
        self.init(
            run: run, verdicts: verdicts, person: person, heldFrom: heldFrom,
            lateBefore: lateBefore, idempotencyKeys: idempotencyKeys)
    }
}

extension StoredLog {
    /// A log of somebody's.
    init(head: Head, forkPoint: UInt64?, isHeadShown: Bool) {
        self.init(
            head: head, forkPoint: forkPoint, isHeadShown: isHeadShown,
            person: head.seq == 0 ? nil : somebody)
    }
}

extension MessageStore {
    /// Checks a store of logs that are all somebody's.
    func check() throws(StoreFailure) -> [CheckFinding] { try self.check(by: LogsOfSomebody()) }
}

extension StoreFile {
    /// Checks a store of logs that are all somebody's.
    func check() -> [CheckFinding] { self.check(by: LogsOfSomebody()) }
}

extension Snapshot {
    /// Who is in each conversation that has members.
    var members: [ConversationID: Set<PeerID>] {
        self.attendance.mapValues { Set($0.filter(\.value.isPresent).keys) }
            .filter { !$0.value.isEmpty }
    }
}

func entry(_ content: Content, at time: HybridTime, deps: [EntryID] = []) -> Entry {
    Entry(
        entryClass: content.entryClass, time: time, deps: deps.sorted(),
        payload: .present(payload(content)))
}

func text(_ text: String, at milliseconds: UInt64, deps: [EntryID] = []) -> Entry {
    entry(.text(text), at: time(milliseconds), deps: deps)
}

/// Writes a log as its author would.
struct LogWriter {
    let person: Person
    let key: LogKey
    private(set) var head = Head.start
    private(set) var ids: [EntryID] = []

    init(_ person: Person, _ room: Room = ops, incarnation: UInt64 = 1) {
        self.person = person
        self.key = LogKey(
            conversation: room.conversation,
            name: LogName(author: person.id, incarnation: incarnation))
    }

    init(_ person: Person, in conversation: ConversationID) {
        self.person = person
        self.key = LogKey(
            conversation: conversation, name: LogName(author: person.id, incarnation: 1))
    }

    /// Signs the next entries as one run.
    mutating func run(_ entries: [Entry]) -> VerifiedRun {
        let first = self.head.seq + 1
        var prev = self.head.seq == 0 ? nil : self.head.id
        let start = prev
        var ids: [EntryID] = []
        for (index, entry) in entries.enumerated() {
            let id = entry.id(key: self.key, seq: first + UInt64(index), prev: prev)
            ids.append(id)
            prev = id
        }
        let last = ids[ids.count - 1]
        let seq = first + UInt64(entries.count) - 1
        let signature = Attestation.sign(key: self.key, seq: seq, id: last, by: self.person.signer)
        let run = VerifiedRun(
            run: Run(
                key: self.key, first: first, prev: start, attestation: signature, entries: entries),
            ids: ids)
        self.head = run.head
        self.ids += ids
        return run
    }

    /// The next entries as an append of entries that are due.
    mutating func append(_ entries: [Entry], heldFrom: Int = .max) -> Append {
        Append(run: self.run(entries), heldFrom: heldFrom)
    }
}

/// A log of a person that wants entries erased.
func erasing(
    _ targets: [EntryTarget], by person: Person, _ incarnation: UInt64, in room: Room = ops
) -> Append {
    var log = LogWriter(person, room, incarnation: incarnation)
    return log.append([entry(.erase(targets), at: time(1))])
}

func batch(_ appends: Append..., number: UInt64 = 1) -> Batch {
    var batch = Batch(number: number)
    batch.appends = appends
    return batch
}

/// The texts of entries, in order.
func texts(_ entries: [StoredEntry]) -> [String] {
    entries.map { entry in
        switch Keyring().read(entry.envelope).content {
        case .text(let text)?: text
        case .join?: "(join)"
        case .leave?: "(leave)"
        default: "(none)"
        }
    }
}
