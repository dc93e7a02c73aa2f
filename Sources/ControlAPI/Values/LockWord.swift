/// Whether a passphrase protects what a node has on its disk.
package enum LockWord: String, WordValue {
    /// No passphrase is set.
    case none
    /// One is set, and the node is open.
    case open
    /// One is set, and the node has forgotten its keys.
    case locked
}
