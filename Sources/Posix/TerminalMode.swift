import Glibc

/// Makes the terminal pass on each key at once, and mark what is pasted: termios(3).
///
/// A line that the terminal gathers itself is cut at 4,095 bytes.
public enum TerminalMode {
    // Written by the main thread alone, before the handler that reads it is set.
    nonisolated(unsafe) private static var usual: termios?
    // Written by the main thread alone; a handler that reads the older value leaves one mode on.
    nonisolated(unsafe) private static var marksPastes = false

    /// Changes the terminal until ``restore()``; an interrupt restores it and ends the program.
    ///
    /// False, and nothing is changed, when standard input is no terminal.
    public static func begin() -> Bool {
        guard self.change(without: ICANON | ECHO) else { return false }
        self.marksPastes = true
        Self.write("\u{1B}[?2004h")
        return true
    }

    /// Shows no longer what is typed, until ``restore()``: for secrets.
    ///
    /// False, and nothing is changed, when standard input is no terminal.
    public static func hideInput() -> Bool { self.change(without: ECHO) }

    private static func change(without flags: Int32) -> Bool {
        var mode = termios()
        guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return false }
        self.usual = mode
        for number in [SIGINT, SIGTERM, SIGHUP] {
            // tcsetattr, write and _exit are safe in handlers: signal-safety(7).
            signal(number) { number in
                TerminalMode.restore()
                _exit(number == SIGINT ? 0 : 128 + number)
            }
        }
        mode.c_lflag &= ~UInt32(flags)
        return tcsetattr(STDIN_FILENO, TCSADRAIN, &mode) == 0
    }

    /// Undoes ``begin()`` or ``hideInput()``; what was typed and not read is dropped, so that no shell runs it.
    public static func restore() {
        guard var mode = self.usual else { return }
        self.usual = nil
        if self.marksPastes { Self.write("\u{1B}[?2004l\r\u{1B}[K") }
        self.marksPastes = false
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode)
    }

    private static func write(_ text: StaticString) {
        _ = Glibc.write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    }
}
