import Loop
import Posix

/// One look at where an instance is: its host and port, then the addresses of the host.
///
/// Each question costs the service a thread and a connection to D-Bus, so it ends soon after it is
/// answered. At most two are open at a time.
final class SystemLookup {
    /// What a look has brought so far.
    struct Outcome: Hashable {
        var port: UInt16
        var txt: [String: String]
        var addresses: Set<IPAddress> = []
    }

    private let loop: EventLoop
    private let worker: Worker
    private let library: DNSServiceLibrary
    private let interface: UInt32
    private let progress: (Outcome) -> Void
    private let finished: (Outcome?) -> Void
    private var timer: LoopTimer?
    private var queries: [DNSServiceQuery] = []
    private var outcome: Outcome?

    /// A host on the network answers within milliseconds, one that woke up within a second or two.
    private static let patienceMilliseconds: UInt64 = 5_000
    /// Records of one host arrive together; what comes so much later is found at the next look.
    private static let siblingsMilliseconds: UInt64 = 500

    /// Starts to look; progress comes with each address, the end once, with nil when nothing came.
    init(
        _ name: String, interface: UInt32, library: DNSServiceLibrary, loop: EventLoop,
        worker: Worker,
        progress: @escaping (Outcome) -> Void, finished: @escaping (Outcome?) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.worker = worker
        self.library = library
        self.interface = interface
        self.progress = progress
        self.finished = finished
        self.timer = try loop.makeTimer { [weak self] in self?.finish() }
        self.timer?.set(afterMilliseconds: SystemLookup.patienceMilliseconds)
        self.ask(.resolve(name: name, interface: interface))
    }

    /// Stops looking, without a further call-back.
    func end() {
        self.timer?.cancel()
        self.timer = nil
        for query in self.queries { query.end() }
        self.queries = []
    }

    private func ask(_ question: DNSServiceQuestion) {
        self.queries.append(
            DNSServiceQuery(
                question, library: self.library, loop: self.loop, worker: self.worker
            ) { [weak self] answer in
                self?.handle(answer)
            })
    }

    private func handle(_ answer: DNSServiceAnswer) {
        switch answer {
        case .resolved(let host, let port, let txt):
            guard self.outcome == nil else { return }
            let pairs = TXTRecord.pairs(of: TXTRecord.decode(txt) ?? [])
            self.outcome = Outcome(port: port, txt: pairs)
            for query in self.queries { query.end() }
            self.queries = []
            self.timer?.set(afterMilliseconds: SystemLookup.patienceMilliseconds)
            for isIPv6 in [false, true] {
                self.ask(.addresses(host: host, isIPv6: isIPv6, interface: self.interface))
            }
        case .address(let ip):
            guard var outcome = self.outcome,
                outcome.addresses.count < InstanceTable.maximumAddresses
            else { return }
            if outcome.addresses.isEmpty {
                self.timer?.set(afterMilliseconds: SystemLookup.siblingsMilliseconds)
            }
            outcome.addresses.insert(ip)
            self.outcome = outcome
            self.progress(outcome)
        case .failed:
            // No address of one family is no failure of the other, and if the service itself is
            // gone the search for instances says so.
            if self.outcome == nil { self.finish() }
        case .registered, .appeared, .disappeared:
            break
        }
    }

    private func finish() {
        self.end()
        guard let outcome = self.outcome, !outcome.addresses.isEmpty else {
            return self.finished(nil)
        }
        self.finished(outcome)
    }
}
