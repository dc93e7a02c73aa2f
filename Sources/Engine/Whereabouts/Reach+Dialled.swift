internal import Formats

extension Reach {
    /// Where a device is dialled for this record, as `HOST:PORT`: where it is, as far as anybody but itself can
    /// tell.
    ///
    /// Left out are addresses that mean something on one machine or network only, that nobody has alone, or that stand
    /// for others; this machine's own, so that no record names its other programs; and the ports of the
    /// system's services.
    func dialled(besides own: Set<ReachableAddress>) -> [String] {
        guard self.port >= Limits.dialBackPort else { return [] }
        let others = self.addresses.filter {
            $0.isOneHost && !own.contains($0)
        }
        return others.prefix(Limits.toldAddresses).map { "\($0.host):\(self.port)" }
    }
}

extension ReachableAddress {
    /// Whether it is that of one host, from wherever it is dialled.
    package var isOneHost: Bool {
        switch self {
        case .v4(let bytes):
            guard bytes.count == 4 else { return false }
            return switch (bytes[0], bytes[1]) {
            // This network, loopback, link-local; from 224 on multicast, what is reserved, broadcast.
            case (0, _), (127, _), (169, 254), (224..., _): false
            default: true
            }
        case .v6(let bytes):
            guard bytes.count == 16 else { return false }
            // Global and unique local ones. Of the former, Teredo (2001:0::/32) and 6to4 (2002::/16) name IPv4
            // addresses that are not looked at here.
            guard bytes[0] & 0xe0 == 0x20 else { return bytes[0] & 0xfe == 0xfc }
            return bytes[0] != 0x20
                || bytes[1] != 0x02
                    && (bytes[1] != 0x01 || bytes[2] != 0 || bytes[3] != 0)
        }
    }

    /// The host part of `HOST:PORT`, as the system writes it.
    fileprivate var host: String {
        switch self {
        case .v4(let bytes): bytes.map(String.init).joined(separator: ".")
        case .v6(let bytes): "[\(Self.text(of: bytes))]"
        }
    }

    /// RFC 5952: groups without leading zeros, two colons for the first longest row of two zeros or more.
    private static func text(of bytes: [UInt8]) -> String {
        let groups = stride(from: 0, to: 16, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
        var (start, length) = (0, 0)
        var index = 0
        while index < groups.count {
            let zeros = groups[index...].prefix { $0 == 0 }.count
            if zeros > length { (start, length) = (index, zeros) }
            index += max(1, zeros)
        }
        func join(_ part: ArraySlice<Int>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard length > 1 else { return join(groups[...]) }
        return join(groups[..<start]) + "::" + join(groups[(start + length)...])
    }
}
