internal import Glibc

/// The signals that end a daemon.
enum Signals {
    /// What systemd and `kill` send.
    static let terminate = SIGTERM
    /// What Ctrl-C sends.
    static let interrupt = SIGINT
}
