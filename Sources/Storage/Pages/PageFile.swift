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
    /// How many pages the database has.
    let count: UInt32
    /// Whether the pages have checksums; those of the first version have none.
    let isSealed: Bool
    /// Whether the file ends within a page or before the last one.
    let isCutShort: Bool

    /// Reads what there is of a database; nil where there is none.
    init?(path: String) throws(StoreFailure) {
        self.file = try RawFile(path: path)
        self.log = try WriteAheadLog(path: path + "-wal")
        let bytes = self.file?.count ?? 0
        guard bytes > 0 || self.log?.pageCount ?? 0 > 0 else { return nil }
        let whole = UInt32(clamping: bytes / Self.pageBytes)
        let header = try self.file?.read(at: 0, count: Self.pageBytes) ?? []
        var isSealed = header.count >= 100 && cpages_is_sealed_header(header) != 0
        // A header that was overwritten says nothing; the pages behind it do.
        for number in 2..<UInt32(18) where !isSealed && number <= whole {
            let page = try self.file?.read(at: Self.place(number), count: Self.pageBytes) ?? []
            isSealed = cpages_is_sealed(page, number) != 0
        }
        self.isSealed = isSealed
        if let pages = self.log?.pageCount, pages > 0 {
            self.count = pages
            self.isCutShort = false
        } else {
            // A file that was cut short says in its header how long it had been.
            var said: UInt32 = 0
            if header.count >= 32, !isSealed || cpages_is_sealed(header, 1) != 0 {
                said = header[28..<32].reduce(0) { $0 << 8 | UInt32($1) }
            }
            self.isCutShort = said > whole || !bytes.isMultiple(of: Self.pageBytes)
            self.count = whole
        }
    }

    private static var pageBytes: Int { Int(CPAGES_PAGE_BYTES) }

    private static func place(_ number: UInt32) -> Int { (Int(number) - 1) * Self.pageBytes }

    /// The page at whose first byte SQLite locks: it holds nothing.
    static let lockPage: UInt32 = 0x4000_0000 / UInt32(CPAGES_PAGE_BYTES) + 1

    /// Reads a page, from 1, as it was last committed; mended where one bit was flipped.
    ///
    /// `isMending` false leaves a page without its checksum as it is, which is quicker.
    func page(
        _ number: UInt32, isMending: Bool = true
    ) throws(StoreFailure) -> (bytes: [UInt8], state: State) {
        if let page = try self.log?.page(number) {
            return (page.bytes, page.isSound ? .sound : .damaged)
        }
        var bytes = try self.file?.read(at: Self.place(number), count: Self.pageBytes) ?? []
        guard bytes.count == Self.pageBytes else {
            bytes += [UInt8](repeating: 0, count: Self.pageBytes - bytes.count)
            return (bytes, .damaged)
        }
        if !self.isSealed || number == Self.lockPage || cpages_is_sealed(bytes, number) != 0 {
            return (bytes, .sound)
        }
        return isMending && cpages_mend(&bytes, number) != 0 ? (bytes, .mended) : (bytes, .damaged)
    }
}
