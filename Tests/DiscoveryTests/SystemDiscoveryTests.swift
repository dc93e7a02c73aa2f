import Glibc
import Loop
import Posix
import TestSupport
import Testing

@testable import Discovery

@Suite struct SystemDiscoveryTests {
    @Test("without D-Bus the automatic mode falls back to the own stack at once")
    func fallsBack() async {
        await #expect(processExitsWith: .exitCode(7)) {
            setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1)
            // D-Bus itself gives up on a silent service after 25 s.
            try onLoop(deadlineMilliseconds: 20_000) { loop in
                let kept = Box<AutomaticDiscovery?>(nil)
                let mine = Advertisement(port: 40_010, txt: ["txtvers": "1"])
                let discovery = AutomaticDiscovery(loop: loop) { event in
                    if case .failed(let reason) = event { fatalError(reason) }
                    guard event == .advertised(name: mine.instanceName) else { return }
                    #expect(kept.value?.usesSystem == false)
                    kept.value?.stop { exit(7) }
                }
                kept.value = discovery
                discovery.start(advertising: mine, interface: "lo")
            }
        }
    }

    @Test(
        "without D-Bus the system mode says so, and tries again",
        .enabled(if: (try? DNSServiceLibrary.shared.get()) != nil, "libdns_sd can be loaded"))
    func reportsFailure() async {
        await #expect(processExitsWith: .exitCode(7)) {
            setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1)
            try onLoop { loop in
                let kept = Box<SystemDiscovery?>(nil)
                let failures = Box(0)
                let discovery = SystemDiscovery(loop: loop) { event in
                    guard case .failed(let reason) = event else { return }
                    precondition(reason.contains("Avahi"))
                    failures.value += 1
                    if failures.value == 2 { kept.value?.stop { exit(7) } }
                }
                kept.value = discovery
                let mine = Advertisement(port: 40_013, txt: ["txtvers": "1"])
                discovery.start(advertising: mine, interface: "lo")
            }
        }
    }

    @Test("an interface that is not there is a failure that is tried again, not a trap")
    func unknownInterface() throws {
        try onLoop { loop in
            let kept = Box<SystemDiscovery?>(nil)
            let discovery = SystemDiscovery(loop: loop) { event in
                #expect(event == .failed(reason: "there is no interface nosuchif0"))
                kept.value?.stop { loop.stop() }
            }
            kept.value = discovery
            discovery.start(advertising: nil, interface: "nosuchif0")
        }
    }

    @Test("stopping before starting calls back")
    func stopsUnstarted() throws {
        for mode in DiscoveryMode.allCases {
            try onLoop { loop in
                guard let discovery = mode.makeDiscovery(loop: loop, handler: { _ in }) else {
                    return loop.stop()
                }
                discovery.stop { loop.stop() }
            }
        }
    }

    /// Runs in a network namespace with an Avahi daemon, whose interface `STOA_LAB_INTERFACE` names.
    ///
    /// The two libraries have a function of the same name; stopping both shows that each calls its own.
    @Test(
        "in a lab, a node of the system's daemon and one with its own stack find each other",
        .enabled(if: TestNode.labInterface != nil))
    func lab() throws {
        let interface = try #require(TestNode.labInterface)
        let system = Advertisement(port: 40_011, txt: ["txtvers": "1", "v": "1"])
        let embedded = Advertisement(port: 40_012, txt: ["txtvers": "1", "v": "2"])
        let names: Set = [system.instanceName, embedded.instanceName]
        let nodes = Box<[TestNode]>([])
        let isStopping = Box(false)
        try onLoop { loop in
            for mode in [DiscoveryMode.system, .embedded] {
                let node = try TestNode(loop: loop, mode: mode, names: names) { _ in
                    let both = nodes.value.map(\.instances)
                    guard !isStopping.value,
                        both.allSatisfy({ ($0.first?.value.addresses.count ?? 0) >= 2 })
                    else { return }
                    #expect(both[0][embedded.instanceName]?.txt == embedded.txt)
                    #expect(both[1][system.instanceName]?.txt == system.txt)
                    isStopping.value = true
                    nodes.value[0].discovery.stop {
                        nodes.value[1].discovery.stop { loop.stop() }
                    }
                }
                nodes.value.append(node)
            }
            nodes.value[0].start(system, interface: interface)
            nodes.value[1].start(embedded, interface: interface)
        }
        nodes.value = []
    }
}
