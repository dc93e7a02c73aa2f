import ControlAPI
import Engine
import Formats
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite("Locking by itself") struct IdleLockTests {
    private static let minutes: UInt64 = 10

    /// A daemon that reads this limit with its next reload.
    private static func daemon(lockAfter minutes: UInt64) throws -> TestDaemon {
        let daemon = try TestDaemon(rereading: { (old) throws(ConfigurationError) in
            var new = old
            new.lock.afterMinutes = minutes
            return .run(new)
        })
        // Answered once all is open.
        try daemon.ask("status")
        return daemon
    }

    private static func setLock(_ daemon: TestDaemon) throws {
        try daemon.ask(
            "setLock",
            ["passphrase": "plover quartz hinterland fuchsia anvil", "withoutBackup": true])
    }

    @Test("a node with a lock is locked once nobody has done anything for as long as is set")
    func idle() async throws {
        let daemon = try Self.daemon(lockAfter: Self.minutes)
        try Self.setLock(daemon)
        let shell = try #require(await daemon.run.shell)
        await shell.reloadNow()
        let whole = Self.minutes * 60_000
        try #require(await !shell.isLockedIfIdle(for: whole - 1))
        try #require(await shell.isLockedIfIdle(for: whole))
        daemon.awaitEnd()
    }

    @Test("what is sent or changed counts, and what only reads does not")
    func acting() async throws {
        let daemon = try Self.daemon(lockAfter: Self.minutes)
        let shell = try #require(await daemon.run.shell)
        await shell.reloadNow()
        let begun = await shell.actedAt
        for method in ["status", "conversations", "presence"] { try daemon.ask(method) }
        try daemon.ask("presence", ["presence": "away", "active": false])
        #expect(await shell.actedAt == begun)
        while await shell.actedAt == begun { try daemon.ask("join", ["room": "ops"]) }
        let joined = await shell.actedAt
        while await shell.actedAt == joined { try daemon.ask("presence", ["active": true]) }
    }

    @Test("without a lock nothing is locked; where no time is set nothing waits or is noted")
    func never() async throws {
        let unlocked = try Self.daemon(lockAfter: Self.minutes)
        let shell = try #require(await unlocked.run.shell)
        await shell.reloadNow()
        #expect(await !shell.isLockedIfIdle(for: 1 << 40))
        let unset = try Self.daemon(lockAfter: 0)
        try Self.setLock(unset)
        let other = try #require(await unset.run.shell)
        await other.reloadNow()
        #expect(await !other.isLockedIfIdle(for: 1 << 40))
        #expect(await other.plannedLocks == 0)
        let begun = await other.actedAt
        // A clock that has gone on would show it.
        while SystemClock.monotonicMilliseconds() <= begun {}
        try unset.ask("join", ["room": "ops"])
        #expect(await other.actedAt == begun)
    }
}

extension NodeShell {
    fileprivate var actedAt: UInt64 { self.clients.attention.actedAt }
    fileprivate var plannedLocks: Int { self.clients.attention.lockLook }

    fileprivate func reloadNow() {
        guard let rereading = self.birth.rereading, case .run(let new)? = try? rereading(nil) else {
            return
        }
        self.takeUp(new, self.realms)
    }

    /// Whether the node locks itself where nobody has done anything for so many milliseconds.
    fileprivate func isLockedIfIdle(for milliseconds: UInt64) -> Bool {
        self.lockWhenIdle(at: self.actedAt + milliseconds)
        return self.life.outcome == .lock
    }
}
