internal import CCurses
package import Chat
internal import Glibc

/// The terminal as a screen: draws frames, of which ncurses sends what has changed.
///
/// One for each process, used by its only thread. ncurses(3), curs_addwstr(3).
package final class TerminalScreen {
    /// Why there is no screen.
    package struct Failure: Error, Equatable, Sendable {
        /// Why, and what to do.
        package let why: String
    }

    /// What terminals understand that terminfo does not know: all of today's draw as xterm does.
    private static let usual = "xterm-256color"

    /// The name in TERM, if terminfo does not know it, so that chat draws as for xterm.
    package let unknownName: String?
    private let hasColours: Bool
    private var isActive = true
    private var last: ChatFrame?

    /// Colours of names, of the eight that all terminals have.
    private static let few: [Int32] = [
        COLOR_BLUE, COLOR_GREEN, COLOR_RED, COLOR_MAGENTA, COLOR_CYAN, COLOR_BLUE, COLOR_MAGENTA,
    ]
    /// Marks pastes, so that they do not send their lines: xterm's control sequences.
    private static let pasteOn = "\u{1B}[?2004h"
    private static let pasteOff = "\u{1B}[?2004l"

    /// Takes the terminal over; throws where it can do too little.
    ///
    /// - Parameter hasColours: false where the user wants none.
    package init(hasColours: Bool) throws(Failure) {
        // Only what text is made of: numbers and messages stay as they are.
        if setlocale(LC_CTYPE, "") == nil || !Self.isUTF8 { setlocale(LC_CTYPE, "C.UTF-8") }
        guard Self.isUTF8 else {
            throw Failure(why: "there is no UTF-8 locale; set LANG=C.UTF-8")
        }
        self.unknownName = try Self.begin(getenv("TERM").map { String(cString: $0) } ?? "")
        raw()
        noecho()
        nonl()
        self.hasColours = hasColours && has_colors()
        if self.hasColours {
            start_color()
            use_default_colors()
            let isMany = ccurses_colours() >= 256
            let colours = isMany ? ScreenPalette.names.map { Int32($0) } : Self.few
            for (index, colour) in colours.enumerated() {
                init_pair(Int16(index + 4), Int16(colour), -1)
            }
            init_pair(1, Int16(isMany ? Int32(ScreenPalette.mention) : COLOR_MAGENTA), -1)
            init_pair(2, Int16(isMany ? Int32(ScreenPalette.alert) : COLOR_RED), -1)
            init_pair(3, Int16(isMany ? Int32(ScreenPalette.accent) : COLOR_CYAN), -1)
        }
        // ncurses would believe LINES and COLUMNS before it believes the terminal.
        let size = self.size
        resizeterm(Int32(size.rows), Int32(size.columns))
        ccurses_put(Self.pasteOn)
    }

    /// Takes over the terminal; gives its name where terminfo has no entry for it.
    private static func begin(_ name: String) throws(Failure) -> String? {
        let isKnown = ccurses_begin(name) != 0
        guard isKnown || ccurses_begin(Self.usual) != 0 else {
            throw Failure(
                why: "terminfo knows neither TERM nor \(Self.usual); install ncurses-base, or use: "
                    + "stoa chat --plain ROOM")
        }
        return isKnown ? nil : name
    }

    deinit { self.end() }

    private static var isUTF8: Bool {
        nl_langinfo(nl_item(CODESET)).map { String(cString: $0) == "UTF-8" } ?? false
    }

    /// How many cells the terminal has: ioctl_tty(2).
    package var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Takes over the size that the terminal has now.
    package func resize() {
        let size = self.size
        resizeterm(Int32(size.rows), Int32(size.columns))
        self.redraw()
    }

    /// Draws all of it with the next frame, as after other programs have written.
    package func redraw() {
        self.last = nil
        clearok(ccurses_screen(), true)
    }

    /// Draws a frame; nothing is sent for what stands there already.
    package func draw(_ frame: ChatFrame) {
        guard frame != self.last else { return }
        for (index, row) in frame.rows.enumerated() {
            if let last = self.last, index < last.rows.count, last.rows[index] == row { continue }
            self.draw(row, at: Int32(index))
        }
        self.last = frame
        move(Int32(frame.cursor.row), Int32(frame.cursor.column))
        refresh()
    }

    private func draw(_ row: ScreenRow, at line: Int32) {
        move(line, 0)
        ccurses_style(ccurses_attributes(0, 0, 0), 0)
        clrtoeol()
        var column: Int32 = 0
        for run in row.runs {
            // Each stands where the layout has it, whatever ncurses thinks of the one before.
            guard move(line, column) == OK else { break }
            self.style(run.look)
            var text = run.text.unicodeScalars.map { scalar in
                // Nothing that a terminal obeys gets here; were it to, it would be shown.
                wchar_t(
                    scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
                        ? 0x3F : scalar.value)
            }
            text.append(0)
            addwstr(text)
            column += Int32(run.columns)
        }
    }

    private func style(_ look: Look) {
        var pair: Int16 = 0
        if self.hasColours {
            switch look.colour {
            case .usual: break
            case .mention: pair = 1
            case .alert: pair = 2
            case .accent: pair = 3
            case .name(let number): pair = Int16(4 + number % ScreenPalette.names.count)
            }
        }
        ccurses_style(
            ccurses_attributes(look.isBold ? 1 : 0, look.isFaint ? 1 : 0, look.isReversed ? 1 : 0),
            pair)
    }

    /// Rings the bell.
    package func ring() { beep() }

    /// Gives the terminal back as it was; ``resume()`` takes it again.
    package func suspend() {
        ccurses_put(Self.pasteOff)
        endwin()
    }

    /// Shows lines without the screen until ``resume()``: the terminal wraps them itself, so it copies each
    /// whole; keys still come one by one.
    package func showAlone(_ lines: [String]) {
        self.suspend()
        reset_prog_mode()
        ccurses_print(lines.joined(separator: "\r\n") + "\r\n")
    }

    /// Takes the terminal again after ``suspend()``.
    package func resume() {
        refresh()
        ccurses_put(Self.pasteOn)
        self.resize()
    }

    /// Gives the terminal back for good.
    package func end() {
        guard self.isActive else { return }
        self.isActive = false
        self.suspend()
    }
}
