internal import CPages
internal import Engine
internal import Formats
internal import Glibc

/// The commits that SQLite has not yet put into the database, read past SQLite, which takes a
/// damaged frame for the end and would lose what follows.
///
/// Each frame's checksum goes on from the one before. SQLite syncs a commit before it writes the
/// next one, so a sound frame that goes on from the end of a damaged commit proves that this had
/// been whole: that is damage. Where nothing goes on from it, it may as well be what was being
/// written when the power failed: that is never taken for a commit.
/// Section 4 of <https://www.sqlite.org/fileformat2.html>.
struct WriteAheadLog {
    private static let headerBytes = 32
    private static let frameHeaderBytes = 24
    private static let frameBytes = Self.frameHeaderBytes + Int(CPAGES_PAGE_BYTES)
    private static let sectorBytes = 512

    /// What is damaged, in words; SQLite must not open the database over it.
    private(set) var damage: String?
    /// What follows the last commit and is not whole, in words; SQLite leaves it out.
    private(set) var tail: String?
    /// The numbers of the pages that the log's commits hold.
    private(set) var pages: Set<UInt32> = []
    /// How many pages the database has after the last commit; 0 where the log holds no commit.
    private(set) var pageCount: UInt32 = 0

    /// How many frames there are up to the end of the last commit.
    private(set) var frameCount = 0
    /// The frames whose pages are not as they were written.
    private var lostFrames: Set<Int> = []

    private let file: RawFile
    private var isBigEndian: Int32 = 0
    private var salts: [UInt32] = []

    /// Reads the log beside a database; nil where there is none.
    init?(path: String) throws(StoreFailure) {
        guard let file = try RawFile(path: path), file.count > Self.headerBytes else { return nil }
        self.file = file
        let header = try file.read(at: 0, count: Self.headerBytes)
        let first = try file.read(at: Self.headerBytes, count: Self.frameHeaderBytes)
        guard header.count == Self.headerBytes, first.count == Self.frameHeaderBytes else { return }
        // The last bit of the magic number tells in which order the checksums read words.
        self.isBigEndian = Int32(header[3] & 1)
        var sums: [UInt32] = [0, 0]
        cpages_log_sum(header, 24, self.isBigEndian, &sums)
        guard Self.word(header, 0) & ~1 == 0x377F_0682, sums == Self.pair(header, 24) else {
            // A header that was being written when the power failed belongs to none of the frames.
            self.salts = Self.pair(first, 8)
            guard Self.differingBits(Self.pair(header, 16), self.salts) <= 1 else { return }
            self.damage = "the header of the write-ahead log is damaged"
            // SQLite writes the words' order of its machine.
            self.isBigEndian = UInt32(1).bigEndian == 1 ? 1 : 0
            try self.scan(after: nil)
            return
        }
        // What has pages of another size is not of this program.
        guard Self.word(header, 8) == CPAGES_PAGE_BYTES else { return }
        self.salts = Self.pair(header, 16)
        try self.scan(after: sums)
    }

