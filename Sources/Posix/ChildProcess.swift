import CLinux
import Glibc

/// A program that this process has started and waits for: posix_spawnp(3), pidfd_open(2), waitpid(2).
///
/// It gets the streams that are given, and none else of this process; signals are as they are by
/// default, but for those that ``Interrupts`` leaves ignored. It goes on when this value goes: call ``wait()`` to know how it ends.
package final class ChildProcess {
    /// How a program has ended.
    package enum End: Hashable, Sendable {
        /// By itself, with this status.
        case exited(Int32)
        /// By a signal.
        case killed(Int32)

        /// The status as a shell gives it: 128 and the signal's number for one that was killed.
        package var status: Int32 {
            switch self {
            case .exited(let status): status
            case .killed(let signal): 128 + signal
            }
        }
    }

    /// The number of the process.
    package let pid: Int32
    private let descriptor: FileDescriptor
    private let isLeader: Bool
    private var end: End?

    /// Starts a program, which is looked for in `PATH` where its name has no slash.
    ///
    /// - Parameters:
    ///   - words: the program and its arguments.
    ///   - environment: all that it gets.
    ///   - streams: which descriptor becomes which: 0, 1, 2, or others that are to be kept open.
    ///   - isLeader: whether it leads a process group of its own, so that all that it starts can be
    ///     ended with it.
    ///
    /// Throws what posix_spawnp(3) gives, such as `ENOENT`; nothing runs then.
    package init(
        _ words: [String], environment: [String: String], streams: [Int32: Int32] = [:],
        isLeader: Bool = false
    ) throws(SystemError) {
        guard let program = words.first else { throw SystemError(EINVAL, "posix_spawn") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, source) in streams.sorted(by: { $0.key < $1.key }) {
            posix_spawn_file_actions_adddup2(&actions, source, number)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        for number in [SIGINT, SIGHUP] where clinux_is_ignored(number) == 1 {
            sigdelset(&all, number)
        }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        if isLeader { flags |= POSIX_SPAWN_SETPGROUP }
        posix_spawnattr_setflags(&attributes, Int16(flags))
        posix_spawnattr_setpgroup(&attributes, 0)
        let arguments = words.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var pid = pid_t()
        let code = posix_spawnp(&pid, program, &actions, &attributes, arguments, variables)
        guard code == 0 else { throw SystemError(code, "start", program) }
        self.pid = pid
        self.isLeader = isLeader
        let number = clinux_process_descriptor(pid)
        guard number >= 0 else {
            let code = errno
            // Nobody could wait for it.
            kill(isLeader ? -pid : pid, SIGKILL)
            waitpid(pid, nil, 0)
            throw SystemError(code, "pidfd_open")
        }
        self.descriptor = FileDescriptor(owning: number)
    }

    /// Readable once the program has ended.
    package var endDescriptor: Int32 { self.descriptor.number }

    /// Waits until the program has ended.
    package func wait() -> End {
        if let end = self.end { return end }
        var status: Int32 = 0
        while waitpid(self.pid, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        let end = signal == 0 ? End.exited((status >> 8) & 0xFF) : .killed(signal)
        self.end = end
        return end
    }

    /// Sends a signal to the program, and to all in its group where it leads one: kill(2).
    package func signal(_ number: Int32) {
        // Once it has been waited for its number may be another's; a group is gone only with all in it.
        guard self.end == nil || self.isLeader else { return }
        kill(self.isLeader ? -self.pid : self.pid, number)
    }
}

/// A stream within the system: pipe(2).
package enum Pipe {
    // `F_SETPIPE_SZ`, which Glibc's module lacks: linux/fcntl.h.
    private static let setSize: Int32 = 1_031

    /// Makes one; each end is to have an owner, and programs that are started get neither by themselves.
    ///
    /// - Parameter byteCount: how much it is to hold before who writes has to wait; nil for what the system
    ///   gives, which is also what it holds where the system does not give so much.
    package static func make(
        holding byteCount: Int32? = nil
    ) throws(SystemError) -> (output: Int32, input: Int32) {
        var numbers: [Int32] = [-1, -1]
        guard pipe(&numbers) == 0 else { throw SystemError(errno, "pipe") }
        for number in numbers { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
        if let byteCount { _ = fcntl(numbers[1], Self.setSize, byteCount) }
        return (numbers[0], numbers[1])
    }
}
