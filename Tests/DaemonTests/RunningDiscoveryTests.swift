import Discovery
import Engine
import Formats
import Posix
import Testing

@testable import Daemon

/// Discovery that only notes what it is told.
private final class NotingDiscovery: ServiceDiscovery {
    private(set) var advertisement: Advertisement?
    private(set) var searches: [ServiceSearch] = []

    func start(advertising advertisement: Advertisement?, interface: String?) {
        self.advertisement = advertisement
    }

    func refresh(name: String) {}

    func search(_ search: ServiceSearch) { self.searches.append(search) }

    func stop(then done: @escaping () -> Void) { done() }
}

@Suite("Discovery as a daemon runs it") struct RunningDiscoveryTests {
    private func started() -> (RunningDiscovery, NotingDiscovery) {
        let noting = NotingDiscovery()
        let running = RunningDiscovery()
        running.set(noting)
        running.start(at: SocketAddress(ip: .loopbackIPv4, port: 4_100), interface: nil)
        return (running, noting)
    }

    @Test("the versions that are announced are those that a handshake takes")
    func versions() throws {
        let advertisement = try #require(self.started().1.advertisement)
        #expect(advertisement.txt == ["v": "2", "min": "2"])
        #expect(advertisement.port == 4_100)
    }
}
