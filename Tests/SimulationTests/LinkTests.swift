import Crypto
import Engine
import Formats
import Testing

@testable import Simulation

@Suite("Links between nodes", .enabled(if: !Replay.isOn))
struct LinkTests {
    @Test("dials that cross end in exactly one link")
    func crossedDials() throws {
        for seed in UInt64(1)...1_000 {
            var faults = Faults()
            faults.delay = seed % 40
            faults.jitter = seed % 7 * 10
            faults.hasStaticPeers = seed % 3 == 0
            let simulation = Simulation(seed: seed, machines: 2, faults: faults)
            try simulation.start(0)
            try simulation.run(for: seed % 5 * 30)
            try simulation.start(1)
            try simulation.run(for: 6_000)
            #expect(simulation.linkCount(0, 1) == 1, "seed \(seed)")
            try simulation.run(for: 60_000)
            #expect(simulation.linkCount(0, 1) == 1, "seed \(seed), a minute later")
        }
    }

    @Test("a peer that was switched off silently and started again is linked within seconds")
    func restartedPeer() throws {
        let room = Workload.room(0)
        let simulation = try Simulation.joined(2, in: room)
        try simulation.crash(1, isSilent: true)
        try simulation.run(for: 100)
        try simulation.start(1)
        try simulation.run(until: "linked", within: 5_000) { simulation.linkCount(0, 1) == 1 }
        try simulation.send("after the restart", from: 0, to: room)
        try simulation.run(until: "shown", within: 2_000) {
            simulation.texts(on: 1, in: room) == ["after the restart"]
        }
        try simulation.settle()
    }

    @Test("of a stream that was cut nothing arrives any more, though its ends still send")
    func cutStream() throws {
        let room = Workload.room(0)
        for hasSessions in [false, true] {
            var faults = Faults()
            faults.hasSessions = hasSessions
            let simulation = try Simulation.joined(2, in: room, faults: faults)
            let (number, wire) = try #require(
                simulation.network.wires.first { $0.value.ends.allSatisfy { $0.link != nil } })
            let links = try wire.ends.map { "LinkID(rawValue: \(try #require($0.link).rawValue))" }
            var (sent, arrived) = (0, 0)
            simulation.record.log = { line in
                guard links.contains(where: line.contains) else { return }
                if line.contains(" > send(") { sent += 1 }
                if line.contains(" < received(") { arrived += 1 }
            }
            simulation.cut(number)
            for text in 1...20 {
                try simulation.send("text \(text)", from: text % 2, to: room)
                try simulation.run(for: 20)
            }
            #expect(sent > 0, "nobody sent before both had noticed")
            #expect(arrived == 0)
            try simulation.settle()
            #expect(simulation.texts(on: 1, in: room).count == 20)
        }
    }

    private static func realms(_ named: [String: RealmSecret], open: Bool = true) throws -> Realms {
        let realms = try named.map { name, secret in
            Realm(id: secret.realm, name: try #require(RealmName(name)), secret: secret.bytes)
        }
        return Realms(realms, isInOpen: open)
    }

    @Test("nodes link by the first realm that they share, and without one never")
    func realms() throws {
        let office = Self.secret(1, 1)
        let (old, club) = (Self.secret(1, 2), Self.secret(2, 3))
        for hasSessions in [false, true] {
            var faults = Faults()
            faults.hasSessions = hasSessions
            let simulation = Simulation(seed: 5, machines: 4, faults: faults)
            try simulation.setRealms(0, Self.realms(["office": office]))
            try simulation.setRealms(1, Self.realms(["office": office, "club": club], open: false))
            try simulation.setRealms(2, Self.realms(["office": old, "club": club], open: false))
            try simulation.setRealms(3, Realms())
            for machine in 0..<4 { try simulation.start(machine) }
            try simulation.run(for: 60_000)
            for (one, other, links) in [
                (0, 1, 1), (0, 2, 0), (0, 3, 1), (1, 2, 1), (1, 3, 0), (2, 3, 0),
            ] {
                #expect(simulation.linkCount(one, other) == links, "\(one) and \(other)")
            }
        }
    }

    private static func secret(_ realm: UInt8, _ secret: UInt8) -> RealmSecret {
        func bytes(_ byte: UInt8) -> Bytes32 {
            Bytes32([UInt8](repeating: byte, count: 32)) ?? .zero
        }
        return RealmSecret(realm: RealmID(bytes(realm)), bytes: bytes(secret))
    }

    // Shows: shown.twins
    @Test("two daemons with one key are noticed by themselves and refused by others")
    func twoDaemonsWithOneKey() throws {
        let room = Workload.room(0)
        let simulation = try Simulation.joined(2, in: room)
        let twin = simulation.clone(0)
        try simulation.start(twin)
        try simulation.run(for: 10_000)
        let codes = [0, twin].map { simulation.status(of: $0)?.alerts.map(\.code) ?? [] }
        #expect(codes.allSatisfy { $0.contains(.identityInUse) })
        #expect(simulation.linkCount(0, 1) == 1)
        #expect(simulation.linkCount(twin, 1) == 0)
    }
}
