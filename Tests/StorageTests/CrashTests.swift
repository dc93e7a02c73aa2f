import Engine
import Formats
import Glibc
import Crypto
import Storage
import Testing

@Suite("Crash")
struct CrashTests {
    /// Where a child finds the directory that its parent made: a link named after the parent.
    static func link(_ parent: pid_t) -> String { "/tmp/stoa-crash-\(parent)" }

    /// Commits until the alarm ends the process; notes each acknowledged head behind the commit.
    static func commitForever(_ directory: String) async throws {
        let notes = open("\(directory)/state/copy", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(notes >= 0)
        let store = try await MessageStore.open(
            directory: "\(directory)/data", continuity: "\(directory)/state/continuity",
            owner: ada.id, safe: safe,
            executor: QueueExecutor(), identify: fileIdentity)
        let snapshot = try await store.snapshot()
        var log = LogWriter(ada)
        // Entries are made from their number alone, so the log can be written again up to its head.
        let head = snapshot.logs[log.key]?.head ?? .start
        while log.head.seq < head.seq { _ = log.run([Self.entry(log.head.seq + 1)]) }
        try #require(log.head == head)
        var random = SystemRandomNumberGenerator()
        var delay = itimerval()
        delay.it_value.tv_usec = .random(in: 500...60_000, using: &random)
        try #require(setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &delay, nil) == 0)
        while true {
            let next = log.head.seq + 1
            let append = log.append((next..<next + 20).map(Self.entry))
            _ = try await store.commit(batch(append))
            var acknowledged = log.head.seq
            try #require(pwrite(notes, &acknowledged, 8, 0) == 8)
        }
    }

    static func entry(_ seq: UInt64) -> Entry { text("message \(seq)", at: seq) }

    @Test("whatever was acknowledged is there after the process was killed, and only whole batches")
    func killed() async throws {
        let directory = try TemporaryDirectory()
        let link = Self.link(getpid())
        unlink(link)
        try #require(symlink(directory.path, link) == 0)
        defer { unlink(link) }
        var last: UInt64 = 0
        for _ in 0..<15 {
            await #expect(processExitsWith: .signal(SIGALRM)) {
                try await CrashTests.commitForever(CrashTests.link(getppid()))
            }
            var acknowledged: UInt64 = 0
            let notes = open("\(directory.state)/copy", O_RDONLY | O_CLOEXEC)
            if notes >= 0 {
                pread(notes, &acknowledged, 8, 0)
                close(notes)
            }
            let store = try await directory.open()
            let snapshot = try await store.snapshot()
            let head = snapshot.logs[LogWriter(ada).key]?.head.seq ?? 0
            #expect(head >= acknowledged && head >= last && head % 20 == 0)
            #expect(try await store.counts().entries == Int(head))
            #expect(try await store.check().isEmpty)
            last = head
            await store.close()
        }
        #expect(last > 0)
    }
}
