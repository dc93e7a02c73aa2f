/// The keys of the screen, as `/help keys` and the manual page list them.
package enum ChatKeys {
    /// What one key does, or several that belong together.
    package struct Entry: Sendable {
        package let keys: String
        package let does: String

        fileprivate init(_ keys: String, _ does: String) {
            self.keys = keys
            self.does = does
        }
    }

    /// In rows, as they fit a screen of 80 columns or little more.
    private static let rows: [[Entry]] = [
        [
            Entry("Enter", "send"), Entry("Alt-Enter", "begin a new line"),
            Entry("Tab", "complete"), Entry("Up, Down", "recall your lines"),
        ],
        [
            Entry("Alt-1…9, Alt-0, Alt-J and a number, Ctrl-N, Ctrl-P", "go to a conversation"),
            Entry("Alt-A", "next unread"),
        ],
        [
            Entry("Alt-/", "go back to the one before"),
            Entry("Alt-H", "mark all conversations as read"),
        ],
        [
            Entry("PgUp, PgDn, Alt-<, Alt->, End", "scroll"),
            Entry("Alt-U", "the first unread message"), Entry("Alt-M", "the next mention"),
        ],
        [
            Entry("Alt-Up, Alt-Down", "choose a message"), Entry("Alt-O", "unfold it"),
            Entry("Alt-L", "show text to copy"), Entry("Esc, Ctrl-G", "choose none"),
        ],
        [
            Entry("Ctrl-R", "find what you typed before"),
            Entry("Ctrl-X Ctrl-E", "write in your editor"),
        ],
        [
            Entry("Ctrl-A, E, B, F, Alt-B, F", "move"), Entry("Ctrl-K, U, W, Alt-D", "cut"),
            Entry("Ctrl-Y", "paste"), Entry("Ctrl-T, Ctrl-_", "swap, undo"),
        ],
        [
            Entry("Ctrl-C", "clear the line"), Entry("Ctrl-L", "redraw"),
            Entry("Ctrl-Z", "suspend until fg"), Entry("Ctrl-D", "end"),
        ],
    ]

    package static var all: [Entry] { self.rows.flatMap(\.self) }

    static var lines: [String] {
        self.rows.map { row in
            row.map { "\($0.keys): \($0.does)" }.joined(separator: "; ")
        }
    }
}
