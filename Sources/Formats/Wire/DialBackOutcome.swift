/// What became of a dial that a peer has asked for; the numbers are those of the wire.
package enum DialBackOutcome: UInt8, Hashable, Sendable {
    /// The asker was reached, with its key.
    case reached = 0
    /// Something refused: nobody listens there, or somebody else.
    case refused = 1
    /// Nothing came back.
    case noAnswer = 2
    /// It was not tried: too often, or no port to be dialled.
    case notTried = 3
}
