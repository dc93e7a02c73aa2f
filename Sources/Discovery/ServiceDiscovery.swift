package import Loop
package import Posix

/// Another node's offer, as it is announced on the network at present.
///
/// It says where a node *may* be; only a handshake says who is there.
package struct ServiceInstance: Hashable, Sendable {
    /// The instance name, random per start of that node; UTF-8, at most 63 bytes.
    package let name: String
    /// The interface it was seen on, the lowest if there are several.
    package let interfaceIndex: UInt32
    /// All addresses, at least one, in the order in which they are best tried.
    package let addresses: [SocketAddress]
    /// The TXT record, with keys in lower case; empty values stand for keys without one.
    package let txt: [String: String]

    /// Makes an instance from its parts.
    package init(
        name: String, interfaceIndex: UInt32, addresses: [SocketAddress], txt: [String: String]
    ) {
        self.name = name
        self.interfaceIndex = interfaceIndex
        self.addresses = addresses
        self.txt = txt
    }
}

/// What discovery reports.
///
/// Handlers get it on the loop, never within a call that they made.
package enum DiscoveryEvent: Hashable, Sendable {
    /// The own instance is announced under this name, which a collision may have changed.
    case advertised(name: String)
    /// So many instances are seen at present, whether or not it is known yet where they are.
    case seen(count: Int)
    /// An instance has appeared and has an address.
    case found(ServiceInstance)
    /// Addresses, port or TXT record of a reported instance are different now.
    case changed(ServiceInstance)
    /// A reported instance said goodbye or ran out; links to it stay as they are.
    case lost(name: String)
    /// Discovery does not work at present, and is tried again by itself.
    case failed(reason: String)
}

/// What a node tells the network about itself.
package struct Advertisement: Hashable, Sendable {
    /// The instance name, random per start; a collision may lead to another.
    package var instanceName: String
    /// The port of the listener.
    package var port: UInt16
    /// The TXT record; `txtvers` goes first, the other keys follow in order.
    ///
    /// A key and its value have 254 bytes together at most; more traps. RFC 6763 section 6.
    package var txt: [String: String]

    /// Makes an advertisement with a random name, unless one is given.
    package init(
        instanceName: String = Advertisement.randomName(), port: UInt16, txt: [String: String]
    ) {
        self.instanceName = instanceName
        self.port = port
        self.txt = txt
    }

    /// Makes 16 random characters of base32, which name neither user nor machine: RFC 8882.
    package static func randomName() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz234567")
        return String((0..<16).map { _ in letters[Int.random(in: 0..<32)] })
    }
}

/// How others are looked for.
package enum ServiceSearch: Hashable, Sendable {
    /// All the time: the network is asked now and, ever less often, again; what comes and goes is
    /// reported.
    case open
    /// Once: the network is asked, and what answers within a second is reported; what does not, and was
    /// reported before, is lost. An open search stays as it is.
    case ask
    /// Once, without asking the network: what its announcements have brought since the last look is
    /// reported. Any other search stays as it is.
    case glance
    /// Not at all.
    case rest
}

/// A way to announce the own node and to find others in the local network by DNS-SD.
///
/// All calls are made on the event loop's thread, and events come there.
package protocol ServiceDiscovery: AnyObject {
    /// Starts to announce and to look for others; call it once, or again after a stop.
    ///
    /// With an interface, all multicast stays on that one. What goes wrong comes as
    /// ``DiscoveryEvent/failed(reason:)``, and is tried again.
    func start(advertising advertisement: Advertisement?, interface: String?)

    /// Asks again for the addresses of an instance, because those that were reported do not answer.
    func refresh(name: String)

    /// Says how others are looked for from now on; the start is ``ServiceSearch/open``.
    ///
    /// The own instance stays announced. Nothing happens before the start and after a stop.
    func search(_ search: ServiceSearch)

    /// Says goodbye and ends; calls back once the goodbye is out. No event comes after this call.
    func stop(then done: @escaping () -> Void)
}

/// The DNS-SD service type of nodes: RFC 6763 section 7.
package let serviceType = "_stoa._tcp"

/// How other nodes are found.
package enum DiscoveryMode: String, Hashable, Sendable, CaseIterable {
    /// The system's Avahi daemon when it answers on D-Bus, else an own mDNS stack.
    case auto
    /// The system's Avahi daemon only.
    case system
    /// An own mDNS stack inside the process only.
    case embedded
    /// No multicast at all; nodes are named by hand.
    case off

    /// Makes the backend for this mode; nil when it is off.
    ///
    /// Call it on the loop's thread, and for `auto` and `system` before other threads read the
    /// environment. Events come to the handler on the loop.
    package func makeDiscovery(
        loop: EventLoop, handler: @escaping (DiscoveryEvent) -> Void
    ) -> (any ServiceDiscovery)? {
        switch self {
        case .auto: return AutomaticDiscovery(loop: loop, handler: handler)
        case .system: return SystemDiscovery(loop: loop, handler: handler)
        case .embedded: return EmbeddedDiscovery(loop: loop, handler: handler)
        case .off: return nil
        }
    }
}
