import Posix

/// Turns what is seen per interface into one report per instance.
///
/// An instance is seen once for each interface that it can be reached over; those who listen want
/// to hear of it once, with all its addresses.
struct InstanceTable {
    /// Instances that are followed at most; a network of 128 nodes has room for stale ones, and a
    /// stranger who announces thousands fills no memory.
    static let maximumInstances = 1_024
    /// Addresses that are kept of one instance on one interface.
    static let maximumAddresses = 32

    private struct Sighting {
        var port: UInt16?
        var txt: [String: String] = [:]
        var addresses: Set<IPAddress> = []
    }

    private var sightings: [String: [UInt32: Sighting]] = [:]
    private var reported: [String: ServiceInstance] = [:]

    /// The names of all instances that were reported and are not lost.
    var reportedNames: Set<String> { Set(self.reported.keys) }

    /// Whether one more instance may be followed.
    func hasRoom(for name: String) -> Bool {
        self.sightings[name] != nil || self.sightings.count < InstanceTable.maximumInstances
    }

    /// Notes that an instance is there on an interface; false when the table is full.
    mutating func appear(_ name: String, on interface: UInt32) -> Bool {
        guard self.hasRoom(for: name) else { return false }
        if self.sightings[name]?[interface] == nil {
            self.sightings[name, default: [:]][interface] = Sighting()
        }
        return true
    }

    /// Whether it is known where an instance is on an interface.
    func isUsable(_ name: String, on interface: UInt32) -> Bool {
        guard let sighting = self.sightings[name]?[interface] else { return false }
        return sighting.port != nil && !sighting.addresses.isEmpty
    }

    /// Notes what a look that goes on has found of an instance that has appeared.
    ///
    /// Its addresses come one by one, so those of before stay; not where the port is another one, at which it never was.
    mutating func found(
        _ addresses: Set<IPAddress>, port: UInt16, txt: [String: String], of name: String,
        on interface: UInt32
    ) -> DiscoveryEvent? {
        guard var sighting = self.sightings[name]?[interface] else { return nil }
        let known = sighting.port == port ? sighting.addresses : []
        (sighting.port, sighting.txt) = (port, txt)
        self.sightings[name]?[interface] = sighting
        return self.setAddresses(addresses.union(known), of: name, on: interface)
    }

    /// Replaces the addresses of an instance by those that a look has found, which is over.
    ///
    /// Of an IP version of which it has found none those of before stay: in a busy network one comes too late, and
    /// whoever has an instance at one address and then at another would take it for moved.
    mutating func endLook(
        _ addresses: Set<IPAddress>, of name: String, on interface: UInt32
    ) -> DiscoveryEvent? {
        guard let sighting = self.sightings[name]?[interface] else { return nil }
        let versions = Set(addresses.map(\.isIPv6))
        let others = sighting.addresses.filter { !versions.contains($0.isIPv6) }
        return self.setAddresses(addresses.union(others), of: name, on: interface)
    }

    private mutating func setAddresses(
        _ addresses: Set<IPAddress>, of name: String, on interface: UInt32
    ) -> DiscoveryEvent? {
        let kept = addresses.sorted().prefix(InstanceTable.maximumAddresses)
        self.sightings[name]?[interface]?.addresses = Set(kept)
        return self.report(name)
    }

    /// Notes that an instance is gone from an interface.
    mutating func disappear(_ name: String, from interface: UInt32) -> DiscoveryEvent? {
        guard self.sightings[name]?.removeValue(forKey: interface) != nil else { return nil }
        if self.sightings[name]?.isEmpty == true { self.sightings[name] = nil }
        return self.report(name)
    }

    /// Forgets what is seen but not what was reported, for a search that starts afresh.
    mutating func forgetSightings() {
        self.sightings = [:]
    }

    /// Says goodbye for all reported instances that the fresh search has not found again.
    mutating func loseUnseen() -> [DiscoveryEvent] {
        let unseen = self.reported.keys.filter { self.sightings[$0] == nil }.sorted()
        for name in unseen { self.reported[name] = nil }
        return unseen.map { .lost(name: $0) }
    }

    private mutating func report(_ name: String) -> DiscoveryEvent? {
        guard let sightings = self.sightings[name] else {
            return self.reported.removeValue(forKey: name) == nil ? nil : .lost(name: name)
        }
        var addresses: Set<SocketAddress> = []
        var usable: [UInt32] = []
        for (interface, sighting) in sightings {
            guard let port = sighting.port, !sighting.addresses.isEmpty else { continue }
            usable.append(interface)
            for ip in sighting.addresses { addresses.insert(SocketAddress(ip: ip, port: port)) }
        }
        // Between two sets of addresses there may be none; that is not news.
        guard let first = usable.min(), let best = sightings[first] else { return nil }
        let instance = ServiceInstance(
            name: name, interfaceIndex: first, addresses: addresses.sorted(), txt: best.txt)
        let previous = self.reported.updateValue(instance, forKey: name)
        if previous == instance { return nil }
        return previous == nil ? .found(instance) : .changed(instance)
    }
}
