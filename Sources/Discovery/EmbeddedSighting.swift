import CAvahi
import Posix

/// One instance on one interface, followed by libavahi-core: its SRV, TXT, A and AAAA records.
///
/// The library's service resolver gives one address only, so the address records of the host that
/// it names are browsed apart.
final class EmbeddedSighting {
    let name: String
    let interface: AvahiIfIndex
    /// The IP versions over which the instance is announced.
    var families: Set<AvahiProtocol> = []
    private(set) var port: UInt16?
    private(set) var txt: [String: String] = [:]

    private let server: OpaquePointer
    private let changed: (EmbeddedSighting) -> Void
    private var host: String?
    private var resolver: OpaquePointer?
    private var browsers: [OpaquePointer] = []
    /// How often each address is known; the two IP versions tell of the same ones.
    private var counts: [IPAddress: Int] = [:]

    /// The addresses of the host at present.
    var addresses: Set<IPAddress> { Set(self.counts.keys) }

    /// Starts to follow an instance; the call-back comes from within the library.
    init(
        server: OpaquePointer, name: String, interface: AvahiIfIndex,
        changed: @escaping (EmbeddedSighting) -> Void
    ) {
        self.server = server
        self.name = name
        self.interface = interface
        self.changed = changed
        self.resolver = avahi_s_service_resolver_new(
            server, interface, AvahiProtocol(AVAHI_PROTO_UNSPEC), name, serviceType, nil,
            AvahiProtocol(AVAHI_PROTO_UNSPEC),
            AvahiLookupFlags(
                AVAHI_LOOKUP_USE_MULTICAST.rawValue | AVAHI_LOOKUP_NO_ADDRESS.rawValue),
            { _, _, _, event, _, _, _, host, _, port, txt, _, context in
                // After a failure the resolver goes on, so a late answer still arrives.
                guard event == AVAHI_RESOLVER_FOUND, let host else { return }
                EmbeddedSighting.from(context)?.resolved(
                    host: String(cString: host), port: port, txt: EmbeddedSighting.strings(txt))
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        precondition(self.resolver == nil && self.browsers.isEmpty, "a sighting is ended first")
    }

    /// Stops following; must be called while the server still exists.
    func end() {
        if let resolver = self.resolver { avahi_s_service_resolver_free(resolver) }
        self.resolver = nil
        self.endBrowsing()
    }

    private func endBrowsing() {
        for browser in self.browsers { avahi_s_record_browser_free(browser) }
        self.browsers = []
        self.counts = [:]
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> EmbeddedSighting? {
        context.map { Unmanaged<EmbeddedSighting>.fromOpaque($0).takeUnretainedValue() }
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
            self.server, self.interface, AvahiProtocol(AVAHI_PROTO_UNSPEC), key,
            AVAHI_LOOKUP_USE_MULTICAST,
            { _, _, _, event, record, _, context in
                guard let record else { return }
                EmbeddedSighting.from(context)?.browsed(event, record)
            }, Unmanaged.passUnretained(self).toOpaque())
        if let browser { self.browsers.append(browser) }
    }

    private func browsed(_ event: AvahiBrowserEvent, _ record: UnsafeMutablePointer<AvahiRecord>) {
        let bytes: [UInt8]
        if record.pointee.key.pointee.type == UInt16(AVAHI_DNS_TYPE_A) {
            bytes = withUnsafeBytes(of: record.pointee.data.a.address) { [UInt8]($0) }
        } else {
            bytes = withUnsafeBytes(of: record.pointee.data.aaaa.address) { [UInt8]($0) }
        }
        guard let ip = IPAddress(bytes: bytes, scope: UInt32(self.interface)) else { return }
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
        self.changed(self)
    }
}
