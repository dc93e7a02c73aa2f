import CDNSSD
import Glibc
import Posix

/// What is asked of the system's DNS-SD service.
enum DNSServiceQuestion: Sendable {
    /// Announces an instance.
    case register(name: String, port: UInt16, txt: [UInt8], interface: UInt32)
    /// Looks for instances.
    case browse(interface: UInt32)
    /// Asks for host, port and TXT record of an instance.
    case resolve(name: String, interface: UInt32)
    /// Asks for the addresses of a host.
    case addresses(host: String, isIPv6: Bool, interface: UInt32)
}

/// What the system's DNS-SD service says.
enum DNSServiceAnswer: Hashable, Sendable {
    case registered(name: String)
    case appeared(name: String, interface: UInt32)
    case disappeared(name: String, interface: UInt32)
    case resolved(host: String, port: UInt16, txt: [UInt8])
    case address(IPAddress)
    case failed(code: Int32)
}

/// The functions of libdns_sd, which is loaded when it is first needed.
struct DNSServiceLibrary: @unchecked Sendable {  // function pointers that never change
    let functions: cdnssd_functions

    /// The library, or why it cannot be loaded; loading is tried once.
    static let shared: Result<DNSServiceLibrary, DNSServiceUnavailable> = {
        // Else the library prints to standard error that programs should not use it.
        setenv("AVAHI_COMPAT_NOWARN", "1", 1)
        var functions = cdnssd_functions()
        guard let reason = cdnssd_load(&functions) else {
            return .success(DNSServiceLibrary(functions: functions))
        }
        return .failure(DNSServiceUnavailable(reason: String(cString: reason)))
    }()
}

/// Why the system's DNS-SD service cannot be used at all.
struct DNSServiceUnavailable: Error, Hashable, Sendable {
    let reason: String
}

/// One question to the system's DNS-SD service: a `DNSServiceRef` of dns_sd.h.
///
/// Every call blocks on D-Bus and is made on the worker's thread. The loop's thread only waits for
/// the descriptor.
final class DNSServiceCall: @unchecked Sendable {  // used by the worker's thread, see above
    /// Readable when there are answers to process.
    private(set) var descriptor: Int32 = -1
    /// Why the service did not take the question, or 0.
    private(set) var code: Int32 = 0
    private let library: cdnssd_functions
    private var reference: DNSServiceRef?
    private var answers: [DNSServiceAnswer] = []

    /// Asks the question; without a daemon that answers at once with a code.
    init(_ question: DNSServiceQuestion, library: DNSServiceLibrary) {
        self.library = library.functions
        let context = Unmanaged.passUnretained(self).toOpaque()
        switch question {
        case .register(let name, let port, let txt, let interface):
            self.code = self.library.register_service(
                &self.reference, 0, interface, name, serviceType, nil, nil, port.bigEndian,
                UInt16(txt.count), txt,
                { _, _, code, name, _, _, context in
                    DNSServiceCall.add(code, to: context) {
                        name.map { .registered(name: String(cString: $0)) }
                    }
                }, context)
        case .browse(let interface):
            self.code = self.library.browse(
                &self.reference, 0, interface, serviceType, nil,
                { _, flags, interface, code, name, _, _, context in
                    DNSServiceCall.add(code, to: context) {
                        guard let name else { return nil }
                        let text = String(cString: name)
                        return flags & UInt32(kDNSServiceFlagsAdd) != 0
                            ? .appeared(name: text, interface: interface)
                            : .disappeared(name: text, interface: interface)
                    }
                }, context)
        case .resolve(let name, let interface):
            self.code = self.library.resolve(
                &self.reference, 0, interface, name, serviceType, "local",
                { _, _, _, code, _, host, port, length, txt, context in
                    DNSServiceCall.add(code, to: context) {
                        guard let host else { return nil }
                        let bytes = UnsafeBufferPointer(start: txt, count: Int(length))
                        return .resolved(
                            host: String(cString: host), port: UInt16(bigEndian: port),
                            txt: Array(bytes))
                    }
                }, context)
        case .addresses(let host, let isIPv6, let interface):
            let type = isIPv6 ? kDNSServiceType_AAAA : kDNSServiceType_A
            self.code = self.library.query_record(
                &self.reference, 0, interface, host, UInt16(type), UInt16(kDNSServiceClass_IN),
                { _, flags, interface, code, _, _, _, length, data, _, context in
                    DNSServiceCall.add(code, to: context) {
                        guard flags & UInt32(kDNSServiceFlagsAdd) != 0 else { return nil }
                        let bytes = UnsafeRawBufferPointer(start: data, count: Int(length))
                        return IPAddress(bytes: Array(bytes), scope: interface).map { .address($0) }
                    }
                }, context)
        }
        guard let reference = self.reference, self.code == 0 else {
            if self.code == 0 { self.code = Int32(kDNSServiceErr_Unknown) }
            return
        }
        self.descriptor = self.library.descriptor(reference)
    }

    /// Takes what has arrived since the last time.
    func process() -> [DNSServiceAnswer] {
        guard let reference = self.reference else { return [] }
        let code = self.library.process_result(reference)
        if code != 0 { self.answers.append(.failed(code: code)) }
        defer { self.answers = [] }
        return self.answers
    }

    /// Ends the question, and with it an announcement; the descriptor is closed.
    func end() {
        if let reference = self.reference { self.library.deallocate(reference) }
        self.reference = nil
    }

    private static func add(
        _ code: Int32, to context: UnsafeMutableRawPointer?, _ answer: () -> DNSServiceAnswer?
    ) {
        guard let context else { return }
        let call = Unmanaged<DNSServiceCall>.fromOpaque(context).takeUnretainedValue()
        if code != 0 {
            call.answers.append(.failed(code: code))
        } else if let answer = answer() {
            call.answers.append(answer)
        }
    }
}
