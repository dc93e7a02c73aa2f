import Engine
import Formats
import Glibc
import Crypto
import Posix

@testable import Storage

/// Opens what a loss of power left as a start of the daemon would, and tells what is in it.
final class StoreJudge {
    /// All that a store holds.
    final class Content {
        let entries: [(id: EntryID, key: LogKey)]
        let ids: Set<EntryID>
        /// What the store's own check found.
        let findings: [CheckFinding]
        /// How many of the acknowledged, and of those that left, were looked for and found.
        var acknowledgedFound = 0
        var leftFound = 0
        /// Whether it was noted what of the other node is in it.
        var isLearnt = false

        init(_ store: StoreFile) throws {
            self.findings = store.check(by: Keyring())
            var entries: [(EntryID, LogKey)] = []
            var cursor = Cursor(0)
            while true {
                let page = try store.entries(
                    after: cursor, limit: 10_000, conversation: nil, byteLimit: .max)
                entries += page.entries.map { ($0.id, $0.key) }
                cursor = page.through
                if !page.hasMore { break }
            }
            self.entries = entries
            self.ids = Set(entries.map { $0.0 })
        }
    }

    struct Verdict {
        let content: Content
        /// Whether the own logs go on in their incarnation.
        let isProven: Bool
        /// Whether the database had counted just one start more than the continuity file.
        let isOneStartAhead: Bool
    }

    private let folder: String
    private let owner: PeerID
    private let safe: Safe
    /// What the recorded database was told from its copies by.
    private let identity: StoreFileIdentity
    private var contents: [Bytes32: Content] = [:]
    /// How many stores were opened.
    private(set) var opened = 0
    var distinct: Int { self.contents.count }

    init(folder: String, owner: PeerID, identity: StoreFileIdentity, safe: [UInt8]) throws {
        guard case .open(let safe) = try StoredSafe(decoding: safe) else {
            throw Broken("a recorded node has no lock")
        }
        self.safe = safe
        self.folder = folder
        self.owner = owner
        self.identity = identity
        for name in ["data", "state"] { try Files.makePrivateDirectory("\(folder)/\(name)") }
    }

    /// Judges files of the data directory and the continuity file; throws what the store throws.
    func judge(
        data: [String: [UInt8]], continuity: [UInt8]?, isSameDatabase: Bool
    ) throws -> Verdict {
        let directory = "\(self.folder)/data"
        for name in ["stoa.db", "stoa.db-wal", "stoa.db-journal"] {
            try Self.put(data[name], "\(directory)/\(name)")
        }
        try Self.put(continuity, "\(self.folder)/state/continuity")
        try Self.put(nil, "\(self.folder)/state/continuity.new")
        self.opened += 1
        let noted = ContinuityFile(path: "\(self.folder)/state/continuity").read()?.starts
        let identity =
            isSameDatabase
            ? self.identity : StoreFileIdentity(inode: 1, birthNanoseconds: nil)
        let store = try StoreFile(
            directory: directory, continuity: "\(self.folder)/state/continuity", owner: self.owner,
            safe: self.safe,
            identify: { _ in identity })
        let pages = try store.database.text("PRAGMA integrity_check")
        guard pages == "ok" else { throw Broken("integrity_check: \(pages)") }
        let digest = try Self.digest(store.database)
        // A start that does not prove that the logs go on is counted at once, as the next one of
        // whichever knew of more.
        let isProven = !store.isStartCounted
        let starts = UInt64(stored: try store.database.int("SELECT starts FROM state"))
        let isAhead = !isProven && noted.map { starts == $0 &+ 2 } ?? false
        let content = try self.contents[digest] ?? Content(store)
        self.contents[digest] = content
        return Verdict(content: content, isProven: isProven, isOneStartAhead: isAhead)
    }

    private static func put(_ bytes: [UInt8]?, _ path: String) throws {
        guard let bytes else {
            try Files.remove(path)
            return
        }
        let number = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw SystemError(errno, "open", path) }
        let descriptor = FileDescriptor(owning: number)
        guard pwrite(descriptor.number, bytes, bytes.count, 0) == bytes.count else {
            throw SystemError(errno, "write", path)
        }
    }

    /// A hash over all rows but the one that each start writes anew.
    private static func digest(_ database: Database) throws -> Bytes32 {
        var tables: [String] = []
        try database.prepare(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'state' ORDER BY name"
        ).forEach { (row) throws(SQLiteError) in tables.append(row.text) }
        var hashes: [UInt8] = []
        for table in tables {
            var columns: [String] = []
            try database.prepare("PRAGMA table_info(\(table))").forEach {
                (row) throws(SQLiteError) in columns.append("quote(\(row.text(.name)))")
            }
            let row = columns.joined(separator: " || ',' || ")
            let text = try database.text("SELECT group_concat(\(row), ';') FROM \(table)")
            hashes += BLAKE2b.hash256(Array(text.utf8)).bytes
        }
        return BLAKE2b.hash256(hashes)
    }
}
