/// Services that are not dialled yet, because enough dials are under way or there are links enough.
///
/// Whose turn it is is left to chance, first among hosts, then among the services at one host: names
/// cost nothing, so who announces a thousand of them would otherwise be dialled a thousand times before
/// an honest peer.
struct DialQueue: Hashable, Sendable {
    private var names: [String: Set<TargetID>] = [:]
    private var hosts: [TargetID: String] = [:]
    /// The keys of `names`, ascending: to sort them for each draw took most of what a crowd costs.
    private var order: [String] = []

    /// How many wait.
    var count: Int { self.hosts.count }

    /// Adds a target at an address, `HOST:PORT`.
    mutating func add(_ id: TargetID, at address: String) {
        self.remove(id)
        let host = Self.host(of: address)
        if self.names[host] == nil { self.order.insert(host, at: self.order.place(of: host)) }
        self.names[host, default: []].insert(id)
        self.hosts[id] = host
    }

    /// The host of an address, `HOST:PORT`.
    static func host(of address: String) -> String {
        address.lastIndex(of: ":").map { String(address[..<$0]) } ?? address
    }

    /// Takes a target out, if it waits.
    mutating func remove(_ id: TargetID) {
        guard let host = self.hosts.removeValue(forKey: id) else { return }
        self.names[host]?.remove(id)
        guard self.names[host]?.isEmpty == true else { return }
        self.names[host] = nil
        self.order.remove(at: self.order.place(of: host))
    }

    /// Takes the next one; nil when none waits.
    mutating func take(using random: inout some RandomNumberGenerator) -> TargetID? {
        guard let host = self.order.randomElement(using: &random),
            let id = self.names[host]?.sorted().randomElement(using: &random)
        else { return nil }
        self.remove(id)
        return id
    }
}
