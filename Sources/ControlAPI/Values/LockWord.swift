/// How a node is that a passphrase protects.
package enum LockWord: String, WordValue {
    /// It has its keys.
    case open
    /// It has forgotten them.
    case locked
}

/// How it stands with the desktop's keyring of a node whose key it has.
package enum KeyringWord: String, WordValue {
    /// The node is open, and the keyring opens it at the next start.
    case set
    /// The keyring is being asked.
    case asking
    /// It does not open the node.
    case refused
    /// It is not asked, since the node was locked after the start.
    case passedOver
}
