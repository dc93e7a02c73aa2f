public import Loop
import Posix

/// Discovery with the system's Avahi daemon, by the calls of dns_sd.h.
///
/// It survives a restart of the daemon: it announces again, and instances that are not seen any more
/// are lost some seconds later. Without the library there is one failure and nothing more. The
/// compatibility layer blocks on D-Bus in every call, so a worker
/// of its own makes them.
public final class SystemDiscovery: ServiceDiscovery {
    private let loop: EventLoop
    private let handler: (DiscoveryEvent) -> Void
    private let unavailable: (() -> Void)?
    private let library: Result<DNSServiceLibrary, DNSServiceUnavailable>
    private var worker: Worker?
    private var advertisement: Advertisement?
    private var interface: String?
    private var isStarted = false
    private var hasAnswered = false
    private var ownNames: Set<String> = []
    private var browse: DNSServiceQuery?
    private var registration: DNSServiceQuery?
    private var sightings: [SightingKey: Sighting] = [:]
    private var waiting: [SightingKey] = []
    private var lookups: [SightingKey: SystemLookup] = [:]
    private var table = InstanceTable()
    private var retry: LoopTimer?
    private var settled: LoopTimer?
    private var backoff = Backoff()

    /// Lookups at a time; each has two questions open, and the service bears 64 well.
    private static let maximumLookups = 31
    /// By then a fresh search has heard from everybody who is there.
    private static let settlingMilliseconds: UInt64 = 10_000

    private struct SightingKey: Hashable, Comparable {
        let name: String
        let interface: UInt32

        static func < (left: SightingKey, right: SightingKey) -> Bool {
            (left.name, left.interface) < (right.name, right.interface)
        }
    }

    private struct Sighting {
        /// The service tells of an instance once per IP version.
        var count = 0
        var backoff = Backoff()
        var retry: LoopTimer?
    }

    /// Makes a backend that does nothing yet; events will come to the handler on the loop.
    ///
    /// Sets a variable in the environment, so call it before other threads read that.
    public convenience init(loop: EventLoop, handler: @escaping (DiscoveryEvent) -> Void) {
        self.init(loop: loop, unavailable: nil, handler: handler)
    }

    /// Makes a backend that, when no daemon answers at the start, says so and gives up.
    init(
        loop: EventLoop, unavailable: (() -> Void)?, handler: @escaping (DiscoveryEvent) -> Void
    ) {
        loop.checkIsolated()
        self.loop = loop
        self.unavailable = unavailable
        self.handler = handler
        self.library = DNSServiceLibrary.shared
    }

    deinit {
        self.tearDown()
    }

    /// Starts to announce and to look for others, see ``ServiceDiscovery``.
    public func start(advertising advertisement: Advertisement?, interface: String?) {
        self.loop.checkIsolated()
        precondition(!self.isStarted, "discovery is started once")
        self.isStarted = true
        self.advertisement = advertisement
        self.interface = interface
        do {
            self.retry = try self.loop.makeTimer { [weak self] in self?.setUp() }
            self.settled = try self.loop.makeTimer { [weak self] in
                guard let self else { return }
                for event in self.table.loseUnseen() { self.emit(event) }
            }
            // Nothing is refused for want of room: the number of open questions is bounded.
            if self.worker == nil {
                self.worker = try Worker(name: "dns-sd", loop: self.loop, capacity: .max)
            }
        } catch {
            self.emit(.failed(reason: error.description))
        }
        self.setUp()
    }

    /// Looks up port and addresses of an instance again, see ``ServiceDiscovery``.
    public func refresh(name: String) {
        self.loop.checkIsolated()
        for key in self.sightings.keys.filter({ $0.name == name }).sorted() { self.lookUp(key) }
    }

    /// Says goodbye and ends, see ``ServiceDiscovery``.
    public func stop(then done: @escaping () -> Void) {
        self.loop.checkIsolated()
        self.isStarted = false
        self.retry = nil
        self.settled = nil
        self.tearDown()
        self.table = InstanceTable()
        // The worker does one thing after another, so by then the announcement is withdrawn.
        guard let worker = self.worker, worker.run({}, then: { _ in done() }) else {
            return self.loop.runLater(done)
        }
    }

    // MARK: The service

    private func setUp() {
        guard self.isStarted, let worker = self.worker, self.browse == nil else { return }
        var index: UInt32 = 0
        if let name = self.interface {
            guard let found = NetworkInterface.index(ofName: name) else {
                return self.fail("there is no interface \(name)")
            }
            index = found
        }
        let library: DNSServiceLibrary
        switch self.library {
        case .success(let loaded): library = loaded
        case .failure(let error):
            // Another attempt in this process would come to the same.
            guard let unavailable = self.unavailable else {
                return self.emit(.failed(reason: error.reason))
            }
            return self.loop.runLater(unavailable)
        }
        self.browse = DNSServiceQuery(
            .browse(interface: index), library: library, loop: self.loop, worker: worker
        ) { [weak self] answer in
            self?.browsed(answer)
        }
        self.settled?.set(afterMilliseconds: SystemDiscovery.settlingMilliseconds)
        guard let advertisement = self.advertisement else { return }
        self.ownNames.insert(advertisement.instanceName)
        let txt = TXTRecord.encode(TXTRecord.strings(of: advertisement.txt))
        self.registration = DNSServiceQuery(
            .register(
                name: advertisement.instanceName, port: advertisement.port, txt: txt,
                interface: index),
            library: library, loop: self.loop, worker: worker
        ) { [weak self] answer in
            self?.registered(answer)
        }
    }

