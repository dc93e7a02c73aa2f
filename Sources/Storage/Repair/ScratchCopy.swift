internal import CPages
internal import Engine
internal import Formats
internal import Glibc

/// The copy of a damaged database that a repair reads.
///
/// The pages that say where the tables are (the first one, and those that it points to for the
/// schema) are the same in every store but for a few counters. So where they are damaged they are
/// taken from an empty store, and SQLite can read the rest.
enum ScratchCopy {
    private static let pageBytes = PageCheck.pageBytes

    /// Copies a database and its log; `model` is an empty store, closed or without a log.
    ///
    /// With `replacesHeader` its first page is taken also where that of the database is sound.
    static func make(
        of database: String, at path: String, like model: String, replacesHeader: Bool
    ) throws(StoreFailure) {
        let pages = try self.schemaPages(of: model)
        if let log = try WriteAheadLog(path: database + "-wal") {
            try self.create(path + "-wal") { (write) throws(StoreFailure) in
                var model = pages
                // With unequal counters the log's own number of pages counts.
                model[1]?[92] ^= 1
                if var page = model[1] {
                    cpages_write_checksum(&page, CPAGES_PAGE_BYTES, 1)
                    model[1] = page
                }
                try log.readable(model: model, write)
            }
        }
        let file = try RawFile(path: database)
        let count = UInt32(clamping: (file?.count ?? 0) / self.pageBytes)
        var said = count
        try self.create(path) { (write) throws(StoreFailure) in
            var number: UInt32 = 1
            while number <= max(count, said), let file {
                var page = try file.read(at: PageCheck.place(number), count: self.pageBytes)
                // A file that was cut short has pages that are damaged instead.
                page += [UInt8](repeating: 0, count: self.pageBytes - page.count)
                let isReplaced = number == 1 && replacesHeader
                let hasChecksum = cpages_has_checksum(page, CPAGES_PAGE_BYTES, number) != 0
                let isSound = !isReplaced && hasChecksum
                if !isSound, let model = pages[number] {
                    page = model
                    if number == 1 { Self.setPageCount(count, in: &page) }
                }
                if number == 1 { said = page[28..<32].reduce(0) { $0 << 8 | UInt32($1) } }
                try write(page)
                number += 1
            }
        }
    }

    /// The header's number of pages, which counts where both of its counters are equal.
    private static func setPageCount(_ count: UInt32, in page: inout [UInt8]) {
        withUnsafeBytes(of: count.bigEndian) { page.replaceSubrange(28..<32, with: $0) }
        page.replaceSubrange(92..<96, with: page[24..<28])
        cpages_write_checksum(&page, CPAGES_PAGE_BYTES, 1)
    }

    /// The pages of an empty store that hold anything, by their numbers.
    private static func schemaPages(of model: String) throws(StoreFailure) -> [UInt32: [UInt8]] {
        var pages: [UInt32: [UInt8]] = [:]
        guard let file = try RawFile(path: model) else { return pages }
        for number in 1...UInt32(max(1, file.count / self.pageBytes)) {
            let page = try file.read(at: PageCheck.place(number), count: self.pageBytes)
            // The number of cells stands behind the kind of page and its first free block.
            let start = number == 1 ? 100 : 0
            guard page.count == self.pageBytes, page[start + 3] != 0 || page[start + 4] != 0
            else { continue }
            pages[number] = page
        }
        return pages
    }

    private static func create(
        _ path: String,
        _ body: (([UInt8]) throws(StoreFailure) -> Void) throws(StoreFailure) -> Void
    ) throws(StoreFailure) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else {
            throw StoreFailure(systemError: errno, doing: "create the file", path: path)
        }
        defer { close(descriptor) }
        try body { (bytes) throws(StoreFailure) in
            let written = write(descriptor, bytes, bytes.count)
            guard written == bytes.count else {
                // Part of a page is written where the space ends within it.
                throw StoreFailure(
                    systemError: written < 0 ? errno : ENOSPC, doing: "write the file", path: path)
            }
        }
    }
}
