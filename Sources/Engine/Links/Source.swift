/// From where somebody comes: what one host alone has, as far as addresses say it.
///
/// Keys cost nothing, addresses of a local network do. An IPv6 network of 64 bits counts as one
/// source, since one host has all of it to choose from; link-local addresses count by themselves, since
/// the whole network shares theirs.
package struct Source: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The host, or the network.
    package let description: String

    /// Reads where an address belongs.
    ///
    /// - Parameter address: numeric `HOST:PORT`, with IPv6 in brackets; of anything else the whole text
    ///   before the last colon is the source.
    package init(_ address: String) {
        guard let colon = address.lastIndex(of: ":") else {
            self.description = address
            return
        }
        var host = address[..<colon]
        if host.first == "[" && host.last == "]" { host = host.dropFirst().dropLast() }
        self.description = Self.network(of: host)
    }

    /// That of all that servers between sites bring: whoever may write there can do so from anywhere.
    static let sites = Source(description: "sites")

    /// Takes one that was kept, as ``description`` says it.
    package init(description: String) { self.description = description }

    /// Orders by text.
    package static func < (left: Source, right: Source) -> Bool {
        left.description < right.description
    }

    /// The first 64 bits of an IPv6 address that others can reach; anything else as it is.
    private static func network(of host: Substring) -> String {
        guard host.contains(":"), !host.hasPrefix("fe8"), !host.hasPrefix("fe9"),
            !host.hasPrefix("fea"), !host.hasPrefix("feb"), host != "::1"
        else { return String(host) }
        let groups = host.split(separator: ":", omittingEmptySubsequences: false)
        // RFC 5952 section 4.2: two colons stand for as many zeros as are missing.
        var full: [Substring] = []
        for (index, group) in groups.enumerated() {
            if !group.isEmpty {
                full.append(group)
            } else if index > 0 && index < groups.count - 1 {
                let given = groups.count { !$0.isEmpty }
                full += Array(repeating: "0", count: max(0, 8 - given))
            }
        }
        return full.prefix(4).joined(separator: ":") + "::/64"
    }
}
