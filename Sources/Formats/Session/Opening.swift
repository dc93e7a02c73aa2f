package import Crypto

/// An attempt at a handshake as it goes over the wire: which realm's secret it is made with, then the
/// first message.
///
/// `Docs/Protocol/Wire.md` section 1.
package enum Attempt {
    /// Message 1 without a payload: an ephemeral key and a tag.
    private static let overheadBytes = 32 + 16
    /// What message 1 may have.
    package static let messageBytes =
        Self.overheadBytes + 1...Self.overheadBytes + Limits.openingPayloadBytes

    /// The prologue of the handshake.
    package static func prologue(_ preface: [UInt8], _ tag: [UInt8]) -> [UInt8] { preface + tag }

    /// The ephemeral key at the beginning of message 1.
    package static func ephemeral(of message: [UInt8]) -> Bytes32 {
        guard let key = Bytes32(message.prefix(Bytes32.byteCount)) else {
            preconditionFailure("a message 1 of due length holds a key")
        }
        return key
    }
}

/// Payload 1 of the handshake: an extension area in which nothing is defined.
///
/// Whoever holds the realm's secret can replay it and read it later.
package enum OpeningPayload {
    package static let empty: [UInt8] = [0]

    /// Throws at what must be understood and is not.
    package static func check(_ bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        let area = try reader.sized("payload 1", limit: Limits.openingAreaBytes)
        try reader.finish("payload 1")
        for type in try Extensions.types(of: area) where type % 2 == 1 {
            throw .value(field: "payload 1")
        }
    }
}
