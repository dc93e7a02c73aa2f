import Discovery
import Loop
import Posix
import TestSupport
import Testing

/// One backend on a loop, restricted to the loopback interface, with all that it has reported.
///
/// Tests may not send to a real network. Another interface can be named only by who has made a
/// network namespace for it: by a variable, and then no interface may have a global address outside
/// the ranges that labs use.
final class TestNode {
    /// The interface of a lab with an Avahi daemon, from the environment; nil outside of one.
    static let labInterface: String? = {
        guard let name = ProcessEnvironment.variable("STOA_LAB_INTERFACE"),
            let all = try? NetworkInterface.all(),
            all.allSatisfy({ $0.addresses.allSatisfy(TestNode.isOfLab) })
        else { return nil }
        return name
    }()

    private static func isOfLab(_ ip: IPAddress) -> Bool {
        ip.isLoopback || ip.isLinkLocal || ip.description.hasPrefix("10.77.")
    }

    /// Other tests may be on the loopback interface at the same time; only these names count.
    static func isOfTest(_ event: DiscoveryEvent, _ names: Set<String>) -> Bool {
        switch event {
        case .found(let instance), .changed(let instance): return names.contains(instance.name)
        case .lost(let name), .advertised(let name): return names.contains(name)
        case .failed: return true
        case .seen: return false
        }
    }

    let discovery: any ServiceDiscovery
    let events: Box<[DiscoveryEvent]>

    /// Makes a backend whose events about some names are kept, and then shown to the observer.
    init(
        loop: EventLoop, mode: DiscoveryMode, names: Set<String>,
        observer: @escaping (DiscoveryEvent) -> Void
    ) throws {
        let events = Box<[DiscoveryEvent]>([])
        self.events = events
        self.discovery = try #require(
            mode.makeDiscovery(loop: loop) { event in
                loop.checkIsolated()
                guard TestNode.isOfTest(event, names) else { return }
                events.value.append(event)
                observer(event)
            })
    }

    func start(_ advertisement: Advertisement?, interface: String = "lo") {
        self.discovery.start(advertising: advertisement, interface: interface)
    }

    /// The instances that are known at present, by what was reported.
    var instances: [String: ServiceInstance] {
        var found: [String: ServiceInstance] = [:]
        for event in self.events.value {
            switch event {
            case .found(let instance):
                #expect(found[instance.name] == nil, "found twice without a loss in between")
                found[instance.name] = instance
            case .changed(let instance):
                #expect(found[instance.name] != nil, "changed without being found")
                found[instance.name] = instance
            case .lost(let name):
                #expect(found[name] != nil, "lost without being found")
                found[name] = nil
            case .advertised, .seen, .failed:
                break
            }
        }
        return found
    }
}

/// Turns a fresh loop until something stops it, and fails when it takes too long.
func onLoop(
    deadlineMilliseconds: UInt64 = 60_000, _ arrange: (EventLoop) throws -> Void
) throws {
    let loop = try EventLoop()
    let guardTimer = try loop.makeTimer {
        Issue.record("it was not done in time")
        loop.stop()
    }
    guardTimer.set(afterMilliseconds: deadlineMilliseconds, accuracy: .exact)
    try arrange(loop)
    try loop.run()
    guardTimer.cancel()
}
