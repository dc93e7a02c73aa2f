internal import CPages
internal import Engine
internal import Formats

/// A database's pages, read past SQLite, and the commits of its log that are newer.
struct PageCheck {
    private let file: RawFile
    let log: WriteAheadLog?
    /// How many pages the database has.
    let count: UInt32
    /// Whether the file ends within a page or before the last one.
    let isCutShort: Bool

    static let pageBytes = Int(CPAGES_PAGE_BYTES)
    /// The page at whose first byte SQLite locks: it holds nothing.
    private static let lockPage = UInt32(0x4000_0000 / Self.pageBytes + 1)

    /// Reads what there is of a database; nil where there is none.
    init?(path: String) throws(StoreFailure) {
        guard let file = try RawFile(path: path) else { return nil }
        self.file = file
        self.log = try WriteAheadLog(path: path + "-wal")
        let whole = UInt32(clamping: file.count / Self.pageBytes)
        guard file.count > 0 || self.log?.pageCount ?? 0 > 0 else { return nil }
        if let pages = self.log?.pageCount, pages > 0 {
            self.count = pages
            self.isCutShort = false
            return
        }
        // A file that was cut short says in its header how long it had been.
        let first = try file.read(at: 0, count: Self.pageBytes)
        let isFirstSound =
            first.count == Self.pageBytes
            && cpages_has_checksum(first, CPAGES_PAGE_BYTES, 1) != 0
        let said = isFirstSound ? first[28..<32].reduce(0) { $0 << 8 | UInt32($1) } : 0
        self.isCutShort = said > whole || !file.count.isMultiple(of: Self.pageBytes)
        self.count = whole
    }

    /// Where in the file a page is.
    static func place(_ number: UInt32) -> Int { (Int(number) - 1) * Self.pageBytes }

    /// Whether a page has its checksum, or the log has it anew.
    func isSound(_ number: UInt32) throws(StoreFailure) -> Bool {
        if number == Self.lockPage || self.log?.pages.contains(number) ?? false { return true }
        let bytes = try self.file.read(at: Self.place(number), count: Self.pageBytes)
        return bytes.count == Self.pageBytes
            && cpages_has_checksum(bytes, CPAGES_PAGE_BYTES, number) != 0
    }
}
