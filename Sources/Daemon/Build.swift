internal import ControlAPI

package enum Build {
    /// The version, as `stoad --version` and `status` say it.
    package static let version = StoaVersion.text
    /// The day of the release, 2026-11-20, in milliseconds since 1970.
    ///
    /// A clock that reads less is wrong; the node never takes an earlier moment for *now*.
    package static let timeMilliseconds: UInt64 = 1_795_132_800_000
}
