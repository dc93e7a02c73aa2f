import Posix

/// Starts the daemon where it is off.
enum DaemonStart {
    /// Has the user's service manager start it; whether it comes is seen at its socket.
    ///
    /// - Parameter socket: where it is expected; another one than usual is nothing that the manager knows of.
    static func begin(for socket: String) {
        let usual = try? Paths(
            environment: ProcessEnvironment.variables(), userID: ProcessEnvironment.userID
        ).controlSocket()
        guard socket == usual else { return }
        let words = ["systemctl", "--user", "--quiet", "--no-block", "start", "stoad.service"]
        _ = try? ChildProcess(words, environment: ProcessEnvironment.variables()).wait()
    }
}
