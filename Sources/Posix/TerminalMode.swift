import Glibc

/// Makes the terminal pass on each key at once, and mark what is pasted: termios(3).
///
/// A line that the terminal gathers itself is cut at 4,095 bytes.
package enum TerminalMode {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// How the terminal was, and what is to be undone besides.
    private struct Change {
        var usual: termios
        var marksPastes = false
    }

    // Safe, since one thread alone uses it, with signals blocked; a command sets it, and no input reaches it.
    nonisolated(unsafe) private static var change: Change?

    /// Changes the terminal until ``restore()``; an interrupt restores it and ends the program, unless
    /// ``Interrupts`` has begun.
    ///
    /// Call it from the program's only thread. False, and nothing is changed, when standard input is no
    /// terminal.
    package static func begin() -> Bool {
        self.withSignalsBlocked {
            guard self.begin(without: ICANON | ECHO) else { return false }
            self.change?.marksPastes = true
            self.write("\u{1B}[?2004h")
            return true
        }
    }

    /// Shows no longer what is typed, until ``restore()``: for secrets.
    ///
    /// Call it from the program's only thread. False, and nothing is changed, when standard input is no
    /// terminal.
    package static func hideInput() -> Bool {
        self.withSignalsBlocked { self.begin(without: ECHO) }
    }

    private static func withSignalsBlocked<Result>(_ body: () -> Result) -> Result {
        var blocked = sigset_t()
        sigemptyset(&blocked)
        for number in self.signals { sigaddset(&blocked, number) }
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body()
    }

    private static func begin(without flags: Int32) -> Bool {
        var mode = termios()
        guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return false }
        self.change = Change(usual: mode)
        for number in self.signals where Interrupts.descriptor == nil {
            // pthread_sigmask, tcsetattr, write and _exit are safe in handlers: signal-safety(7).
            signal(number) { number in
                TerminalMode.restore()
                _exit(128 + number)
            }
        }
        mode.c_lflag &= ~UInt32(flags)
        return tcsetattr(STDIN_FILENO, TCSADRAIN, &mode) == 0
    }

    /// Undoes ``begin()`` or ``hideInput()``; what was typed and not read is dropped, so that no shell runs it.
    package static func restore() {
        self.withSignalsBlocked {
            guard var change = self.change else { return }
            if change.marksPastes { self.write("\u{1B}[?2004l\r\u{1B}[K") }
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &change.usual)
            self.change = nil
        }
    }

    private static func write(_ text: StaticString) {
        _ = Glibc.write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    }
}
