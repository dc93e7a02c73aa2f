import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

extension Event {
    /// A machine that has the addresses that it tells, and no others.
    static func reachable(_ reach: Reach?) -> Event {
        .reachable(reach, own: Set(reach?.addresses ?? []))
    }
}

/// A node in the realm `office`, and what peers say and hear of addresses.
struct AddressScene {
    static let office = Realm(
        id: RealmID(fixed32(1)), name: realmName("office"), secret: fixed32(2))
    /// Where the node listens.
    static let own = Reach(port: 4_242, addresses: [.v4([10, 1, 0, 1])])

    var harness: Harness

    init(_ number: UInt8 = 1, realms: Realms = Realms([AddressScene.office])) {
        self.harness = Harness(number, of: personKeys(40 + number, 60), realms: realms)
        // The beginning of time is a moment of which nothing is too old.
        self.harness.now.wall += 100 * 86_400_000
    }

    static func tags(_ number: UInt8, _ role: LinkRole = .responder) -> LinkTags {
        LinkTags(exporter: .zero, role: role)
    }

    static func tag(_ secret: RealmSecret, by role: LinkRole) -> Bytes16 {
        LinkTags.realm(secret, by: role, exporter: .zero)
    }

    static var secret: RealmSecret {
        RealmSecret(realm: Self.office.id, bytes: Self.office.secret)
    }

    /// Links a member of the realm, or somebody who is in the open one alone.
    mutating func link(
        _ number: UInt8, isMember: Bool = true, listens: Bool = true, from host: String? = nil
    ) {
        let info = LinkInfo(to: Harness.peer(number), boot: UInt64(number))
        let address = "\(host ?? "192.0.2.\(number)"):4100"
        self.harness.give(
            .linkOpened(LinkID(UInt64(number)), info, address: address, dial: nil))
        let peer = LinkTags(exporter: info.exporter, role: info.role).peer
        let secrets: [RealmSecret] = isMember ? [.open, Self.secret] : [.open]
        var random = SeededRandom(seed: UInt64(number))
        self.harness.give(
            .realms(
                LinkTags.filled(
                    secrets.map { Self.tag($0, by: peer) }, to: Limits.realmTagCounts
                ) { Bytes16(random.bytes(16)) ?? .zero }), from: number)
        if listens { self.bring([], from: number) }
    }

    /// A peer says what it has, and brings records of the realm.
    mutating func bring(_ records: [Record], held: [UInt64] = [], from number: UInt8) {
        let tag = Self.tag(Self.secret, by: .initiator)
        for start in stride(from: 0, to: max(1, records.count), by: 8) {
            let some = Array(records[start..<min(start + 8, records.count)])
            self.harness.give(
                .addresses(AddressNews(tag, held: held, records: some)), from: number)
        }
    }

    func record(
        of device: Signer, at addresses: [ReachableAddress], port: UInt16 = 4_100,
        time: UInt64? = nil
    ) throws -> Record {
        let reach = try #require(Reach(port: port, addresses: addresses))
        return Record(
            kind: Record.Kind.address, author: PeerID(device.publicKey), conversation: nil,
            time: HybridTime(wallMilliseconds: time ?? self.harness.now.wall),
            value: reach.encoded, signer: device)
    }

    /// What waits to be passed on goes.
    mutating func wait(_ milliseconds: UInt64 = 2_000) {
        self.harness.now.monotonic += milliseconds
        self.harness.now.wall += milliseconds
        self.harness.give(.timer(.addresses))
    }

    /// The records that a link has got since this was asked last.
    mutating func records(to number: UInt8) -> [Record] {
        self.harness.take(from: number).flatMap { frame -> [Record] in
            guard case .addresses(let news) = frame else { return [] }
            return news.records
        }
    }

    /// A device has its turn to be dialled.
    mutating func dial(_ device: Signer) {
        self.harness.now.monotonic += 10_000
        self.harness.give(.timer(.redial(.told(PeerID(device.publicKey)))))
    }

    func dials(of device: Signer) -> [String] {
        self.harness.dials.filter { $0.expecting == PeerID(device.publicKey) }.map(\.address)
    }
}

@Suite("Addresses that members of a realm tell each other")
struct AddressTests {
    private let far = signer(9)

