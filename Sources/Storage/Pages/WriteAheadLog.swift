internal import CPages
internal import Engine

/// The commits that SQLite has not yet put into the database, read past SQLite, which takes a
/// damaged frame for the end and would lose what follows.
///
/// Each frame's checksum goes on from the one before; so the frames behind a damaged one still
/// prove that it had been written whole. Section 4 of <https://www.sqlite.org/fileformat2.html>.
struct WriteAheadLog {
    private static let sizes = [Int(CPAGES_PAGE_BYTES), Int(CPAGES_LARGE_PAGE_BYTES)]
    private static let headerBytes = 32
    private static let frameHeaderBytes = 24

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
    /// The size of a page in bytes; nil where the header does not tell.
    private(set) var pageBytes: Int?
    /// The last committed frame of each page that the log holds.
    private var frames: [UInt32: Frame] = [:]
    /// How many pages the database has after the last commit; 0 where the log holds no commit.
    private(set) var pageCount: UInt32 = 0
    /// What is damaged, in words.
    private(set) var damage: [String] = []
    /// What the damaged bytes were, by their places in the file, where they are all of the last
    /// commit and differ in a bit each; empty where nothing is damaged or anything else is.
    ///
    /// That commit may have been synced, and a bit was flipped since; or the power failed while it
    /// was written, and a sector that is missing differs in one bit from what was there before.
    /// With these bytes it is whole, which is right for both.
    private(set) var lastBytes: [Int: UInt8] = [:]

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

    /// The first 100 bytes of the database as they were last committed, which say what it is; fewer
    /// where nothing tells.
    func databaseHeader() throws(StoreFailure) -> [UInt8] {
        if let first = try self.page(1) { return first.isSound ? Array(first.bytes[..<100]) : [] }
        return try self.database?.read(at: 0, count: 100) ?? []
    }

    // MARK: Reading

    private var frameBytes: Int { Self.frameHeaderBytes + (self.pageBytes ?? 0) }

    /// Where in the file a frame begins.
    private func place(of index: Int) -> Int { Self.headerBytes + index * self.frameBytes }

    private func bytes(of index: Int) throws(StoreFailure) -> [UInt8] {
        try self.file.read(at: self.place(of: index), count: self.frameBytes)
    }

    private static func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func bytes(of word: UInt32) -> [UInt8] {
        withUnsafeBytes(of: word.bigEndian) { Array($0) }
    }

    /// The two sums that stand at a place.
    private static func sums(_ bytes: [UInt8], _ place: Int) -> [UInt32] {
        [Self.word(bytes, place), Self.word(bytes, place + 4)]
    }

    private struct Header {
        let salts: [UInt8]
        let isBigEndian: Bool
        let sums: [UInt32]
        let pageBytes: Int
    }

    /// What the header says; nil where its checksum fails.
    private static func header(_ bytes: [UInt8]) -> Header? {
        // The last bit of the magic number tells in which order the checksums read words.
        guard Self.word(bytes, 0) & ~1 == 0x377F_0682 else { return nil }
        let isBigEndian = bytes[3] & 1 == 1
        var sums: [UInt32] = [0, 0]
        cpages_log_sum(bytes, 24, isBigEndian ? 1 : 0, &sums)
        guard sums == Self.sums(bytes, 24) else { return nil }
        return Header(
            salts: Array(bytes[16..<24]), isBigEndian: isBigEndian, sums: sums,
            pageBytes: Int(Self.word(bytes, 8)))
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
        guard number > 0, let database = self.database, let size = self.pageBytes else {
            return nil
        }
        let page = try database.read(at: (Int(number) - 1) * size, count: size)
        return page.count == size ? page : nil
    }

