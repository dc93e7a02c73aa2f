internal import CPages
internal import Engine

/// A database and its write-ahead log as pages, read past SQLite.
struct PageFile {
    /// What a page's checksum says.
    enum State: Hashable {
        /// It holds.
        case sound
        /// One bit was flipped, and is put right.
        case mended
        /// It does not hold, so that the bytes say nothing by themselves.
        case damaged
    }

    private let file: RawFile?
    let log: WriteAheadLog?
    /// The size of a page in bytes.
    let pageBytes: Int
    /// How many pages the database has.
    let count: UInt32
    /// Whether the pages have checksums; those of the first version have none.
    let hasChecksums: Bool
    /// Whether the file ends within a page or before the last one.
    let isCutShort: Bool

    /// Reads what there is of a database; nil where there is none.
    init?(path: String) throws(StoreFailure) {
        self.file = try RawFile(path: path)
        self.log = try WriteAheadLog(path: path + "-wal")
        let bytes = self.file?.count ?? 0
        guard bytes > 0 || self.log?.pageCount ?? 0 > 0 else { return nil }
        let header = try self.file?.read(at: 0, count: Int(CPAGES_LARGE_PAGE_BYTES)) ?? []
        let said = header.count >= 100 ? Int(cpages_page_bytes(header)) : 0
        var size = said > 0 ? said : self.log?.pageBytes
        var hasChecksums = header.count >= 100 && cpages_header_has_checksums(header) != 0
        if !hasChecksums || size == nil,
            let found = try Self.checksummedSize(of: self.file, knowing: size)
        {
            (hasChecksums, size) = (true, found)
        }
        self.hasChecksums = hasChecksums
        self.pageBytes = size ?? Int(CPAGES_PAGE_BYTES)
        let whole = UInt32(clamping: bytes / self.pageBytes)
        if let pages = self.log?.pageCount, pages > 0 {
            self.count = pages
            self.isCutShort = false
        } else {
            // A file that was cut short says in its header how long it had been.
            var said: UInt32 = 0
            if header.count >= self.pageBytes,
                !hasChecksums || cpages_has_checksum(header, Int32(self.pageBytes), 1) != 0
            {
                said = header[28..<32].reduce(0) { $0 << 8 | UInt32($1) }
            }
            self.isCutShort = said > whole || !bytes.isMultiple(of: self.pageBytes)
            self.count = whole
        }
    }

    /// The size of the pages where some that are not the first have their checksum: a header that was
    /// overwritten says nothing.
    private static func checksummedSize(
        of file: RawFile?, knowing known: Int?
    ) throws(StoreFailure) -> Int? {
        for size in [CPAGES_PAGE_BYTES, CPAGES_LARGE_PAGE_BYTES]
        where Int(size) == known ?? Int(size) {
            for number in 2..<UInt32(18) {
                let place = (Int(number) - 1) * Int(size)
                let page = try file?.read(at: place, count: Int(size)) ?? []
                guard page.count == Int(size) else { break }
                if cpages_has_checksum(page, size, number) != 0 { return Int(size) }
            }
        }
        return nil
    }

    /// Where in the file a page is.
    func place(_ number: UInt32) -> Int { (Int(number) - 1) * self.pageBytes }

    /// The page at whose first byte SQLite locks: it holds nothing.
    var lockPage: UInt32 { 0x4000_0000 / UInt32(self.pageBytes) + 1 }

    /// Reads a page, from 1, as it was last committed; mended where one bit was flipped.
    ///
    /// `isMending` false leaves a page without its checksum as it is, which is quicker.
    func page(
        _ number: UInt32, isMending: Bool = true
    ) throws(StoreFailure) -> (bytes: [UInt8], state: State) {
        if let page = try self.log?.page(number) {
            return (page.bytes, page.isSound ? .sound : .damaged)
        }
        let size = Int32(self.pageBytes)
        var bytes = try self.file?.read(at: self.place(number), count: self.pageBytes) ?? []
        guard bytes.count == self.pageBytes else {
            bytes += [UInt8](repeating: 0, count: self.pageBytes - bytes.count)
            return (bytes, .damaged)
        }
        if !self.hasChecksums || number == self.lockPage
            || cpages_has_checksum(bytes, size, number) != 0
        {
            return (bytes, .sound)
        }
        let isMended = isMending && cpages_mend(&bytes, size, number) != 0
        return (bytes, isMended ? .mended : .damaged)
    }
}