    // Shows: told.addresses
    @Test("a node tells members where it listens, and nobody else, and no earlier version")
    func own() throws {
        var scene = AddressScene()
        scene.link(2)
        scene.link(3, isMember: false)
        scene.link(4, listens: false)
        scene.harness.give(.reachable(AddressScene.own))
        scene.wait()
        let told = scene.records(to: 2)
        #expect(told.map(\.author) == [scene.harness.node.id])
        #expect(told.first.map { Reach(decoding: $0.value) } == AddressScene.own)
        #expect(scene.records(to: 3).isEmpty && scene.records(to: 4).isEmpty)
        // Once told it is not told again, until it is another one.
        scene.bring([], from: 2)
        scene.wait(90_000)
        #expect(scene.records(to: 2).isEmpty)
        scene.harness.give(.reachable(Reach(port: 4_242, addresses: [.v4([10, 1, 0, 7])])))
        scene.wait()
        #expect(scene.records(to: 2).count == 1)
        // Nor more often than once a minute.
        scene.harness.give(.reachable(AddressScene.own))
        scene.wait()
        #expect(scene.records(to: 2).isEmpty)
        scene.wait(60_000)
        scene.wait()
        #expect(scene.records(to: 2).count == 1)
    }

    @Test("a node in no realm with a secret tells nobody, and heeds nothing")
    func noRealm() throws {
        var scene = AddressScene(realms: Realms())
        scene.link(2)
        scene.harness.give(.reachable(AddressScene.own))
        scene.bring([try scene.record(of: self.far, at: [.v4([10, 2, 0, 9])])], from: 2)
        scene.wait()
        let said = scene.harness.take(from: 2)
        #expect(!said.contains { if case .addresses = $0 { true } else { false } })
        scene.dial(self.far)
        #expect(scene.dials(of: self.far).isEmpty)
    }

    @Test("what one member brings the others get, and the device is dialled at its own word")
    func relayed() throws {
        var scene = AddressScene()
        scene.harness.give(.reachable(AddressScene.own))
        for number in [UInt8(2), 4] { scene.link(number) }
        scene.link(3, isMember: false)
        scene.wait()
        for number in [UInt8(2), 3, 4] { _ = scene.records(to: number) }
        let addresses: [ReachableAddress] = [
            .v4([10, 2, 0, 9]),
            .v6([0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [9]),
        ]
        let record = try scene.record(of: self.far, at: addresses)
        scene.bring([record], from: 2)
        scene.wait()
        #expect(scene.records(to: 4) == [record])
        #expect(scene.records(to: 2).isEmpty && scene.records(to: 3).isEmpty)
        scene.dial(self.far)
        #expect(scene.dials(of: self.far) == ["10.2.0.9:4100"])
        scene.harness.give(.timer(.stagger(.told(PeerID(self.far.publicKey)))))
        #expect(scene.dials(of: self.far).last == "[2001:db8::9]:4100")
        let status = scene.harness.node.peerStatus(of: PeerID(self.far.publicKey))
        #expect(status.source == .record && status.state == .connecting)
        // A newcomer says what it has, and gets the rest: here all.
        scene.link(5, listens: false)
        scene.bring([], held: [AddressNews.tag(of: record)], from: 5)
        scene.wait()
        #expect(scene.records(to: 5).map(\.author) == [scene.harness.node.id])
    }

    /// What nobody is dialled for.
    enum Lie: String, CaseIterable {
        case systemPort, loopback, linkLocal, multicast, broadcast, unspecified, ownAddress
        case mapped, sixToFour, loopback6, linkLocal6, multicast6
        case future, old

        var address: ReachableAddress {
            func six(_ first: UInt8, _ second: UInt8) -> ReachableAddress {
                .v6([first, second] + [UInt8](repeating: 0, count: 13) + [1])
            }
            return switch self {
            case .loopback: .v4([127, 0, 0, 1])
            case .linkLocal: .v4([169, 254, 0, 9])
            case .multicast: .v4([224, 0, 0, 251])
            case .broadcast: .v4([255, 255, 255, 255])
            case .unspecified: .v4([0, 0, 0, 0])
            case .ownAddress: .v4([10, 1, 0, 1])
            case .mapped:
                .v6([UInt8](repeating: 0, count: 10) + [0xff, 0xff, 127, 0, 0, 1])
            case .sixToFour: six(0x20, 0x02)
            case .loopback6: six(0, 0)
            case .linkLocal6: six(0xfe, 0x80)
            case .multicast6: six(0xff, 0x02)
            case .systemPort, .future, .old: .v4([10, 2, 0, 9])
            }
        }
    }

    // Shows: daemon.addresses
    @Test("what cannot be the place of a device is not dialled", arguments: Lie.allCases)
    func lies(lie: Lie) throws {
        var scene = AddressScene()
        scene.harness.give(.reachable(AddressScene.own))
        scene.link(2)
        let day: UInt64 = 86_400_000
        let wall = scene.harness.now.wall
        let time = lie == .future ? wall + day : lie == .old ? wall - 31 * day : wall
        scene.bring(
            [
                try scene.record(
                    of: self.far, at: [lie.address], port: lie == .systemPort ? 22 : 4_100,
                    time: time)
            ], from: 2)
        scene.dial(self.far)
        #expect(scene.dials(of: self.far).isEmpty)
        #expect(scene.harness.closed.isEmpty)
    }

    @Test("one that comes among the records of a conversation is ignored, and counts in no digest")
    func amongRecords() throws {
        var scene = AddressScene()
        let ops = room("ops")
        scene.harness.join(ops)
        scene.harness.settle()
        scene.link(9)
        let info = LinkInfo(to: Harness.peer(9), boot: 9)
        scene.harness.give(.rooms(Harness.openTag(info), [ops.name]), from: 9)
        let before = scene.harness.ownDigest(of: ops)
        scene.harness.give(
            .records([try scene.record(of: self.far, at: [.v4([10, 2, 0, 9])])]), from: 9)
        scene.harness.settle()
        #expect(scene.harness.ownDigest(of: ops) == before)
        #expect(
            scene.harness.node.persons.profiles.records(
                of: PeerID(self.far.publicKey),
                in: ops.conversation
            ).isEmpty)
        #expect(scene.harness.node.whereabouts.devices.isEmpty)
    }

