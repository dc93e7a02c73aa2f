/// How far somebody is trusted here.
package enum TierWord: String, WordValue {
    /// Blocked by the user.
    case blocked
    /// Anybody on the network.
    case stranger
    /// Shares a realm that has a secret.
    case fellow
    /// Added by the user.
    case known
    /// The user has compared keys with them.
    case verified
    /// This node itself.
    case own
}
