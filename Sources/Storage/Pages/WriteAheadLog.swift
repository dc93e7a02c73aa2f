internal import CPages
internal import Engine

/// The commits that SQLite has not yet put into the database, read past SQLite, which takes a
/// damaged frame for the end and would lose what follows.
///
/// Each frame's checksum goes on from the one before; so the frames behind a damaged one still
/// prove that it had been written whole. Section 4 of <https://www.sqlite.org/fileformat2.html>.
struct WriteAheadLog {
    private static let headerBytes = 32
    private static let frameHeaderBytes = 24
    private static let frameBytes = Self.frameHeaderBytes + Int(CPAGES_PAGE_BYTES)

    /// A frame that holds a page.
    private struct Frame {
        let index: Int
        /// The frame put right, where a bit was flipped.
        var mended: [UInt8]?
        /// Whether its checksum holds, by itself or mended.
        var isSound = true
    }

    private let file: RawFile
    /// The database, for pages as they were before.
    private let database: RawFile?
    /// The last committed frame of each page that the log holds.
    private var frames: [UInt32: Frame] = [:]
    /// How many pages the database has after the last commit; 0 where the log holds no commit.
    private(set) var pageCount: UInt32 = 0
    /// What is damaged, in words.
    private(set) var damage: [String] = []

    /// Reads the log beside a database; nil where there is none.
    init?(path: String) throws(StoreFailure) {
        guard let file = try RawFile(path: path), file.count > Self.headerBytes else { return nil }
        self.file = file
        self.database = try RawFile(path: String(path.dropLast("-wal".count)))
        try self.scan()
    }

    /// The numbers of the pages that the log holds.
    var pages: some Sequence<UInt32> { self.frames.keys }

    /// A page as it was last committed, and whether it is what was written; nil where the log does
    /// not hold it.
    func page(_ number: UInt32) throws(StoreFailure) -> (bytes: [UInt8], isSound: Bool)? {
        guard let frame = self.frames[number] else { return nil }
        var bytes = frame.mended ?? []
        if bytes.isEmpty { bytes = try self.bytes(of: frame.index) }
        return (Array(bytes[Self.frameHeaderBytes...]), frame.isSound)
    }

    // MARK: Reading

    private func bytes(of index: Int) throws(StoreFailure) -> [UInt8] {
        try self.file.read(
            at: Self.headerBytes + index * Self.frameBytes, count: Self.frameBytes)
    }

    private static func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The two sums that stand at a place.
    private static func sums(_ bytes: [UInt8], _ place: Int) -> [UInt32] {
        [Self.word(bytes, place), Self.word(bytes, place + 4)]
    }

    private struct Header {
        let salts: [UInt8]
        let isBigEndian: Bool
        let sums: [UInt32]
    }

    /// What the header says; nil where its checksum fails.
    private static func header(_ bytes: [UInt8]) -> Header? {
        // The last bit of the magic number tells in which order the checksums read words.
        guard Self.word(bytes, 0) & ~1 == 0x377F_0682 else { return nil }
        let isBigEndian = bytes[3] & 1 == 1
        var sums: [UInt32] = [0, 0]
        cpages_log_sum(bytes, 24, isBigEndian ? 1 : 0, &sums)
        guard sums == Self.sums(bytes, 24) else { return nil }
        return Header(salts: Array(bytes[16..<24]), isBigEndian: isBigEndian, sums: sums)
    }

    /// The header with its one flipped bit put right.
    private static func mended(_ bytes: [UInt8]) -> Header? {
        var bytes = bytes
        for place in bytes.indices {
            for bit in 0..<8 {
                bytes[place] ^= 1 << bit
                if let header = Self.header(bytes) { return header }
                bytes[place] ^= 1 << bit
            }
        }
        return nil
    }

    /// A page before the frame that is being read: in the same commit, in an earlier one, or in the
    /// database; nil where there is none that can be believed.
    private func earlier(
        _ number: UInt32, _ newest: Frame?
    ) throws(StoreFailure) -> [UInt8]? {
        if let frame = newest ?? self.frames[number] {
            guard frame.isSound else { return nil }
            var bytes = frame.mended ?? []
            if bytes.isEmpty { bytes = try self.bytes(of: frame.index) }
            return Array(bytes[Self.frameHeaderBytes...])
        }
        guard number > 0, let database = self.database else { return nil }
        let page = try database.read(
            at: (Int(number) - 1) * Int(CPAGES_PAGE_BYTES), count: Int(CPAGES_PAGE_BYTES))
        return page.count == Int(CPAGES_PAGE_BYTES) ? page : nil
    }

