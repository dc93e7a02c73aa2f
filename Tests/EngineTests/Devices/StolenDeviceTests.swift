import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Whoever has stolen a device that was revoked")
struct StolenDeviceTests {
    private static let ops = room("ops")
    private static let device: UInt8 = 9
    private static let alice = personKeys(50, 51)
    private static let thief = personKeys(70, 71)
    private static let stolen = Harness.peer(device)
    private let log = TestLog(signer(device), in: ops.conversation)
    private var harness = Harness()
    private var last: VerifiedRun

    /// In a room with a device of Alice's that has written there, and with somebody else.
    init() {
        self.last = self.log.opening(of: Self.alice)
        self.harness.join(Self.ops)
        self.harness.settle()
        self.harness.link(2, in: [Self.ops])
        self.harness.link(Self.device, of: Self.alice, in: [Self.ops])
        self.give(self.last)
    }

    private mutating func give(_ run: VerifiedRun) {
        self.harness.give(.liveRun(run.run), from: 2)
        self.harness.settle()
    }

    private func time(_ milliseconds: UInt64) -> HybridTime {
        HybridTime(wallMilliseconds: self.harness.now.wall + milliseconds)
    }

    /// The device writes, so long after now.
    private mutating func write(_ text: String, in milliseconds: UInt64) {
        self.last = self.log.run(
            [TestLog.text(text, at: self.time(milliseconds).rawValue)],
            first: self.last.run.last + 1, prev: self.last.ids.last)
        self.give(self.last)
    }

    private func word(
        of person: PersonKeys, in milliseconds: UInt64, stands: Bool = false
    ) -> Record {
        let certificate = person.certify(signer(Self.device), at: 1)
        return Record(
            revoking: Self.stolen, Revocation(of: certificate, stands: stands),
            at: self.time(milliseconds), by: person)
    }

    private mutating func give(_ record: Record) {
        self.harness.give(.records([record]), from: 2)
        self.harness.settle()
    }

    private mutating func link(_ number: UInt64, of person: PersonKeys) -> GoawayReason? {
        let info = LinkInfo(to: Self.stolen, of: person, boot: number)
        self.harness.give(
            .linkOpened(LinkID(number), info, address: "192.0.2.9:4100", dial: nil))
        return self.harness.closed[LinkID(number)]
    }

    private var texts: [String] {
        self.harness.shown.compactMap {
            if case .message(let message) = $0 { message.content.text } else { nil }
        }
    }

    /// The device shows itself as another person's, on a link and in a log.
    private mutating func turn() {
        #expect(self.link(90, of: Self.thief) == nil)
        let other = TestLog(signer(Self.device), incarnation: 2, in: Self.ops.conversation)
        self.give(other.opening(at: self.time(1).rawValue, of: Self.thief))
    }

    // Shows: device.revoked
    @Test(
        "takes nothing back as another person, before the revocation or after",
        arguments: [true, false])
    func another(isFirst: Bool) {
        var test = self
        let revocation = test.word(of: Self.alice, in: 0)
        if !isFirst { test.give(revocation) }
        test.turn()
        for stands in [false, true] {
            test.give(test.word(of: Self.thief, in: 500, stands: stands))
        }
        if isFirst { test.give(revocation) }
        #expect(test.harness.node.isRevoked(Self.stolen, as: Self.alice.id))
        #expect(!test.harness.node.isRevoked(Self.stolen, as: Self.thief.id))
        test.harness.give(.linkClosed(LinkID(90), nil))
        #expect(test.link(91, of: Self.alice) == .blocked)
        #expect(test.link(92, of: Self.thief) == nil)
        test.harness.now.wall += 2_000
        test.write("as alice", in: 0)
        #expect(test.texts.isEmpty)
        #expect(test.harness.node.tier(of: Self.stolen) == .stranger)
    }

    @Test("shows nothing that it has dated ahead")
    func ahead() {
        var test = self
        test.write("ahead", in: Limits.aheadMilliseconds + 1_000)
        #expect(test.harness.node.disk.held.count == 1)
        test.give(test.word(of: Self.alice, in: 0))
        test.harness.now.wall += Limits.aheadMilliseconds + 2_000
        test.harness.give(.timer(.release))
        test.harness.settle()
        #expect(test.texts.isEmpty)
    }

