import CAvahi
import Loop
import Posix

/// One look at where an instance is, by libavahi-core: its SRV, TXT, A and AAAA records.
///
/// The library's service resolver gives one address only, so the address records of the host that
/// it names are browsed apart. All of it ends soon after it is answered: the library repeats what is
/// open, refreshes each record every 96 seconds, and every host on the network compares each such
/// question with all that it knows. The library holds a question back for 100 ms and tells first what
/// announcements have brought; what ends upon that is never asked at all, however late the loop is.
final class EmbeddedLookup {
    let key: SightingKey
    private(set) var port: UInt16?
    private(set) var txt: [String: String] = [:]

    private let server: OpaquePointer
    private let changed: (EmbeddedLookup) -> Void
    private let finished: (EmbeddedLookup) -> Void
    private var timer: LoopTimer?
    private var isAnswered = false
    /// Searches for addresses that have not told yet all that is known without asking.
    private var unheard = 0
    private var host: String?
    private var resolver: OpaquePointer?
    private var browsers: [OpaquePointer] = []
    /// How often each address is known; the two IP versions tell of the same ones.
    private var counts: [IPAddress: Int] = [:]

    /// The addresses of the host at present.
    var addresses: Set<IPAddress> { Set(self.counts.keys) }

    /// A host on the network answers within milliseconds, one that woke up within a second or two.
    private static let patienceMilliseconds: UInt64 = 5_000
    /// Records of one host arrive together.
    private static let siblingsMilliseconds: UInt64 = 40

    /// Starts to look; progress and the end, which comes once, may come from within the library.
    ///
    /// Its browsers and resolvers may be freed there: it marks them and looks after them later.
    init(
        server: OpaquePointer, _ key: SightingKey, loop: EventLoop,
        changed: @escaping (EmbeddedLookup) -> Void, finished: @escaping (EmbeddedLookup) -> Void
    ) throws(SystemError) {
        self.server = server
        self.key = key
        self.changed = changed
        self.finished = finished
        self.timer = try loop.makeTimer { [weak self] in
            guard let self else { return }
            self.finished(self)
        }
        self.timer?.set(afterMilliseconds: Self.patienceMilliseconds)
        self.resolver = avahi_s_service_resolver_new(
            server, AvahiIfIndex(key.interface), AvahiProtocol(AVAHI_PROTO_UNSPEC), key.name,
            serviceType, nil,
            AvahiProtocol(AVAHI_PROTO_UNSPEC),
            AvahiLookupFlags(
                AVAHI_LOOKUP_USE_MULTICAST.rawValue | AVAHI_LOOKUP_NO_ADDRESS.rawValue),
            { _, _, _, event, _, _, _, host, _, port, txt, _, context in
                // After a failure the resolver goes on, so a late answer still arrives.
                guard event == AVAHI_RESOLVER_FOUND, let host else { return }
                EmbeddedLookup.from(context)?.resolved(
                    host: String(cString: host), port: port, txt: EmbeddedLookup.strings(txt))
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        precondition(self.resolver == nil && self.browsers.isEmpty, "a look is ended first")
    }

    /// Stops looking, without a further call-back; must be called while the server still exists.
    func end() {
        self.timer?.cancel()
        self.timer = nil
        self.endResolving()
        self.endBrowsing()
    }

    private func endResolving() {
        if let resolver = self.resolver { avahi_s_service_resolver_free(resolver) }
        self.resolver = nil
    }

    private func endBrowsing() {
        for browser in self.browsers { avahi_s_record_browser_free(browser) }
        self.browsers = []
        self.unheard = 0
        self.counts = [:]
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> EmbeddedLookup? {
        context.map { Unmanaged<EmbeddedLookup>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func strings(_ list: UnsafeMutablePointer<AvahiStringList>?) -> [[UInt8]] {
        var strings: [[UInt8]] = []
        var next = list
        while let entry = next {
            let text = avahi_string_list_get_text(entry)
            let size = avahi_string_list_get_size(entry)
            strings.append(Array(UnsafeBufferPointer(start: text, count: size)))
            next = avahi_string_list_get_next(entry)
        }
        return strings
    }

    private func resolved(host: String, port: UInt16, txt: [[UInt8]]) {
        self.port = port
        self.txt = TXTRecord.pairs(of: txt)
        self.endResolving()
        if host != self.host {
            self.host = host
            self.endBrowsing()
            self.browse(host, type: UInt16(AVAHI_DNS_TYPE_A))
            self.browse(host, type: UInt16(AVAHI_DNS_TYPE_AAAA))
        }
        self.changed(self)
    }

    private func browse(_ host: String, type: UInt16) {
        guard let key = avahi_key_new(host, UInt16(AVAHI_DNS_CLASS_IN), type) else { return }
        defer { avahi_key_unref(key) }
        let browser = avahi_s_record_browser_new(
            self.server, AvahiIfIndex(self.key.interface), AvahiProtocol(AVAHI_PROTO_UNSPEC), key,
            AVAHI_LOOKUP_USE_MULTICAST,
            { _, _, _, event, record, _, context in
                guard let lookup = EmbeddedLookup.from(context) else { return }
                if event == AVAHI_BROWSER_CACHE_EXHAUSTED { return lookup.heardAllKnown() }
                guard let record else { return }
                lookup.browsed(event, record)
            }, Unmanaged.passUnretained(self).toOpaque())
        guard let browser else { return }
        self.browsers.append(browser)
        self.unheard += 1
    }

    /// One search has told all that is known of its records; with an address, that is enough.
    private func heardAllKnown() {
        self.unheard -= 1
        if self.unheard == 0, !self.counts.isEmpty { self.finished(self) }
    }

    private func browsed(_ event: AvahiBrowserEvent, _ record: UnsafeMutablePointer<AvahiRecord>) {
        let bytes: [UInt8]
        if record.pointee.key.pointee.type == UInt16(AVAHI_DNS_TYPE_A) {
            bytes = withUnsafeBytes(of: record.pointee.data.a.address) { [UInt8]($0) }
        } else {
            bytes = withUnsafeBytes(of: record.pointee.data.aaaa.address) { [UInt8]($0) }
        }
        guard let ip = IPAddress(bytes: bytes, scope: self.key.interface) else { return }
        switch event {
        case AVAHI_BROWSER_NEW:
            // A host that claims to have thousands of addresses fills no memory.
            guard self.counts[ip] != nil || self.counts.count < InstanceTable.maximumAddresses
            else { return }
            self.counts[ip, default: 0] += 1
        case AVAHI_BROWSER_REMOVE:
            guard let count = self.counts[ip] else { return }
            self.counts[ip] = count > 1 ? count - 1 : nil
        default:
            return
        }
        if !self.isAnswered, !self.counts.isEmpty {
            self.isAnswered = true
            self.timer?.set(
                afterMilliseconds: Self.siblingsMilliseconds, accuracy: .milliseconds(5))
        }
        self.changed(self)
    }
}
