import ControlAPI
import Glibc
import Posix

/// The editor that the user has chosen: environ(7), `VISUAL` and `EDITOR`.
enum TextEditor {
    /// Its words may have options, as in `emacs -nw`; the file is one word whatever is in it.
    private static let command = "exec ${VISUAL:-${EDITOR:-editor}} \"$1\""
    /// What no message holds is not read.
    private static let limitBytes = 1 << 20

    /// Lets the user change a text in a file that only they can read, and removes it; nil and why where that
    /// was not possible.
    static func edit(_ text: String) -> (text: String?, why: String) {
        let environment = ProcessEnvironment.variables()
        let folder = environment["XDG_RUNTIME_DIR"] ?? environment["TMPDIR"] ?? "/tmp"
        // One folder for each, since editors put copies beside what they write; mkdtemp(3) replaces the last six.
        let ending = String(repeating: "X", count: 6)
        var name = Array("\(folder)/stoa-chat.\(ending)".utf8CString)
        guard mkdtemp(&name) != nil else {
            return (nil, "\(SystemError(errno, "make a folder in", folder))")
        }
        let made = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer {
            let files = (try? Files.names(in: made)) ?? []
            for file in files + [".message.txt.swp"] { unlink("\(made)/\(file)") }
            rmdir(made)
        }
        let file = "\(made)/message.txt"
        do throws(SystemError) {
            try Files.writeAtomically(Array(text.utf8), to: file, mode: 0o600)
            let editor = try ChildProcess(
                ["/bin/sh", "-c", Self.command, "sh", file],
                environment: TerminalEntries.named(environment))
            let status = editor.wait().status
            guard status == 0 else {
                let what =
                    status == 127
                    ? "there is no editor; set EDITOR" : "the editor ended with \(status)"
                return (nil, "\(what): your text is unchanged")
            }
            let bytes = try Files.read(file, limitBytes: Self.limitBytes)
            return (String(decoding: bytes, as: UTF8.self), "")
        } catch {
            return (nil, "\(error)")
        }
    }
}
