import Crypto

@testable import Engine
@testable import Formats

/// The initiator of a handshake, and its attempt: the tag, and message 1.
struct MadeAttempt: ~Copyable {
    var state: HandshakeState
    let bytes: [UInt8]
}

/// Attempts as somebody makes them who speaks the handshake.
enum Attempts {
    /// A tag that no secret gives.
    static let noTag = [UInt8](repeating: 0xee, count: 16)

    /// An attempt by a secret, with a payload in message 1.
    static func make(
        _ secret: RealmSecret = .open, payload: [UInt8] = OpeningPayload.empty,
        after preface: [UInt8] = Preface.ours.encoded
    ) throws -> MadeAttempt {
        var tag: [UInt8] = []
        var state = HandshakeState(
            role: .initiator, static: keyPair(9), presharedKey: secret.presharedKey
        ) {
            tag = secret.handshakeTag($0)
            return preface + tag
        }
        let message = try state.writeMessage(payload: payload)
        return MadeAttempt(state: state, bytes: tag + GoldenHandshake.framed(message))
    }
}
