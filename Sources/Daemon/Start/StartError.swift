internal import ControlAPI
internal import Engine
internal import Formats
internal import Glibc
internal import Posix

/// Why the daemon did not start, in words, and the exit code that says so.
package struct StartError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The exit codes in use, from sysexits.h.
    package enum ExitCode: Int32, Sendable {
        /// `EX_DATAERR`: a file of ours has the wrong content.
        case data = 65
        /// The data is locked by a passphrase; none of sysexits.h says so.
        case locked = 67
        /// `EX_UNAVAILABLE`: something that is needed is taken or missing.
        case unavailable = 69
        /// `EX_SOFTWARE`: a fault of the program.
        case software = 70
        /// `EX_OSERR`: the system refused something basic.
        case system = 71
        /// `EX_CANTCREAT`: a file or directory cannot be made.
        case cannotCreate = 73
        /// `EX_IOERR`: reading or writing failed.
        case inputOutput = 74
        /// `EX_NOPERM`: somebody may not do this.
        case permission = 77
        /// `EX_CONFIG`: the configuration asks for what cannot be.
        case configuration = 78
    }

    /// What went wrong.
    package let text: String
    /// What to do about it; empty where the text says it.
    package let remedy: String
    /// The exit code of the process.
    package let exitCode: ExitCode

    init(_ text: String, remedy: String, exitCode: ExitCode) {
        self.text = text
        self.remedy = remedy
        self.exitCode = exitCode
    }

    init(_ error: SystemError, exitCode: ExitCode = .system) {
        self.init(error.reason, remedy: error.remedy ?? "", exitCode: exitCode)
    }

    init(_ failure: StoreFailure) {
        let exitCode: ExitCode =
            switch failure.reason {
            case .corrupt, .newer, .emptied: .data
            case .locked: .unavailable
            case .readOnly: .permission
            case .full, .inputOutput, .deleted: .inputOutput
            case .other: .software
            }
        self.init(failure.detail, remedy: failure.remedy, exitCode: exitCode)
    }

    /// The reason and the remedy in one line.
    package var description: String {
        self.remedy.isEmpty ? self.text : "\(self.text); \(self.remedy)"
    }
}

extension StartError {
    /// Makes a directory that only the own user can enter; of one that is there already, says who could.
    static func makePrivateDirectory(_ path: String) throws(StartError) {
        do throws(SystemError) { try Files.makePrivateDirectory(path) } catch {
            guard error.code == EACCES, let found = Files.permissions(path) else {
                throw StartError(error, exitCode: .cannotCreate)
            }
            let name = TerminalText.line(path)
            guard found.isOwn else {
                throw StartError(
                    "\(name) belongs to another user",
                    remedy: error.advice.map { "\($0): choose another directory" }
                        ?? "choose another",
                    exitCode: .permission)
            }
            throw StartError(
                "others can enter \(name): its mode is \(String(found.mode, radix: 8))",
                remedy: "run: chmod 700 \(TerminalText.word(path)); or choose another directory",
                exitCode: .permission)
        }
    }

    /// Refuses a file with a key that others can read, or that is theirs.
    static func refuseKeyOfOthers(_ path: String) throws(StartError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw StartError(SystemError(errno, "stat", path), exitCode: .inputOutput)
        }
        guard status.st_uid == geteuid() else {
            throw StartError(
                "\(path) belongs to user \(status.st_uid), not to you (\(geteuid()))",
                remedy: "run stoad as that user, or choose another place with --data-dir",
                exitCode: .permission)
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw StartError(
                "\(path) has mode \(mode), so others can read your identity",
                remedy: "run: chmod 600 \(path)", exitCode: .permission)
        }
    }
}
