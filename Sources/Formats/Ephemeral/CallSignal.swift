/// A piece of what arranges a call, for one device; programs neither send nor hear it.
///
/// `Docs/Protocol/Ephemeral.md` section 1.
package struct CallSignal: Hashable, Sendable {
    /// Whom it is for; others ignore it.
    package var device: PeerID
    /// 1 to ``Limits/streamPacketBytes`` bytes.
    package var bytes: [UInt8]

    package init(to device: PeerID, bytes: [UInt8]) {
        self.device = device
        self.bytes = bytes
    }

    func write(to writer: inout WireWriter) {
        writer.raw(self.device.key)
        writer.raw(self.bytes)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.device = PeerID(try reader.bytes32("signal device"))
        self.bytes = try reader.raw("signal bytes", count: reader.remaining)
        guard (1...Limits.streamPacketBytes).contains(self.bytes.count) else {
            throw .value(field: "signal bytes")
        }
    }
}
