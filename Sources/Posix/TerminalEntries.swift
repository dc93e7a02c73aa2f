import Glibc

/// The entries of terminfo(5), by which programs know what a terminal understands.
package enum TerminalEntries {
    /// All of today's terminals understand what xterm does.
    private static let usual = "xterm-256color"
    /// Where Debian, and ncurses as it comes, keep them.
    private static let folders = ["/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo"]

    /// The environment for a program that draws: a terminal without an entry is called what it draws like,
    /// since less(1) and editors would treat it as a teleprinter.
    package static func named(_ environment: [String: String]) -> [String: String] {
        var named = environment
        if let name = environment["TERM"], !name.isEmpty, !self.has(name, environment) {
            named["TERM"] = Self.usual
        }
        return named
    }

    private static func has(_ name: String, _ environment: [String: String]) -> Bool {
        // No name has a slash, and none leads out of the folders.
        guard !name.contains("/"), let first = name.utf8.first else { return true }
        let home = environment["HOME"].map { [$0 + "/.terminfo"] } ?? []
        let listed = (environment["TERMINFO_DIRS"] ?? "").split(separator: ":").map(String.init)
        let all = [environment["TERMINFO"] ?? ""] + home + listed + Self.folders
        // Under its first letter, or the code of it where file names have no case.
        let letters = [String(decoding: [first], as: UTF8.self), String(first, radix: 16)]
        return all.contains { folder in
            letters.contains { access("\(folder)/\($0)/\(name)", R_OK) == 0 }
        }
    }
}
