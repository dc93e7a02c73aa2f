/// The version of this release, which the daemon and the command line share.
public enum StoaVersion {
    /// Major, minor and patch by semantic versioning.
    public static let text = "0.1.0"
}