    private mutating func scan() throws(StoreFailure) {
        let bytes = try self.file.read(at: 0, count: Self.headerBytes)
        let least = Self.headerBytes + Self.frameHeaderBytes + Int(CPAGES_PAGE_BYTES)
        guard bytes.count == Self.headerBytes, self.file.count >= least else { return }
        var header = Self.header(bytes)
        if header == nil {
            header = Self.mended(bytes)
            let first = try self.file.read(at: Self.headerBytes, count: Self.frameHeaderBytes)
            // A header that was being written when the power failed belongs to none of the frames.
            guard header != nil || first[8..<16] == bytes[16..<24] else { return }
            self.damage.append(
                "the header of the write-ahead log is damaged"
                    + (header == nil ? "" : " in one bit"))
        }
        // What has pages of another size is not of this program.
        guard let header, Self.sizes.contains(header.pageBytes) else { return }
        self.pageBytes = header.pageBytes
        let count = (self.file.count - Self.headerBytes) / self.frameBytes
        var sums = header.sums
        var transaction = Transaction()
        // A transaction that is damaged or was never synced; what follows it tells which.
        var doubtful: Transaction?
        for index in 0..<count {
            var bytes = try self.bytes(of: index)
            let read = try self.frame(index, &bytes, header, &sums, count) { number in
                transaction.frames[number] ?? doubtful?.frames[number]
            }
            guard let read else { break }
            if transaction.frames.isEmpty, read.doubt == nil, let earlier = doubtful {
                self.take(earlier)
                doubtful = nil
            }
            let number = Self.word(bytes, 0)
            let mark = Self.word(bytes, 4)
            if !read.hasOwnBeginning, mark > 0 {
                transaction.endMark = mark
                transaction.before = transaction.frames.filter { $0.value.isSound }
            } else if mark == 0, read.doubt == nil, transaction.before[number] != nil {
                // A commit holds a page once, but for its last frame: so that was the end of one.
                transaction.pageCount = transaction.endMark
                self.take(transaction)
                transaction = Transaction()
            }
            if let doubt = read.doubt { transaction.doubts.append(doubt) }
            if let flip = read.flip { transaction.flips.append(flip) }
            transaction.frames[number] = read.frame
            guard read.hasOwnBeginning, mark > 0 else { continue }
            transaction.pageCount = mark
            if transaction.doubts.isEmpty {
                self.take(transaction)
            } else {
                transaction.frames.merge(doubtful?.frames ?? [:]) { own, _ in own }
                transaction.doubts = (doubtful?.doubts ?? []) + transaction.doubts
                transaction.flips = (doubtful?.flips ?? []) + transaction.flips
                doubtful = transaction
            }
            transaction = Transaction()
        }
        if !transaction.frames.isEmpty {
            // They go on from the last commit, which therefore had been synced.
            self.lastBytes = [:]
        }
        // A commit whose end is missing was never synced, but for an end that cannot be told.
        if transaction.doubts.isEmpty, doubtful == nil,
            transaction.flips.contains(where: { $0.byte == nil })
        {
            self.damage += transaction.flips.map(\.words)
        }
    }

    /// A bit that is not as it was written.
    private struct Flip {
        let words: String
        /// What its byte was, and where in the file that is; nil where that cannot be told.
        var byte: (place: Int, value: UInt8)?
        /// Whether it was this bit also if the frame was not written whole.
        var isCertain = true
    }

    /// The byte of a frame that was put right.
    private func flip(
        _ words: String, in frame: Int, from damaged: [UInt8], to mended: [UInt8],
        isCertain: Bool = true
    ) -> Flip {
        let place = damaged.indices.first { damaged[$0] != mended[$0] }
        return Flip(
            words: words,
            byte: place.map { (self.place(of: frame) + $0, mended[$0]) }, isCertain: isCertain)
    }

    /// The frames up to one that commits them.
    private struct Transaction {
        var frames: [UInt32: Frame] = [:]
        var pageCount: UInt32 = 0
        /// What is wrong with them, unless they are what was being written when the power failed.
        ///
        /// Then any sector of them may be missing while later ones are there; instead of it there
        /// is one of an earlier round of the log, or of a commit that was given up. A transaction
        /// is synced before the next one is written, so a sound frame that goes on from its end
        /// proves that it had been there whole.
        var doubts: [String] = []
        /// The bits that were flipped.
        var flips: [Flip] = []
        /// The mark of a frame that may be the end or may have the mark of an earlier round.
        var endMark: UInt32 = 0
        /// The sound frames before that one.
        var before: [UInt32: Frame] = [:]
    }

    private mutating func take(_ transaction: Transaction) {
        self.frames.merge(transaction.frames) { $1 }
        self.pageCount = transaction.pageCount
        self.damage += transaction.doubts + transaction.flips.map(\.words)
        let bytes = transaction.flips.compactMap(\.byte)
        let isAll =
            bytes.count == self.damage.count && transaction.flips.allSatisfy(\.isCertain)
        self.lastBytes = Dictionary(
            isAll ? bytes.map { ($0.place, $0.value) } : [], uniquingKeysWith: { $1 })
    }

