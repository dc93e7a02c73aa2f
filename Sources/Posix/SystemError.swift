import Glibc

/// A system call that failed: which, on what, and why.
///
/// The description is fit for people: it names the object, the reason and, for the usual causes,
/// what to do next. Codes are those of errno(3).
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The value of `errno`, as in errno(3).
    package let code: Int32
    /// The call that failed, such as `open`.
    package let call: String
    /// What it was called on: a path, an address, an interface; may be empty.
    package let context: String
    /// What to do about it, where the place of failure knows better than the code does: in lower
    /// case and without a full stop, as it stands behind the reason.
    package let advice: String?

    package init(_ code: Int32, _ call: String, _ context: String = "", advice: String? = nil) {
        self.code = code
        self.call = call
        self.context = context
        self.advice = advice
    }

    /// Makes an error of a call that got a descriptor, and traps when that was not open.
    ///
    /// `EBADF` means that somebody closed a descriptor that is still in use. Going on would sooner
    /// or later write into a stranger's file, so it is our own broken invariant.
    static func ofDescriptor(_ code: Int32, _ call: String, _ context: String = "") -> SystemError {
        precondition(code != EBADF, "a closed descriptor was used")
        return SystemError(code, call, context)
    }

    /// The symbolic name of the code, such as `ENOENT`, or its number.
    package var codeName: String {
        guard let name = strerrorname(self.code) else { return "errno \(self.code)" }
        return name
    }

    /// True when a connect found nobody listening: no such socket, or one whose owner is gone.
    package var meansNobodyListens: Bool { self.code == ENOENT || self.code == ECONNREFUSED }

    /// True when the network does not lead there.
    package var meansNoRoute: Bool {
        [ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL].contains(self.code)
    }

    /// True when the other side did not answer in time.
    package var meansTimedOut: Bool { self.code == ETIMEDOUT }

    /// True when there is no such file or directory.
    package var meansNotFound: Bool { self.code == ENOENT }

    /// True when nothing can be written to the file system.
    package var meansReadOnly: Bool { self.code == EROFS }

    /// True when the disk cannot read what was once written to it.
    package var meansUnreadable: Bool { self.code == EIO }

    /// True when something has that name already.
    package var meansExists: Bool { self.code == EEXIST }

    /// True when the disk is full, or the user may write no more on it.
    package var meansDiskFull: Bool { self.code == ENOSPC || self.code == EDQUOT }

    /// What failed and why, without what to do.
    package var reason: String {
        let subject = self.context.isEmpty ? self.call : "\(self.call) \(self.context)"
        return "\(subject): \(self.cause)"
    }

    /// Why, without what failed: for a place that has named that already.
    package var cause: String { "\(String(cString: strerror(self.code))) (\(self.codeName))" }

    /// What to do about it, where that is known; begins in lower case and has no full stop.
    package var remedy: String? { self.advice ?? self.usualAdvice }

    /// The reason and the remedy in one line.
    package var description: String {
        self.remedy.map { "\(self.reason); \($0)" } ?? self.reason
    }

    private var usualAdvice: String? {
        switch self.code {
        case EACCES, EPERM:
            return "check who owns it and its mode, and that you run as the right user"
        case EADDRINUSE:
            return "another program uses this address; choose another port or end that program"
        case EADDRNOTAVAIL:
            return "this machine does not have that address; see `ip address`"
        case EMFILE, ENFILE:
            return "too many open files; raise the limit with `ulimit -n` or LimitNOFILE="
        case ENOSPC, EDQUOT:
            return "free some space on that file system"
        case EIO:
            return "check the system journal for errors of that disk"
        case EROFS:
            return "the file system is read-only; choose a directory elsewhere"
        case ENAMETOOLONG:
            return "choose a shorter path"
        case ENOLCK:
            return "the file system there grants no locks, as NFS does without its lock service: "
                + "choose a folder on a local disk, or start that service (rpc-statd)"
        default:
            return nil
        }
    }
}

/// `strerrorname_np(3)` for the codes that occur here; Glibc's module does not have it.
private func strerrorname(_ code: Int32) -> String? {
    switch code {
    case EACCES: return "EACCES"
    case EADDRINUSE: return "EADDRINUSE"
    case EADDRNOTAVAIL: return "EADDRNOTAVAIL"
    case EAGAIN: return "EAGAIN"
    case ECONNABORTED: return "ECONNABORTED"
    case ECONNREFUSED: return "ECONNREFUSED"
    case ECONNRESET: return "ECONNRESET"
    case EDQUOT: return "EDQUOT"
    case EEXIST: return "EEXIST"
    case EFBIG: return "EFBIG"
    case EHOSTUNREACH: return "EHOSTUNREACH"
    case EINPROGRESS: return "EINPROGRESS"
    case EINVAL: return "EINVAL"
    case EIO: return "EIO"
    case EISDIR: return "EISDIR"
    case EMFILE: return "EMFILE"
    case ENAMETOOLONG: return "ENAMETOOLONG"
    case ENETUNREACH: return "ENETUNREACH"
    case ENFILE: return "ENFILE"
    case ENODEV: return "ENODEV"
    case ENOENT: return "ENOENT"
    case ENOLCK: return "ENOLCK"
    case ENOMEM: return "ENOMEM"
    case ENOSPC: return "ENOSPC"
    case ENOTCONN: return "ENOTCONN"
    case ENOTDIR: return "ENOTDIR"
    case EPERM: return "EPERM"
    case EPIPE: return "EPIPE"
    case EROFS: return "EROFS"
    case ETIMEDOUT: return "ETIMEDOUT"
    default: return nil
    }
}
