import Glibc

/// Why a directory cannot be named.
package enum PathError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Neither the variable nor `HOME` is set to an absolute path.
    case noHome(variable: String)
    /// There is no directory for sockets of the running session.
    case noRuntimeDirectory(tried: String)

    /// The reason and what to do.
    package var description: String { "\(self.reason); \(self.remedy)" }

    /// What is missing.
    package var reason: String {
        switch self {
        case .noHome(let variable): "neither \(variable) nor HOME is set to an absolute path"
        case .noRuntimeDirectory(let tried):
            "XDG_RUNTIME_DIR is not set and \(tried) is not a directory of yours"
        }
    }

    /// What to do about it.
    package var remedy: String {
        switch self {
        case .noHome: "set one of them"
        case .noRuntimeDirectory: "set XDG_RUNTIME_DIR or name the socket with --socket"
        }
    }
}

/// Where the files of a user are, by the XDG Base Directory Specification.
///
/// Nothing is made or looked at except where said; relative paths in the variables are ignored, as
/// the specification demands.
package struct Paths: Sendable {
    private let environment: [String: String]
    private let userID: UInt32
    private let runtimeRoot: String

    /// Takes the environment and user id of this process.
    package init() {
        self.init(environment: ProcessEnvironment.variables(), userID: geteuid())
    }

    /// Takes an environment and a user id.
    package init(
        environment: [String: String], userID: UInt32, runtimeRoot: String = "/run/user"
    ) {
        self.environment = environment
        self.userID = userID
        self.runtimeRoot = runtimeRoot
    }

    /// `$XDG_DATA_HOME/stoa`, else `~/.local/share/stoa`.
    package func dataDirectory() throws(PathError) -> String {
        try self.directory("XDG_DATA_HOME", orInHome: ".local/share")
    }

    /// `$XDG_CONFIG_HOME/stoa`, else `~/.config/stoa`.
    package func configurationDirectory() throws(PathError) -> String {
        try self.directory("XDG_CONFIG_HOME", orInHome: ".config")
    }

    /// `$XDG_STATE_HOME/stoa`, else `~/.local/state/stoa`.
    package func stateDirectory() throws(PathError) -> String {
        try self.directory("XDG_STATE_HOME", orInHome: ".local/state")
    }

    /// `$XDG_RUNTIME_DIR/stoa`, else `/run/user/UID/stoa` when that directory exists and is ours.
    package func runtimeDirectory() throws(PathError) -> String {
        if let base = self.absolute("XDG_RUNTIME_DIR") { return "\(base)/stoa" }
        let base = "\(self.runtimeRoot)/\(self.userID)"
        var status = stat()
        guard lstat(base, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == self.userID
        else { throw .noRuntimeDirectory(tried: base) }
        return "\(base)/stoa"
    }

    /// `control.sock` in the runtime directory.
    package func controlSocket() throws(PathError) -> String {
        "\(try self.runtimeDirectory())/control.sock"
    }

    /// `stoad.conf` in the configuration directory.
    package func configurationFile() throws(PathError) -> String {
        "\(try self.configurationDirectory())/stoad.conf"
    }

    private func directory(
        _ variable: String, orInHome relative: String
    ) throws(PathError) -> String {
        if let base = self.absolute(variable) { return "\(base)/stoa" }
        guard let home = self.absolute("HOME") else { throw .noHome(variable: variable) }
        return "\(home)/\(relative)/stoa"
    }

    private func absolute(_ variable: String) -> String? {
        guard let value = self.environment[variable], value.hasPrefix("/") else { return nil }
        var path = Substring(value)
        while path.count > 1, path.last == "/" { path.removeLast() }
        return path == "/" ? "" : String(path)
    }
}
