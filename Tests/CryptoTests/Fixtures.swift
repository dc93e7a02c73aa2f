import Crypto

/// Makes the bytes that a hexadecimal text stands for.
func hex(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: UInt8?
    for character in text {
        guard let digit = character.hexDigitValue else { continue }
        if let first = high {
            bytes.append(first << 4 | UInt8(digit))
            high = nil
        } else {
            high = UInt8(digit)
        }
    }
    precondition(high == nil, "hexadecimal text has two digits per byte")
    return bytes
}

/// A key pair of a secret that is one byte, thirty-two times.
func keyPair(_ byte: UInt8) throws -> KeyPair {
    KeyPair(secret: try SecretKey([UInt8](repeating: byte, count: 32).span.bytes))
}

/// One byte, thirty-two times.
func bytes32(_ byte: UInt8) -> Bytes32 {
    guard let bytes = Bytes32([UInt8](repeating: byte, count: 32)) else {
        preconditionFailure("32 bytes are due")
    }
    return bytes
}

/// Both ends of a handshake before its first message, with fixed keys.
struct Ends: ~Copyable {
    var initiator: HandshakeState
    var responder: HandshakeState

    init(
        prologue: [UInt8] = [1, 2, 3], responderPrologue: [UInt8] = [1, 2, 3],
        presharedKey: UInt8 = 5, ofResponder: UInt8 = 5
    ) throws {
        // Made before either end is stored: a value that is not copied is whole or not there.
        let initiatorStatic = try keyPair(1)
        let initiatorEphemeral = try keyPair(2)
        let responderStatic = try keyPair(3)
        let responderEphemeral = try keyPair(4)
        self.initiator = HandshakeState(
            role: .initiator, static: initiatorStatic, ephemeral: initiatorEphemeral,
            presharedKey: bytes32(presharedKey),
            prologue: prologue.span.bytes)
        self.responder = HandshakeState(
            role: .responder, static: responderStatic, ephemeral: responderEphemeral,
            presharedKey: bytes32(ofResponder),
            prologue: responderPrologue.span.bytes)
    }

    /// Exchanges the first `count` messages; each carries its number as payload.
    mutating func exchange(_ count: Int) throws {
        for number in 0..<count {
            if number.isMultiple(of: 2) {
                let message = try self.initiator.writeMessage(payload: [UInt8(number)])
                _ = try self.responder.readMessage(message)
            } else {
                let message = try self.responder.writeMessage(payload: [UInt8(number)])
                _ = try self.initiator.readMessage(message)
            }
        }
    }
}

/// Both ends of a stream after its handshake, with fixed keys.
struct Streams: ~Copyable {
    var initiator: TransportState
    var responder: TransportState

    init() throws {
        var ends = try Ends()
        try ends.exchange(3)
        self.initiator = ends.initiator.split()
        self.responder = ends.responder.split()
    }
}

/// The error that `body` throws; nil when it throws none.
///
/// Values that are not copied cannot be changed inside `#expect(throws:)`.
func failure(_ body: () throws(CryptoError) -> Void) -> CryptoError? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}
