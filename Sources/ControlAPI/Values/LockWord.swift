/// How a node is that a passphrase protects.
package enum LockWord: String, WordValue {
    /// It has its keys.
    case open
    /// It has forgotten them.
    case locked
}