    @Test("has no profile of a later time taken, and does not wash the revocation away")
    func records() {
        var test = self
        test.give(test.word(of: Self.alice, in: 0))
        let profile = Record(
            kind: Record.Kind.profile, author: Self.stolen, conversation: nil, time: test.time(10),
            value: Profile(name: "Bob", status: "").encoded, signer: signer(Self.device))
        test.give(profile)
        #expect(test.harness.node.record(profile.key) == nil)

        var bounds = RecordBounds()
        bounds.others = 1
        var profiles = Profiles([test.word(of: Self.alice, in: 0)], in: bounds)
        for kind: UInt8 in 20..<50 {
            _ = profiles.settle(
                Record(
                    kind: kind, author: Self.stolen, conversation: nil, time: HybridTime(1),
                    value: [1], signer: signer(Self.device)))
        }
        let claim = FairShare<PeerID>.Claim(
            key: Self.stolen, tier: .stranger, author: Self.stolen, number: 0)
        let gone = profiles.giveWay([claim], at: 1)
        #expect(gone.count == Limits.recordKinds && gone.allSatisfy { $0.person == nil })
        #expect(profiles.revocations(of: Self.stolen).count == 1)
    }

    @Test("is revoked from its first entry on where the revocation came before that")
    func early() {
        var test = self
        let other = room("other")
        test.harness.join(other)
        test.harness.settle()
        let device = signer(33)
        let certificate = Self.alice.certify(device, at: 1)
        test.harness.give(
            .records([
                Record(
                    revoking: PeerID(device.publicKey), Revocation(of: certificate, stands: false),
                    at: test.time(0), by: Self.alice)
            ]), from: 2)
        let log = TestLog(device, in: Self.ops.conversation)
        let opening = log.opening(at: test.time(1).rawValue, of: Self.alice)
        let text = log.run(
            [TestLog.text("late", at: test.time(2).rawValue)], first: 2, prev: opening.ids.last)
        test.give(opening)
        test.give(text)
        #expect(test.texts.isEmpty)
        #expect(test.harness.node.isRevoked(PeerID(device.publicKey), as: Self.alice.id))
    }
}

@Suite("The user's word that a device is revoked")
struct OwnRevocationTests {
    private static let own = personKeys(40, 41)
    private static let stolen = Harness.peer(9)
    private var harness = Harness()

    init() {
        self.harness.link(9, of: Self.own, in: [])
        self.revoke()
    }

    private mutating func revoke(_ request: UInt64 = 100) {
        self.harness.give(.request(RequestID(request), .revokeDevice(Self.stolen)))
        self.harness.settle()
    }

    private var word: Record? {
        self.harness.node.record(RecordKey(revoking: Self.stolen, by: Self.own.id))
    }

    @Test("is told to another device of theirs as soon as that is linked")
    func told() throws {
        var test = self
        let word = try #require(test.word)
        test.harness.link(8, of: Self.own, in: [])
        #expect(test.harness.sent[LinkID(8)]?.contains(.records([word])) == true)
        test.harness.link(7, of: personKeys(70, 71), in: [])
        #expect(test.harness.sent[LinkID(7)]?.contains(.records([word])) != true)
    }

    @Test("goes into a backup, and counts on the restored device before anybody is linked")
    func restored() throws {
        let contacts = self.harness.node.contacts
        #expect(contacts.records.contains(try #require(self.word)))
        var other = Harness(2)
        other.give(.request(RequestID(1), .restore(contacts)))
        #expect(other.node.isRevoked(Self.stolen, as: Self.own.id))
        other.settle()
        let info = LinkInfo(to: Self.stolen, of: Self.own, boot: 3)
        other.give(.linkOpened(LinkID(3), info, address: "192.0.2.9:4100", dial: nil))
        #expect(other.closed[LinkID(3)] == .blocked)
    }

    @Test("is given again after a clock that ran ahead has dated it")
    func ahead() throws {
        var test = Harness()
        test.link(9, of: Self.own, in: [])
        test.now.wall += 3_600_000
        let now = test.now.wall
        test.give(.request(RequestID(1), .revokeDevice(Self.stolen)))
        test.settle()
        test.now.wall -= 3_600_000
        test.give(.request(RequestID(2), .revokeDevice(Self.stolen)))
        test.settle()
        let word = test.node.record(RecordKey(revoking: Self.stolen, by: Self.own.id))
        #expect(try #require(word).time.milliseconds < now - 3_000_000)
    }
}
