import Posix

/// Opens the user's terminal with the chat client.
enum ChatTerminal {
    /// Opens a conversation, or the one that chat chooses; false where there is no terminal.
    ///
    /// In a unit of its own: what this program is not allowed holds for all that it starts, and the terminal goes
    /// on when this program ends.
    static func open(_ conversation: String?) -> Bool {
        let chat = [Self.stoa, "chat"] + (conversation.map { [$0] } ?? [])
        let terminal = ["x-terminal-emulator", "-e"] + chat
        let words = ["systemd-run", "--user", "--collect", "--quiet"] + terminal
        do throws(SystemError) {
            return try ChildProcess(words, environment: ProcessEnvironment.variables()).wait()
                == .exited(0)
        } catch {
            return false
        }
    }

    /// The command beside which this program was installed, or the one that is in `PATH`.
    private static var stoa: String {
        ProgramStart.companion("stoa") ?? "stoa"
    }
}
