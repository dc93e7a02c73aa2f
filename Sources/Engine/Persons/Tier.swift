internal import Formats

/// How far somebody is trusted here, ascending: the lower gives way to the higher.
///
/// Sharing a room or a realm makes nobody known.
package enum Tier: UInt8, Comparable, Sendable, CaseIterable {
    /// The user wants nothing of them.
    case blocked
    /// Anybody on the network: keys cost nothing.
    case stranger
    /// Shares a realm with a secret.
    case fellow
    /// The user has said so (`stoa people add`), wrote to them, or accepted what they wrote.
    case known
    /// The user has compared keys with them.
    case verified
    /// This node itself.
    case own

    /// Orders by trust.
    package static func < (left: Tier, right: Tier) -> Bool { left.rawValue < right.rawValue }
}

extension Standing {
    /// How far somebody is trusted of whom this was said; nil where that is nothing.
    var tier: Tier? {
        switch self {
        case .unsaid: nil
        case .known: .known
        case .verified: .verified
        case .blocked: .blocked
        }
    }
}
