/// Who holds the port of multicast DNS, from what the kernel and the accounts say.
enum MulticastHolders {
    private static let port: UInt16 = 5353
    /// Accounts below are the system's, by Debian's policy; people's browsers hold the port, too, and harm
    /// nothing.
    private static let firstPerson: UInt32 = 1_000

    /// The accounts of the system, other than Avahi's and those that run a daemon of Stoa, which share the port
    /// with each other, in order.
    ///
    /// - Parameters:
    ///   - sockets: lines of `/proc/net/udp`.
    ///   - holders: names accounts and programs.
    ///   - own: the user's own number.
    ///   - runsStoa: whether an account of that name does.
    static func names(
        sockets: String, _ holders: SocketHolders, own: UInt32, runsStoa: (String) -> Bool
    ) -> [String] {
        let all = SocketHolders.sockets(of: Self.port, in: sockets, isTCP: false)
        let users = Dictionary(grouping: all.filter { $0.user < Self.firstPerson }, by: \.user)
        return users.compactMap { user, sockets -> String? in
            let account = holders.account(user)
            guard user != own, account != "avahi", !runsStoa(account) else { return nil }
            let holder = holders.holder(of: sockets)
            // Of root it may be anything, also what shares the port on purpose, unless the program is known.
            return account == "root" && holder == account ? nil : holder
        }.sorted()
    }
}
