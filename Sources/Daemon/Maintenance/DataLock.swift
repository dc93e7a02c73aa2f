internal import ControlAPI
internal import Glibc
internal import Posix

/// Keeps a second daemon off a data directory, and says who the first one is.
///
/// The lock is on `stoad.lock`, which also holds the process id of its owner as text.
package final class DataLock {
    private let lock: LockFile

    /// Takes the lock of a data directory that exists.
    ///
    /// Throws a ``StartError`` that names the other daemon's process id when it is held.
    package init(directory: String) throws(StartError) {
        let path = "\(directory)/stoad.lock"
        do throws(SystemError) {
            self.lock = try LockFile(path: path)
        } catch {
            throw Self.refusal(error, directory)
        }
        Self.write(getpid(), to: path)
    }

    /// Why a data directory cannot be locked, and what helps.
    static func refusal(_ error: SystemError, _ directory: String) -> StartError {
        if LockFile.isHeldByAnother(error) {
            let path = "\(directory)/stoad.lock"
            let bytes = (try? Files.read(path, limitBytes: 32)) ?? []
            let pid = Int32(String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self))
            return StartError(
                "another stoad\(pid.map { ", process \($0)," } ?? "") uses \(directory)",
                remedy: "end it first (systemctl --user stop stoad), or give this one its own "
                    + "place with --data-dir and --socket",
                exitCode: .unavailable)
        }
        guard LockFile.isNotGranted(error) else { return StartError(error) }
        return StartError(
            "the data directory \(directory) cannot be locked: \(error.cause)",
            remedy: "its file system grants no locks, as NFS does without its lock service; "
                + "choose a directory on a local disk with --data-dir, or start that service "
                + "(rpc-statd)",
            exitCode: .unavailable)
    }

    /// Writes the id for people; nothing depends on it, so a failure is of no account.
    private static func write(_ pid: Int32, to path: String) {
        let number = open(path, O_WRONLY | O_CLOEXEC)
        guard number >= 0 else { return }
        let descriptor = FileDescriptor(owning: number)
        let text = Array("\(pid)\n".utf8)
        _ = descriptor.write(text.span.bytes)
        // Cutting the file waits for the disk, so it is done only where an older id was longer.
        if lseek(number, 0, SEEK_END) > text.count { _ = ftruncate(number, text.count) }
    }
}
