internal import CPages
public import Engine
internal import Glibc

extension StoreRepair {
    /// What a repair did.
    public struct Repair: Sendable {
        /// A log that could not be kept whole.
        public struct Cut: Hashable, Sendable {
            /// The log.
            public var log: LogKey
            /// The number of its last entry that was kept; 0 where none was.
            public var kept: UInt64
            /// How many entries behind it are no longer in the store.
            public var lost: UInt64
        }

        /// Where the damaged file is kept; nil where nothing was damaged, and so nothing changed.
        public var copy: String?
        /// How many pages were put right by turning one bit back.
        public var mendedPages = 0
        /// How many pages were damaged beyond that.
        public var damagedPages = 0
        /// What was wrong with the write-ahead log, which was put right as far as possible.
        public var logDamage: [String] = []
        /// Whether all rows were read one by one and put together anew.
        public var isRebuilt = false
        /// How many entries the store has after the repair.
        public var entries = 0
        /// The logs that lost entries, which peers bring back.
        public var cuts: [Cut] = []
        /// Entries of logs whose names could not be read.
        public var strays = 0
        /// What is still wrong; empty, or the new file was not put in place.
        public var findings: [CheckFinding] = []
    }

    /// Repairs a store that no daemon has open.
    ///
    /// Pages with one flipped bit are put right, which their checksums prove. Where that is not
    /// enough, all rows are read one by one, each log is cut back to its last entry that an
    /// attestation vouches for, and a new file is written. The damaged file and its write-ahead log
    /// are kept beside it under a name that ends in `stamp`; a store without damage is not touched.
    /// The new file has no proof of continuity, so own logs go on in a new incarnation.
    ///
    /// Throws what keeps it from reading or writing, and `corrupt` where nothing of a store could be
    /// read; then the damaged file has been left as it was.
    public static func repair(
        directory: String, owner: PeerID, stamp: String
    ) throws(StoreFailure) -> Repair {
        let path = "\(directory)/\(StoreDirectory.databaseName)"
        let names = RepairedFile(database: path)
        try names.finish()
        names.clean()
        defer { names.clean() }
        guard let file = try PageFile(path: path) else {
            throw StoreFailure(
                reason: .corrupt, detail: "there is nothing in \(path)",
                remedy: "start stoad, which makes a new store; peers send what they have")
        }
        var repair = Repair()
        repair.logDamage = file.log?.damage ?? []
        if try self.isSound(file, &repair),
            try self.check(directory: directory, owner: owner).findings.isEmpty
        {
            return repair
        }
        if repair.damagedPages == 0 {
            try self.copyPages(of: file, to: names.unfinished)
            if try self.findings(names.unfinished, owner: owner, &repair).isEmpty {
                repair.copy = try names.replace(keeping: stamp)
                return repair
            }
            names.clean()
        }
        try self.rebuild(file, names, owner: owner, &repair)
        repair.findings = try self.findings(names.unfinished, owner: owner, &repair)
        guard repair.findings.isEmpty else { return repair }
        repair.copy = try names.replace(keeping: stamp)
        return repair
    }

    /// Whether all pages are as they were written; counts those that are not.
    private static func isSound(
        _ file: PageFile, _ repair: inout Repair
    ) throws(StoreFailure) -> Bool {
        for number in 1...max(1, file.count) {
            switch try file.page(number).state {
            case .sound: break
            case .mended: repair.mendedPages += 1
            case .damaged: repair.damagedPages += 1
            }
        }
        if file.isCutShort { repair.damagedPages += 1 }
        return repair.mendedPages + repair.damagedPages == 0 && repair.logDamage.isEmpty
    }

    /// What is wrong with a file that was made; its write-ahead log is gone afterwards.
    private static func findings(
        _ path: String, owner: PeerID, _ repair: inout Repair
    ) throws(StoreFailure) -> [CheckFinding] {
        do throws(StoreFailure) {
            let store = try StoreFile(offlineAt: path, owner: owner)
            let found = store.check()
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

    // MARK: Pages

    /// Writes all pages, mended and with what the write-ahead log holds, into a new file.
    private static func copyPages(of file: PageFile, to path: String) throws(StoreFailure) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else {
            throw StoreFailure(systemError: errno, doing: "create the file", path: path)
        }
        defer { close(descriptor) }
        for number in 1...file.count {
            var (bytes, _) = try file.page(number)
            if file.hasChecksums && number != file.lockPage {
                cpages_write_checksum(&bytes, Int32(file.pageBytes), number)
            }
            let written = write(descriptor, bytes, bytes.count)
            guard written == bytes.count else {
                // Part of a page is written where the space ends within it.
                throw StoreFailure(
                    systemError: written < 0 ? errno : ENOSPC, doing: "write the file", path: path)
            }
        }
    }

    // MARK: Rows

    /// Reads all rows one by one and writes those that can be believed into a new file.
    private static func rebuild(
        _ file: PageFile, _ names: RepairedFile, owner: PeerID, _ repair: inout Repair
    ) throws(StoreFailure) {
        repair.isRebuilt = true
        let staging = try self.create(names.salvage, isPlain: true)
        var salvage = try StoreFile.translating(names.salvage, staging) {
            () throws(SQLiteError) in try Salvage(into: staging)
        }
        let reader = RowReader(file)
        for number in 1...max(1, file.count) where number != file.lockPage {
            let (bytes, state) = try file.page(number)
            let rows = try reader.rows(bytes, number: number, isSound: state != .damaged)
            try StoreFile.translating(names.salvage, staging) { () throws(SQLiteError) in
                for row in rows { try salvage.take(row) }
            }
        }
        let made = try StoreFile.translating(names.salvage, staging) {
            () throws(SQLiteError) -> Rebuild? in
            try salvage.finish(owner: owner)
            guard !salvage.isEmpty else { return nil }
            var rebuild = Rebuild(salvage, from: staging)
            try rebuild.verify()
            return rebuild
        }
        guard var rebuild = made else {
            throw StoreFailure(
                reason: .corrupt,
                detail: "nothing of a store can be read in \(names.database)",
                remedy: "move it away, keep identity.key, and start stoad: peers send what they "
                    + "have")
        }
        _ = try self.create(names.unfinished, isPlain: false)
        let store = try StoreFile(offlineAt: names.unfinished, owner: owner)
        try StoreFile.translating(names.unfinished, store.database) { () throws(SQLiteError) in
            // Synced once, when it is whole.
            try store.database.execute("PRAGMA synchronous = OFF")
            try rebuild.write(into: store)
        }
        repair.cuts = rebuild.cuts.map { Repair.Cut(log: $0.key, kept: $0.kept, lost: $0.lost) }
        repair.strays = max(0, salvage.entryCount - rebuild.entryCount)
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
