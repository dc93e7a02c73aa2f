/// The version of this release, which the daemon and the command line share.
package enum StoaVersion {
    /// Major, minor and patch by semantic versioning.
    package static let text = "0.1.0"

    /// What has the program run that is installed.
    package static let restart = "systemctl --user restart stoad"

    /// Whether a version is from before another; nil where one of them is not three numbers.
    package static func isOlder(_ version: String, than other: String) -> Bool? {
        guard let version = Self.numbers(version), let other = Self.numbers(other) else {
            return nil
        }
        return version.lexicographicallyPrecedes(other)
    }

    /// How the version of a daemon differs from that of a command line, in a phrase that begins with it, and
    /// what to do; nil where it does not.
    ///
    /// After an upgrade the old daemon runs on.
    package static func difference(
        of daemon: String, from own: String = StoaVersion.text
    ) -> (text: String, remedy: String)? {
        guard daemon != own else { return nil }
        switch Self.isOlder(daemon, than: own) {
        case true?: return (text: "\(daemon), older than this stoa \(own)", remedy: self.restart)
        case false?:
            return (
                text: "\(daemon), newer than this stoa \(own)",
                remedy: "use the stoa that came with it"
            )
        case nil: return (text: "\(daemon), and this is stoa \(own)", remedy: self.restart)
        }
    }

    private static func numbers(_ text: String) -> [UInt32]? {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map {
            UInt32($0)
        }
        return numbers.count == 3 && !numbers.contains(nil) ? numbers.compactMap { $0 } : nil
    }
}
