import Loop
import Posix
import TestSupport
import Testing

@testable import Discovery

@Suite(.serialized) struct EmbeddedDiscoveryTests {
    @Test("two nodes on the loopback interface find each other with addresses, port and TXT record")
    func findEachOther() throws {
        let nodes = Box<[TestNode]>([])
        let mine = Advertisement(port: 40_001, txt: ["txtvers": "1", "v": "1", "min": "1"])
        let theirs = Advertisement(port: 40_002, txt: ["txtvers": "1", "v": "2", "min": "1"])
        try onLoop { loop in
            let observe: (DiscoveryEvent) -> Void = { _ in
                guard nodes.value.count == 2 else { return }
                let both = nodes.value.map(\.instances)
                // An address of each family, as the loopback interface has.
                guard both.allSatisfy({ $0.first?.value.addresses.count == 2 }) else { return }
                #expect(both[0].keys.sorted() == [theirs.instanceName])
                #expect(both[1].keys.sorted() == [mine.instanceName])
                loop.stop()
            }
            for advertisement in [mine, theirs] {
                let node = try TestNode(
                    loop: loop, mode: .embedded,
                    names: [mine.instanceName, theirs.instanceName], observer: observe)
                nodes.value.append(node)
                node.start(advertisement)
            }
        }
        let found = try #require(nodes.value[0].instances[theirs.instanceName])
        #expect(found.txt == theirs.txt)
        #expect(found.interfaceIndex == NetworkInterface.index(ofName: "lo"))
        #expect(
            found.addresses == [
                SocketAddress(ip: .loopbackIPv4, port: 40_002),
                SocketAddress(ip: .loopbackIPv6, port: 40_002),
            ])
        #expect(nodes.value[1].instances[mine.instanceName]?.txt["v"] == "1")
        #expect(nodes.value[0].events.value.contains(.advertised(name: mine.instanceName)))
        nodes.value = []
    }

    @Test("who announces nothing asks, listens for a while, and asks again with a new stack")
    func listensForAWhile() throws {
        let mine = Advertisement(port: 40_012, txt: ["txtvers": "1"])
        let kept = Box<(seeker: EmbeddedDiscovery?, node: TestNode?)>((nil, nil))
        let rounds = Box(0)
        try onLoop(deadlineMilliseconds: 120_000) { loop in
            let seeker = EmbeddedDiscovery(loop: loop, listeningMilliseconds: 10_000) {
                rounds.value += 1
                #expect(kept.value.seeker?.seenNames.contains(mine.instanceName) == true)
                guard rounds.value < 2 else { return loop.stop() }
                loop.runLater {
                    #expect(kept.value.seeker?.isListening == false)
                    kept.value.seeker?.search(.glance)
                    #expect(kept.value.seeker?.isListening == false)
                    kept.value.seeker?.search(.ask)
                }
            } handler: { event in
                if case .failed(let reason) = event { Issue.record("failed: \(reason)") }
            }
            let node = try TestNode(loop: loop, mode: .embedded, names: [mine.instanceName]) {
                event in
                guard event == .advertised(name: mine.instanceName) else { return }
                seeker.start(advertising: nil, interface: "lo")
                seeker.search(.rest)
                seeker.search(.ask)
            }
            kept.value = (seeker, node)
            node.start(mine)
            // What it asked itself would say, from this address, that the answer is known.
            node.discovery.search(.rest)
        }
        #expect(rounds.value == 2)
        kept.value = (nil, nil)
    }

    @Test("a node that stops says goodbye, and the other hears it")
    func goodbye() throws {
        let nodes = Box<[TestNode]>([])
        let stopped = Box(false)
        let leaving = Advertisement(port: 40_003, txt: ["txtvers": "1"])
        try onLoop { loop in
            let names: Set = [leaving.instanceName]
            let stays = try TestNode(loop: loop, mode: .embedded, names: names) { event in
                switch event {
                case .found(let instance):
                    #expect(instance.name == leaving.instanceName)
                    nodes.value[1].discovery.stop { stopped.value = true }
                case .lost(let name):
                    #expect(name == leaving.instanceName)
                    #expect(stopped.value)
                    loop.stop()
                case .advertised, .changed, .seen:
                    break
                case .failed(let reason):
                    Issue.record("failed: \(reason)")
                }
            }
            let leaves = try TestNode(loop: loop, mode: .embedded, names: names) { _ in
                #expect(!stopped.value, "no event comes after a stop")
            }
            nodes.value = [stays, leaves]
            stays.start(nil)
            leaves.start(leaving)
        }
        #expect(nodes.value[0].instances.isEmpty)
        nodes.value = []
    }

    @Test("a node can start again after a stop, under another name")
    func startsAgain() throws {
        let nodes = Box<[TestNode]>([])
        let first = Advertisement(port: 40_004, txt: ["txtvers": "1"])
        let second = Advertisement(port: 40_005, txt: ["txtvers": "1"])
        try onLoop { loop in
            let names: Set = [first.instanceName, second.instanceName]
            let stays = try TestNode(loop: loop, mode: .embedded, names: names) { event in
                guard case .found(let instance) = event else { return }
                if instance.name == second.instanceName { return loop.stop() }
                nodes.value[1].discovery.stop { nodes.value[1].start(second) }
            }
            let leaves = try TestNode(loop: loop, mode: .embedded, names: names) { _ in }
            nodes.value = [stays, leaves]
            stays.start(nil)
            leaves.start(first)
        }
        #expect(nodes.value[0].instances[second.instanceName]?.addresses.first?.port == 40_005)
        nodes.value = []
    }
}
