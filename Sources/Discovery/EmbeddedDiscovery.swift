import CAvahi
package import Loop
import Posix

/// Discovery with an mDNS stack of its own inside the process: libavahi-core.
///
/// For machines without an Avahi daemon. The host name is random, so that neither the user nor the
/// machine is named, and reverse records are left out, because two stacks on one host fight over
/// them.
package final class EmbeddedDiscovery: ServiceDiscovery {
    private let loop: EventLoop
    private let handler: (DiscoveryEvent) -> Void
    private let poll: AvahiLoop
    private var isStarted = false
    private var advertisement: Advertisement?
    private var interface: String?
    private var server: OpaquePointer?
    private var isRunning = false
    private var serviceGroup: OpaquePointer?
    private var addressGroup: OpaquePointer?
    private var browser: OpaquePointer?
    private var search = ServiceSearch.rest
    private var sightings = Sightings()
    private var lookups: [SightingKey: EmbeddedLookup] = [:]
    private var table = InstanceTable()
    private var monitor: AddressMonitor?
    private var retry: LoopTimer?
    private var backoff = Backoff()
    /// Ends the stack of a node that announces nothing.
    private var quiet: LoopTimer?
    private let listeningMilliseconds: UInt64
    /// Called before the stack of a node that announces nothing is ended.
    private let listened: (() -> Void)?
    /// Names of this node by which something else announces it.
    var ownNames: Set<String> = []

    /// Looks at a time; each has up to six questions open.
    private static let maximumLookups = 32
    /// Who announces nothing listens for so long after it has asked: the engine's looks at a network that fills
    /// up are over by then.
    static let usualListeningMilliseconds: UInt64 = 45_000

    /// Makes a backend that does nothing yet; events will come to the handler on the loop.
    package convenience init(loop: EventLoop, handler: @escaping (DiscoveryEvent) -> Void) {
        self.init(loop: loop, listened: nil, handler: handler)
    }

    /// Makes a backend that also says when it has listened for as long as it does without an announcement.
    init(
        loop: EventLoop,
        listeningMilliseconds: UInt64 = EmbeddedDiscovery.usualListeningMilliseconds,
        listened: (() -> Void)?, handler: @escaping (DiscoveryEvent) -> Void
    ) {
        loop.checkIsolated()
        self.loop = loop
        self.listeningMilliseconds = listeningMilliseconds
        self.listened = listened
        self.handler = handler
        self.poll = AvahiLoop(loop: loop)
        DiscoveryLog.install()
    }

    deinit {
        self.tearDown()
    }

    /// Whether announcements are heard: always, where this node is announced itself.
    var isListening: Bool { self.server != nil }

    /// Whether it is told of who comes and goes.
    var isLooking: Bool { self.browser != nil }

    /// The names of all instances that are seen.
    var seenNames: Set<String> { Set(self.sightings.keys.map(\.name)) }

    /// Starts to announce and to look for others, see ``ServiceDiscovery``.
    ///
    /// Who announces nothing has no socket open but while it looks.
    package func start(advertising advertisement: Advertisement?, interface: String?) {
        self.loop.checkIsolated()
        precondition(!self.isStarted, "discovery is started once")
        self.isStarted = true
        self.advertisement = advertisement
        self.interface = interface
        self.search = .open
        do {
            self.retry = try self.loop.makeTimer { [weak self] in self?.setUp() }
            if advertisement == nil {
                self.quiet = try self.loop.makeTimer { [weak self] in self?.endListening() }
            } else {
                self.monitor = try AddressMonitor(loop: self.loop) { [weak self] _ in
                    self?.publishAddresses()
                }
            }
        } catch {
            self.emit(.failed(reason: error.description))
        }
        self.setUp()
    }

    /// Looks up port and addresses of an instance again, see ``ServiceDiscovery``.
    package func refresh(name: String) {
        self.loop.checkIsolated()
        for key in self.sightings.keys where key.name == name { self.sightings.want(key) }
        self.lookUpWaiting()
    }

    /// Searches until told otherwise, see ``ServiceDiscovery``.
    package func search(_ search: ServiceSearch) {
        self.loop.checkIsolated()
        guard self.isStarted else { return }
        if search != .open, search != .rest, self.search == .open { return }
        if search == .glance, self.browser != nil { return }
        let wasOpen = self.search == .open
        self.search = search
        if search == .rest { self.endBrowsing() } else { self.browse() }
        guard self.advertisement == nil else { return }
        // A stack that is new has heard nothing that a glance could tell.
        if search == .ask || search == .open, self.server == nil { self.setUp() }
        if search == .open { self.quiet?.clear() }
        if search == .ask || search == .rest && wasOpen {
            self.quiet?.set(afterMilliseconds: self.listeningMilliseconds)
        }
    }

    /// Says goodbye and ends, see ``ServiceDiscovery``.
    package func stop(then done: @escaping () -> Void) {
        self.loop.checkIsolated()
        self.isStarted = false
        self.monitor = nil
        self.retry = nil
        self.quiet = nil
        // Freeing the server sends the goodbyes before it returns.
        self.tearDown()
        self.table = InstanceTable()
        self.loop.runLater(done)
    }

    // MARK: The server

    private func setUp() {
        guard self.isStarted, self.server == nil else { return }
        var config = AvahiServerConfig()
        avahi_server_config_init(&config)
        defer { avahi_server_config_free(&config) }
        avahi_free(config.host_name)
        config.host_name = avahi_strdup(Advertisement.randomName())
        config.publish_addresses = 0
        config.publish_workstation = 0
        config.publish_hinfo = 0
        config.publish_domain = 0
        // Nothing of ours may be asked of a DNS server beyond the local network.
        config.enable_wide_area = 0
        // As many records as all instances that are followed have, and as many again: what a stranger
        // announces stays for as long as it says, and would leave no room for others.
        config.n_cache_entries_max = UInt32(8 * InstanceTable.maximumInstances)
        config.disable_publishing = self.advertisement == nil ? 1 : 0
        if let interface = self.interface {
            config.allow_interfaces = avahi_string_list_add(nil, interface)
        }
        var code: Int32 = 0
        let server = avahi_server_new(
            self.poll.table, &config,
            { server, state, context in
                guard let discovery = EmbeddedDiscovery.from(context) else { return }
                // The first call comes from within avahi_server_new().
                discovery.server = server
                discovery.serverChanged(to: state)
            }, Unmanaged.passUnretained(self).toOpaque(), &code)
        guard let server else {
            self.server = nil
            self.fail("start mDNS", code)
            return
        }
        self.server = server
        if self.search != .rest { self.browse() }
    }

    private func tearDown() {
        self.isRunning = false
        for lookup in self.lookups.values { lookup.end() }
        self.lookups = [:]
        self.sightings = Sightings()
        self.endBrowsing()
        if let server = self.server { avahi_server_free(server) }
        self.server = nil
        self.serviceGroup = nil
        self.addressGroup = nil
    }

    private func serverChanged(to state: AvahiServerState) {
        self.isRunning = state == AVAHI_SERVER_RUNNING
        switch state {
        case AVAHI_SERVER_RUNNING:
            // Entry groups may be made within this call, but not before the server has returned.
            self.loop.runLater { [weak self] in self?.publishAll() }
        case AVAHI_SERVER_COLLISION:
            self.loop.runLater { [weak self] in self?.rename() }
        case AVAHI_SERVER_FAILURE:
            self.fail("run mDNS", self.lastError)
        default:
            break
        }
    }

    private var lastError: Int32 { self.server.map { avahi_server_errno($0) } ?? 0 }

    /// Reports a failure and starts over later.
    ///
    /// The server is freed when the library has returned.
    private func fail(_ what: String, _ code: Int32) {
        let reason = avahi_strerror(code).map { String(cString: $0) } ?? "error \(code)"
        self.emit(.failed(reason: "cannot \(what): \(reason)"))
        self.loop.runLater { [weak self] in
            guard let self, self.isStarted else { return }
            self.tearDown()
            self.table.forgetSightings()
            self.retry?.set(afterMilliseconds: self.backoff.next())
        }
    }

    /// Takes other random names after a collision, which names of 80 bits do not have by chance.
    ///
    /// The usual cause is a network that sends our own records back, so there is a pause.
    private func rename() {
        guard self.isStarted, self.server != nil else { return }
        self.tearDown()
        self.table.forgetSightings()
        self.advertisement?.instanceName = Advertisement.randomName()
        self.retry?.set(afterMilliseconds: self.backoff.next())
    }

    fileprivate static func from(_ context: UnsafeMutableRawPointer?) -> EmbeddedDiscovery? {
        context.map { Unmanaged<EmbeddedDiscovery>.fromOpaque($0).takeUnretainedValue() }
    }

    private func emit(_ event: DiscoveryEvent) {
        // Never from within the library: the handler may stop discovery, which frees the server.
        self.loop.runLater { [weak self] in
            guard let self, self.isStarted else { return }
            self.handler(event)
        }
    }

    // MARK: The own instance

    private func publishAll() {
        guard self.isRunning, self.advertisement != nil else { return }
        self.publishAddresses()
        self.publishService()
    }

    private func publishAddresses() {
        guard self.isRunning, self.advertisement != nil, let server = self.server else { return }
        if self.addressGroup == nil { self.addressGroup = self.makeGroup(server) }
        guard let group = self.addressGroup else { return self.fail("announce", self.lastError) }
        avahi_s_entry_group_reset(group)
        // Without the list there is nothing to announce, and the next change of an address is the
        // next chance.
        let interfaces = (try? NetworkInterface.all()) ?? []
        for interface in interfaces where interface.isUp && !interface.isPointToPoint {
            if let only = self.interface, only != interface.name { continue }
            for ip in interface.addresses {
                var address = AvahiAddress()
                address.proto = AvahiProtocol(ip.isIPv6 ? AVAHI_PROTO_INET6 : AVAHI_PROTO_INET)
                withUnsafeMutableBytes(of: &address.data) { $0.copyBytes(from: ip.bytes) }
                let code = avahi_server_add_address(
                    server, group, AvahiIfIndex(interface.index),
                    AvahiProtocol(AVAHI_PROTO_UNSPEC), AVAHI_PUBLISH_NO_REVERSE, nil, &address)
                guard code >= 0 else { return self.fail("announce \(ip)", code) }
            }
        }
        guard avahi_s_entry_group_is_empty(group) == 0 else { return }
        let code = avahi_s_entry_group_commit(group)
        if code < 0 { self.fail("announce", code) }
    }

    private func publishService() {
        guard let server = self.server, let advertisement = self.advertisement else { return }
        if self.serviceGroup == nil { self.serviceGroup = self.makeGroup(server) }
        guard let group = self.serviceGroup else { return self.fail("announce", self.lastError) }
        avahi_s_entry_group_reset(group)
        var list: UnsafeMutablePointer<AvahiStringList>?
        defer { avahi_string_list_free(list) }
        // The list is built from its end.
        for string in TXTRecord.strings(of: advertisement.txt).reversed() {
            list = avahi_string_list_add_arbitrary(list, string, string.count)
        }
        var code = avahi_server_add_service_strlst(
            server, group, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC),
            AvahiPublishFlags(0), advertisement.instanceName, serviceType, nil, nil,
            advertisement.port, list)
        if code >= 0 { code = avahi_s_entry_group_commit(group) }
        if code < 0 { self.fail("announce", code) }
    }

    private func makeGroup(_ server: OpaquePointer) -> OpaquePointer? {
        avahi_s_entry_group_new(
            server,
            { _, group, state, context in
                EmbeddedDiscovery.from(context)?.groupChanged(group, to: state)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func groupChanged(_ group: OpaquePointer?, to state: AvahiEntryGroupState) {
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED:
            guard group == self.serviceGroup, let name = self.advertisement?.instanceName else {
                return
            }
            self.backoff.reset()
            self.emit(.advertised(name: name))
        case AVAHI_ENTRY_GROUP_COLLISION:
            self.loop.runLater { [weak self] in self?.rename() }
        case AVAHI_ENTRY_GROUP_FAILURE:
            self.fail("announce", self.lastError)
        default:
            break
        }
    }

    // MARK: Others

    private func browse() {
        // A new browser is told at once of all that announcements have brought.
        guard self.browser == nil, let server = self.server else { return }
        self.sightings.beginSearch()
        self.browser = avahi_s_service_browser_new(
            server, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC),
            serviceType, nil, AVAHI_LOOKUP_USE_MULTICAST,
            { _, interface, _, event, name, _, _, _, context in
                EmbeddedDiscovery.from(context)?.browsed(
                    event, name.map { String(cString: $0) }, interface)
            }, Unmanaged.passUnretained(self).toOpaque())
        if self.browser == nil { self.fail("look for others", self.lastError) }
    }

    private func endBrowsing() {
        if let browser = self.browser { avahi_s_service_browser_free(browser) }
        self.browser = nil
    }

    private func browsed(_ event: AvahiBrowserEvent, _ name: String?, _ interface: AvahiIfIndex) {
        switch event {
        case AVAHI_BROWSER_FAILURE: return self.fail("look for others", self.lastError)
        // The browser is freed by the library's own clock, within its call: so it has not asked yet, or
        // not again, however late the loop is.
        case AVAHI_BROWSER_CACHE_EXHAUSTED: return self.ended(.glance)
        case AVAHI_BROWSER_ALL_FOR_NOW: return self.ended(.ask)
        default: break
        }
        guard let name, interface >= 0, name != self.advertisement?.instanceName,
            !self.ownNames.contains(name)
        else { return }
        let key = SightingKey(name: name, interface: UInt32(interface))
        switch event {
        case AVAHI_BROWSER_NEW:
            guard !self.table.hasRoom(for: name) else { return self.appeared(key) }
            // One that gives way may be looked up right now, and no look is ended from within the library.
            self.loop.runLater { [weak self] in
                guard let self, self.server != nil else { return }
                if !self.table.hasRoom(for: name), let other = self.sightings.anyKey {
                    self.drop(other)
                }
                self.appeared(key)
            }
        case AVAHI_BROWSER_REMOVE:
            if self.sightings.disappear(key) { self.drop(key) }
        default:
            break
        }
    }

    private func appeared(_ key: SightingKey) {
        guard self.table.appear(key.name, on: key.interface) else { return }
        let isNew = self.sightings.appear(key)
        if isNew { self.emit(.seen(count: self.sightings.count)) }
        if isNew || !self.table.isUsable(key.name, on: key.interface) {
            self.sightings.want(key)
            // Not from within the library.
            self.loop.runLater { [weak self] in self?.lookUpWaiting() }
        }
    }

    /// Who was not heard of in all that time is gone, as names of former starts are.
    private func endListening() {
        for event in self.table.loseUnseen() { self.emit(event) }
        self.listened?()
        self.tearDown()
        self.table.forgetSightings()
    }

    /// A search has told all that it tells.
    private func ended(_ search: ServiceSearch) {
        guard self.search == search else { return }
        self.search = .rest
        self.endBrowsing()
        if search == .ask { for key in self.sightings.stale { self.drop(key) } }
    }

    private func drop(_ key: SightingKey) {
        self.sightings.remove(key)
        self.lookups.removeValue(forKey: key)?.end()
        if let event = self.table.disappear(key.name, from: key.interface) { self.emit(event) }
        self.emit(.seen(count: self.sightings.count))
    }

    private func lookUpWaiting() {
        guard let server = self.server else { return }
        while self.lookups.count < EmbeddedDiscovery.maximumLookups,
            let key = self.sightings.takeWaiting()
        {
            guard self.lookups[key] == nil else { continue }
            do {
                self.lookups[key] = try EmbeddedLookup(
                    server: server, key, loop: self.loop
                ) { [weak self] lookup in
                    self?.update(lookup)
                } finished: { [weak self] lookup in
                    self?.finished(lookup)
                }
            } catch {
                self.emit(.failed(reason: error.description))
            }
        }
    }

    private func update(_ lookup: EmbeddedLookup) {
        let key = lookup.key
        guard let port = lookup.port, !lookup.addresses.isEmpty else { return }
        let event = self.table.found(
            lookup.addresses, port: port, txt: lookup.txt, of: key.name, on: key.interface)
        if let event { self.emit(event) }
    }

    private func finished(_ lookup: EmbeddedLookup) {
        let (key, addresses) = (lookup.key, lookup.addresses)
        lookup.end()
        self.lookups[key] = nil
        if lookup.port != nil, !addresses.isEmpty {
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
