/// Turns what two backends report into what one would.
struct MergedReports {
    /// Who reports.
    enum Source: Hashable {
        /// The system's service.
        case system
        /// The own stack.
        case own
    }

    private var reports: [String: [Source: ServiceInstance]] = [:]
    private var counts: [Source: Int] = [:]

    /// Takes a report of one; gives what is news, nil where the other has reported it, or knows better.
    mutating func take(
        _ event: DiscoveryEvent, from source: Source, alone isAlone: Bool
    ) -> DiscoveryEvent? {
        switch event {
        case .found(let instance), .changed(let instance):
            let known = self.reports[instance.name] ?? [:]
            self.reports[instance.name, default: [:]][source] = instance
            if known.isEmpty { return .found(instance) }
            return known.values.contains(instance) ? nil : .changed(instance)
        case .lost(let name):
            if isAlone { self.reports[name]? = [:] }
            self.reports[name]?[source] = nil
            guard self.reports[name]?.isEmpty == true else { return nil }
            self.reports[name] = nil
            return event
        case .seen(let count):
            if isAlone { self.counts = [:] }
            self.counts[source] = count
            return .seen(count: self.counts.values.max() ?? count)
        case .advertised, .failed: return event
        }
    }

    /// Where an instance is, as the own stack has told.
    func foundByOwn(_ name: String) -> ServiceInstance? { self.reports[name]?[.own] }
}
