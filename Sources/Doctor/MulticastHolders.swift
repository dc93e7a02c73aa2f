/// Who holds the port of multicast DNS, from what the kernel and the accounts say.
enum MulticastHolders {
    /// The port as the kernel writes it: 5353.
    private static let port = ":14E9"
    /// Accounts below are the system's, by Debian's policy; people's browsers hold the port, too, and harm
    /// nothing.
    private static let firstPerson: UInt32 = 1_000

    /// The accounts of the system, other than Avahi's and those that run a daemon of Stoa, which share the port
    /// with each other, in order.
    ///
    /// - Parameters:
    ///   - sockets: lines of `/proc/net/udp`.
    ///   - accounts: lines of `/etc/passwd`.
    ///   - own: the user's own number.
    ///   - runsStoa: whether an account of that name does.
    static func names(
        sockets: String, accounts: String, own: UInt32, runsStoa: (String) -> Bool
    ) -> [String] {
        var users: Set<UInt32> = []
        for line in sockets.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 7, fields[1].hasSuffix(Self.port), let user = UInt32(fields[7]),
                user < Self.firstPerson, user != own
            else { continue }
            users.insert(user)
        }
        let names = accounts.split(separator: "\n").compactMap { line -> String? in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count > 2, let user = UInt32(fields[2]), users.contains(user) else {
                return nil
            }
            return String(fields[0])
        }
        return names.filter { $0 != "avahi" && $0 != "root" && !runsStoa($0) }.sorted()
    }
}
