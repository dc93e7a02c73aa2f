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
        var pending: [UInt32: Frame] = [:]
        var index = 0
        while index < count {
            var bytes = try self.bytes(of: index)
            guard let frame = try self.frame(index, &bytes, header, &sums, count) else { return }
            pending[Self.word(bytes, 0)] = frame
            let size = Self.word(bytes, 4)
            if size > 0 {
                self.frames.merge(pending) { $1 }
                self.pageCount = size
                pending = [:]
            }
            index += 1
        }
    }

    /// Takes the next frame, mended where need be; nil where the log ends before it.
    private mutating func frame(
        _ index: Int, _ bytes: inout [UInt8], _ header: Header, _ sums: inout [UInt32],
        _ count: Int
    ) throws(StoreFailure) -> Frame? {
        let stored = Self.sums(bytes, 16)
        let start = sums
        let computed = Self.sums(after: start, of: bytes, header)
        let salts = Array(bytes[8..<16])
        if computed == stored {
            sums = stored
            // Frames of an earlier round have other salts, and do not go on from these sums.
            if salts != header.salts {
                self.damage.append("frame \(index + 1) of the write-ahead log is damaged")
            }
            return Frame(index: index)
        }
        guard salts == header.salts else { return nil }
        // Does the next frame go on from what this one ought to have, or from what it says?
        let next = try index + 1 < count ? self.bytes(of: index + 1) : nil
        if let next, Self.sums(after: computed, of: next, header) == Self.sums(next, 16) {
            self.damage.append(
                "the checksum of frame \(index + 1) of the write-ahead log is damaged")
            sums = computed
            return Frame(index: index)
        }
        let isMended =
            mendFrame(&bytes, start: start, end: stored, header.isBigEndian)
        if isMended {
            self.damage.append("one bit of frame \(index + 1) of the write-ahead log is flipped")
            sums = stored
            return Frame(index: index, mended: bytes)
        }
        // What was being written when the power failed is the end; only what others follow was
        // there whole.
        guard let next, next[8..<16].elementsEqual(header.salts),
            Self.sums(after: stored, of: next, header) == Self.sums(next, 16)
        else { return nil }
        self.damage.append("frame \(index + 1) of the write-ahead log is damaged")
        sums = stored
        return Frame(index: index, isSound: false)
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

/// Puts the one flipped bit of a frame right: of its page, or of the numbers before it.
private func mendFrame(
    _ frame: inout [UInt8], start: [UInt32], end: [UInt32], _ isBigEndian: Bool
) -> Bool {
    // The checksum leaves salts and sums out.
    var summed = Array(frame[..<8] + frame[24...])
    guard cpages_log_mend(&summed, start, end, isBigEndian ? 1 : 0) != 0 else { return false }
    frame.replaceSubrange(..<8, with: summed[..<8])
    frame.replaceSubrange(24..., with: summed[8...])
    return true
}
