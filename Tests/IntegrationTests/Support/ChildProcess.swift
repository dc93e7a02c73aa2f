import Glibc
import Posix

/// A program that a test started; it is killed at the latest when nothing holds it any more.
///
/// Standard output comes to the test, standard error goes to a file, standard input is a pipe of
/// the test or empty.
final class ChildProcess {
    let processID: pid_t
    private let output: FileDescriptor
    private var input: FileDescriptor?
    private var buffer: [UInt8] = []
    private var status: Int32?
    private let name: String

    /// How a program ended.
    enum Exit: Equatable, CustomStringConvertible {
        case code(Int32)
        case signal(Int32)

        var description: String {
            switch self {
            case .code(let code): "exit code \(code)"
            case .signal(let number): "signal \(number)"
            }
        }
    }

    /// Starts a program found by `PATH`.
    init(
        _ arguments: [String], environment: [String: String] = ProcessEnvironment.variables(),
        errors: String = "/dev/null", wantsInput: Bool = false
    ) throws {
        self.name = arguments.joined(separator: " ")
        let output = try Self.pipe()
        let input = wantsInput ? try Self.pipe() : nil
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input.read, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, output.write, 1)
        posix_spawn_file_actions_addopen(
            &actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var processID: pid_t = 0
        // Threads of tests may take no signals; programs do.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let code = Self.starting.withLock { _ in
            posix_spawnp(&processID, arguments[0], &actions, &attributes, &argv, &envp)
        }
        close(output.write)
        if let input { close(input.read) }
        self.output = FileDescriptor(owning: output.read)
        self.input = input.map { FileDescriptor(owning: $0.write) }
        self.processID = processID
        guard code == 0 else {
            self.status = 0
            throw Broken("cannot start \(self.name): \(String(cString: strerror(code)))")
        }
    }

    deinit {
        guard self.status == nil else { return }
        Glibc.kill(self.innermost, SIGKILL)
        Glibc.kill(self.processID, SIGKILL)
        var status: Int32 = 0
        while waitpid(self.processID, &status, 0) < 0, errno == EINTR {}
    }

    /// Held while no child may be started, since it would get a pipe that is not its own.
    private static let starting = Protected(())

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        let isMade = Self.starting.withLock { _ in
            guard Glibc.pipe(&ends) == 0 else { return false }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return true
        }
        guard isMade else { throw Broken("no pipe") }
        return (ends[0], ends[1])
    }

    /// The process that does the work: nsenter waits for a child of its own on a lab's host.
    private var innermost: pid_t {
        let path = "/proc/\(self.processID)/task/\(self.processID)/children"
        guard self.name.hasPrefix("nsenter "),
            let bytes = try? Files.read(path, limitBytes: 4_096),
            let child = String(decoding: bytes, as: UTF8.self).split(separator: " ").first
        else { return self.processID }
        return pid_t(child) ?? self.processID
    }

    func signal(_ number: Int32) {
        precondition(self.status == nil, "the process has ended, its number may be another's")
        Glibc.kill(self.innermost, number)
    }

    /// Kills it as a power cut would and waits for its end.
    func kill() throws {
        guard self.status == nil else { return }
        self.signal(SIGKILL)
        _ = try self.waitForExit()
    }

    /// Waits until the program has ended: its standard output ends with it.
    func waitForExit(_ deadline: Deadline = .patient) throws -> Exit {
        if self.status == nil {
            while try self.fill(deadline) {}
            var status: Int32 = 0
            while waitpid(self.processID, &status, 0) < 0 {
                guard errno == EINTR else { throw Broken("waitpid: errno \(errno)") }
            }
            self.status = status
        }
        let status = self.status ?? 0
        return status & 0x7F == 0 ? .code((status >> 8) & 0xFF) : .signal(status & 0x7F)
    }

    /// The next line of standard output; nil at its end.
    func nextLine(_ deadline: Deadline = .patient) throws -> String? {
        while true {
            if let end = self.buffer.firstIndex(of: 0x0A) {
                let line = String(decoding: self.buffer[..<end], as: UTF8.self)
                self.buffer.removeSubrange(...end)
                return line
            }
            guard try self.fill(deadline) else { return nil }
        }
    }

    /// Whether nobody writes standard output any more; nothing is read, so a full pipe stays full.
    var hasEndedOutput: Bool {
        var entry = pollfd(fd: self.output.number, events: 0, revents: 0)
        return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLHUP) != 0
    }

    /// How many bytes of standard output wait to be read.
    var unreadBytes: Int32 { Self.unreadBytes(in: self.output.number) }

    /// How many bytes wait in a pipe, or -1: ioctl(2) with `FIONREAD`.
    static func unreadBytes(in pipe: Int32) -> Int32 {
        var count: Int32 = 0
        return ioctl(pipe, UInt(FIONREAD), &count) == 0 ? count : -1
    }

    /// All that is left of standard output, up to its end.
    func rest(_ deadline: Deadline = .patient) throws -> String {
        while try self.fill(deadline) {}
        defer { self.buffer = [] }
        return String(decoding: self.buffer, as: UTF8.self)
    }

    /// Writes a line to the standard input.
    func say(_ line: String) throws {
        let bytes = Array("\(line)\n".utf8)
        guard case .bytes(bytes.count)? = self.input?.write(bytes.span.bytes) else {
            throw Broken("\(self.name) takes no line")
        }
    }

    /// Ends the standard input.
    func finishInput() { self.input = nil }

    private func fill(_ deadline: Deadline) throws -> Bool {
        let ready = try waitUntilReadable(
            [self.output.number], timeoutMilliseconds: deadline.remainingMilliseconds)
        guard !ready.isEmpty else { throw Broken("too slow: \(self.name)") }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        switch self.output.read(into: &chunk) {
        case .bytes(let count): self.buffer.append(contentsOf: chunk[..<count])
        case .end: return false
        case .wouldBlock: break
        case .failed(let error): throw error
        }
        return true
    }

    /// Runs a program to its end and returns what it printed; errors include its standard error.
    static func run(
        _ arguments: [String], environment: [String: String] = ProcessEnvironment.variables(),
        expecting code: Int32 = 0
    ) throws -> String {
        let errors =
            "/tmp/stoa-errors-\(ProcessEnvironment.processID)-\(UInt64.random(in: 0...(.max)))"
        defer { unlink(errors) }
        let child = try ChildProcess(arguments, environment: environment, errors: errors)
        let output = try child.rest()
        let exit = try child.waitForExit()
        guard exit == .code(code) else {
            let said = (try? Files.read(errors, limitBytes: 1 << 20)) ?? []
            throw Broken(
                "\(arguments.joined(separator: " ")): \(exit)\n\(output)\n"
                    + String(decoding: said, as: UTF8.self))
        }
        return output
    }
}
