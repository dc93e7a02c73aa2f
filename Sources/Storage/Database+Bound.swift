internal import Engine
internal import Formats

/// How many pages a file may have; <https://www.sqlite.org/pragma.html#pragma_max_page_count>.
struct PageBound {
    let pages: Int64
    /// Whether it holds now.
    var holds = false

    /// What takes something off the disk needs some to begin with; an eighth, so that whatever else is
    /// written with it does not fill the disk.
    fileprivate var pagesToFree: Int64 { self.pages + self.pages / 8 }
}

extension Database {
    /// Bounds the file, in bytes, from the next ``hold(_:)`` on; what it has then is not too much.
    func bound(bytes: UInt64) throws(SQLiteError) {
        let pageBytes = try self.int("PRAGMA page_size")
        self.bound = PageBound(pages: max(1, Int64(clamping: bytes) / pageBytes))
    }

    /// Lets the bound hold, where there is one, or be exceeded by what takes something off the disk.
    func hold(_ holds: Bool) throws(SQLiteError) {
        guard let bound = self.bound, bound.holds != holds else { return }
        _ = try self.int("PRAGMA max_page_count = \(holds ? bound.pages : bound.pagesToFree)")
        self.bound?.holds = holds
    }

    /// Says of a failure where it is the bound that was met, and not the end of the disk.
    func naming(_ failure: StoreFailure) -> StoreFailure {
        guard failure.reason == .full, let bound = self.bound, bound.holds,
            let pages = try? self.int("PRAGMA page_count"), pages >= bound.pages / 8 * 7
        else { return failure }
        return StoreFailure(
            reason: .full, detail: "messages use all the space that DiskLimit= allows",
            remedy:
                "raise it in stoad.conf, or delete messages: stoa usage shows what uses space, and stoa "
                + "retain and stoa forget delete it; nothing stored is lost")
    }
}
