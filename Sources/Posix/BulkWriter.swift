import CLinux
import Glibc

/// Writes a file of known size in long stretches, a large one past the page cache: open(2) with `O_DIRECT`.
///
/// What goes through the page cache is gathered there, and whoever syncs something else on the same disk
/// waits for what was gathered; past it a sync waits for one stretch at most. Room for the whole file is
/// taken first, since else each stretch changes the tables of the file system, for which a sync waits as
/// well. Where the file system lacks one of the two, it goes through the page cache and is let go there.
package final class BulkWriter {
    private let file: RandomAccessFile
    private let bytes: UInt64
    private var isBegun = false
    /// Past the page cache; nil where that is of no use or not possible.
    private var direct: FileDescriptor?
    /// Where the system takes a stretch from; kept, since fresh memory has to be cleared for each.
    private var memory: UnsafeMutableRawBufferPointer?
    /// What was written through the page cache since it was last let go.
    private var cached = 0

    /// The fewest bytes of a file that is worth it, and after how many the page cache is let go.
    private static let largeBytes = 4 << 20
    /// What place, length and memory of a stretch are multiples of: no disk in use wants more.
    private static let alignment = 4_096

    /// - Parameters:
    ///   - file: open for writing.
    ///   - bytes: how many it is to have in all.
    package init(_ file: RandomAccessFile, bytes: UInt64) {
        self.file = file
        self.bytes = bytes
    }

    deinit { self.memory?.deallocate() }

    /// Writes a stretch, the first time with room for the whole file: so what only claims to be large and
    /// never comes takes none.
    ///
    /// Throws `ENOSPC` where there is no room; what was written before stays.
    package func write(_ stretch: [UInt8], at place: UInt64) throws(SystemError) {
        if !self.isBegun {
            if self.bytes >= Self.largeBytes, try self.file.takeRoom(self.bytes) {
                self.direct = self.file.openUncached()
            }
            self.isBegun = true
        }
        if try self.writeDirectly(stretch, at: place) { return }
        try self.file.write(stretch, at: place)
        self.cached += stretch.count
        if self.cached >= Self.largeBytes {
            self.cached = 0
            self.file.letGo()
        }
    }

    /// False where it cannot be: the end of a file that is no multiple of 4,096 bytes, or anything where
    /// the file system turns out to refuse it.
    private func writeDirectly(_ stretch: [UInt8], at place: UInt64) throws(SystemError) -> Bool {
        guard let number = self.direct?.number, !stretch.isEmpty,
            stretch.count.isMultiple(of: Self.alignment),
            place.isMultiple(of: UInt64(Self.alignment))
        else { return false }
        let memory = self.memory(for: stretch.count)
        stretch.withUnsafeBytes { memory.copyMemory(from: $0) }
        do throws(SystemError) {
            try self.file.write(UnsafeRawBufferPointer(memory), at: place, through: number)
        } catch {
            guard error.code == EINVAL else { throw error }
            self.direct = nil
            return false
        }
        return true
    }

    private func memory(for count: Int) -> UnsafeMutableRawBufferPointer {
        if let memory, memory.count == count { return memory }
        self.memory?.deallocate()
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: count, alignment: Self.alignment)
        self.memory = memory
        return memory
    }
}
