import CLinux
import Glibc

/// An exclusive lock that one process holds, until the last reference goes or the process ends.
///
/// It is a lock of the open file description, so it also excludes a second holder in one process.
/// The file stays afterwards; only the lock counts. `F_OFD_SETLK`, fcntl(2).
package final class LockFile {
    private let descriptor: FileDescriptor

    /// Takes the lock, making the file with mode 0600 when it is missing.
    ///
    /// Throws `EAGAIN` when another holds it, see ``isHeldByAnother(_:)``.
    package init(path: String) throws(SystemError) {
        let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw SystemError(errno, "open", path) }
        let descriptor = FileDescriptor(owning: number)
        guard clinux_lock_description(number) == 0 else {
            let code = errno == EACCES ? EAGAIN : errno
            throw SystemError(
                code, "lock", path,
                advice: code == EAGAIN ? "another process holds it; end that one first" : nil)
        }
        self.descriptor = descriptor
    }

    /// Tells whether an error says that another process holds the lock.
    package static func isHeldByAnother(_ error: SystemError) -> Bool {
        error.call == "lock" && error.code == EAGAIN
    }
}

extension LockFile {
    /// Tells whether an error says that the file system has no locks.
    package static func isNotGranted(_ error: SystemError) -> Bool {
        error.call == "lock" && [ENOLCK, EOPNOTSUPP, ENOSYS].contains(error.code)
    }
}

/// A lock that goes over to programs that are started with its descriptor: flock(2).
///
/// It is free once all of them have ended, and this process, too.
package final class LockHolder: Sendable {
    private let descriptor: FileDescriptor

    /// Opens the file, making it with mode 0600 when it is missing; the lock is not taken yet.
    package init(path: String) throws(SystemError) {
        let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw SystemError(errno, "open", path) }
        self.descriptor = FileDescriptor(owning: number)
    }

    /// The descriptor to hand on.
    package var number: Int32 { self.descriptor.number }

    /// Takes the lock where nobody else has it, and says whether it is held now.
    package func tryLock() -> Bool { flock(self.descriptor.number, LOCK_EX | LOCK_NB) == 0 }
}
