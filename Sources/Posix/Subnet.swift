/// A network that an interface is in: an address of this machine in it, and how many of its first bits all
/// addresses of the network share.
package struct Subnet: Hashable, Sendable, CustomStringConvertible {
    /// The address of this machine.
    package let address: IPAddress
    /// How many bits are shared.
    package let prefix: Int

    /// Makes it from its parts; more bits than an address has are all of them.
    package init(address: IPAddress, prefix: Int) {
        self.address = address
        self.prefix = min(max(0, prefix), address.bytes.count * 8)
    }

    /// Makes it from an address and a mask, as an interface has them.
    init(address: IPAddress, mask: [UInt8]) {
        let full = mask.prefix { $0 == 0xff }.count
        let rest = mask.dropFirst(full).first.map { (~$0).leadingZeroBitCount } ?? 0
        self.init(address: address, prefix: full * 8 + rest)
    }

    /// Whether an address is in this network.
    ///
    /// One of link-local IPv6 is where it is on the same interface.
    package func contains(_ other: IPAddress) -> Bool {
        guard self.address.isIPv6 == other.isIPv6, self.address.scope == other.scope else {
            return false
        }
        let (own, theirs) = (self.address.bytes, other.bytes)
        let whole = self.prefix / 8
        guard own.prefix(whole) == theirs.prefix(whole) else { return false }
        let bits = self.prefix % 8
        return bits == 0 || (own[whole] ^ theirs[whole]) >> (8 - bits) == 0
    }

    /// As people write it, such as `192.0.2.7/24`.
    package var description: String { "\(self.address)/\(self.prefix)" }
}
