import Glibc

/// An IPv4 or IPv6 address, with the interface for addresses that mean something on one link only.
///
/// IPv4 addresses mapped into IPv6 become IPv4, so one host has one spelling.
/// The order is the one in which candidates are best tried: IPv4, then IPv6, then link-local IPv6.
package struct IPAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64
    /// True for IPv6.
    package let isIPv6: Bool
    /// The interface index that link-local IPv6 needs, else 0: `sin6_scope_id`, ipv6(7).
    package let scope: UInt32

    private init(high: UInt64, low: UInt64, isIPv6: Bool, scope: UInt32) {
        self.high = high
        self.low = low
        self.isIPv6 = isIPv6
        self.scope = scope
    }

    /// Makes an address from 4 or 16 bytes in network order; nil for another count.
    ///
    /// The scope is kept only where it belongs, with link-local IPv6.
    package init?(bytes: [UInt8], scope: UInt32 = 0) {
        switch bytes.count {
        case 4:
            let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            self.init(high: 0, low: value, isIPv6: false, scope: 0)
        case 16:
            let high = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let low = bytes[8...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            if high == 0, low >> 32 == 0xffff {
                self.init(high: 0, low: low & 0xffff_ffff, isIPv6: false, scope: 0)
            } else {
                let isLinkLocal = high >> 54 == 0xfe80 >> 6
                self.init(high: high, low: low, isIPv6: true, scope: isLinkLocal ? scope : 0)
            }
        default:
            return nil
        }
    }

    /// Reads `192.0.2.1`, `2001:db8::1` or `fe80::1%eth0`; names of hosts are not looked up.
    ///
    /// The interface may be a name or an index. Nil when the text is no such address or the
    /// interface does not exist. Uses inet_pton(3) and if_nametoindex(3).
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let numeric = parts.first.map({ String($0) }), !numeric.utf8.contains(0) else {
            return nil
        }
        var four = in_addr()
        if parts.count == 1, inet_pton(AF_INET, numeric, &four) == 1 {
            let bytes = withUnsafeBytes(of: &four) { [UInt8]($0) }
            self.init(bytes: bytes)
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, numeric, &six) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: &six) { [UInt8]($0) }
        guard parts.count == 2 else {
            self.init(bytes: bytes)
            return
        }
        let name = String(parts[1])
        guard let scope = UInt32(name) ?? NetworkInterface.index(ofName: name), scope != 0 else {
            return nil
        }
        self.init(bytes: bytes, scope: scope)
        // A scope on an address that has none would be dropped without a word.
        guard self.isLinkLocal, self.isIPv6 else { return nil }
    }

    /// The IPv4 wildcard, `0.0.0.0`.
    package static let anyIPv4 = IPAddress(high: 0, low: 0, isIPv6: false, scope: 0)
    /// The IPv6 wildcard, `::`.
    package static let anyIPv6 = IPAddress(high: 0, low: 0, isIPv6: true, scope: 0)
    /// The IPv4 loopback, `127.0.0.1`.
    package static let loopbackIPv4 = IPAddress(high: 0, low: 0x7f00_0001, isIPv6: false, scope: 0)
    /// The IPv6 loopback, `::1`.
    package static let loopbackIPv6 = IPAddress(high: 0, low: 1, isIPv6: true, scope: 0)

    /// The 4 or 16 bytes in network order.
    package var bytes: [UInt8] {
        let low = (0..<8).map { UInt8(truncatingIfNeeded: self.low >> (56 - 8 * UInt64($0))) }
        guard self.isIPv6 else { return Array(low[4...]) }
        return (0..<8).map { UInt8(truncatingIfNeeded: self.high >> (56 - 8 * UInt64($0))) } + low
    }

    /// True for 169.254.0.0/16 and fe80::/10, which are valid on one link only.
    package var isLinkLocal: Bool {
        self.isIPv6 ? self.high >> 54 == 0xfe80 >> 6 : self.low >> 16 == 0xa9fe
    }

    /// True for 127.0.0.0/8 and ::1.
    package var isLoopback: Bool {
        self.isIPv6 ? self.high == 0 && self.low == 1 : self.low >> 24 == 127
    }

    /// True for `0.0.0.0` and `::`.
    package var isWildcard: Bool { self.high == 0 && self.low == 0 }

    /// The usual spelling, which the text initializer reads back; the scope is an interface name
    /// where the interface exists, else its index.
    package var description: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let bytes = self.bytes
        let family = self.isIPv6 ? AF_INET6 : AF_INET
        _ = inet_ntop(family, bytes, &buffer, socklen_t(buffer.count))
        let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        guard self.scope != 0 else { return text }
        return "\(text)%\(NetworkInterface.name(ofIndex: self.scope) ?? String(self.scope))"
    }

    /// Orders by how an address is best tried, then by value.
    package static func < (left: IPAddress, right: IPAddress) -> Bool {
        left.rank < right.rank
    }

    private var rank: (Int, UInt64, UInt64, UInt32) {
        (self.isIPv6 ? (self.isLinkLocal ? 2 : 1) : 0, self.high, self.low, self.scope)
    }
}
