internal import Crypto

/// Where a device can be dialled: an entry of a record of kind 4.
///
/// `Docs/Protocol/Entries.md` section 10.
package enum ReachableAddress: Hashable, Comparable, Sendable {
    /// Four bytes.
    case v4([UInt8])
    /// Sixteen bytes.
    case v6([UInt8])

    /// A family byte, then the address.
    private var encoded: [UInt8] {
        switch self {
        case .v4(let bytes): [4] + bytes
        case .v6(let bytes): [6] + bytes
        }
    }

    package static func < (left: ReachableAddress, right: ReachableAddress) -> Bool {
        left.encoded.lexicographicallyPrecedes(right.encoded)
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        switch try reader.byte("address family") {
        case 4: self = .v4(try reader.raw("address", count: 4))
        case 6: self = .v6(try reader.raw("address", count: 16))
        default: throw .value(field: "address family")
        }
    }
}

/// Where a device can be dialled, by its own word: the value of a record of kind 4.
package struct Reach: Hashable, Sendable {
    /// Not 0.
    package let port: UInt16
    /// Ascending, 1 to ``Limits/addressesPerTarget``.
    package let addresses: [ReachableAddress]

    /// Names addresses; nil where there are none, or too many.
    package init?(port: UInt16, addresses: some Sequence<ReachableAddress>) {
        let addresses = Set(addresses).sorted()
        guard port != 0, (1...Limits.addressesPerTarget).contains(addresses.count) else {
            return nil
        }
        self.port = port
        self.addresses = addresses
    }

    private static let portType: UInt64 = 1
    private static let addressesType: UInt64 = 3

    package var encoded: [UInt8] {
        var writer = WireWriter(capacity: 8 + 17 * self.addresses.count)
        writer.field(Self.portType, [UInt8(self.port >> 8), UInt8(self.port & 0xff)])
        var list = WireWriter()
        for address in self.addresses {
            switch address {
            case .v4(let bytes):
                list.byte(4)
                list.raw(bytes)
            case .v6(let bytes):
                list.byte(6)
                list.raw(bytes)
            }
        }
        writer.field(Self.addressesType, list.bytes)
        return writer.bytes
    }

    package init?(decoding bytes: [UInt8]) {
        do throws(WireError) {
            let fields = try FieldList(decoding: bytes)
            guard fields.isUnderstood(by: [Self.portType, Self.addressesType]),
                let port = fields.value(of: Self.portType), port.count == 2,
                let list = fields.value(of: Self.addressesType)
            else { return nil }
            var reader = WireReader(Array(list))
            var addresses: [ReachableAddress] = []
            while reader.remaining > 0 {
                let address = try ReachableAddress(from: &reader)
                if let last = addresses.last, address <= last { return nil }
                addresses.append(address)
            }
            self.init(port: port.reduce(0) { $0 << 8 | UInt16($1) }, addresses: addresses)
        } catch { return nil }
    }
}
