internal import Posix

/// Where the daemon's socket is.
package enum SocketPath {
    /// The path that was chosen, else `STOA_SOCKET`, else the one in the runtime directory; nil where
    /// that is not known.
    package static func find(
        chosen: String?, environment: [String: String], userID: UInt32
    ) -> String? {
        if let chosen { return chosen }
        if let path = environment["STOA_SOCKET"], !path.isEmpty { return path }
        return try? Paths(environment: environment, userID: userID).controlSocket()
    }
}
