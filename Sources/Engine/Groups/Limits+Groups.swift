package import Formats

/// Bounds of groups.
extension Limits {
    /// People in a group.
    package static let groupMembers = 200
    /// People of a group who were ever given a rank.
    package static let groupRanks = 64
}
