/// What the user has said of somebody; the numbers are those of the store.
package enum Standing: UInt8, Sendable, CaseIterable {
    case unsaid
    /// They are known: `stoa people add`, a message to them, or one of theirs that was accepted.
    case known
    /// The user has compared keys with them.
    case verified
    /// Nothing is wanted of them: no link, no request, and what they write is not shown.
    case blocked
}
