internal import ControlAPI
internal import Engine
internal import Loop
internal import Posix

/// Locking before the machine sleeps, and with the user's session: `LockOnSleep=`.
extension NodeShell {
    /// How soon the system's bus is looked for again that was lost.
    private static let loginAgainMilliseconds: UInt64 = 60_000

    /// Listens to systemd-logind where the configuration says so and there is a lock, and nowhere else.
    ///
    /// Sleep waits for as long as this process has the keys: the descriptor that delays it closes where the process
    /// is executed anew.
    func followSleep() {
        guard self.configuration.lock.onSleep, self.life.isRunning, self.lockWord != nil else {
            return self.upkeep.login = nil
        }
        guard self.upkeep.login == nil else { return }
        do throws(SystemError) {
            self.upkeep.login = try LoginBus(on: self.loop) { [weak self] event in
                self?.assumeIsolated { shell in shell.turn { shell.loginSays(event) } }
            }
        } catch { self.loginLost(error) }
    }

    private func loginSays(_ event: LoginBus.Event) {
        switch event {
        case .sleeps: self.lockIfLockable(since: "the machine is going to sleep")
        case .locksSession: self.lockIfLockable(since: "the session was locked")
        case .unheld(let why):
            self.log(
                .warning,
                "sleep does not wait until this node is locked: systemd-logind does not delay it: "
                    + TerminalText.line(why))
        case .lost(let error): self.loginLost(error)
        }
    }

    private func lockIfLockable(since why: String) {
        guard self.life.isRunning, self.lockWord != nil else { return }
        self.lockNow(since: why)
    }

    private func loginLost(_ error: SystemError) {
        self.upkeep.login = nil
        guard self.life.isRunning else { return }
        self.log(
            .warning,
            "LockOnSleep has no effect: \(error.reason); trying again every minute")
        self.after(Self.loginAgainMilliseconds) { self.followSleep() }
    }
}