    private func tearDown() {
        self.registration?.end()
        self.registration = nil
        self.browse?.end()
        self.browse = nil
        for lookup in self.lookups.values { lookup.end() }
        self.lookups = [:]
        self.waiting = []
        self.sightings = [:]
        self.table.forgetSightings()
    }

    private func fail(_ reason: String) {
        self.tearDown()
        self.settled?.clear()
        self.emit(.failed(reason: reason))
        self.retry?.set(afterMilliseconds: self.backoff.next())
    }

    private func failed(code: Int32) {
        guard self.browse != nil else { return }
        if !self.hasAnswered, let unavailable = self.unavailable {
            self.tearDown()
            self.loop.runLater(unavailable)
            return
        }
        self.fail("the Avahi daemon does not answer (code \(code)); is it running?")
    }

    private func emit(_ event: DiscoveryEvent) {
        // Later, so that a handler may call discovery without being called back within.
        self.loop.runLater { [weak self] in
            guard let self, self.isStarted else { return }
            self.handler(event)
        }
    }

    private func registered(_ answer: DNSServiceAnswer) {
        switch answer {
        case .registered(let name):
            self.hasAnswered = true
            self.backoff.reset()
            self.ownNames.insert(name)
            for key in self.sightings.keys.filter({ $0.name == name }).sorted() { self.drop(key) }
            self.emit(.advertised(name: name))
        case .failed(let code):
            self.failed(code: code)
        default:
            break
        }
    }

    // MARK: Others

    private func browsed(_ answer: DNSServiceAnswer) {
        switch answer {
        case .appeared(let name, let interface):
            self.hasAnswered = true
            guard !self.ownNames.contains(name), self.table.appear(name, on: interface) else {
                return
            }
            let key = SightingKey(name: name, interface: interface)
            let isNew = self.sightings[key] == nil
            self.sightings[key, default: Sighting()].count += 1
            if isNew { self.lookUp(key) }
        case .disappeared(let name, let interface):
            let key = SightingKey(name: name, interface: interface)
            guard let count = self.sightings[key]?.count else { return }
            self.sightings[key]?.count = count - 1
            if count <= 1 { self.drop(key) }
        case .failed(let code):
            self.failed(code: code)
        default:
            break
        }
    }

    private func drop(_ key: SightingKey) {
        self.sightings[key] = nil
        self.waiting.removeAll { $0 == key }
        self.lookups.removeValue(forKey: key)?.end()
        if let event = self.table.disappear(key.name, from: key.interface) { self.emit(event) }
        self.lookUpWaiting()
    }

    private func lookUp(_ key: SightingKey) {
        guard self.lookups[key] == nil, !self.waiting.contains(key) else { return }
        self.waiting.append(key)
        self.lookUpWaiting()
    }

    private func lookUpWaiting() {
        guard let worker = self.worker, case .success(let library) = self.library else { return }
        while self.lookups.count < SystemDiscovery.maximumLookups, !self.waiting.isEmpty {
            let key = self.waiting.removeFirst()
            do {
                self.lookups[key] = try SystemLookup(
                    key.name, interface: key.interface, library: library, loop: self.loop,
                    worker: worker
                ) { [weak self] outcome in
                    self?.update(key, outcome)
                } finished: { [weak self] outcome in
                    self?.finished(key, outcome)
                }
            } catch {
                self.emit(.failed(reason: error.description))
                self.finished(key, nil)
            }
        }
    }

    private func update(_ key: SightingKey, _ outcome: SystemLookup.Outcome) {
        // Addresses first, or a new port would be reported with addresses of the last look.
        let events = [
            self.table.setAddresses(outcome.addresses, of: key.name, on: key.interface),
            self.table.resolve(
                key.name, on: key.interface, port: outcome.port, txt: outcome.txt),
        ]
        for event in events.compactMap({ $0 }) { self.emit(event) }
    }

    private func finished(_ key: SightingKey, _ outcome: SystemLookup.Outcome?) {
        self.lookups[key] = nil
        if outcome == nil, let delay = self.sightings[key]?.backoff.next() {
            // Instances of hosts that lost power stay announced for over an hour; asking for them
            // once a minute costs little.
            let timer = try? self.loop.makeTimer { [weak self] in
                guard let self, self.sightings[key] != nil else { return }
                self.lookUp(key)
            }
            timer?.set(afterMilliseconds: delay)
            self.sightings[key]?.retry = timer
        }
        self.lookUpWaiting()
    }
}
