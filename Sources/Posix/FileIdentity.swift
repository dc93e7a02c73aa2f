import CLinux
import Glibc

/// What tells a file from its copies: device, inode and birth time.
///
/// A file that was restored from a backup has another inode or another birth time.
package struct FileIdentity: Hashable, Sendable {
    /// The device that holds the file.
    package let device: UInt64
    /// The inode on that device.
    package let inode: UInt64
    /// Nanoseconds since 1970 at which the inode was made; nil where the file system does not say.
    package let birthNanoseconds: Int64?

    /// Looks at a file: statx(2).
    ///
    /// Throws `ENOENT` when it is missing.
    package init(path: String) throws(SystemError) {
        var found = clinux_identity()
        guard clinux_identity(path, &found) == 0 else { throw SystemError(errno, "stat", path) }
        self.device = found.device
        self.inode = found.inode
        let seconds = found.birth_seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let birth = seconds.partialValue &+ Int64(found.birth_nanoseconds)
        self.birthNanoseconds = found.has_birth != 0 && !seconds.overflow ? birth : nil
    }
}