    @Test("no address of this machine is dialled that it tells nobody, nor one that it gets later")
    func untold() throws {
        var scene = AddressScene()
        let bridge = ReachableAddress.v4([172, 17, 0, 1])
        scene.harness.give(.reachable(nil, own: [bridge]))
        scene.link(2)
        scene.bring([try scene.record(of: self.far, at: [bridge])], from: 2)
        scene.bring([try scene.record(of: signer(8), at: [.v4([10, 1, 0, 5])])], from: 2)
        scene.harness.give(.reachable(nil, own: [bridge, .v4([10, 1, 0, 5])]))
        scene.dial(self.far)
        scene.dial(signer(8))
        #expect(scene.harness.dials.isEmpty)
        scene.wait()
        #expect(scene.records(to: 2).isEmpty)
    }

    @Test("a forged record ends the link that brought it")
    func forged() throws {
        var scene = AddressScene()
        scene.link(2)
        let record = try scene.record(of: self.far, at: [.v4([10, 2, 0, 9])])
        var bytes = record.encoded
        bytes[bytes.count - 1] ^= 1
        scene.bring([try Record(decoding: bytes)], from: 2)
        #expect(scene.harness.closed[LinkID(2)] == .protocolViolation)
        scene.dial(self.far)
        #expect(scene.dials(of: self.far).isEmpty)
    }

    @Test("who is linked, or seen by discovery at that place, is not dialled for a record")
    func seen() throws {
        var scene = AddressScene()
        scene.link(2)
        scene.link(9)
        scene.bring([try scene.record(of: self.far, at: [.v4([10, 2, 0, 9])])], from: 2)
        scene.dial(self.far)
        #expect(scene.dials(of: self.far).isEmpty)
        let near = signer(8)
        scene.harness.give(.found(Service(name: "near", addresses: ["10.2.0.8:4100"])))
        scene.bring([try scene.record(of: near, at: [.v4([10, 2, 0, 8])])], from: 2)
        scene.dial(near)
        #expect(scene.dials(of: near).isEmpty)
    }

    @Test("the later word of a device counts, whichever comes first")
    func later() throws {
        var scene = AddressScene()
        scene.link(2)
        let old = try scene.record(
            of: self.far, at: [.v4([10, 2, 0, 9])], time: scene.harness.now.wall - 1_000)
        let new = try scene.record(of: self.far, at: [.v4([10, 3, 0, 9])])
        scene.bring([new], from: 2)
        scene.bring([old], from: 2)
        scene.dial(self.far)
        #expect(scene.dials(of: self.far) == ["10.3.0.9:4100"])
    }

    @Test("a node outdoes the word that it gave while its clock ran ahead")
    func outdone() throws {
        var scene = AddressScene()
        scene.harness.give(.reachable(AddressScene.own))
        scene.link(2)
        scene.wait()
        let earlier = try scene.record(
            of: signer(1), at: [.v4([10, 9, 0, 1])], time: scene.harness.now.wall + 60_000)
        _ = scene.records(to: 2)
        scene.bring([earlier], from: 2)
        scene.wait()
        let said = try #require(scene.records(to: 2).last)
        #expect(said.supersedes(earlier))
        #expect(Reach(decoding: said.value) == AddressScene.own)
    }

