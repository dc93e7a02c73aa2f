internal import CPages
package import Crypto
package import Engine
package import Formats
internal import Glibc

extension StoreRepair {
    /// What a repair did.
    package struct Repair: Sendable {
        /// A log that could not be kept whole.
        package struct Cut: Hashable, Sendable {
            package var log: LogKey
            /// The number of its last entry that was kept; 0 where none was.
            package var kept: UInt64
            /// How many entries behind it are no longer in the store.
            package var lost: UInt64
        }

        /// Where the damaged file is kept; nil where nothing was damaged, and so nothing changed.
        package var copy: String?
        /// What was wrong with the store.
        package var damage: [CheckFinding] = []
        /// How many entries the store has after the repair.
        package var entries = 0
        /// The logs that lost entries, which peers bring back.
        package var cuts: [Cut] = []
        /// The tables of which rows could not be read.
        package var damagedTables: [String] = []
        /// Entries that were read and are left out: behind a gap, or of a log whose name is lost.
        package var strays = 0
        /// What is still wrong; empty, or the new file was not put in place.
        package var findings: [CheckFinding] = []
    }

    /// Repairs a store that no daemon has open.
    ///
    /// What SQLite still reads of it is written into a new file: each log up to its last entry that
    /// an attestation vouches for, and all else that is not derived from entries. What is missing
    /// peers bring back. The damaged file and its write-ahead log are kept beside it under a name
    /// that ends in `stamp`; a store without damage is not touched. The new file has no proof of
    /// continuity, so own logs go on in a new incarnation.
    ///
    /// Throws what keeps it from reading or writing, and `corrupt` where nothing of a store could be
    /// read; then the damaged file has been left as it was.
    package static func repair(
        directory: String, owner: PeerID, safe: Safe,
        judge: (Keyring) -> any EntryJudge = { $0 }, stamp: String
    ) throws(StoreFailure) -> Repair {
        let path = "\(directory)/\(StoreDirectory.databaseName)"
        let names = RepairedFile(database: path)
        try names.finish()
        names.clean()
        defer { names.clean() }
        guard try PageCheck(path: path) != nil else {
            throw StoreFailure(
                reason: .corrupt, detail: "there is nothing in \(path)",
                remedy: "start stoad, which creates a new store; peers send what they have")
        }
        var repair = Repair()
        repair.damage = try self.check(
            directory: directory, owner: owner, safe: safe, judge: judge
        ).findings
        if repair.damage.isEmpty { return repair }
        try self.rebuild(names, owner: owner, safe, judge, &repair)
        repair.findings = try self.findings(names.unfinished, owner: owner, safe, judge, &repair)
        guard repair.findings.isEmpty else { return repair }
        repair.copy = try names.replace(keeping: stamp)
        return repair
    }

    /// What is wrong with the new file; its write-ahead log is gone afterwards.
    private static func findings(
        _ path: String, owner: PeerID, _ safe: Safe, _ judge: (Keyring) -> any EntryJudge,
        _ repair: inout Repair
    ) throws(StoreFailure) -> [CheckFinding] {
        do throws(StoreFailure) {
            let store = try StoreFile(offlineAt: path, owner: owner, safe: safe)
            let found = store.check(by: judge(store.keyring()))
            repair.entries = try StoreFile.translating(path, store.database) {
                () throws(SQLiteError) in
                try store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                return try store.counts().entries
            }
            return found
        } catch {
            guard error.reason == .corrupt else { throw error }
            return [CheckFinding(log: nil, seq: nil, text: error.detail)]
        }
    }

    /// Writes what can be read into a new file.
    private static func rebuild(
        _ names: RepairedFile, owner: PeerID, _ safe: Safe,
        _ judge: (Keyring) -> any EntryJudge, _ repair: inout Repair
    ) throws(StoreFailure) {
        _ = try self.create(names.unfinished, isPlain: false)
        let store = try StoreFile(offlineAt: names.unfinished, owner: owner, safe: safe)
        try StoreFile.translating(names.unfinished, store.database) { () throws(SQLiteError) in
            try store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        var (salvage, staging) = try self.salvage(names, like: names.unfinished, owner, safe, judge)
        if salvage.isEmpty {
            // What a file was brought to since its first version has other places in it than in a new one; the tables of
            // the first version have the same in all.
            names.clean(keepingNew: true)
            try self.createFirst(names.first)
            (salvage, staging) = try self.salvage(names, like: names.first, owner, safe, judge)
        }
        repair.damagedTables = salvage.damagedTables
        guard !salvage.isEmpty else {
            throw StoreFailure(
                reason: .corrupt,
                detail: "nothing can be read in the store \(names.database)",
                remedy: "move it away, keep identity.key, and start stoad: peers send what they "
                    + "have")
        }
        var rebuild = Rebuild(salvage, from: staging, by: judge(salvage.keyring))
        try StoreFile.translating(names.unfinished, store.database) { () throws(SQLiteError) in
            try rebuild.verify()
            // Synced once, when it is whole.
            try store.database.execute("PRAGMA synchronous = OFF")
            try rebuild.write(into: store)
        }
        repair.cuts = rebuild.cuts
        repair.strays = max(0, salvage.entryCount - rebuild.entryCount)
    }

    /// Gathers what can be read with the schema of an empty store.
    private static func salvage(
        _ names: RepairedFile, like model: String, _ owner: PeerID, _ safe: Safe,
        _ judge: (Keyring) -> any EntryJudge
    ) throws(StoreFailure) -> (Salvage, Database) {
        // SQLite may change what it opens, and must not change what is kept.
        try ScratchCopy.make(
            of: names.database, at: names.scratch, like: model,
            replacesHeader: model == names.first)
        let source = try StoreFile.translating(names.scratch, nil) { () throws(SQLiteError) in
            try Database(path: names.scratch)
        }
        source.columns = ColumnSafe(safe: safe, takesPlain: true)
        let staging = try self.create(names.staging, isPlain: true)
        let salvage = try StoreFile.translating(names.database, source) {
            () throws(SQLiteError) in
            try Salvage(reading: source, into: staging, owner: owner, by: judge(Keyring()))
        }
        return (salvage, staging)
    }

    /// Makes an empty store of the first version, closed.
    private static func createFirst(_ path: String) throws(StoreFailure) {
        let database = try self.create(path, isPlain: false)
        try StoreFile.translating(path, database) { () throws(SQLiteError) in
            try database.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL")
            try Schema.create(database, version: 1)
            try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// Makes an empty database.
    private static func create(_ path: String, isPlain: Bool) throws(StoreFailure) -> Database {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw StoreFailure(systemError: errno, doing: "create the file", path: path)
        }
        close(descriptor)
        return try StoreFile.translating(path, nil) { () throws(SQLiteError) in
            try Database(path: path, isPlain: isPlain)
        }
    }
}