    private mutating func scan() throws(StoreFailure) {
        let bytes = try self.file.read(at: 0, count: Self.headerBytes)
        let count = (self.file.count - Self.headerBytes) / Self.frameBytes
        guard bytes.count == Self.headerBytes, count > 0 else { return }
        var header = Self.header(bytes)
        if header == nil {
            header = Self.mended(bytes)
            let first = try self.bytes(of: 0)
            // A header that was being written when the power failed belongs to none of the frames.
            guard header != nil || first[8..<16] == bytes[16..<24] else { return }
            self.damage.append(
                "the header of the write-ahead log is damaged"
                    + (header == nil ? "" : " in one bit"))
        }
        guard let header else { return }
        var sums = header.sums
        var transaction = Transaction()
        // A transaction that is damaged or was never synced; what follows it tells which.
        var doubtful: Transaction?
        for index in 0..<count {
            var bytes = try self.bytes(of: index)
            let read = try self.frame(index, &bytes, header, &sums, count) { number in
                transaction.frames[number] ?? doubtful?.frames[number]
            }
            guard let (frame, doubt) = read else { return }
            if doubt == nil, let earlier = doubtful {
                self.take(earlier)
                doubtful = nil
            }
            if let doubt { transaction.doubts.append(doubt) }
            transaction.frames[Self.word(bytes, 0)] = frame
            transaction.pageCount = Self.word(bytes, 4)
            guard transaction.pageCount > 0 else { continue }
            if transaction.doubts.isEmpty {
                self.take(transaction)
            } else {
                transaction.frames.merge(doubtful?.frames ?? [:]) { own, _ in own }
                transaction.doubts = (doubtful?.doubts ?? []) + transaction.doubts
                doubtful = transaction
            }
            transaction = Transaction()
        }
    }

    /// The frames up to one that commits them.
    private struct Transaction {
        var frames: [UInt32: Frame] = [:]
        var pageCount: UInt32 = 0
        /// What is wrong with them, unless they are what was being written when the power failed:
        /// then any sector of them may be missing while later ones are there.
        ///
        /// A transaction is synced before the next one is written, so a sound frame behind its end
        /// proves that it had been there whole.
        var doubts: [String] = []
    }

    private mutating func take(_ transaction: Transaction) {
        self.frames.merge(transaction.frames) { $1 }
        self.pageCount = transaction.pageCount
        self.damage += transaction.doubts
    }

    /// Whether one bit makes the difference, which is how disks err and power cuts do not.
    private static func differInOneBit(_ left: [UInt32], _ right: [UInt32]) -> Bool {
        zip(left, right).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount } == 1
    }

    /// Takes the next frame, mended where need be, and says what makes it doubtful; nil where the log
    /// ends before it.
    private mutating func frame(
        _ index: Int, _ bytes: inout [UInt8], _ header: Header, _ sums: inout [UInt32],
        _ count: Int, newest: (UInt32) -> Frame?
    ) throws(StoreFailure) -> (frame: Frame, doubt: String?)? {
        let stored = Self.sums(bytes, 16)
        let start = sums
        let computed = Self.sums(after: start, of: bytes, header)
        let hasSalts = bytes[8..<16].elementsEqual(header.salts)
        let damaged = "frame \(index + 1) of the write-ahead log is damaged"
        if computed == stored {
            sums = stored
            // Frames of an earlier round have other salts, and do not go on from these sums.
            if !hasSalts { self.damage.append(damaged) }
            return (Frame(index: index), nil)
        }
        guard hasSalts else { return nil }
        // Does the next frame go on from what this one ought to have, or from what it says?
        let next = try index + 1 < count ? self.bytes(of: index + 1) : nil
        if let next, Self.sums(after: computed, of: next, header) == Self.sums(next, 16) {
            sums = computed
            let words = "the checksum of \(damaged)"
            guard Self.differInOneBit(computed, stored) else { return (Frame(index: index), words) }
            self.damage.append(words)
            return (Frame(index: index), nil)
        }
        let mending = try FrameMending.find(
            bytes, from: start, to: stored, isBigEndian: header.isBigEndian
        ) { (number) throws(StoreFailure) in try self.earlier(number, newest(number)) }
        switch mending {
        case .none: break
        case .one(let mended):
            self.damage.append("one bit of frame \(index + 1) of the write-ahead log is flipped")
            sums = stored
            bytes = mended
            return (Frame(index: index, mended: bytes), nil)
        case .several:
            // What it holds counts only where something else vouches for it.
            self.damage.append(damaged + " in one bit, and nothing tells in which")
            sums = stored
            return (Frame(index: index, isSound: false), nil)
        }
        guard let next, next[8..<16].elementsEqual(header.salts),
            Self.sums(after: stored, of: next, header) == Self.sums(next, 16)
        else { return nil }
        sums = stored
        return (Frame(index: index, isSound: false), damaged)
    }

    private static func sums(
        after start: [UInt32], of bytes: [UInt8], _ header: Header
    ) -> [UInt32] {
        var sums = start
        cpages_log_sum(bytes, 8, header.isBigEndian ? 1 : 0, &sums)
        bytes.withUnsafeBufferPointer { buffer in
            let page = UnsafeBufferPointer(rebasing: buffer[Self.frameHeaderBytes...])
            cpages_log_sum(
                page.baseAddress, Int32(page.count), header.isBigEndian ? 1 : 0, &sums)
        }
        return sums
    }
}