    @Test("who leaves a realm forgets where its members are, and tells nobody more")
    func left() throws {
        var scene = AddressScene()
        scene.harness.give(.reachable(AddressScene.own))
        scene.link(2)
        scene.bring([try scene.record(of: self.far, at: [.v4([10, 2, 0, 9])])], from: 2)
        scene.harness.give(.realms(Realms()))
        #expect(scene.harness.node.whereabouts.devices.isEmpty)
        #expect(scene.harness.node.whereabouts.own == nil)
        scene.wait()
        #expect(scene.records(to: 2).isEmpty)
        scene.dial(self.far)
        #expect(scene.dials(of: self.far).isEmpty)
    }

    @Test("whoever blocks somebody dials them no more for their record")
    func blocked() throws {
        var scene = AddressScene()
        scene.link(2)
        scene.bring([try scene.record(of: self.far, at: [.v4([10, 2, 0, 9])])], from: 2)
        scene.harness.give(
            .request(RequestID(9), .stand(PeerID(self.far.publicKey), .blocked)))
        scene.harness.settle()
        scene.dial(self.far)
        #expect(scene.dials(of: self.far).isEmpty)
        scene.bring([try scene.record(of: self.far, at: [.v4([10, 3, 0, 9])])], from: 2)
        scene.dial(self.far)
        #expect(scene.dials(of: self.far).isEmpty)
    }

    /// The signers of devices that somebody invents.
    private static func invented(_ number: Int) throws -> Signer {
        let seed = [UInt8(number >> 8), UInt8(number & 0xff)] + [UInt8](repeating: 200, count: 30)
        return Signer(try SigningKey(seed: seed.span.bytes))
    }

    @Test("a member with a thousand keys washes away what it brought itself, and nobody else's")
    func thousand() throws {
        var scene = AddressScene()
        for number in [UInt8(2), 3] { scene.link(number) }
        let honest = try (20..<30).map { number in
            try scene.record(of: signer(UInt8(number)), at: [.v4([10, 2, 0, UInt8(number)])])
        }
        scene.bring(Array(honest[..<5]), from: 3)
        for start in stride(from: 0, to: 1_000, by: 50) {
            let records = try (start..<start + 50).map { number in
                try scene.record(
                    of: try Self.invented(number),
                    at: [.v4([10, 9, UInt8(number >> 8), UInt8(number & 0xff)])])
            }
            scene.bring(records, from: 2)
        }
        scene.bring(Array(honest[5...]), from: 3)
        let kept = Set(scene.harness.node.whereabouts.devices)
        #expect(kept.count <= Limits.addressRecords)
        #expect(kept.isSuperset(of: honest.map(\.author)))
        #expect(scene.harness.node.dialling.targets.count <= Limits.addressRecords)
    }

    @Test("two networks that one link joins learn of each other through it")
    func threeNodes() throws {
        // 1 is here, 2 has links to both, 3 is there.
        var scenes = [1, 2, 3].map { AddressScene($0) }
        for (index, scene) in scenes.indices.map({ ($0, UInt8($0 + 1)) }) {
            let reach = Reach(port: 4_000 + UInt16(scene), addresses: [.v4([10, scene, 0, scene])])
            scenes[index].harness.give(.reachable(reach))
        }
        func open(_ index: Int, to peer: UInt8, _ role: LinkRole) {
            let info = LinkInfo(
                to: Harness.peer(peer), of: personKeys(40 + peer, 60), boot: UInt64(peer),
                role: role)
            scenes[index].harness.give(
                .linkOpened(
                    LinkID(UInt64(peer)), info, address: "192.0.2.\(peer):4100", dial: nil))
        }
        for (one, other) in [(0, 1), (1, 2)] {
            open(one, to: UInt8(other + 1), .initiator)
            open(other, to: UInt8(one + 1), .responder)
        }
        func carry() {
            for (one, other) in [(0, 1), (1, 0), (1, 2), (2, 1)] {
                for frame in scenes[one].harness.take(from: UInt8(other + 1)) {
                    scenes[other].harness.give(frame, from: UInt8(one + 1))
                }
            }
        }
        for _ in 0..<6 {
            carry()
            for index in scenes.indices { scenes[index].wait() }
        }
        scenes[0].dial(signer(3))
        #expect(scenes[0].dials(of: signer(3)) == ["10.3.0.3:4003"])
        scenes[2].dial(signer(1))
        #expect(scenes[2].dials(of: signer(1)) == ["10.1.0.1:4001"])
        // The one between has links to both.
        for number in [UInt8(1), 3] {
            scenes[1].dial(signer(number))
            #expect(scenes[1].dials(of: signer(number)).isEmpty)
        }
    }
}
