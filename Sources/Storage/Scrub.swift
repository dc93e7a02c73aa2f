internal import CPages
internal import Engine
internal import Formats
internal import Glibc

extension StoreFile {
    /// Reads pages past SQLite's cache; see ``MessageStore/scrub(from:count:)``.
    func scrub(from first: UInt32, count: UInt32) throws(SQLiteError) -> ScrubReading {
        var reading = cpages_reading(
            first: first, count: count, damaged: 0, first_damaged: 0, read: 0)
        try self.database.control(CPAGES_CONTROL_READ, &reading)
        if reading.damaged > 0 {
            // A page that was half written when the power failed is whole in the write-ahead log,
            // and gets its place again.
            try self.database.execute("PRAGMA wal_checkpoint(PASSIVE)")
            try self.database.control(CPAGES_CONTROL_READ, &reading)
        }
        return ScrubReading(
            read: reading.read, pages: UInt32(clamping: try self.database.int("PRAGMA page_count")),
            damaged: reading.damaged, firstDamaged: reading.first_damaged)
    }
}

/// The small file beside the continuity file that keeps a ``ScrubPosition``; never synced, since a
/// lost position costs a round begun anew.
struct ScrubFile {
    let path: String
    /// The database that the position is of; a repaired one is another.
    let inode: UInt64

    func read() -> ScrubPosition {
        let descriptor = open(self.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return ScrubPosition() }
        defer { close(descriptor) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
            count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
        }
        let numbers = String(decoding: bytes, as: UTF8.self).split(separator: " ")
            .map { UInt64($0) }
        guard numbers.count == 7, numbers[0] == self.inode, let next = numbers[1],
            let completedAt = numbers[2], let damaged = numbers[3], let first = numbers[4],
            let inRound = numbers[5], numbers[6] == 0
        else { return ScrubPosition() }
        var position = ScrubPosition()
        position.next = max(1, UInt32(clamping: next))
        position.completedAt = completedAt == 0 ? nil : completedAt
        position.damagedPages = UInt32(clamping: damaged)
        position.firstDamaged = UInt32(clamping: first)
        position.damagedInRound = UInt32(clamping: inRound)
        return position
    }

    func write(_ position: ScrubPosition) {
        let descriptor = open(self.path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // The zero at the end, then spaces over what a longer line left.
        let text =
            "\(self.inode) \(position.next) \(position.completedAt ?? 0) \(position.damagedPages) "
            + "\(position.firstDamaged) \(position.damagedInRound) 0"
        let bytes =
            Array(text.utf8) + [UInt8](repeating: 0x20, count: max(0, 160 - text.utf8.count))
        _ = pwrite(descriptor, bytes, bytes.count, 0)
    }
}
