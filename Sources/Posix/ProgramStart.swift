import Glibc

/// Becoming another program, and where this one is.
package enum ProgramStart {
    /// The file of this program: proc(5).
    ///
    /// Nil where /proc is not there.
    package static var ownPath: String? { Files.target(ofLink: "/proc/self/exe") }

    /// Whether the file of this program was replaced or removed since it started, as by an upgrade: proc(5).
    package static var isReplaced: Bool { self.ownPath?.hasSuffix(" (deleted)") == true }

    /// A program that belongs to this one: beside it, or in `../libexec/stoa`.
    ///
    /// Nil where there is none.
    package static func companion(_ name: String) -> String? {
        guard let own = self.ownPath, let slash = own.lastIndex(of: "/") else { return nil }
        let folder = own[..<slash]
        return [
            "\(folder)/\(name)", "\(folder)/../libexec/stoa/\(name)", "\(folder)/../../bin/\(name)",
        ]
        .first { access($0, X_OK) == 0 }
    }

    /// Becomes that program, with its words and the environment as it is; returns only where it cannot:
    /// execv(3).
    package static func become(_ path: String, _ words: [String]) -> SystemError {
        let arguments = words.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        execv(path, arguments)
        return SystemError(errno, "start", path)
    }
}
