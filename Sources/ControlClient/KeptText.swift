internal import ControlAPI
internal import Glibc
package import Posix

/// The file in which a running chat keeps what others do not have of it yet.
///
/// Each has its own, held by a lock for as long as it runs; what is left of one that has ended, however that
/// was, the next chat at the same socket takes over. Nobody else can read them: mode 0600.
package final class KeptText {
    /// The largest file that is read, in bytes.
    private static let limitBytes = 16 << 20

    private let folder: String
    /// How the files of this socket begin.
    private let beginning: String
    private let path: String
    /// Holds the lock of what is written there; nil where nothing is.
    private var held: FileDescriptor?
    private var written: [UInt8]?
    /// What was taken over, until it is kept here.
    private var taken: [(path: String, lock: LockHolder)] = []

    /// Names the file; nil where neither `XDG_STATE_HOME` nor `HOME` says where it belongs.
    ///
    /// - Parameter program: what keeps it; another kind of program takes over nothing of it.
    package init?(socket: String, environment: [String: String], of program: String = "chat") {
        let paths = Paths(environment: environment, userID: ProcessEnvironment.userID)
        guard let folder = try? paths.stateDirectory() else { return nil }
        self.folder = folder
        // FNV-1a: only to tell the sockets of one user apart.
        let hash = socket.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        self.beginning = "\(program)-\(String(hash, radix: 16))-"
        let name = "\(self.beginning)\(getpid())-\(UInt32.random(in: .min ... .max))"
        self.path = "\(self.folder)/\(name)"
    }

    /// What chats that have ended left, the oldest first; it stays where it is until ``write(_:)``.
    package func takeOver() -> [[UInt8]] {
        var found: [(time: Int, bytes: [UInt8])] = []
        for name in (try? Files.names(in: self.folder)) ?? [] where name.hasPrefix(self.beginning) {
            let path = "\(self.folder)/\(name)"
            // Of a write that did not end nothing is missing elsewhere.
            guard path != self.path, !name.hasSuffix(".new"),
                Files.permissions(path)?.isOwn == true,
                let lock = try? LockHolder(path: path), lock.tryLock()
            else { continue }
            var status = stat()
            // Gone, or another one by now: its chat runs.
            guard fstat(lock.number, &status) == 0, status.st_nlink == 1,
                let bytes = try? Files.read(path, limitBytes: Self.limitBytes)
            else { continue }
            found.append((status.st_mtim.tv_sec, bytes))
            self.taken.append((path, lock))
        }
        return found.sorted { $0.time < $1.time }.map(\.bytes)
    }

    /// Keeps this in the place of what was kept before, what was taken over included; nil for nothing.
    ///
    /// - Parameter isSynced: whether it is to outlive the machine's next failure, too.
    package func write(_ bytes: [UInt8]?, isSynced: Bool = true) throws(SystemError) {
        if bytes != self.written {
            if let bytes { try self.replace(bytes, isSynced) } else { unlink(self.path) }
            if bytes == nil { self.held = nil }
            self.written = bytes
        }
        for (path, _) in self.taken { unlink(path) }
        self.taken = []
    }

    /// Removes the texts that programs at this socket keep; gives those of programs that have ended.
    ///
    /// Those that run still have what is removed, and learn from the daemon not to keep it again.
    package static func removeTexts(
        socket: String, environment: [String: String]
    ) throws(SystemError) -> [String] {
        var texts: [String] = []
        for program in ["chat", "page"] {
            guard let kept = KeptText(socket: socket, environment: environment, of: program) else {
                continue
            }
            let left = kept.takeOver().map { KeptTexts($0) }
            texts += left.flatMap(\.texts)
            try kept.write(left.compactMap(\.rest).last)
            for name in (try? Files.names(in: kept.folder)) ?? []
            where name.hasPrefix(kept.beginning) {
                let path = "\(kept.folder)/\(name)"
                guard let bytes = try? Files.read(path, limitBytes: Self.limitBytes),
                    !KeptTexts(bytes).texts.isEmpty
                else { continue }
                unlink(path)
            }
        }
        return texts
    }

    private func replace(_ bytes: [UInt8], _ isSynced: Bool) throws(SystemError) {
        try Files.makeDirectories(self.folder)
        let new = self.path + ".new"
        let number = open(new, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw SystemError(errno, "create", new) }
        let descriptor = FileDescriptor(owning: number)
        do throws(SystemError) {
            guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
                throw SystemError(errno, "lock", new)
            }
            var sent = 0
            while sent < bytes.count {
                switch descriptor.write(bytes.span.bytes.extracting(sent..<bytes.count)) {
                case .bytes(let count): sent += count
                case .wouldBlock: continue
                case .failed(let error): throw SystemError(error.code, "write", new)
                }
            }
            guard fchmod(number, 0o600) == 0, !isSynced || fsync(number) == 0,
                rename(new, self.path) == 0
            else {
                throw SystemError(errno, "keep", new)
            }
        } catch {
            unlink(new)
            throw error
        }
        self.held = consume descriptor
    }
}
