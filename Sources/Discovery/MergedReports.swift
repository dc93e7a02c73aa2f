import Posix

/// Turns what two backends report into what one would.
struct MergedReports {
    enum Source: Hashable {
        /// The system's service.
        case system
        /// The own stack.
        case own
    }

    private struct Entry {
        var sources: [Source: ServiceInstance] = [:]
        /// What was made of them last.
        var told: ServiceInstance?
    }

    private var entries: [String: Entry] = [:]
    private var counts: [Source: Int] = [:]

    /// Takes a report of one; gives what is news, nil where the other has reported it, or knows better.
    mutating func take(
        _ event: DiscoveryEvent, from source: Source, alone isAlone: Bool
    ) -> DiscoveryEvent? {
        switch event {
        case .found(let instance), .changed(let instance):
            var entry = self.entries[instance.name] ?? Entry()
            entry.sources[source] = instance
            let merged = Self.merge(instance, entry.sources.values)
            let previous = entry.told
            entry.told = merged
            self.entries[instance.name] = entry
            if previous == merged { return nil }
            return previous == nil ? .found(merged) : .changed(merged)
        case .lost(let name):
            if isAlone { self.entries[name]?.sources = [:] }
            self.entries[name]?.sources[source] = nil
            guard self.entries[name]?.sources.isEmpty == true else { return nil }
            self.entries[name] = nil
            return event
        case .seen(let count):
            if isAlone { self.counts = [:] }
            self.counts[source] = count
            return .seen(count: self.counts.values.reduce(count, max))
        case .advertised, .failed: return event
        }
    }

    /// Where an instance is, as the own stack has told.
    func foundByOwn(_ name: String) -> ServiceInstance? { self.entries[name]?.sources[.own] }

    /// A report with the addresses of all reports of its port.
    ///
    /// One that begins has not all of them yet, and whoever is no longer where the other has found them would be
    /// taken for moved.
    private static func merge(
        _ instance: ServiceInstance, _ all: some Sequence<ServiceInstance>
    ) -> ServiceInstance {
        let port = instance.addresses.first?.port
        let addresses = Set(all.flatMap(\.addresses).filter { $0.port == port })
        return ServiceInstance(
            name: instance.name, interfaceIndex: instance.interfaceIndex,
            addresses: addresses.sorted(), txt: instance.txt)
    }
}
