import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("The realms of a user with two devices")
struct OwnRealmsTests {
    private static let office = Realm(
        id: RealmID(fixed32(1)), name: realmName("office"), secret: fixed32(2))
    private static let renewed = Realm(
        id: office.id, name: office.name, secret: fixed32(3),
        previous: .init(secret: fixed32(2), until: 0))
    private var harness = Harness()
    private var words: UInt8 = 0

    /// Linked to another device of the user.
    init() {
        self.harness.link(9, of: personKeys(40, 41), in: [])
        self.harness.settle()
    }

    /// What is told of the office; nil where nothing is.
    private var told: OwnData.State? {
        self.harness.node.mine.state(of: OwnItem(Self.office.id))
    }

    /// How many entries this device has written.
    private var written: Int {
        self.harness.disk.filter { $0.key.name.author == self.harness.node.id }.values.joined()
            .flatMap(\.entries).count
    }

    private mutating func set(_ realms: Realms) {
        self.harness.give(.realms(realms))
        self.harness.settle()
    }

    /// The other device says something of the office, now or before this node began.
    private mutating func hear(_ realm: Realm?, isNews: Bool = true) throws {
        let line = realm.map { Array(RealmInvitation($0).line.utf8) } ?? []
        let state = OwnData.State(isIn: realm != nil, value: line)
        let entry = try #require(self.harness.node.mine.entry(OwnItem(Self.office.id), state))
        self.words += 1
        self.harness.node.mine.take(
            entry, EntryID(fixed32(self.words)),
            by: LogName(author: Harness.peer(9), incarnation: 1),
            at: HybridTime(wallMilliseconds: self.harness.now.wall), isBounded: true)
        if isNews { self.harness.node.mine.realms.hear(OwnItem(entry)) }
        self.harness.node.followOwn()
        self.harness.give(.timer(.search))
        self.harness.settle()
    }

    /// Whether the shell was last asked to be in the office, and with which secret.
    private func asked(_ realm: Realm, isJoined: Bool = true) -> Bool {
        self.harness.realms.last.map { $0.realm.secret == realm.secret && $0.isJoined == isJoined }
            ?? false
    }

    // Shows: device.own
    @Test("are told as they are joined, renewed and left, each once")
    func tells() throws {
        var test = self
        for realms in [[Self.office], [Self.renewed], []] {
            test.set(Realms(realms))
            let told = try #require(test.told)
            #expect(told.isIn == !realms.isEmpty)
            #expect(told.value == realms.flatMap { Array(RealmInvitation($0).line.utf8) })
            let before = test.written
            test.set(Realms(realms))
            #expect(test.written == before)
        }
        #expect(test.harness.realms.isEmpty && test.harness.node.mine.realms.untold.isEmpty)
    }

    // Shows: device.own
    @Test("are not told where an administrator installed them, nor followed there")
    func installed() throws {
        var test = self
        let installed = Realms([Self.office], installed: [Self.office.id])
        test.set(installed)
        #expect(test.told == nil)
        try test.hear(Self.renewed)
        #expect(test.harness.realms.isEmpty)
    }

    // Shows: device.own
    @Test("are joined, renewed and left as the other device says, and that is not told anew")
    func followed() throws {
        var test = self
        let before = test.written
        try test.hear(Self.office)
        #expect(test.asked(Self.office))
        // The name is each device's own.
        let named = Realm(
            id: Self.office.id, name: realmName("work"), secret: Self.office.secret)
        test.set(Realms([named]))
        try test.hear(Self.renewed)
        #expect(test.asked(Self.renewed) && test.harness.realms.last?.realm.name == named.name)
        test.set(Realms([Self.renewed]))
        let count = test.harness.realms.count
        try test.hear(nil)
        #expect(test.asked(Self.renewed, isJoined: false))
        test.set(Realms(left: [Self.office.id: named.name]))
        #expect(test.harness.realms.count == count + 1)
        #expect(test.harness.node.mine.realms.news.isEmpty)
        #expect(test.written == before && test.told?.isIn == false)
    }

    // Shows: device.own
    @Test("are not joined, renewed or left once more by what was told before a start")
    func old() throws {
        var test = self
        try test.hear(Self.office, isNews: false)
        #expect(test.asked(Self.office))
        test.harness.node.mine.isShared = false
        test.set(Realms([Self.renewed]))
        test.harness.node.mine.isShared = true
        test.harness.realms = []
        test.harness.node.followOwn()
        test.set(Realms([Self.renewed]))
        #expect(test.harness.realms.isEmpty, "the secret before this one")
        test.harness.node.mine.isShared = false
        test.set(Realms(left: [Self.office.id: Self.office.name]))
        test.harness.node.mine.isShared = true
        test.set(Realms(left: [Self.office.id: Self.office.name]))
        #expect(test.harness.realms.isEmpty, "left meanwhile")
        try test.hear(nil, isNews: false)
        test.harness.node.mine.isShared = false
        test.set(Realms([Self.office]))
        test.harness.node.mine.isShared = true
        test.set(Realms([Self.office]))
        #expect(test.harness.realms.isEmpty, "joined meanwhile")
        try test.hear(Self.renewed, isNews: false)
        #expect(test.asked(Self.renewed), "the secret that follows")
    }
}
