internal import Formats

/// What is shared with other sites, and by which servers.
package struct SitesConfiguration: Equatable, Sendable {
    /// The most servers that are named, of one cluster.
    static let serverLimit = 16

    /// Each `nats://HOST:PORT` or `tls://HOST:PORT`.
    var servers: [String] = []
    var realm: RealmName?
    /// The path of a credentials file.
    var credentials: String?
    /// Files of at most so many bytes go by way of the servers.
    var fileBytes = Self.fileBytesDefault
    static let fileBytesDefault: UInt64 = 64 << 20

    init() {}

    init(_ values: [Setting: [SettingValue]]) throws(ConfigurationError) {
        for value in values[.sites] ?? [] {
            guard let server = Self.server(value.text) else {
                // A password that was typed here is not to stand in a log, too.
                var shown = value
                if let at = value.text.lastIndex(of: "@") { shown.text = "…" + value.text[at...] }
                throw Configuration.invalid(
                    shown, "is not the address of a NATS server",
                    remedy: "write nats://HOST:PORT or tls://HOST:PORT; a password belongs in "
                        + "the file of SitesCredentials")
            }
            guard !self.servers.contains(server) else { continue }
            guard self.servers.count < Self.serverLimit else {
                throw Configuration.invalid(
                    value, "is one server too many",
                    remedy: "name at most \(Self.serverLimit) servers of the cluster")
            }
            self.servers.append(server)
        }
        self.realm = try values[.sitesRealm]?.last.map { (value) throws(ConfigurationError) in
            let realm = try Configuration.realm(value)
            guard realm != .open else {
                throw Configuration.invalid(
                    value, "has no secret, so the servers could read everything",
                    remedy: "name a realm that has a secret, or make one first")
            }
            return realm
        }
        self.credentials = try values[.sitesCredentials]?.last.map {
            (value) throws(ConfigurationError) in
            try Configuration.path(value, orDefault: { "" })
        }
        if let value = values[.sitesFileLimit]?.last {
            self.fileBytes = try Configuration.bytes(value)
        }
    }

    /// A server as libnats takes it; nil for what is none, or has a name and password in it.
    private static func server(_ text: String) -> String? {
        for scheme in ["nats://", "tls://"] where text.hasPrefix(scheme) {
            let rest = text.dropFirst(scheme.count)
            let isAddress = rest.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: "@")
                    && byte != UInt8(ascii: "/") && byte != UInt8(ascii: ",")
            }
            // Behind the last colon outside of brackets, where there is one.
            let port = rest.split(separator: ":", omittingEmptySubsequences: false).dropFirst()
                .last.flatMap { $0.hasSuffix("]") ? nil : $0 }
            let isPort = port.map { (UInt16($0) ?? 0) > 0 } ?? true
            return isAddress && isPort && !rest.isEmpty && rest.utf8.count <= 255 ? text : nil
        }
        return nil
    }
}
