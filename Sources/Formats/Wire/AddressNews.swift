package import Crypto

/// What one side of a link tells the other of where devices of a realm can be dialled: the body of `addresses`.
///
/// `Docs/Protocol/Sync.md` section 11.
package struct AddressNews: Hashable, Sendable {
    /// Shows the realm, as in `rooms`.
    package var realm: Bytes16
    /// The tags of the address records of that realm that the sender has, ascending; see ``tag(of:)``.
    package var held: [UInt64]
    /// Address records of devices in that realm.
    package var records: [Record]

    package init(_ realm: Bytes16, held: [UInt64] = [], records: [Record] = []) {
        self.realm = realm
        self.held = held
        self.records = records
    }

    /// Names a record; the same for everybody.
    package static func tag(of record: Record) -> UInt64 {
        record.hash.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    init(from reader: inout WireReader) throws(WireError) {
        guard let realm = Bytes16(try reader.raw("realm tag", count: 16)) else {
            throw .value(field: "realm tag")
        }
        self.realm = realm
        self.held = []
        self.records = []
        for _ in 0..<(try reader.count("held count", limit: Limits.heldAddresses)) {
            let tag = try reader.u64("held")
            if let last = self.held.last, tag <= last { throw .order(field: "held") }
            self.held.append(tag)
        }
        for _ in 0..<(try reader.count("records count", limit: Limits.addressesPerFrame)) {
            let bytes = try reader.sized("record", limit: Limits.recordBytes)
            self.records.append(try Record(decoding: bytes))
        }
    }

    func write(to writer: inout WireWriter) {
        writer.raw(self.realm.bytes)
        writer.varint(self.held.count)
        for tag in self.held { writer.u64(tag) }
        writer.varint(self.records.count)
        for record in self.records { writer.sized(record.encoded) }
    }
}
