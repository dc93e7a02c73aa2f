package import Loop
import Posix

/// Discovery with the system's Avahi daemon, by the calls of dns_sd.h.
///
/// The daemon announces this node, and follows others where they are few. While there may be a crowd it is
/// asked nothing: it adds all that it knows to each question, late where it is busy, and each costs every
/// host the square of that. A stack that announces nothing asks and listens instead, for as long as the
/// search lasts: `Docs/Decisions/0005-discovery-in-a-crowd.md`.
///
/// It survives a restart of the daemon: it announces again, and instances that are not seen any more
/// are lost some seconds later. Without the library there is one failure and nothing more. The
/// compatibility layer blocks on D-Bus in every call, so a worker
/// of its own makes them.
package final class SystemDiscovery: ServiceDiscovery {
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
    private var isUp = false
    private var search = ServiceSearch.rest
    private var looked: LoopTimer?
    /// Asks; nil where that has proved not to work beside the service.
    private var seeker: EmbeddedDiscovery?
    private var reports = MergedReports()
    private var sightings = Sightings()
    private var lookups: [SightingKey: SystemLookup] = [:]
    private var table = InstanceTable()
    private var retry: LoopTimer?
    private var settled: LoopTimer?
    private var backoff = Backoff()

    /// Lookups at a time; each has two questions open, and the service bears 64 well.
    private static let maximumLookups = 31
    /// What answers a question does so by then.
    private static let askMilliseconds: UInt64 = 1_000
    /// So long after its first answer, of which there is one where this node is announced, the service
    /// has told what it knows, and has asked nobody: it holds questions back for 100 ms.
    private static let glanceMilliseconds: UInt64 = 30
    /// By then a fresh search has heard from everybody who is there.
    private static let settlingMilliseconds: UInt64 = 10_000

    /// Makes a backend that does nothing yet; events will come to the handler on the loop.
    ///
    /// Sets a variable in the environment, so call it before other threads read that.
    package convenience init(loop: EventLoop, handler: @escaping (DiscoveryEvent) -> Void) {
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
    package func start(advertising advertisement: Advertisement?, interface: String?) {
        self.loop.checkIsolated()
        precondition(!self.isStarted, "discovery is started once")
        self.isStarted = true
        self.search = .open
        self.advertisement = advertisement
        self.interface = interface
        do {
            self.retry = try self.loop.makeTimer { [weak self] in self?.setUp() }
            self.looked = try self.loop.makeTimer { [weak self] in self?.endLook() }
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
    package func refresh(name: String) {
        self.loop.checkIsolated()
        if let seeker = self.seeker, seeker.isListening {
            seeker.refresh(name: name)
        } else if let instance = self.reports.foundByOwn(name) {
            // The service may never have been told to look for it.
            let key = SightingKey(name: name, interface: instance.interfaceIndex)
            if self.table.appear(name, on: key.interface) { _ = self.sightings.appear(key) }
        }
        for key in self.sightings.keys where key.name == name { self.sightings.want(key) }
        self.lookUpWaiting()
    }

    /// Says how others are looked for, see ``ServiceDiscovery``.
    package func search(_ search: ServiceSearch) {
        self.loop.checkIsolated()
        guard self.isStarted else { return }
        if search != .open, search != .rest, self.search == .open { return }
        if search == .glance, self.browse != nil { return }
        self.search = search
        self.looked?.clear()
        switch search {
        case .open:
            guard let seeker = self.seeker else { return self.beginBrowsing() }
            seeker.search(.open)
            self.looked?.set(afterMilliseconds: EmbeddedDiscovery.usualListeningMilliseconds)
        case .ask, .glance:
            if let seeker = self.seeker {
                self.search = .rest
                self.endBrowsing()
                return seeker.search(search)
            }
            self.looked?.set(
                afterMilliseconds: Self.askMilliseconds, accuracy: .milliseconds(5))
            self.beginBrowsing()
        case .rest:
            self.seeker?.search(.rest)
            self.endBrowsing()
        }
    }

    /// Makes the stack that asks, which goes on where the service is gone for a while.
    private func makeSeeker() {
        guard self.seeker == nil else { return }
        let seeker = EmbeddedDiscovery(loop: self.loop) { [weak self] in
            // Where the service follows who is there, it knows better.
            guard let self, let seeker = self.seeker, self.browse == nil else { return }
            let names = seeker.seenNames
            for key in self.sightings.keys where !names.contains(key.name) { self.drop(key) }
        } handler: { [weak self] event in
            self?.sought(event)
        }
        self.seeker = seeker
        seeker.ownNames = self.ownNames
        seeker.start(advertising: nil, interface: self.interface)
        seeker.search(.rest)
    }

    private func endSeeker() {
        self.seeker?.stop {}
        self.seeker = nil
    }

    private func sought(_ event: DiscoveryEvent) {
        guard self.isStarted else { return }
        switch event {
        case .failed:
            // Another stack may have the port for itself. The service asks, then.
            self.endSeeker()
            if self.search == .open { self.beginBrowsing() } else { self.search(.ask) }
        case .found, .changed, .lost, .seen, .advertised: self.report(event, from: .own)
        }
    }

    private func report(_ event: DiscoveryEvent, from source: MergedReports.Source) {
        let isAlone = source == .own ? self.browse == nil : self.seeker?.isLooking != true
        if let news = self.reports.take(event, from: source, alone: isAlone) { self.handler(news) }
    }

    private func endLook() {
        if self.search == .open {
            // Few are there, and the service follows them at no cost.
            self.seeker?.search(.rest)
            return self.beginBrowsing()
        }
        let wasAsked = self.search == .ask && self.browse != nil
        self.search = .rest
        self.endBrowsing()
        if wasAsked { for key in self.sightings.stale { self.drop(key) } }
    }

    /// Says goodbye and ends, see ``ServiceDiscovery``.
    package func stop(then done: @escaping () -> Void) {
        self.loop.checkIsolated()
        self.isStarted = false
        self.retry = nil
        self.looked = nil
        self.settled = nil
        self.tearDown()
        self.endSeeker()
        self.table = InstanceTable()
        self.reports = MergedReports()
        // The worker does one thing after another, so by then the announcement is withdrawn.
        guard let worker = self.worker, worker.run({}, then: { _ in done() }) else {
            return self.loop.runLater(done)
        }
    }

    // MARK: The service

    private func setUp() {
        guard self.isStarted, let worker = self.worker, !self.isUp else { return }
        guard let index = self.interfaceIndex else {
            return self.fail("there is no interface \(self.interface ?? "")")
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
        self.isUp = true
        if let name = self.advertisement?.instanceName { self.ownNames.insert(name) }
        self.makeSeeker()
        let search = self.search
        self.search = .rest
        self.search(search)
        self.settled?.set(afterMilliseconds: SystemDiscovery.settlingMilliseconds)
        guard let advertisement = self.advertisement else { return }
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

    /// The interface to use, 0 for all; nil when the one that was chosen is not there.
    private var interfaceIndex: UInt32? {
        guard let name = self.interface else { return 0 }
        return NetworkInterface.index(ofName: name)
    }

    private func beginBrowsing() {
        guard self.isUp, self.browse == nil, let worker = self.worker,
            let index = self.interfaceIndex, case .success(let library) = self.library
        else { return }
        self.sightings.beginSearch()
        self.browse = DNSServiceQuery(
            .browse(interface: index), library: library, loop: self.loop, worker: worker
        ) { [weak self] answer in
            self?.browsed(answer)
        }
    }

    private func endBrowsing() {
        self.browse?.end()
        self.browse = nil
    }

    private func tearDown() {
        self.isUp = false
        self.registration?.end()
        self.registration = nil
        self.endBrowsing()
        for lookup in self.lookups.values { lookup.end() }
        self.lookups = [:]
        self.sightings = Sightings()
        self.table.forgetSightings()
    }

    private func fail(_ reason: String) {
        self.tearDown()
        self.settled?.clear()
        self.emit(.failed(reason: reason))
        self.retry?.set(afterMilliseconds: self.backoff.next())
    }

    private func failed(code: Int32) {
        guard self.isUp else { return }
        if !self.hasAnswered, let unavailable = self.unavailable {
            self.tearDown()
            self.endSeeker()
            self.loop.runLater(unavailable)
            return
        }
        self.fail("the Avahi daemon does not answer (code \(code)); is it running?")
    }

    private func emit(_ event: DiscoveryEvent) {
        // Later, so that a handler may call discovery without being called back within.
        self.loop.runLater { [weak self] in
            guard let self, self.isStarted else { return }
            self.report(event, from: .system)
        }
    }

    private func registered(_ answer: DNSServiceAnswer) {
        switch answer {
        case .registered(let name):
            self.hasAnswered = true
            self.backoff.reset()
            self.ownNames.insert(name)
            self.seeker?.ownNames = self.ownNames
            for key in self.sightings.keys where key.name == name { self.drop(key) }
            self.emit(.advertised(name: name))
        case .failed(let code):
            self.failed(code: code)
        default:
            break
        }
    }

    // MARK: Others

    private func browsed(_ answer: DNSServiceAnswer) {
        if self.search == .glance {
            self.looked?.set(
                afterMilliseconds: Self.glanceMilliseconds, accuracy: .milliseconds(5))
        }
        switch answer {
        case .appeared(let name, let interface):
            self.hasAnswered = true
            guard !self.ownNames.contains(name) else { return }
            if !self.table.hasRoom(for: name), let other = self.sightings.anyKey {
                self.drop(other)
            }
            guard self.table.appear(name, on: interface) else { return }
            let key = SightingKey(name: name, interface: interface)
            let isNew = self.sightings.appear(key)
            if isNew { self.emit(.seen(count: self.sightings.count)) }
            let isUsable =
                self.table.isUsable(name, on: interface) || self.reports.foundByOwn(name) != nil
            if !isUsable {
                self.sightings.want(key)
                self.lookUpWaiting()
            }
        case .disappeared(let name, let interface):
            let key = SightingKey(name: name, interface: interface)
            if self.sightings.disappear(key) { self.drop(key) }
        case .failed(let code):
            self.failed(code: code)
        default:
            break
        }
    }

    private func drop(_ key: SightingKey) {
        self.sightings.remove(key)
        self.lookups.removeValue(forKey: key)?.end()
        if let event = self.table.disappear(key.name, from: key.interface) { self.emit(event) }
        self.emit(.seen(count: self.sightings.count))
        self.lookUpWaiting()
    }

    private func lookUpWaiting() {
        guard let worker = self.worker, case .success(let library) = self.library else { return }
        while self.lookups.count < SystemDiscovery.maximumLookups,
            let key = self.sightings.takeWaiting()
        {
            guard self.lookups[key] == nil else { continue }
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
        let event = self.table.found(
            outcome.addresses, port: outcome.port, txt: outcome.txt, of: key.name,
            on: key.interface)
        if let event { self.emit(event) }
    }

    private func finished(_ key: SightingKey, _ outcome: SystemLookup.Outcome?) {
        self.lookups[key] = nil
        if let addresses = outcome?.addresses {
            if let event = self.table.endLook(addresses, of: key.name, on: key.interface) {
                self.emit(event)
            }
            self.sightings.succeed(key)
        } else {
            self.sightings.fail(key, on: self.loop) { [weak self] in
                self?.sightings.want(key)
                self?.lookUpWaiting()
            }
        }
        self.lookUpWaiting()
    }
}
