import Posix

/// Opens the page in the user's browser.
enum ChatPage {
    /// Whether somebody uses the page: its program is there.
    static func isInUse(besides control: String) -> Bool {
        Files.exists(Files.parent(of: control) + "/web.sock")
    }

    /// Opens a conversation, or the one that the page chooses, and answers the call with an id there; false where nothing could be started.
    ///
    /// In a unit of its own, for the same reason as a terminal; the page's program goes on when the command has ended.
    static func open(_ conversation: String?, answering call: String? = nil) -> Bool {
        let stoa = ProgramStart.companion("stoa") ?? "stoa"
        var words = [
            "systemd-run", "--user", "--collect", "--quiet", "--property=KillMode=process",
        ]
        words += call.map { [stoa, "call", "--answer", "--id", $0] } ?? [stoa, "web"]
        words += conversation.map { [$0] } ?? []
        do throws(SystemError) {
            return try ChildProcess(words, environment: ProcessEnvironment.variables()).wait()
                == .exited(0)
        } catch {
            return false
        }
    }
}
