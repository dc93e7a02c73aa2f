package import Crypto

/// One step on the way to another device of a person; the new one begins.
///
/// `Docs/Protocol/Wire.md`, "Linking a device".
package enum DeviceStep: Hashable, Sendable {
    /// Why a side goes no further.
    package enum End: UInt8, Hashable, Sendable, CaseIterable {
        /// It was told to begin something else, or the time is over.
        case cancelled = 1
        /// It has answered as many beginnings as it does within an hour.
        case tooMany = 2
    }

    /// The new device commits itself to a nonce: ``DeviceCode/commitment(to:of:address:)``.
    case commit(Bytes32)
    /// The nonce of the old one.
    case nonce(Bytes32)
    /// The nonce of the new one, which the commitment was to.
    case open(Bytes32)
    /// The new device's user has typed what the old one shows: it takes what is handed over.
    case ready
    case end(End)

    func write(to writer: inout WireWriter) {
        switch self {
        case .commit(let hash):
            writer.byte(1)
            writer.raw(hash)
        case .nonce(let nonce):
            writer.byte(2)
            writer.raw(nonce)
        case .open(let nonce):
            writer.byte(3)
            writer.raw(nonce)
        case .ready: writer.byte(4)
        case .end(let end):
            writer.byte(5)
            writer.byte(end.rawValue)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.byte("device step") {
        case 1: self = .commit(try reader.bytes32("device commitment"))
        case 2: self = .nonce(try reader.bytes32("device nonce"))
        case 3: self = .open(try reader.bytes32("device nonce"))
        case 4: self = .ready
        case 5:
            guard let end = End(rawValue: try reader.byte("device end")) else {
                throw .value(field: "device end")
            }
            self = .end(end)
        default: throw .value(field: "device step")
        }
    }
}

/// What the users of two devices compare before one is handed the person's keys: the same on both ends
/// of a link, and another one on every other link.
///
///     H("stoa link code", exporter 64 ‖ nonce of the new one 32 ‖ of the old one 32 ‖ new D 32 ‖ old D 32 ‖ new E 32)
///
/// The new device has committed itself to its nonce before it has seen the other's, so who stands
/// between two devices cannot look for nonces that give the same code on both links.
package struct DeviceCode: Hashable, Sendable {
    /// Eight digits that the new device shows, and the old one is told.
    package let code: String
    /// Four digits that the old one shows, and the new one is told.
    package let check: String

    package init(
        exporter: Bytes64, newNonce: Bytes32, oldNonce: Bytes32, new: PeerID, old: PeerID,
        address: Bytes32
    ) {
        var writer = WireWriter(capacity: 256)
        writer.raw(exporter)
        for part in [newNonce, oldNonce, new.key, old.key, address] { writer.raw(part) }
        let bytes = BLAKE2b.hash256(writer.bytes, personal: .deviceCode).bytes
        self.code = Self.digits(8, of: bytes[..<8])
        self.check = Self.digits(4, of: bytes[8..<16])
    }

    private static func digits(_ count: Int, of bytes: ArraySlice<UInt8>) -> String {
        let number = bytes.reduce(0) { $0 << 8 | UInt64($1) }
        let text = "\(number % (0..<count).reduce(1) { power, _ in power * 10 })"
        return String(repeating: "0", count: count - text.count) + text
    }

    /// What the new device says before it learns the other's nonce.
    package static func commitment(
        to nonce: Bytes32, of device: PeerID, address: Bytes32
    ) -> Bytes32 {
        BLAKE2b.hash256(
            nonce.bytes + device.key.bytes + address.bytes, personal: .deviceCommitment)
    }
}