    /// Refuses damage in the log beside a database before SQLite opens it; gives what is not whole
    /// at its end, with the file's name.
    ///
    /// Says nothing while another process has the database open, and may be writing.
    static func refuseDamage(database path: String) throws(StoreFailure) -> String? {
        let logPath = path + "-wal"
        guard let seen = try WriteAheadLog(path: logPath), seen.damage ?? seen.tail != nil else {
            return nil
        }
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw StoreFailure(systemError: errno, doing: "open the file", path: path)
        }
        defer { close(descriptor) }
        // A lock of the open file description: others that are closed leave it alone.
        guard cpages_lock(descriptor) == 0 else { return nil }
        defer { cpages_unlock(descriptor) }
        guard let log = try WriteAheadLog(path: logPath) else { return nil }
        if let damage = log.damage {
            throw StoreFailure(reason: .corrupt, detail: "\(logPath): \(damage)", path: path)
        }
        return log.tail.map { "\(logPath): \($0)" }
    }

    // MARK: Reading

    private static func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The two words that stand at a place: salts or sums.
    private static func pair(_ bytes: [UInt8], _ place: Int) -> [UInt32] {
        [Self.word(bytes, place), Self.word(bytes, place + 4)]
    }

    private static func differingBits(_ left: [UInt32], _ right: [UInt32]) -> Int {
        zip(left, right).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
    }

    /// Where in the file a frame begins.
    private static func place(of index: Int) -> Int { Self.headerBytes + index * Self.frameBytes }

    private func bytes(of index: Int) throws(StoreFailure) -> [UInt8]? {
        let bytes = try self.file.read(at: Self.place(of: index), count: Self.frameBytes)
        return bytes.count == Self.frameBytes ? bytes : nil
    }

    /// The sums that a frame ought to have behind those of the one before.
    private func sums(after start: [UInt32], of bytes: [UInt8]) -> [UInt32] {
        var sums = start
        cpages_log_sum(bytes, 8, self.isBigEndian, &sums)
        bytes.withUnsafeBufferPointer { buffer in
            let page = UnsafeBufferPointer(rebasing: buffer[Self.frameHeaderBytes...])
            cpages_log_sum(page.baseAddress, Int32(page.count), self.isBigEndian, &sums)
        }
        return sums
    }

    /// The frames up to one that commits them.
    private struct Transaction {
        /// The pages of its sound frames.
        var pages: Set<UInt32> = []
        var last: UInt32 = 0
        /// Its first frame that is not as it was written.
        var doubt: Int?
    }

    /// Reads all frames; `start` are the header's sums, nil where they are not known.
    private mutating func scan(after start: [UInt32]?) throws(StoreFailure) {
        var sums = start
        var transaction = Transaction()
        /// A frame of the transaction before, of which nothing proves yet that it was synced.
        var doubtful: Int?
        var index = 0
        while let bytes = try self.bytes(of: index) {
            let stored = Self.pair(bytes, 16)
            let computed = sums.map { self.sums(after: $0, of: bytes) } ?? stored
            let strange = Self.differingBits(Self.pair(bytes, 8), self.salts)
            let isSound = computed == stored && strange == 0
            // A frame of an earlier round of the log ends it.
            if computed != stored && strange > 1 { break }
            let number = Self.word(bytes, 0)
            sums = stored
            if isSound {
                // In one commit a page stands once, but for its last frame: so there was an end.
                let isNext = transaction.pages.contains(number) && transaction.last != number
                let isFirst = transaction.pages.isEmpty && transaction.doubt == nil
                if let frame = isFirst ? doubtful : isNext ? transaction.doubt : nil {
                    let words = "frame \(frame + 1) of the write-ahead log is damaged"
                    self.damage = self.damage ?? words
                    (doubtful, transaction) = (nil, Transaction())
                }
                transaction.pages.insert(number)
                transaction.last = number
            } else {
                transaction.doubt = transaction.doubt ?? index
                // Does the next frame go on from what this one ought to have? Then its page is sound.
                if let next = try self.bytes(of: index + 1),
                    self.sums(after: computed, of: next) == Self.pair(next, 16)
                {
                    sums = computed
                } else if computed != stored {
                    self.lostFrames.insert(index)
                }
            }
            // Where a sector ends behind page number and mark, these may be of an earlier round.
            let hasOwnMark =
                isSound || !(Self.place(of: index) + 8).isMultiple(of: Self.sectorBytes)
            let mark = hasOwnMark ? Self.word(bytes, 4) : 0
            if mark > 0 {
                if transaction.doubt == nil && doubtful == nil {
                    self.pages.formUnion(transaction.pages)
                    self.pageCount = mark
                    self.frameCount = index + 1
                }
                doubtful = doubtful ?? transaction.doubt
                transaction = Transaction()
            }
            index += 1
        }
        if let frame = doubtful ?? transaction.doubt {
            self.tail =
                "frame \(frame + 1) of the write-ahead log, behind its last whole commit, was being "
                + "written when the power failed, or is damaged"
        }
    }

    /// The log as SQLite can read it up to its last commit: with checksums that hold, and zeros in
    /// the place of pages that are not as they were written, which SQLite takes for damage.
    ///
    /// `model` holds what is put in the place of some of those, by their numbers, with their own
    /// checksums.
    func readable(
        model: [UInt32: [UInt8]], _ write: ([UInt8]) throws(StoreFailure) -> Void
    ) throws(StoreFailure) {
        func bytes(_ words: [UInt32]) -> [UInt8] {
            words.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
        }
        let magic: UInt32 = 0x377F_0682 | UInt32(self.isBigEndian)
        let header = bytes([magic, 3_007_000, UInt32(CPAGES_PAGE_BYTES), 0] + self.salts)
        var sums: [UInt32] = [0, 0]
        cpages_log_sum(header, 24, self.isBigEndian, &sums)
        try write(header + bytes(sums))
        for index in 0..<self.frameCount {
            guard var frame = try self.bytes(of: index) else { return }
            if self.lostFrames.contains(index) {
                let number = frame[..<4].reduce(0) { $0 << 8 | UInt32($1) }
                let page = model[number] ?? [UInt8](repeating: 0, count: Int(CPAGES_PAGE_BYTES))
                frame.replaceSubrange(Self.frameHeaderBytes..., with: page)
            }
            sums = self.sums(after: sums, of: frame)
            frame.replaceSubrange(8..<24, with: bytes(self.salts + sums))
            try write(frame)
        }
    }
}
