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
    private static let left = Realms(left: [office.id: office.name])
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

    /// The other device says that it is in the office, or no longer.
    private mutating func hear(isIn: Bool = true) throws {
        let line = isIn ? Array(RealmInvitation(Self.office).line.utf8) : []
        let state = OwnData.State(isIn: isIn, value: line)
        let entry = try #require(self.harness.node.mine.entry(OwnItem(Self.office.id), state))
        self.words += 1
        self.harness.node.mine.take(
            entry, EntryID(fixed32(self.words)),
            by: LogName(author: Harness.peer(9), incarnation: 1),
            at: HybridTime(wallMilliseconds: self.harness.now.wall), isBounded: true)
        self.harness.node.followOwn()
        self.harness.give(.timer(.search))
        self.harness.settle()
    }

    // Shows: device.own
    @Test("are told as they are joined and left, once, and no new secret is")
    func tells() throws {
        var test = self
        for realms in [Realms([Self.office]), Self.left, Realms([Self.office])] {
            test.set(realms)
            let told = try #require(test.told)
            #expect(told.isIn == realms.contains(Self.office.id))
            let line = told.isIn ? Array(RealmInvitation(Self.office).line.utf8) : []
            #expect(told.value == line)
            let before = test.written
            test.set(realms)
            #expect(test.written == before)
        }
        let before = test.written
        test.set(Realms([Self.renewed]))
        #expect(test.written == before && test.harness.joined.isEmpty)
        #expect(test.harness.node.mine.leftRealms.isEmpty)
    }

    // Shows: device.own
    @Test("are not told where an administrator installed them, nor left where only a file is gone")
    func installed() throws {
        var test = self
        test.set(Realms([Self.office], installed: [Self.office.id]))
        #expect(test.told == nil)
        try test.hear()
        #expect(test.harness.joined.isEmpty)
        test.set(Realms())
        #expect(test.told?.isIn == true)
    }

    // Shows: device.own
    @Test("are joined as the other device says, unless left here, and that is not told anew")
    func followed() throws {
        var test = self
        let before = test.written
        try test.hear()
        #expect(test.harness.joined.map(\.secret) == [Self.office.secret])
        test.set(Realms([Self.renewed]))
        #expect(test.written == before && test.harness.joined.count == 1)
        test.set(Self.left)
        #expect(test.told?.isIn == false)
        try test.hear()
        #expect(test.harness.joined.count == 1)
    }

    // Shows: device.own
    @Test("stay where they are when the other device leaves one")
    func leftElsewhere() throws {
        var test = self
        test.set(Realms([Self.office]))
        try test.hear(isIn: false)
        #expect(test.harness.node.realms.contains(Self.office.id))
        // With whatever is written next.
        test.harness.join(room("ops"))
        test.harness.settle()
        #expect(test.told?.isIn == true, "one of the user's devices is in it")
    }

    // Shows: device.own
    @Test("are told by no device that is revoked, nor is anything else")
    func revoked() {
        var test = self
        let (own, id) = (personKeys(40, 41), test.harness.node.id)
        let certificate = own.certify(id, deviceAddress: fixed32(7), at: 1)
        let word = Record(
            revoking: id, Revocation(of: certificate, stands: false),
            at: HybridTime(wallMilliseconds: test.harness.now.wall), by: own)
        test.harness.give(.records([word]), from: 9)
        test.harness.settle()
        test.harness.node.mine.offers = Set(OwnSet.allCases)
        let before = test.written
        test.set(Realms([Self.office]))
        #expect(test.written == before && test.harness.node.mine.offers.isEmpty)
    }
}