    /// Whether one bit makes the difference, as where a disk erred.
    private static func differInOneBit(_ left: [UInt32], _ right: [UInt32]) -> Bool {
        zip(left, right).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount } == 1
    }

    /// What a frame says, with what makes it doubtful or was flipped in it.
    private struct Reading {
        let frame: Frame
        var doubt: String?
        var flip: Flip?
        /// Whether the page's number and the mark of a commit are of this frame for certain.
        var hasOwnBeginning = true
    }

    private static let sectorBytes = 512
    /// The end of a page, where the database file has its checksum.
    private static let reservedBytes = 8
    /// The number and the mark.
    private static let beginningBytes = 8

    /// Whether a frame's number and mark are in another sector than its salts and checksum, so that
    /// they may be what was there before where those are new.
    private func isBeginningApart(_ index: Int) -> Bool {
        (self.place(of: index) + Self.beginningBytes).isMultiple(of: Self.sectorBytes)
    }

    /// Takes the next frame, mended where need be; nil where the log ends before it.
    private func frame(
        _ index: Int, _ bytes: inout [UInt8], _ header: Header, _ sums: inout [UInt32],
        _ count: Int, newest: (UInt32) -> Frame?
    ) throws(StoreFailure) -> Reading? {
        let stored = Self.sums(bytes, 16)
        let start = sums
        let computed = Self.sums(after: start, of: bytes, header)
        let hasSalts = bytes[8..<16].elementsEqual(header.salts)
        let damaged = "frame \(index + 1) of the write-ahead log is damaged"
        if computed == stored {
            sums = stored
            let frame = Frame(index: index)
            if hasSalts { return Reading(frame: frame) }
            // Frames of an earlier round do not go on from these sums; but salts of one may be left
            // where they are in another sector than the checksum.
            return Self.differInOneBit(Self.sums(bytes, 8), Self.sums(header.salts, 0))
                ? Reading(frame: frame, flip: Flip(words: damaged))
                : Reading(frame: frame, doubt: damaged)
        }
        guard hasSalts else { return nil }
        // Does the next frame go on from what this one ought to have, or from what it says?
        let next = try index + 1 < count ? self.bytes(of: index + 1) : nil
        if let next, Self.sums(after: computed, of: next, header) == Self.sums(next, 16) {
            sums = computed
            let words = "the checksum of \(damaged)"
            let frame = Frame(index: index)
            return Self.differInOneBit(computed, stored)
                ? Reading(frame: frame, flip: Flip(words: words))
                : Reading(frame: frame, doubt: words)
        }
        if self.isBeginningApart(index),
            let mended = try self.withBeginning(
                bytes, from: start, to: stored, header, count, newest)
        {
            sums = stored
            bytes = mended
            return Reading(frame: Frame(index: index, mended: mended), doubt: damaged)
        }
        let isOfSum = Self.differInOneBit(computed, stored)
        var mending = try FrameMending.find(
            bytes, from: start, to: stored, isBigEndian: header.isBigEndian
        ) { (number) throws(StoreFailure) in try self.earlier(number, newest(number)) }
        // The last bytes of a page are not of its contents, so that they may be turned on a guess.
        if isOfSum, let mended = mending.frame,
            mended.dropLast(Self.reservedBytes) != bytes.dropLast(Self.reservedBytes)
        {
            mending = .several
        }
        // Of a page that was torn something else is missing, which its shape mostly tells.
        if case .oneOfWhole(let mended) = mending,
            !PageShape.isPossible(
                Array(mended[Self.frameHeaderBytes...]), number: Self.word(mended, 0))
        {
            mending = .none
        }
        let flipped = "one bit of frame \(index + 1) of the write-ahead log is flipped"
        switch mending {
        case .none: break
        case .one(let mended), .oneOfWhole(let mended):
            sums = stored
            let isCertain = mending == .one(mended)
            let flip = self.flip(
                flipped, in: index, from: bytes, to: mended, isCertain: isCertain)
            bytes = mended
            return Reading(frame: Frame(index: index, mended: mended), flip: flip)
        case .several:
            // What it holds counts only where something else vouches for it.
            sums = stored
            return Reading(
                frame: Frame(index: index, isSound: false),
                flip: Flip(words: damaged + " in one bit, and nothing tells in which"))
        }
        if isOfSum {
            // No bit of what is summed makes this sum.
            sums = computed
            let mended = bytes[..<16] + computed.flatMap(Self.bytes(of:)) + bytes[24...]
            let isUpper = zip(computed, stored).contains { ($0 ^ $1) >> 24 != 0 }
            let flip = self.flip(
                flipped, in: index, from: bytes, to: Array(mended), isCertain: !isUpper)
            return Reading(frame: Frame(index: index, mended: Array(mended)), flip: flip)
        }
        guard let next, next[8..<16].elementsEqual(header.salts),
            Self.sums(after: stored, of: next, header) == Self.sums(next, 16)
        else { return nil }
        sums = stored
        return Reading(
            frame: Frame(index: index, isSound: false), doubt: damaged,
            hasOwnBeginning: !self.isBeginningApart(index))
    }

    /// A frame with the number and the mark that make its checksum right; nil where they cannot be
    /// those, or where a bit of the page may as well be flipped.
    private func withBeginning(
        _ bytes: [UInt8], from start: [UInt32], to end: [UInt32], _ header: Header, _ count: Int,
        _ newest: (UInt32) -> Frame?
    ) throws(StoreFailure) -> [UInt8]? {
        let beginning = FrameMending.beginning(
            bytes, from: start, to: end, isBigEndian: header.isBigEndian)
        let number = Self.word(beginning, 0)
        let mark = Self.word(beginning, 4)
        let pages = (self.database?.count ?? 0) / header.pageBytes + count
        guard number > 0, max(number, mark) <= pages else { return nil }
        guard mark == 0 || mark >= max(number, self.pageCount) else { return nil }
        let said = Self.word(bytes, 0)
        if said != number, Self.differInOneBit(Self.sums(bytes, 0), [number, mark]) {
            // The sum of some flipped bits is that of another number. But this is a later version of
            // the page that it is most like.
            let page = bytes[Self.frameHeaderBytes...]
            func changed(_ number: UInt32) throws(StoreFailure) -> Int {
                guard let before = try self.earlier(number, newest(number)) else { return .max }
                return zip(page, before).count { $0 != $1 }
            }
            guard try changed(said) >= changed(number) else { return nil }
        }
        return beginning + bytes[Self.beginningBytes...]
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
