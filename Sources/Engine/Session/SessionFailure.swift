package import Formats

/// Why a session ended by itself; for our own log and the list of refusals.
package enum SessionFailure: Error, Hashable, Sendable {
    /// The first bytes are not a preface of this protocol.
    case notStoa
    /// There is no common version; the peer's range is given.
    case version(lowest: UInt8, highest: UInt8)
    /// There is no realm that both are in.
    case wrongRealm
    /// Another key than the expected one answered.
    case otherKey(expected: PeerID, got: PeerID)
    /// The peer's signature does not cover this handshake, or its key is unusable.
    case badSignature
    /// The peer's certificate is not one of its device.
    case badCertificate
    /// A handshake message or a frame did not decrypt: tampering, replay or loss.
    case decryptFailed
    /// More bytes than a handshake may have.
    case handshakeTooLarge
    /// A length field outside its limits.
    case length(Int)
    /// A frame that the protocol does not allow.
    case wire(WireError)
    /// The control queue grew beyond its bound: the peer does not read.
    case notReading
    /// The handshake was not done in time.
    case timedOut
    /// More connections or handshakes at a time than are taken.
    case overloaded
}

extension SessionFailure: CustomStringConvertible {
    /// What happened, for a person who reads the log.
    package var description: String {
        switch self {
        case .notStoa: "the first bytes are not Stoa's"
        case .version(let lowest, let highest):
            "no common version: the peer speaks \(lowest) to \(highest), this node 2"
        case .wrongRealm: "no common realm: the two share no secret"
        case .otherKey(let expected, let got):
            "another key answered: expected \(expected.shortText), got \(got.shortText)"
        case .badSignature: "the identity signature does not fit this handshake"
        case .badCertificate: "the certificate belongs to another device"
        case .decryptFailed: "a message did not decrypt (tampered with, replayed or lost)"
        case .handshakeTooLarge: "the handshake is too large"
        case .length(let length): "a message length of \(length) is outside the limits"
        case .wire(let error): "protocol violation: \(error)"
        case .notReading: "the peer does not read"
        case .timedOut: "no handshake in time"
        case .overloaded: "too many connections or handshakes at a time"
        }
    }
}
