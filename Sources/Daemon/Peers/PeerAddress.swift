internal import Engine
package import Formats
internal import Posix

/// Where a peer is, and which key may answer there: `[KEY@]HOST:PORT`.
package struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
    /// The only key that may answer; nil for any.
    package let key: PeerID?
    /// `HOST:PORT`, where the host may be a name, an IPv4 address or an IPv6 address in brackets.
    package let address: String

    /// Reads the text form; throws why it is not one.
    package init(_ text: String) throws(PeerAddressError) {
        var address = text
        var key: PeerID?
        if let at = text.lastIndex(of: "@") {
            guard let named = PeerID(String(text[..<at])) else { throw .key }
            key = named
            address = String(text[text.index(after: at)...])
        }
        guard let colon = address.lastIndex(of: ":") else { throw .port }
        let digits = address[address.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits),
            port > 0
        else { throw .port }
        let host = address[..<colon]
        if host.hasPrefix("[") || host.contains(":") {
            let zone = host.lastIndex(of: "%").map { host[host.index(after: $0)...] }
            guard let numeric = SocketAddress(address) else {
                let bare = zone.map { address.replacing("%\($0.dropLast())", with: "") }
                guard let bare, SocketAddress(bare)?.ip.isLinkLocal == true else { throw .host }
                throw .zone(example: bare, NetworkInterface.linkLocal)
            }
            guard !numeric.ip.isIPv6 || !numeric.ip.isLinkLocal || numeric.ip.scope > 0 else {
                throw .zone(example: address, NetworkInterface.linkLocal)
            }
        } else {
            guard !host.isEmpty, host.utf8.count <= 253,
                host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { throw .host }
        }
        self.key = key
        self.address = address
    }

    /// The address in numbers, when no name has to be looked up.
    var numeric: String? { SocketAddress(self.address)?.description }

    /// The text form, which the initializer reads back.
    package var description: String {
        self.key.map { "\($0)@\(self.address)" } ?? self.address
    }
}

/// Why a text is no address of a peer.
package enum PeerAddressError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What stands before `@` is no key.
    case key
    /// There is no port from 1 to 65535 at the end.
    case port
    /// The host is neither a name nor an address.
    case host
    /// It is a link-local address that does not say by which of these interfaces, or by none that is here.
    case zone(example: String, [String])

    /// What is wrong and what is expected.
    package var description: String {
        switch self {
        case .key:
            "the part before @ is not a key of 52 characters: `stoa status` there shows it as key"
        case .port: "a port from 1 to 65535 must follow the host, as in 192.0.2.7:4100"
        case .zone(let example, let interfaces):
            if let first = interfaces.first {
                "a link-local address needs one of this machine's interfaces "
                    + "(\(interfaces.joined(separator: ", "))), as in "
                    + example.replacing("]", with: "%\(first)]")
            } else {
                "no interface of this machine that is up has link-local addresses: ip address"
            }
        case .host: "the host must be a name, an IPv4 address, or an IPv6 address in brackets"
        }
    }
}
